/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Frames: what goes through a socket between two processes of stint, one after the other.
 *
 * A frame is a length (four bytes, the least significant first), a kind (one byte) and its
 * content. Integers in it have a fixed size, texts a length. Whatever is read is held against
 * its length and a limit, and a frame that is not as it should be is ERROR_INPUT: either side
 * may be hostile, or of another version. What the kinds contain is for wire.h.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/stop.h"
#include "base/str.h"
#include "table/table.h"

enum frame_kind {
    /* from the client */
    FRAME_HELLO = 'H',   /* does the other side take requests that change something? */
    FRAME_REQUEST = 'Q', /* what is asked */
    FRAME_OPENED = 'o',  /* what an input is, or why it cannot be opened */
    FRAME_BYTES = 'b',   /* bytes of an input, or why they cannot be read; none is its end */

    /* from the server */
    FRAME_TAKES = 'T', /* the answer to FRAME_HELLO */
    FRAME_INLET =
        'I',          /* where answers to those that follow go, if not back on the connection */
    FRAME_OPEN = 'O', /* wants to open an input: FRAME_OPENED follows */
    FRAME_READ = 'D', /* wants bytes of one: FRAME_BYTES follows */
    FRAME_CLOSE = 'C',    /* has no more use for one: nothing follows */
    FRAME_PROGRESS = 'P', /* how far it is */
    FRAME_SAY = 'S',      /* news of a long operation, a line */
    FRAME_ROWS = 'R',     /* a chunk of a listing */
    FRAME_ANSWER = 'A',   /* all that is left of the answer, and how it ended: the last frame */
    FRAME_BUSY = 'B',     /* nothing was done: the client had better do it itself */
};

/* --- writing: a frame is begun, filled and ended ------------------------------------------ */

/* Returns where it begins, for frame_end to write its length there. */
size_t frame_begin(struct buf *out, enum frame_kind kind);
void frame_end(struct buf *out, size_t at);

void frame_put_bytes(struct buf *out, uint64_t value, size_t count); /* the lowest `count` */
void frame_put_byte(struct buf *out, unsigned value);
void frame_put_int(struct buf *out, int64_t value);
void frame_put_wide(struct buf *out, wide_int value);
void frame_put_real(struct buf *out, double value);
void frame_put_text(struct buf *out,
                    struct str text); /* the null string is not the empty one */

/* How something ended: 0, or the kind of `err` and its sentence. */
void frame_put_end(struct buf *out, int failed, const struct error *err);

/* --- reading ------------------------------------------------------------------------------ */

/* What is left of a content; `bad` once something did not fit, after which everything is 0. */
struct frame_reading {
    struct str rest;
    bool bad;
};

uint64_t frame_get_bytes(struct frame_reading *in, size_t count);
int64_t frame_get_int(struct frame_reading *in);
bool frame_get_flag(struct frame_reading *in);
wide_int frame_get_wide(struct frame_reading *in);
double frame_get_real(struct frame_reading *in);
struct str frame_get_text(struct frame_reading *in);
int frame_get_choice(struct frame_reading *in, int count); /* an enumerator below `count` */

/* How many of something follow, each of which takes a byte at least. */
size_t frame_get_count(struct frame_reading *in);

/* A text that is to end with a NUL; NULL where there was none. */
const char *frame_get_name(struct frame_reading *in, struct arena *arena);

/* What frame_put_end wrote; `why` is set if it is a failure. */
int frame_get_end(struct frame_reading *in, struct error *why);

/* After the last: ERROR_INPUT if something did not fit, or is left. */
int frame_done(const struct frame_reading *in, const char *what, struct error *err) MUST_CHECK;

/* --- sending ------------------------------------------------------------------------------ */

/* Sends bytes; ERROR_IO says that the other side is gone, or has not read for too long. */
int frame_send(int fd, struct str bytes, struct error *err) MUST_CHECK;

/*
 * Waits until there is something to receive, the end of the stream included. Ends with
 * ERROR_STOPPED when `stop` (may be NULL) is set, and with ERROR_IO after `limit_us` (0:
 * never).
 */
int frame_wait(int fd, const struct stop *stop, int64_t limit_us, struct error *err) MUST_CHECK;

/*
 * Receives a frame into `out`, which is cleared: its kind and content. `max` is the longest
 * that is taken. At the end of the stream *kind is 0. Ends with ERROR_STOPPED when `stop` (may
 * be NULL) is set.
 */
int frame_receive(int fd, size_t max, const struct stop *stop, enum frame_kind *kind,
                  struct buf *out, struct error *err) MUST_CHECK;
