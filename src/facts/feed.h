/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Writing a feed of runs into a table, on all cores, just as they come. Inside facts/ only:
 * append.c decides afterwards what of it stays.
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
    bool has_time;
    int64_t first_time, last_time;       /* of any submit, start or end */
    int64_t first_attempt, last_attempt; /* range of the identities' `attempt` */
    uint64_t *hashes;                    /* of each row's identity; owned */
    size_t hash_room;
};

/*
 * Parts of runs, taken out of a feed on the way: they go into another table, and rows once written
 * are better not deleted in the same transaction, which would make the engine write all of it again.
 */
struct feed_parts {
    struct run *runs; /* owned, as is their text */
    size_t count, room;
    size_t given; /* how many were fed on */
    struct arena arena;
};

/* So many parts are held in memory, about 80 MB; then the feed is asked to end the batch. */
enum { FEED_PARTS_MAX = 100000 };

struct feed_state {
    const struct run_feed *feed;
    pthread_mutex_t lock;     /* guards all below */
    struct feed_parts *parts; /* NULL: parts are rows like others */
    struct feed_counts counts;
    struct error error;
    bool failed;
};

/* Inserts what `feed` gives into `table`. With `parts`, parts go there instead. */
int feed_insert(struct facts *facts, const char *table, const struct run_feed *feed,
                struct feed_parts *parts, struct feed_counts *counts, struct error *err) MUST_CHECK;
void feed_counts_release(struct feed_counts *counts);

/* A feed of the parts that were taken out. */
struct run_feed feed_of_parts(struct feed_parts *parts);
void feed_parts_release(struct feed_parts *parts);

/* Whether two rows may have the same identity; a false alarm costs time, not truth. */
bool feed_has_repeats(const struct feed_counts *counts);
