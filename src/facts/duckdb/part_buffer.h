/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Parts of runs (see record/run.h) on their way into the store. Inside facts/ only.
 *
 * Parts are taken out of the feed of runs and kept here until they go into their own table. The
 * scheduler writes the parts of a run just before the run itself, so when a run comes by, its
 * parts are nearly always here already: they are added to it on the spot, and the run's own
 * values are kept beside the parts as one with an empty name. What cannot be matched here
 * (parts that come later, in another file, or twice) is left to parts.c, whose result is the
 * same; the pool knows which parts these are.
 *
 * Thread-safe, but for the release.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "facts/duckdb/run_packing.h"
#include "record/run.h"

/* A part may have started this long outside its run: clocks of hosts differ. Microseconds. */
#define PART_BUFFER_SLACK_US INT64_C(300000000)

/* When so many bytes are here the batch had better end. */
enum { PART_BUFFER_FULL = 256 << 20 };

struct part_buffer_entry {
    const unsigned char *packed; /* see run_packing.h */
    uint64_t hash;               /* of its job */
    size_t next;                 /* entry of the same job before it, plus one; 0: none */
    unsigned takers;             /* runs it was added to; see part_buffer_open_lines */
};

struct part_buffer {
    pthread_mutex_t lock;
    /* parts, and own records of runs; only what is needed of them */
    struct part_buffer_entry *entries;
    size_t count, room;
    size_t bytes;                   /* that the entries take, about */
    struct run_packing_fields kept; /* columns of the table `parts` */
    unsigned char *scratch;         /* where a record is packed */
    size_t scratch_room;
    struct run *found; /* parts of the run that is being looked at */
    size_t *found_at;  /* the entries of these */
    uint64_t *passed;  /* a bit for each hash of a job of which a run came by; some share one */
    bool gave_up;      /* a run had too many parts to look at */
    size_t *buckets;   /* newest entry of each job by hash, plus one */
    size_t bucket_count;
    struct arena arena; /* text of the entries, and of runs that were added to */
    int64_t parts;      /* entries that are parts */
    size_t given;       /* how many feed_of_pool has given */
};

/* Whether records here keep this field: the columns of the table `parts`. */
bool part_buffer_keeps(enum run_field field);

void part_buffer_init(struct part_buffer *pool);
void part_buffer_release(struct part_buffer *pool);

/* Takes a part in. Returns true when the pool is full. */
bool part_buffer_add(struct part_buffer *pool, const struct run *part);

/* The record at `index`, below pool->count; its text lives as long as the pool. */
void part_buffer_get(const struct part_buffer *pool, size_t index, struct run *run);

/*
 * Adds the parts that are here to their run; text of the changed run lives as long as the pool.
 */
void part_buffer_merge(struct part_buffer *pool, struct run *run);

/*
 * The lines of parts that were not added to exactly one run, or may have been to the wrong one,
 * as far as the records that went by tell; *count is how many. The caller frees them. What is
 * not among them needs no second look, unless the store has older records of the same job.
 */
int64_t *part_buffer_open_lines(const struct part_buffer *pool, size_t *count);
