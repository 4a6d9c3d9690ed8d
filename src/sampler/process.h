/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A process, from what its folder in /proc says. Each reader takes the text of one file and
 * adds what it says; in which order, and whether all files could be read, does not matter. A
 * text that makes no sense says nothing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "sampler/cgroup.h"
#include "sampler/field.h"

/* X(prefix, member, decimals, doc), in the order in which they are written */
#define PROCESS_FIELDS(X)                                                                      \
    X(PROCESS, pid, 0, "its number")                                                           \
    X(PROCESS, ppid, 0, "its parent's number")                                                 \
    X(PROCESS, num_threads, 0, "threads besides the first")                                    \
    X(PROCESS, cpu_avg, 1, "cpu time over its life, as percent of one core")                   \
    X(PROCESS, cpu_time, 0,                                                                    \
      "seconds of cpu time, with those of children that were waited for")                      \
    X(PROCESS, resident_memory, 0, "KiB of private memory that is resident (RssAnon)")         \
    X(PROCESS, virtual_memory, 0, "KiB of data and stack (VmData + VmStk)")                    \
    X(PROCESS, data_read, 0, "KiB read from storage, rounded up")                              \
    X(PROCESS, data_written, 0, "KiB written to storage, rounded up")                          \
    X(PROCESS, data_cancelled, 0, "KiB that were not written after all, rounded up")

/* The fields above are written; those after them are for computing. */
enum process_field {
    PROCESS_FIELDS(LOOK_FIELD_ENUM) PROCESS_FIELD_COUNT,
    PROCESS_group = PROCESS_FIELD_COUNT, /* process group */
    PROCESS_flags,                       /* of the kernel */
    PROCESS_user_ticks,
    PROCESS_system_ticks,
    PROCESS_child_user_ticks,
    PROCESS_child_system_ticks,
    PROCESS_start_ticks, /* after boot */
    PROCESS_data_kib,
    PROCESS_stack_kib,
    PROCESS_uid, /* effective */
    PROCESS_real_uid,
    PROCESS_VALUE_COUNT
};

_Static_assert((int)PROCESS_VALUE_COUNT <= (int)LOOK_VALUES_MAX,
               "more values than there is room for");

extern const struct look_field process_fields[PROCESS_FIELD_COUNT];

struct process {
    struct look_values values;
    struct str cmd;  /* in the arena; null: not known */
    struct str user; /* set by the caller, who knows the names of users */
    struct batch_job job;
    /* of the control group it is in, where Slurm names groups so; null: none */
    struct str sluid;
    int64_t daemon_of; /* the job whose step daemon it is (sampler/steps.h); 0: of none */
    char state;        /* as in stat: R, S, D, Z, X ...; 0: not known */
    bool in_container; /* set by the caller, who knows all processes */
};

/*
 * /proc/PID/stat. The name of the command ends at the last bracket: it may hold any byte,
 * brackets too.
 */
void process_read_stat(struct process *process, struct str text, struct arena *arena);

void process_read_status(struct process *process, struct str text); /* /proc/PID/status */
void process_read_io(struct process *process, struct str text);     /* /proc/PID/io */

/*
 * After the last file: what follows from several values. `ticks` is how many make a second;
 * `uptime` are ticks since boot, negative if that is not known.
 */
void process_settle(struct process *process, int64_t ticks, int64_t uptime);

bool process_is_dead(const struct process *process); /* it has ended and been waited for */

/* A thread of the kernel: nobody's, without memory, its time counted with the cpus. */
bool process_is_kernel(const struct process *process);
