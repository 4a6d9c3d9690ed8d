/* SPDX-License-Identifier: MIT */
#include "base/zstd_pack.h"

#include <zstd.h>

enum { LEVEL = 3 };

int pack_zstd(struct str bytes, struct buf *out, struct error *err)
{
    buf_reserve(out, ZSTD_compressBound(bytes.len));
    if (out->overflow) {
        return error_set(err, ERROR_LIMIT, "%zu bytes are too many to be packed", bytes.len);
    }
    ZSTD_CCtx *context = ZSTD_createCCtx();
    size_t packed = (size_t)-1;
    if (context) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
        packed = ZSTD_compress2(context, out->ptr + out->len, out->room - out->len - 1,
                                bytes.ptr, bytes.len);
    }
    ZSTD_freeCCtx(context);
    if (ZSTD_isError(packed)) {
        return error_set(err, ERROR_IO, "cannot pack %zu bytes: %s", bytes.len,
                         ZSTD_getErrorName(packed));
    }
    out->len += packed;
    out->ptr[out->len] = '\0';
    return 0;
}
