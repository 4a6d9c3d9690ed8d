/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Compressed copies of a text, as gzip and zstd make them.
 */

#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "support/expect.h"

typedef void toy_pack_fn(struct buf *out, struct str content);

static inline void toy_plain(struct buf *out, struct str content)
{
    buf_add(out, content);
}

static inline void toy_gzip(struct buf *out, struct str content)
{
    z_stream z = {0};
    expect_int(deflateInit2(&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    uLong room = deflateBound(&z, content.len) + 64;
    unsigned char *data = mem_alloc(room, 1);
    z.next_in = (unsigned char *)(uintptr_t)content.ptr; /* zlib does not write there */
    z.avail_in = (uInt)content.len;
    z.next_out = data;
    z.avail_out = (uInt)room;
    expect_int(deflate(&z, Z_FINISH), Z_STREAM_END);
    buf_add(out, (struct str){(char *)data, z.total_out});
    deflateEnd(&z);
    free(data);
}

static inline void toy_zstd(struct buf *out, struct str content)
{
    size_t room = ZSTD_compressBound(content.len);
    char *data = mem_alloc(room, 1);
    size_t size = ZSTD_compress(data, room, content.ptr, content.len, 1);
    expect_false(ZSTD_isError(size));
    buf_add(out, (struct str){data, size});
    free(data);
}
