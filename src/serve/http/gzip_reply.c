/* SPDX-License-Identifier: MIT */
#include "serve/http/gzip_reply.h"

#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/mem.h"

enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8, LEVEL = 4, STEP = 64 << 10 };

struct gzip_reply {
    z_stream stream;
    struct buf out;
    bool broken; /* could not be set up */
};

struct gzip_reply *gzip_reply_new(void)
{
    struct gzip_reply *deflating = mem_alloc(1, sizeof(*deflating));
    buf_init(&deflating->out, LIMIT_OUTPUT);
    deflating->broken = deflateInit2(&deflating->stream, LEVEL, Z_DEFLATED, GZIP_WINDOW,
                                     MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK;
    return deflating;
}

void gzip_reply_free(struct gzip_reply *deflating)
{
    if (deflating) {
        (void)deflateEnd(&deflating->stream); /* of one that is broken: nothing */
        buf_release(&deflating->out);
        free(deflating);
    }
}

int gzip_reply_add(struct gzip_reply *deflating, struct str bytes, bool last, struct str *out,
                   struct error *err)
{
    z_stream *stream = &deflating->stream;
    struct buf *packed = &deflating->out;
    buf_clear(packed);
    stream->next_in = (Bytef *)(uintptr_t)bytes.ptr; /* zlib does not write there */
    stream->avail_in = (uInt)bytes.len;
    do {
        buf_reserve(packed, STEP);
        if (packed->overflow) {
            return error_set(err, ERROR_LIMIT, "the answer is too large");
        }
        stream->next_out = (Bytef *)packed->ptr + packed->len;
        stream->avail_out = STEP;
        if (deflating->broken ||
            deflate(stream, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR) {
            return error_set(err, ERROR_IO, "cannot compress the answer");
        }
        packed->len += STEP - stream->avail_out;
        packed->ptr[packed->len] = '\0';
    } while (stream->avail_out == 0);
    *out = buf_str(packed);
    return 0;
}
