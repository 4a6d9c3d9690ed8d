/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Writing a feed of runs into a table, on several cores, just as they come. Inside facts/ only:
 * append.c decides afterwards what of it stays.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/append.h"
#include "facts/duckdb/duplicate_candidates.h"
#include "facts/duckdb/part_buffer.h"

/* What went by. */
struct run_feed_counts {
    size_t rows;
    bool has_time;
    int64_t first_time, last_time; /* of any submit, start, end, or seen that a record states */
    int64_t file;                  /* they are of; 0: none */
};

struct run_feed_state {
    const struct run_feed *feed;
    pthread_mutex_t lock;                   /* guards all below */
    struct part_buffer *pool;               /* NULL: parts are rows like others */
    enum run_field fields[RUN_FIELD_COUNT]; /* the columns, fixed before any thread begins */
    size_t field_count;
    bool expected;                        /* and one more, start_expected */
    enum run_field keys[RUN_FIELD_COUNT]; /* the identity, likewise */
    size_t key_count;
    struct run_feed_counts counts;
    struct duplicate_list *suspects; /* of the threads that are done */
    struct error error;
    bool failed;
};

/*
 * Inserts what `feed` gives into `table`: runs with all their columns, while parts go into the
 * pool; or, without a pool, records that came out of one, with the columns these keep.
 *
 * Leaves the lines of rows that may be of one run in the column `line` of the temporary table
 * suspects_TABLE: two rows of one identity are both among them.
 */
int run_feed_insert(struct facts *facts, const char *table, const struct run_feed *feed,
                    struct part_buffer *pool, struct run_feed_counts *counts,
                    struct error *err) MUST_CHECK;

/* The same for a table that has the column start_expected besides. */
int run_feed_insert_waiting(struct facts *facts, const char *table, const struct run_feed *feed,
                            struct part_buffer *pool, struct run_feed_counts *counts,
                            struct error *err) MUST_CHECK;

/* A feed of what is in a pool. */
struct run_feed run_feed_of_pool(struct part_buffer *pool);
