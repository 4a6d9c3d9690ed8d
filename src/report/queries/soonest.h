/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How long jobs of about one size waited lately, by partition: everybody's, without names
 * (facts/everyone.h).
 */

#include "facts/facts.h"
#include "report/filter.h"
#include "table/table.h"

struct soonest_question {
    int64_t from, to; /* runs that started in this time */
    int64_t cpus, gpus;
    int64_t wall_us; /* time limit; 0: any */
    int64_t now;
    const struct zone *zone;
    struct filter filter; /* on cluster and partition */
};

/* Columns of the answer, a row for each cluster and partition that such jobs started in. */
enum soonest_column {
    SOONEST_CLUSTER,
    SOONEST_PARTITION,
    SOONEST_RUNS,
    SOONEST_MEDIAN, /* of how long they waited since they could have started */
    SOONEST_MOST,   /* nine of ten waited no longer */
    SOONEST_COLUMNS,
};

/*
 * Jobs are alike if they have half to twice the cpus, and as many GPUs or half to twice of
 * them, and, where a time is asked for, half to twice the time limit. A job without GPUs is
 * like no job with some.
 */
int soonest_ask(struct facts *facts, const struct soonest_question *question, struct table *out,
                struct error *err) MUST_CHECK;

/* Columns of the answer below, a row for each cluster and partition that was seen. */
enum soonest_limit {
    SOONEST_LIMIT_CLUSTER,
    SOONEST_LIMIT_PARTITION,
    SOONEST_LIMIT_WALL, /* longest time that a job may ask for */
    /* most cpus and GPUs of a job: by its nodes, and how many of them it may have */
    SOONEST_LIMIT_CPUS,
    SOONEST_LIMIT_GPUS,
    SOONEST_LIMIT_CLOSED, /* 1: no job starts there, as the scheduler says */
    SOONEST_LIMIT_COLUMNS,
};

/*
 * What a partition allows, as far as the scheduler was asked; absent: no limit, or not
 * recorded.
 */
int soonest_limits(struct facts *facts, const struct soonest_question *question,
                   struct table *out, struct error *err) MUST_CHECK;
