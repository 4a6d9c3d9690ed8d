/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One look at a node: what it is busy with, who runs what, which job that belongs to.
 *
 *     struct look look;
 *     look_init(&look, now_us());
 *     if (look_at(&look, "/", ticks, &err) == 0) { ... sonar_write(&json, &look) ... }
 *     look_release(&look);
 *
 * Whoever looks again and again does it with a watch (sampler/watch.h), which costs less.
 *
 * Processes come and go while one looks: one that is gone in the middle is left out, one that may not be
 * looked into is reported with what is known of it. Threads of the kernel are left out. What could not be read
 * of the node itself, and whatever else went wrong without spoiling the rest, is a line of `troubles`.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "record/sample.h"
#include "sampler/gpu.h"
#include "sampler/node.h"
#include "sampler/process.h"

/* Under these names sonar has what is not known. */
#define LOOK_USER_UNKNOWN "_user_unknown"
#define LOOK_CMD_UNKNOWN  "_unknown_"

/* A job, all jobs together, or whoever else has a control group (sampler/groups.h). */
struct look_group {
    struct batch_job job;  /* known, or there is a name */
    struct str name, user; /* null: not known */
    struct sample values;  /* as far as they are known */
};

struct look {
    int64_t time;       /* microseconds since 1970, when it began */
    struct str cluster; /* null: not given; borrowed */
    struct node node;
    struct process *processes; /* by their numbers, ascending */
    size_t process_count, process_room;
    struct look_group *groups; /* in the arena */
    size_t group_count;
    struct sample counters; /* of the node as a whole (sampler/counters.h) */
    struct gpu_list gpus;
    struct str *troubles; /* sentences */
    size_t trouble_count, trouble_room;
    struct arena arena;  /* holds the texts, or ... */
    struct watch *watch; /* ... the one that look_at made for this look does; owned */
};

void look_init(struct look *look, int64_t time);
void look_release(struct look *look);

/*
 * Looks at the node whose files are below the folder `root` (proc, etc/passwd). `ticks` is how many of
 * the kernel's make a second. Fails if there is no /proc to read.
 */
int look_at(struct look *look, const char *root, int64_t ticks, struct error *err) MUST_CHECK;

/* An empty process more, for whoever fills it. They have to be in the order of their numbers in the end. */
struct process *look_add_process(struct look *look);

/* Finds out which processes are in containers; when all of them are there. */
void look_find_containers(struct look *look);

/* Adds a trouble. */
void look_trouble(struct look *look, const char *format, ...) PRINTF_LIKE(2, 3);

/* The process with this number, or NULL; after look_at. */
struct process *look_find(struct look *look, int64_t pid);

/*
 * Gives each use of a GPU its process: those that /proc does not show, as in another namespace, are added
 * under the names sonar has for the unknown. After look_at, when look->gpus is filled.
 */
void look_add_unassigned(struct look *look);
