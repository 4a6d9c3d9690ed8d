/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What samples say of a run, for its screen: totals over its nodes, which nodes and cards differ, and a small graph. What
 * they say takes the place of what accounting says where they cover nearly all of the run, and where accounting says nothing.
 * Inside service/ only.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "service/questions/job_screen.h"
#include "table/table.h"

enum { JOB_SAMPLES_POINTS = 40 };

struct job_samples {
    struct table nodes, cards,
        timeline; /* of report/tables/job_use.h; no rows: there are no samples */
    const char *basis, *memory_basis; /* cgroup, processes */
    double seen_us;                   /* from its start to the last look */
    bool goes_on;       /* it has no end: what is counted is up to the last look */
    double coverage;    /* share of the run up to its last look, 0 to 1 */
    double interval_us; /* from one look to the next, about */
    bool has_cpu, has_memory, has_gpu;
    double cpu_us, memory, gpu_us; /* used, over all nodes */
    double memory_of_node;         /* most of one node */
    size_t cards_idle;             /* that were held all the time and never used */
};

/* Reads what there is of the run in this row; `now` where it has not ended. */
int job_samples_read(struct facts *facts, const struct table *runs, size_t row, int64_t now,
                     struct job_samples *out, struct error *err) MUST_CHECK;
void job_samples_release(struct job_samples *samples);

/* The same over time as an answer: for --profile. */
int job_samples_profile(struct facts *facts, const struct table *runs, size_t row, int64_t now,
                        size_t points, struct table *out, struct error *err) MUST_CHECK;

/* A copy of the runs in which the samples have taken their places. */
void job_samples_apply(const struct job_samples *samples, const struct table *runs, size_t row,
                       struct table *out);

/* What the number of this field is based on: "scheduler", "cgroup", "processes". */
const char *job_samples_basis(const struct job_samples *samples, const struct table *recorded,
                              size_t row, const char *id);

/* The most memory of each of its cards, and what they have, added up; false where one of them does not say. */
bool job_samples_card_memory(const struct job_samples *samples, double *used, double *size);

/* "17.9 GiB" */
void job_samples_say_bytes(struct buf *text, double bytes);

/* Lines of the screen: nodes that differ, cards, graph. */
void job_samples_say(struct job_screen *screen, const struct job_samples *samples);
