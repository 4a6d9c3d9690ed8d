/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Jobs: what somebody with a habit asks for, and what becomes of each run. Each is drawn when
 * it is needed: the request at submission, the fate at the start, the use (demo_use.h) at the
 * end; so little has to be kept of a job that waits or runs.
 */

#include <stdbool.h>
#include <stdint.h>

#include "demo/demo_format.h"
#include "demo/demo_people.h"
#include "demo/demo_random.h"
#include "demo/demo_site.h"

/* The largest things that can be asked for here. */
struct demo_bounds {
    uint32_t slots[DEMO_POOLS_MAX]; /* of one job */
    uint32_t tasks;                 /* of one array */
    int64_t wall_s;                 /* of one run */
};

/* What was submitted: a job, or the tasks of an array that have not been started. */
struct demo_request {
    int64_t submit_s;
    uint32_t person;
    uint32_t job;
    uint32_t task, last_task; /* the next to start and the last; 0 outside arrays */
    uint32_t typical_s;       /* around what it runs */
    uint32_t limit_s;
    uint32_t use_mb, limit_mb; /* memory a slot, used and asked for */
    uint16_t slots;
    uint16_t hold;   /* slots it keeps from others: more than `slots` if it has GPUs */
    uint16_t suffix; /* number behind the job's name; 0 means none */
    uint8_t gpus;
    uint8_t queue, pool; /* index in the cluster's kind */
    uint8_t name;        /* index in the habit's names */
    uint8_t project;     /* index in the group's projects + 1; 0 means none */
    uint8_t attempt;
    bool mpi; /* may span nodes */
    bool asks_queue;
};

struct demo_fate {
    enum demo_outcome outcome;
    int exit_status;
    int64_t wall_s;
};

/* Draws what a person submits; submit_s and job are left to the caller. */
void demo_job_request(const struct demo_cluster_kind *kind, const struct demo_person *person,
                      const struct demo_bounds *bounds, struct demo_random *random,
                      struct demo_request *request);

/* How many runs it stands for. */
uint32_t demo_job_runs(const struct demo_request *request);

/* Draws what becomes of one run of it. */
struct demo_fate demo_job_fate(const struct demo_request *request,
                               const struct demo_habit *habit, struct demo_random *random);
