/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Samples of processes into the store, many at a time.
 *
 * A sample is reported once: of two of one identity (record/sample.h) the one that came first
 * stays, within a file and between files, so that files that overlap may be imported in any
 * number of pieces. Only the same line of the same file, read again and differently, takes its
 * own place: that is how a mended driver mends old data (import --again).
 *
 * All of a batch is written in the caller's transaction, whose commit is its end: there is
 * nothing to be settled afterwards.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/stop.h"
#include "facts/facts.h"
#include "record/sample.h"

/* Where samples come from; texts must live until the following call. On one thread. */
struct sample_feed {
    void *context;

    /* Fills up to `max` samples, all provenance included; *count is 0 at the end. */
    int (*next)(void *context, struct sample *samples, size_t max, size_t *count,
                struct error *err);
};

struct samples_counts {
    int64_t added;     /* that were not there */
    int64_t replaced;  /* that took the place of what their own line had said before */
    int64_t unchanged; /* that were there already, just so */
    int64_t doubled;   /* of the same process and moment as another, but different: left out */
    int64_t first_time, last_time; /* of all that came in; both 0 if none did */
};

/* Must be called inside a transaction, which the caller rolls back on failure. */
int samples_append(struct facts *facts, const struct sample_feed *feed,
                   struct samples_counts *counts, struct error *err) MUST_CHECK;

/*
 * Leaves one sample of each stretch of `width` of those taken before `before`: of counters and
 * of texts the last one, of shares the mean, of memory the most. Its time is that of the last.
 * A day at a time, each in a transaction of its own, so that it can be ended at any moment and
 * continues from there; *removed counts the rows that are gone. A second time changes nothing.
 * Outside a transaction.
 */
int samples_thin(struct facts *facts, int64_t before, int64_t width, const struct stop *stop,
                 int64_t *removed, struct error *err) MUST_CHECK;

/*
 * How far samples reach, by cluster and source: cluster, source, samples, nodes, the first and
 * last of them (instants), and `reach`, to when their files have anything, signs of life
 * included.
 */
int samples_overview(struct facts *facts, struct table *out, struct error *err) MUST_CHECK;
