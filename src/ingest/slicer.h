/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Cuts a stream into slices that end at record boundaries, for workers to parse side by side.
 * Thread-safe: each call takes the next slice.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/stream.h"
#include "source/source.h"

/* The last bytes of what was handed out, kept so that the place is known again. */
enum { SLICER_TAIL = 4096 };

enum slice_kind {
    SLICE_RECORDS,    /* whole records */
    SLICE_UNFINISHED, /* what follows the last boundary of the file: may be half a record */
    SLICE_OVERSIZE, /* the beginning of a record longer than any slice; the rest was skipped */
};

struct slice {
    enum slice_kind kind;
    char *data; /* the worker's own, from mem_alloc; the slicer makes it larger if need be */
    size_t room;
    size_t length;
    uint64_t first_byte; /* of the file's content */
    uint64_t first_line; /* from 1 */
};

struct slicer {
    pthread_mutex_t lock;
    struct stream *stream;
    const struct source_driver *driver;
    const void *format;
    char *carry; /* bytes after the last cut, to begin the next slice with */
    size_t carry_room, carry_length;
    uint64_t offset;        /* content byte the next slice begins at */
    uint64_t line;          /* and its line, from 1 */
    uint64_t batch_end;     /* no slice begins at or after this byte in this batch */
    uint64_t whole_to;      /* content is whole records up to here */
    uint64_t whole_line;    /* and the line after them */
    char tail[SLICER_TAIL]; /* the content's last bytes before whole_to */
    size_t tail_length;     /* less than SLICER_TAIL only if there is no more before them */
    bool at_end;
};

/*
 * Starts at the stream's offset, which is at line `line`; `tail` is what lies just before it.
 * The slicer borrows all but the tail.
 */
void slicer_init(struct slicer *slicer, struct stream *stream,
                 const struct source_driver *driver, const void *format, uint64_t line,
                 struct str tail);
void slicer_release(struct slicer *slicer);

/* Allows another `bytes` of content to be handed out. */
void slicer_begin_batch(struct slicer *slicer, uint64_t bytes);

/* No more slices in this batch; those handed out are to be finished. From any thread. */
void slicer_end_batch(struct slicer *slicer);

/*
 * Fills *slice (its data must be there); false in *more means that the batch or the file is
 * done.
 */
int slicer_next(struct slicer *slicer, struct slice *slice, bool *more,
                struct error *err) MUST_CHECK;

/* How far the stream was read, see stream_progress; at any time, from any thread. */
void slicer_progress(struct slicer *slicer, uint64_t *done, uint64_t *total);
