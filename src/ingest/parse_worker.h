/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Records out of one file, for the workers of its import: slices are taken, parsed by the
 * driver, checked and given their provenance; what cannot be read is kept aside. What becomes
 * of the records is the caller's business (ingest.c), who fills the first part of struct intake
 * and begins each batch. Inside ingest/ only.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "facts/journal.h"
#include "facts/waits.h"
#include "ingest/extent_set.h"
#include "ingest/file_identity.h"
#include "ingest/ingest.h"
#include "ingest/owner_set.h"
#include "ingest/slicer.h"
#include "record/run.h"
#include "record/sample.h"
#include "source/source.h"

/* What the workers of one import share. */
struct intake {
    const struct ingest_options *options;
    const struct source_driver *driver;
    struct ingest_summary *summary;
    struct content content;
    void *format; /* what the driver read from the head */
    struct slicer slicer;
    struct journal_file file;
    int64_t batch;
    uint64_t digest_seed;
    bool gathered; /* what earlier batches say of jobs that wait: facts/waits.h */

    pthread_mutex_t lock; /* guards all below, and summary */
    int64_t records;      /* of this batch */
    int64_t rejected;
    uint64_t first_reject_line; /* of the whole file; 0: no record was rejected */
    int64_t kept;               /* rejects kept, of the whole file */
    size_t kept_bytes;          /* of these */
    struct journal_reject *rejects;
    size_t reject_count, reject_room;
    struct arena reject_arena;
    struct owner_set owners;   /* of owners, by this batch */
    struct extent_set extents; /* of the clusters of this batch */
    int64_t alive;             /* signs of life, of this batch */
    int64_t first_alive, last_alive;
    int64_t doubled;                 /* samples that were left out, of this batch */
    struct waits_expected *expected; /* of jobs of this batch that wait */
    size_t expected_count, expected_room;
    int64_t as_of; /* when the earliest document of the file says it was made; 0: none does */
    bool lists;    /* some records of the file are of a listing */
};

/* One thread's share: its slice and where it stands in it. */
struct intake_worker {
    struct intake *intake;
    struct slice slice;
    struct source_cursor cursor;
    struct arena arena;
    bool in_slice;
    bool lists;                /* some of its records are of a listing */
    struct extent_set extents; /* of its records since the last call */
};

/* A worker is used by one thread; several may be at work at once. `context` is the intake. */
void *intake_worker_new(void *context);
void intake_worker_free(void *data);

/*
 * Fills up to `max` records of a driver of runs, or of one of samples; *count is 0 at the end
 * of the batch. Texts live until the worker's following call.
 */
int intake_next_runs(void *data, struct run *runs, size_t max, size_t *count,
                     struct error *err) MUST_CHECK;
int intake_next_samples(void *data, struct sample *samples, size_t max, size_t *count,
                        struct error *err) MUST_CHECK;
