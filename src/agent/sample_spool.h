/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Looks that wait to be sent: a folder of files, each a packed look, in the order of their
 * names. They survive the end of the program and of the node. The folder has a limit: beyond it
 * the oldest go, and how many is counted.
 *
 * One program has the folder at a time: two would number their files alike and remove each
 * other's. The kernel gives the lock back when the program ends, however it ends.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

enum { SAMPLE_SPOOL_NAME_MAX = 64 };

struct sample_spool {
    char *folder;  /* owned */
    int64_t limit; /* bytes of all files */
    int64_t size;  /* of those that are there */
    int64_t last;  /* the number of the newest */
    int64_t lost;  /* looks that had to go, since they were last asked for */
    int lock;      /* descriptor of the folder, locked; below 0: none */
};

/*
 * Makes the folder if need be, and finds what an earlier program left. Files that a power cut
 * left half written are removed. Fails if another program has the folder.
 */
int sample_spool_open(struct sample_spool *outbox, const char *folder, int64_t limit,
                      struct error *err) MUST_CHECK;
void sample_spool_close(struct sample_spool *outbox);

/* In a child process: it does not hold the folder when its parent has ended. */
void sample_spool_leave(const struct sample_spool *outbox);

/* Packs and puts one there; it is whole, or not there. */
int sample_spool_put(struct sample_spool *outbox, struct str look,
                     struct error *err) MUST_CHECK;

/* The files of a batch, oldest first: as many as fit into `limit` bytes, and one at least. */
struct sample_spool_batch {
    char (*names)[SAMPLE_SPOOL_NAME_MAX];
    size_t count;
    struct buf bytes; /* what they hold, one after the other */
};

/* An empty batch: nothing waits. Released in any case. */
int sample_spool_take(const struct sample_spool *outbox, size_t limit,
                      struct sample_spool_batch *out, struct error *err) MUST_CHECK;
void sample_spool_release(struct sample_spool_batch *batch);

/* The batch has arrived, or can never: its files go. */
void sample_spool_drop(struct sample_spool *outbox, const struct sample_spool_batch *batch);
