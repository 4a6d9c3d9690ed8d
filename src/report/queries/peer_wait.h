/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How long the runs waited that were submitted around the same time as one: whether it had to
 * wait longer than others. Of what the caller may see.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "table/table.h"

struct peer_wait_question {
    struct str cluster;
    struct str partition; /* ptr NULL: runs of the cluster that tell none */
    int64_t job;          /* whose own runs do not count */
    int64_t submit;       /* those submitted up to PEER_WAIT_AROUND_US before or after */
};

#define PEER_WAIT_AROUND_US (12 * 3600 * (int64_t)1000000)

/*
 * One row: how many of them started, the median of how long they waited, and how long nine of
 * ten did at most.
 */
enum peer_wait { PEER_WAIT_RUNS, PEER_WAIT_MEDIAN, PEER_WAIT_MOST, PEER_WAIT_COUNT };

int peer_wait_ask(struct facts *facts, const struct peer_wait_question *question,
                  struct table *out, struct error *err) MUST_CHECK;
