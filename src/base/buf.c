/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

enum { FIRST_ROOM = 64 };

/*
 * Makes room for `more` bytes and the NUL; false, and the overflow set, beyond the limit. Once
 * something was refused everything is, so that what is there is always a true beginning.
 */
static bool make_buf_room(struct buf *buf, size_t more)
{
    if (buf->overflow || more > buf->max - buf->len) {
        buf->overflow = true;
        return false;
    }
    if (more < buf->room - buf->len) {
        return true;
    }
    size_t need = buf->len + more + 1;
    size_t room = buf->room < FIRST_ROOM ? FIRST_ROOM : buf->room;
    while (room < need) {
        room = room > SIZE_MAX / 2 ? need : room * 2;
    }
    buf->ptr = mem_resize(buf->ptr, room, 1);
    buf->room = room;
    return true;
}

void buf_init(struct buf *buf, size_t max)
{
    assert(max < SIZE_MAX);
    *buf = (struct buf){.max = max};
    buf->ptr = mem_resize(NULL, FIRST_ROOM, 1);
    buf->ptr[0] = '\0';
    buf->room = FIRST_ROOM;
}

void buf_release(struct buf *buf)
{
    if (!buf) {
        return;
    }
    free(buf->ptr);
    *buf = (struct buf){0};
}

void buf_clear(struct buf *buf)
{
    buf->len = 0;
    buf->overflow = false;
    if (buf->ptr) {
        buf->ptr[0] = '\0';
    }
}

void buf_add(struct buf *buf, struct str text)
{
    if (text.len == 0 || !make_buf_room(buf, text.len)) {
        return;
    }
    memcpy(buf->ptr + buf->len, text.ptr, text.len);
    buf->len += text.len;
    buf->ptr[buf->len] = '\0';
}

void buf_addz(struct buf *buf, const char *text)
{
    buf_add(buf, str_of(text));
}

void buf_addc(struct buf *buf, char byte)
{
    if (!make_buf_room(buf, 1)) {
        return;
    }
    buf->ptr[buf->len++] = byte;
    buf->ptr[buf->len] = '\0';
}

void buf_fill(struct buf *buf, char byte, size_t count)
{
    if (count == 0 || !make_buf_room(buf, count)) {
        return;
    }
    memset(buf->ptr + buf->len, byte, count);
    buf->len += count;
    buf->ptr[buf->len] = '\0';
}

void buf_addv(struct buf *buf, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    size_t spare = buf->room - buf->len;
    int length = vsnprintf(buf->ptr + buf->len, spare, format, args);
    assert(length >= 0);
    size_t more = (size_t)length;
    if (make_buf_room(buf, more)) {
        if (more >= spare) {
            vsnprintf(buf->ptr + buf->len, more + 1, format, again);
        }
        buf->len += more;
    }
    buf->ptr[buf->len] = '\0'; /* also over what did not fit */
    va_end(again);
}

void buf_addf(struct buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_addv(buf, format, args);
    va_end(args);
}

void buf_reserve(struct buf *buf, size_t more)
{
    make_buf_room(buf, more);
}

char *buf_take(struct buf *buf)
{
    char *text = buf->ptr;
    buf_init(buf, buf->max);
    return text;
}
