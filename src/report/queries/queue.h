/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What waited and what ran at a moment, now or long ago.
 *
 * A run waited at T if it was submitted by then and had not started: it started later, was
 * withdrawn later, or waits still. It ran if it had started by then and held its resources
 * until later. Whether it was suspended is known of runs that still are. A record that stands
 * for array tasks which wait together counts as so many.
 *
 * What a waiting run will get is what it asks for, and for one that has got it since, if it did
 * not say, what that was.
 */

#include "report/question.h"

enum queue_state { QUEUE_RUNNING, QUEUE_SUSPENDED, QUEUE_PENDING, QUEUE_STATE_COUNT };

const char *queue_state_at(size_t index); /* their names; NULL beyond the last */

/* What can be shown of a run of the queue. */
const char *queue_column_at(size_t index); /* NULL beyond the last */

/* What runs can be counted by. */
const char *queue_key_at(size_t index); /* NULL beyond the last */

enum { QUEUE_COLUMNS_MAX = 24, QUEUE_KEYS_MAX = 4 };

struct queue_question {
    int64_t at;
    bool is_now; /* no moment was asked for */
    const struct zone *zone;
    struct filter filter; /* one on partitions is met by any of a waiting run's */
    bool states[QUEUE_STATE_COUNT];
    const char *keys[QUEUE_KEYS_MAX + 1]; /* of queue_key_at; none: a row for each run */
    size_t key_count;
    size_t columns[QUEUE_COLUMNS_MAX]; /* of queue_column_at */
    size_t column_count;
    int64_t limit; /* rows at most; 0 is all */
    bool total;    /* without keys, counts of all together that name nobody */
};

/*
 * Whether the answer counts everybody's runs, whatever the caller may see: counts by cluster,
 * partition and state, of runs picked by nothing else. Any other question is about the runs
 * that the caller may see.
 */
bool queue_is_everyones(const struct facts *facts, const struct queue_question *question);

/*
 * A row for each run; what runs before what waits, the longest first. Or, with keys, counts of
 * what waits and what runs: by partition, a waiting run counts for each that it may go to.
 */
int queue_ask(struct facts *facts, const struct queue_question *question, struct table *answer,
              struct error *err) MUST_CHECK;

/* The counts of all together; with a row for each state: state, jobs, cpus, nodes, gpus. */
int queue_totals(struct facts *facts, const struct queue_question *question,
                 struct table *answer, struct error *err) MUST_CHECK;

/* Counts partitions of one name on several clusters by cluster. */
void queue_by_cluster(struct queue_question *question);

/* How many clusters have runs. */
int queue_clusters(struct facts *facts, int64_t *count, struct error *err) MUST_CHECK;

/*
 * How many that are said to wait or run still were last seen more than `slack` before that, or
 * never.
 */
int queue_stale(struct facts *facts, const struct queue_question *question, int64_t slack,
                int64_t *runs, struct error *err) MUST_CHECK;
