/* SPDX-License-Identifier: MIT */
#include "base/text_sink.h"

int text_sink_buf(void *context, struct str piece, struct error *err)
{
    struct buf *buf = context;
    buf_add(buf, piece);
    return buf->overflow
               ? error_set(err, ERROR_LIMIT, "the text is larger than %zu MiB", buf->max >> 20)
               : 0;
}
