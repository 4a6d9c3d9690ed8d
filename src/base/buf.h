/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Text that grows, up to a limit given at birth.
 *
 *     struct buf line;
 *     buf_init(&line, LIMIT_SQL);
 *     buf_addf(&line, "%d rows", rows);
 *     ...
 *     buf_release(&line);
 *
 * Adding beyond the limit adds nothing and sets `overflow`, which stays set and refuses all
 * that follows: build the whole text, then ask once. The bytes are always followed by a NUL
 * that is not counted in `len`.
 */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attribute.h"
#include "base/str.h"

struct buf {
    char *ptr; /* owned; never NULL after init */
    size_t len;
    size_t room; /* bytes allocated */
    size_t max;  /* len never exceeds it */
    bool overflow;
};

void buf_init(struct buf *buf, size_t max);
void buf_release(struct buf *buf); /* accepts a zeroed one */
void buf_clear(struct buf *buf);   /* empties, keeps the memory, forgets an overflow */

void buf_add(struct buf *buf, struct str text);
void buf_addz(struct buf *buf, const char *text);
void buf_addc(struct buf *buf, char byte);
void buf_fill(struct buf *buf, char byte, size_t count);
void buf_addf(struct buf *buf, const char *format, ...) PRINTF_LIKE(2, 3);
void buf_addv(struct buf *buf, const char *format, va_list args) PRINTF_LIKE(2, 0);

/*
 * Makes room so that `more` bytes can be written at ptr + len, after which the caller moves len
 * and ends with a NUL. Beyond the limit nothing is added: look at `overflow` before writing.
 */
void buf_reserve(struct buf *buf, size_t more);

static inline struct str buf_str(const struct buf *buf)
{
    return (struct str){buf->ptr, buf->len};
}

/* Hands the text to the caller, who frees it; the buf is empty and usable afterwards. */
char *buf_take(struct buf *buf);
