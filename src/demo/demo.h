/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A believable site that never was, for `stint demo`, for tests and for benchmarks: three
 * clusters, their people, and any number of runs, written as the accounting files a real
 * scheduler would have left.
 *
 *     struct demo_plan plan = demo_plan_default(now);
 *     plan.folder = "/tmp/site";
 *     struct demo_summary summary;
 *     if (demo_write(&plan, NULL, NULL, &summary, err) != 0) { ... }
 *     ... summary.clusters[0].path is "/tmp/site/alder/accounting"
 *     demo_summary_release(&summary);
 *
 * What it promises:
 *
 * - The same plan gives the same bytes, on any machine and with any compiler. (A change to the
 *   generator changes them; a test pins a sample.)
 * - Exactly plan.runs runs, all clusters together. A run is a row of its own: a job, a task of an
 *   array, or one attempt of a job that was restarted. Rows of slave tasks come on top.
 * - Every run was submitted and, unless it never started, started and ended within the period.
 *   What still runs or waits at its end is not written, as in the real file.
 * - Rows are in the order in which the runs ended.
 * - No machine is over-allocated: at any instant, what runs on a node has no more slots and GPUs
 *   than the node. Machines are as large as the number of runs asks for; birch grows on the way.
 * - The summary is counted while the runs are made, not from what is written: an import that
 *   disagrees with it is wrong.
 *
 * What is in it: hours of work, weekends, holidays and deadlines; a few people who do most of
 * the work; arrays, parallel jobs over nodes with slave rows (birch), GPUs (cedar); waits that
 * grow when the machine is full; failures of every kind, restarts under the same number, jobs
 * that never started; somebody who always crashes and somebody who asks for all the memory
 * there is; job numbers that wrap at 9999999 (alder); names in UTF-8 and a few in latin-1.
 *
 * Memory is bounded by what waits and runs at once, not by plan.runs. No global state; a call
 * blocks until all is written.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/zone.h"
#include "demo/demo_format.h"
#include "demo/demo_site.h"

#define DEMO_RUNS_MAX INT64_C(50000000)

enum {
    DEMO_USERS_MIN = 10,
    DEMO_USERS_MAX = 10000,
    DEMO_RUNS_PER_HOUR_MAX = 100000, /* of the period, on average */
    DEMO_YEARS_MAX = 50,
};

/* All pointers are borrowed for the call. */
struct demo_plan {
    uint64_t seed;
    int64_t runs;            /* 1 .. DEMO_RUNS_MAX */
    int users;               /* DEMO_USERS_MIN .. DEMO_USERS_MAX */
    struct period period;    /* an hour to DEMO_YEARS_MAX years; cut to whole seconds */
    const struct zone *zone; /* the clock its people live by; NULL is UTC */
    const char *folder;      /* made if need be */
    const char *format;      /* name of a row of demo_formats */
};

/*
 * 100000 runs of 120 people in the 365 days before `now`, as "sge"; the folder is left to set.
 */
struct demo_plan demo_plan_default(int64_t now);

/* One cluster, in true numbers. */
struct demo_cluster_summary {
    const char *name; /* static */
    char *path;       /* of the file, owned */
    int64_t jobs;     /* numbers given; arrays and restarts count once, some have not ended */
    int64_t runs;     /* of which: */
    int64_t outcomes[DEMO_OUTCOMES];
    int64_t parts;        /* rows of slave tasks */
    int64_t rows;         /* of the file; a run may have several */
    int64_t bytes;        /* of the file */
    int64_t slot_wall_us; /* sum of slots x (end - start) over runs that started */
    int64_t gpu_wall_us;
    int64_t cpu_used_us;         /* user and system, of runs and their parts */
    int64_t wait_us;             /* sum of start - submit over runs that started */
    int64_t nodes_before, nodes; /* at the start, and after growing */
    int64_t slots_before, slots;
    int64_t grown_at; /* instant of growth; 0 if it did not grow */
};

struct demo_summary {
    struct demo_cluster_summary clusters[DEMO_CLUSTERS];
    size_t count;
};

/* Called now and then with runs written and runs to write; false stops the work. */
typedef bool demo_progress(void *context, int64_t done, int64_t total);

/*
 * Writes <folder>/<cluster>/<file of the format> for each cluster, over what is there. Files
 * appear under their names when they are complete: after a failure or a stop (ERROR_STOPPED)
 * there may be some clusters, never half of one. `progress` may be NULL. On success the caller
 * releases the summary; on failure it is empty.
 */
int demo_write(const struct demo_plan *plan, demo_progress *progress, void *context,
               struct demo_summary *summary, struct error *err) MUST_CHECK;

void demo_summary_release(struct demo_summary *summary);
