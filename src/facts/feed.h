/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Writing a feed of runs into the table `runs`, on all cores, just as they come. Inside facts/
 * only: append.c decides afterwards what of it stays.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/append.h"

/* What went by. */
struct feed_counts {
    size_t rows;
    int64_t parts;                       /* rows that are parts of runs */
    bool has_time;
    int64_t first_time, last_time;       /* of any submit, start or end */
    int64_t first_attempt, last_attempt; /* range of the identities' `attempt` */
    uint64_t *hashes;                    /* of each row's identity; owned */
    size_t hash_room;
};

struct feed_state {
    const struct run_feed *feed;
    pthread_mutex_t lock; /* guards all below */
    struct feed_counts counts;
    struct error error;
    bool failed;
};

int feed_insert(struct facts *facts, const struct run_feed *feed, struct feed_counts *counts,
                struct error *err) MUST_CHECK;
void feed_counts_release(struct feed_counts *counts);

/* Whether two rows may have the same identity; a false alarm costs time, not truth. */
bool feed_has_repeats(const struct feed_counts *counts);
