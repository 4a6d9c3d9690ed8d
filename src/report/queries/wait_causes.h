/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Why jobs waited, by the stretches that listings of the queue left
 * (facts/duckdb/wait_stretches.h): of a period by cause, of one run one by one, and how good
 * the scheduler's own expectations were. Of what the caller may see, but for sums without
 * names.
 */

#include "report/question.h"

/* What waits can be added up by. */
const char *wait_causes_key_at(size_t index); /* NULL beyond the last */

enum { WAIT_CAUSES_KEYS_MAX = 4 };

struct wait_causes_question {
    struct period period;
    int64_t now;
    const struct zone *zone;
    struct filter filter; /* on cluster, user, group, account, partition and qos */
    const char *keys[WAIT_CAUSES_KEYS_MAX + 1];
    size_t key_count;
};

/* Adds up partitions of one name on several clusters by cluster. */
void wait_causes_by_cluster(struct wait_causes_question *question);

/*
 * What was waited for in the period, the most first: the keys, jobs (array tasks count each),
 * waited (time, of all jobs together), share of it, longest (one stretch). A stretch that has
 * not ended counts up to the last listing.
 */
int wait_causes_ask(struct facts *facts, const struct wait_causes_question *question,
                    struct table *out, struct error *err) MUST_CHECK;

/*
 * Whether the answer counts everybody's jobs, whatever the caller may see: sums by cluster,
 * partition and reason, of jobs picked by nothing else. Everything else is about the jobs that
 * the caller may see.
 */
bool wait_causes_is_everyones(const struct facts *facts,
                              const struct wait_causes_question *question);

/*
 * The stretches that lie in the period, wholly or in part, as they are kept, in order of time.
 * Keys are not looked at.
 */
int wait_causes_periods(struct facts *facts, const struct wait_causes_question *question,
                        struct table *out, struct error *err) MUST_CHECK;

/*
 * Of jobs that started in the period and whose start the scheduler had foretold: the keys but
 * for the reason, jobs, on_time (share that started no more than a minute later than it first
 * expected), late_median and late_p90 (start less that expectation), ahead (how long before it
 * was named, median). Arrays whose tasks wait together are left out: the scheduler speaks of
 * their first task.
 */
int wait_causes_estimates(struct facts *facts, const struct wait_causes_question *question,
                          struct table *out, struct error *err) MUST_CHECK;

/* One run, by its identity; absent numbers are negative. It waited from `submit` to `until`. */
struct wait_causes_run {
    struct str cluster, job_key; /* ptr NULL: has none */
    int64_t job, task, het;
    int64_t submit, until;
};

/* Its stretches in order, within that time. */
enum wait_causes_column {
    WAIT_CAUSES_FROM,
    WAIT_CAUSES_UNTIL,
    WAIT_CAUSES_REASON,
    WAIT_CAUSES_PRIORITY_FIRST,
    WAIT_CAUSES_PRIORITY_LAST,
    WAIT_CAUSES_EXPECTED_FIRST,
    WAIT_CAUSES_EXPECTED_AT,
    WAIT_CAUSES_EXPECTED_LAST,
    WAIT_CAUSES_COLUMNS,
};

int wait_causes_of_run(struct facts *facts, const struct wait_causes_run *run,
                       struct table *out, struct error *err) MUST_CHECK;
