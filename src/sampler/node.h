/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The node as a whole, from the files of /proc that are about no process. Each reader takes the
 * text of one file and says whether it made sense; what did not is absent.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "sampler/field.h"

/* X(prefix, member, decimals, doc) */
#define SYSTEM_FIELDS(X)                                                                       \
    X(SYSTEM, used_memory, 0, "KiB of memory in use: MemTotal - MemAvailable")                 \
    X(SYSTEM, load1, 3, "load average over 1 minute")                                          \
    X(SYSTEM, load5, 3, "over 5 minutes")                                                      \
    X(SYSTEM, load15, 3, "over 15 minutes")                                                    \
    X(SYSTEM, runnable_entities, 0, "processes and threads that could run")                    \
    X(SYSTEM, existing_entities, 0, "processes and threads there are")

enum system_field { SYSTEM_FIELDS(LOOK_FIELD_ENUM) SYSTEM_FIELD_COUNT };

extern const struct look_field system_fields[SYSTEM_FIELD_COUNT];

/* A core; one that is offline has no line and is not known. */
struct node_cpu {
    int64_t seconds; /* of work since boot: user, nice, system, irq, softirq */
    bool known;
};

/* A disk or partition, as /proc/diskstats counts it. */
struct node_disk {
    struct str name;
    int64_t major, minor;
    struct str stats; /* the counters, digits and blanks only */
};

/* Zeroed, nothing is known. Arrays and texts are in the arena. */
struct node {
    struct str name;
    struct look_values values;
    struct node_cpu *cpus; /* by their number */
    size_t cpu_count;
    struct node_disk *disks;
    size_t disk_count;
    int64_t boot;         /* seconds since 1970 */
    int64_t uptime_ticks; /* since boot */
    bool has_boot, has_uptime;
};

/* `ticks` is how many make a second. */
bool node_read_stat(struct node *node, struct str text, int64_t ticks, struct arena *arena);
bool node_read_meminfo(struct node *node, struct str text);
bool node_read_loadavg(struct node *node, struct str text);
bool node_read_uptime(struct node *node, struct str text, int64_t ticks);
bool node_read_diskstats(struct node *node, struct str text, struct arena *arena);
