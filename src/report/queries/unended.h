/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs that nobody saw end, and not for a while: they count up to when they were last seen
 * (report/sql/end_time.h). What they would add if they had gone on since, up to now, to the end
 * of the period, or to their time limit, whichever comes first, is an estimate, reported beside
 * the numbers and in none of them. Those that count in the period and would add nothing are
 * among them.
 */

#include "report/question.h"

enum unended {
    UNENDED_RUNS, /* how many */
    UNENDED_SEEN, /* the earliest and the latest moment one was last seen: instants */
    UNENDED_SEEN_TO,
    UNENDED_LIMITED, /* of them, those that tell their time limit */
    /* microseconds that they would add, and these times cpus and GPUs; absent if not recorded */
    UNENDED_WALL,
    UNENDED_CPU,
    UNENDED_GPU,
    UNENDED_COUNT,
};

/*
 * One row with these columns, of the runs that pass the question's filters, or one a cluster,
 * with its name behind them.
 */
int unended_ask(struct facts *facts, const struct question *question, bool by_cluster,
                struct table *answer, struct error *err) MUST_CHECK;
