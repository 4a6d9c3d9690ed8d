/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One sample of a node: its load, the processes on it, and the jobs they belong to.
 *
 *     struct node_sample look;
 *     node_sample_init(&look, now_us());
 *     if (node_sample_at(&look, "/", ticks, &err) == 0) { ... sonar_write(&json, &look) ... }
 *     node_sample_release(&look);
 *
 * For repeated samples use sampler/sampler.h, which costs less.
 *
 * Processes come and go while one looks: one that is gone in the middle is left out, one that
 * may not be looked into is reported with what is known of it. Threads of the kernel are left
 * out. What could not be read of the node itself, and whatever else went wrong without spoiling
 * the rest, is a line of `troubles`.
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
#define NODE_SAMPLE_USER_UNKNOWN "_user_unknown"
#define NODE_SAMPLE_CMD_UNKNOWN  "_unknown_"

/* A job, all jobs together, or another owner of a control group (sampler/groups.h). */
struct node_sample_group {
    struct batch_job job;  /* known, or there is a name */
    struct str name, user; /* null: not known */
    struct sample values;  /* as far as they are known */
};

struct node_sample {
    int64_t time;       /* microseconds since 1970, when it began */
    struct str cluster; /* null: not given; borrowed */
    struct node node;
    struct process *processes; /* by their numbers, ascending */
    size_t process_count, process_room;
    struct node_sample_group *groups; /* in the arena */
    size_t group_count;
    struct sample counters; /* of the node as a whole (sampler/counters.h) */
    struct gpu_list gpus;
    struct str *troubles; /* sentences */
    size_t trouble_count, trouble_room;
    struct arena arena;    /* holds the texts, or ... */
    struct sampler *watch; /* ... the one that node_sample_at made for this look does; owned */
};

void node_sample_init(struct node_sample *look, int64_t time);
void node_sample_release(struct node_sample *look);

/*
 * Looks at the node whose files are below the folder `root` (proc, etc/passwd). `ticks` is how
 * many of the kernel's make a second. Fails if there is no /proc to read.
 */
int node_sample_at(struct node_sample *look, const char *root, int64_t ticks,
                   struct error *err) MUST_CHECK;

/*
 * Adds an empty process for the caller to fill. They have to be in the order of their numbers
 * in the end.
 */
struct process *node_sample_add_process(struct node_sample *look);

/* Finds out which processes are in containers; when all of them are there. */
void node_sample_find_containers(struct node_sample *look);

/* Adds a trouble. */
void node_sample_trouble(struct node_sample *look, const char *format, ...) PRINTF_LIKE(2, 3);

/* The process with this number, or NULL; after node_sample_at. */
struct process *node_sample_find(struct node_sample *look, int64_t pid);

/*
 * Gives each use of a GPU its process: those that /proc does not show, as in another namespace,
 * are added under the names sonar has for the unknown. After node_sample_at, when look->gpus is
 * filled.
 */
void node_sample_add_unassigned(struct node_sample *look);
