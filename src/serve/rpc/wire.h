/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Requests and answers as bytes, for another process or host: a request is one frame; an answer
 * is frames of rows, as they are found, and one of everything else. The same answer comes out
 * at the other end, so that the code that shows it need not know where it was made.
 *
 * What the operation reads stays with the client (service/core/inputs.h): the side that answers
 * asks for the bytes it wants, one piece after the other, so that neither side holds more than
 * a piece, and a file that is known is not sent at all.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "serve/rpc/frame.h"
#include "service/core/service.h"

enum {
    WIRE_VERSION = 8, /* of this format; another is answered by FRAME_BUSY */
    WIRE_REQUEST_MAX = 1 << 20,
    WIRE_FRAME_MAX = 1 << 30,
    WIRE_PIECE_MAX = 1 << 20,  /* bytes of an input at once */
    WIRE_SMALL_MAX = 64 << 10, /* frames about inputs, but for their bytes */
    WIRE_VALUES_MAX = 4096,
    WIRE_WHAT_MAX = 256, /* bytes of what progress is about; more is cut */
};

/*
 * What a request is made of, beyond the operation's own. Texts of a decoded one point into its
 * frame.
 */
struct wire_request {
    struct request request; /* values in `values` */
    struct request_value values[WIRE_VALUES_MAX];
    struct str zone;     /* name of the zone of the calendar */
    int64_t year_month;  /* that a year starts with, 1 to 12; 0: nobody has said so */
    bool bare, noteless; /* see struct answer */
    bool streams;        /* the client takes rows as they come */
    bool watches;        /* and wants to know how far it is */
    struct arena arena;  /* names of values */
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

/*
 * *ended is how the operation ended at the other side, 0 or the kind of `why`. Keeps `sink` of
 * the answer.
 */
int wire_get_answer(struct str content, struct answer *out, int *ended, struct error *why,
                    struct error *err) MUST_CHECK;

/* --- what an operation reads -------------------------------------------------------------- */

/* What is wanted of an input: the content of FRAME_OPEN, FRAME_READ and FRAME_CLOSE. */
struct wire_wish {
    size_t value; /* of the request, which names it */
    uint64_t offset;
    size_t size;
};

void wire_put_wish(struct buf *out, enum frame_kind kind, const struct wire_wish *wish);
int wire_get_wish(struct str content, struct wire_wish *out, struct error *err) MUST_CHECK;

/* What came of it: the input without its reader, or why it could not be opened. */
void wire_put_opened(struct buf *out, const struct input *input, int failed,
                     const struct error *err);
int wire_get_opened(struct str content, struct input **out, struct error *err) MUST_CHECK;

/* Bytes, or why they cannot be read. Those of a decoded frame point into it. */
void wire_put_piece(struct buf *out, struct str bytes, int failed, const struct error *err);
int wire_get_piece(struct str content, struct str *bytes, struct error *err) MUST_CHECK;

/* --- news --------------------------------------------------------------------------------- */

struct wire_progress {
    char what[WIRE_WHAT_MAX];
    uint64_t done, total;
    int64_t records;
};

void wire_put_progress(struct buf *out, const struct wire_progress *progress);
int wire_get_progress(struct str content, struct wire_progress *out,
                      struct error *err) MUST_CHECK;

/* A line that is to be said. The one that is read is kept in `arena`. */
void wire_put_say(struct buf *out, const char *line);
int wire_get_say(struct str content, struct arena *arena, const char **out,
                 struct error *err) MUST_CHECK;

/* The name of the inlet (serve/rpc/upload_channel.h) that takes what is read over HTTP. */
void wire_put_inlet(struct buf *out, const char *id);
int wire_get_inlet(struct str content, struct str *id, struct error *err) MUST_CHECK;

/*
 * Whether requests that change something are taken, and where browsers reach the server; NULL:
 * nowhere.
 */
void wire_put_hello(struct buf *out);
void wire_put_takes(struct buf *out, bool changes, const char *address);
int wire_get_takes(struct str content, bool *changes, struct str *address,
                   struct error *err) MUST_CHECK;
