/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What jobs waited for is kept from listings of the queue (facts/duckdb/wait_stretches.h), and
 * forgotten with age. Listings come from a scheduler that is asked (facts/live_jobs.h) or as
 * files, in the order of their instants: one that is not later than those before adds nothing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "facts/facts.h"

#define WAITS_WHAT "waits" /* of the mark of files (facts/pull_state.h) */

/* Files are taken less often than a scheduler is asked: a longer time is a pause. */
#define WAITS_FILES_SLACK_US (86400 * INT64_C(1000000))

/* The start that a scheduler expects of a job that waits, by the digest of its record. */
struct waits_expected {
    int64_t digest, start;
};

struct waits_batch {
    int64_t batch;
    bool first; /* of its file */
    const struct waits_expected *expected;
    size_t expected_count;
};

/* What a batch has of a listing, in its transaction and after facts_append. */
int waits_gather(struct facts *facts, const struct waits_batch *batch,
                 struct error *err) MUST_CHECK;

struct waits_file {
    struct str cluster;
    int64_t whole_at; /* the instant it is a complete listing of the cluster at; 0: it is not */
    int64_t now;      /* what is dated later is left out */
};

/* Takes what was gathered, in the transaction of the last batch. */
int waits_see(struct facts *facts, const struct waits_file *file, struct error *err) MUST_CHECK;

/*
 * Removes the periods that ended before an instant, in a transaction of its own; *removed is
 * their number.
 */
int waits_forget(struct facts *facts, int64_t before, int64_t *removed,
                 struct error *err) MUST_CHECK;
