/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Requests and answers as bytes, for another process or host: a request is one frame; an answer is frames of rows,
 * as they are found, and one of everything else. What comes out at the other end is the same answer, so that whoever
 * shows it need not know where it was made.
 *
 * A frame is a length (four bytes, the least significant first), a kind (one byte) and its content. Integers in it have a
 * fixed size, texts a length. Whatever is read is held against its length and the limits below, and a frame that is
 * not as it should be is ERROR_INPUT: either side may be hostile, or of another version.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "service/service.h"

enum frame_kind {
    FRAME_REQUEST = 'Q',
    FRAME_ROWS = 'R',   /* a chunk of a listing */
    FRAME_ANSWER = 'A', /* all that is left of the answer, and how it ended: the last frame */
    FRAME_BUSY = 'B',   /* nothing was done: whoever asked had better do it itself */
};

enum {
    WIRE_VERSION = 1, /* of this format; another is answered by FRAME_BUSY */
    WIRE_REQUEST_MAX = 1 << 20,
    WIRE_FRAME_MAX = 1 << 30,
    WIRE_VALUES_MAX = 4096,
};

/* What a request is made of, beyond the operation's own. Texts of a decoded one point into its frame. */
struct wire_request {
    struct request request; /* values in `values` */
    struct request_value values[WIRE_VALUES_MAX];
    struct str zone;    /* name of the zone of the calendar */
    int64_t year_month; /* that a year starts with, 1 to 12; 0: nobody has said so */
    bool for_people;
    bool streams;       /* whoever asks takes rows as they come */
    struct arena arena; /* names of values */
};

/* Each adds a whole frame to `out`. */
void wire_put_request(struct buf *out, const struct wire_request *request);
void wire_put_rows(struct buf *out, const struct table *chunk);
void wire_put_answer(struct buf *out, const struct answer *answer, int failed,
                     const struct error *err);
void wire_put_busy(struct buf *out);

/* The contents of frames. Decoded tables own their text. Release in any case. */
int wire_get_request(struct str content, struct wire_request *out,
                     struct error *err) MUST_CHECK;
void wire_request_release(struct wire_request *request);
int wire_get_rows(struct str content, struct table *out, struct error *err) MUST_CHECK;

/* *ended is how the operation ended at the other side, 0 or the kind of `why`. Keeps `sink` of the answer. */
int wire_get_answer(struct str content, struct answer *out, int *ended, struct error *why,
                    struct error *err) MUST_CHECK;

/* Sends bytes; ERROR_IO says that the other side is gone, or has not read for too long. */
int wire_send(int fd, struct str bytes, struct error *err) MUST_CHECK;

/*
 * Receives a frame into `out`, which is cleared: its kind and content. `max` is the longest that is taken. At the end of
 * the stream *kind is 0. Ends with ERROR_STOPPED when `stop` (may be NULL) is set.
 */
int wire_receive(int fd, size_t max, const struct stop *stop, enum frame_kind *kind,
                 struct buf *out, struct error *err) MUST_CHECK;
