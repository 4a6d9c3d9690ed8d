/* SPDX-License-Identifier: MIT */
#include "serve/rpc/frame.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

/* --- writing ------------------------------------------------------------------------------ */

enum { HEAD = 5 }; /* length and kind */

void frame_put_bytes(struct buf *out, uint64_t value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_addc(out, (char)(value >> 8 * i & 0xff));
    }
}

void frame_put_byte(struct buf *out, unsigned value)
{
    frame_put_bytes(out, value, 1);
}

void frame_put_int(struct buf *out, int64_t value)
{
    frame_put_bytes(out, (uint64_t)value, 8);
}

void frame_put_wide(struct buf *out, wide_int value)
{
    frame_put_int(out, (int64_t)value);
    frame_put_int(out, (int64_t)(value >> 64));
}

void frame_put_real(struct buf *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    frame_put_bytes(out, bits, 8);
}

/* The null string is not the empty one. */
void frame_put_text(struct buf *out, struct str text)
{
    frame_put_bytes(out, text.ptr ? text.len : UINT32_MAX, 4);
    buf_add(out, text);
}

/* Begins a frame; returns where it does, for frame_end to write its length. */
size_t frame_begin(struct buf *out, enum frame_kind kind)
{
    const size_t at = out->len;
    frame_put_bytes(out, 0, 4);
    frame_put_byte(out, kind);
    return at;
}

void frame_end(struct buf *out, size_t at)
{
    if (out->overflow) {
        return;
    }
    const size_t length = out->len - at - HEAD;
    for (size_t i = 0; i < 4; i++) {
        out->ptr[at + i] = (char)(length >> 8 * i & 0xff);
    }
}

void frame_put_end(struct buf *out, int failed, const struct error *err)
{
    frame_put_int(out, failed);
    frame_put_text(out, failed ? str_of(err->text) : (struct str){0});
}

/* --- reading ------------------------------------------------------------------------------ */

uint64_t frame_get_bytes(struct frame_reading *in, size_t count)
{
    uint64_t value = 0;
    if (in->rest.len < count) {
        in->bad = true;
        in->rest.len = 0;
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        value |= (uint64_t)(unsigned char)in->rest.ptr[i] << 8 * i;
    }
    in->rest.ptr += count;
    in->rest.len -= count;
    return value;
}

int64_t frame_get_int(struct frame_reading *in)
{
    return (int64_t)frame_get_bytes(in, 8);
}

bool frame_get_flag(struct frame_reading *in)
{
    return frame_get_bytes(in, 1) != 0;
}

wide_int frame_get_wide(struct frame_reading *in)
{
    const uint64_t low = frame_get_bytes(in, 8);
    const int64_t high = frame_get_int(in);
    return (wide_int)high * ((wide_int)1 << 64) + (wide_int)low;
}

double frame_get_real(struct frame_reading *in)
{
    const uint64_t bits = frame_get_bytes(in, 8);
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

struct str frame_get_text(struct frame_reading *in)
{
    const uint64_t length = frame_get_bytes(in, 4);
    if (in->bad || length == UINT32_MAX) {
        return (struct str){0};
    }
    if (length > in->rest.len) {
        in->bad = true;
        return (struct str){0};
    }
    const struct str text = {in->rest.ptr, (size_t)length};
    in->rest.ptr += length;
    in->rest.len -= (size_t)length;
    return text;
}

/* An enumerator below `count`. */
int frame_get_choice(struct frame_reading *in, int count)
{
    const int value = (int)frame_get_bytes(in, 1);
    if (value >= count) {
        in->bad = true;
        return 0;
    }
    return value;
}

/* How many of something follow, each of which takes a byte at least. */
size_t frame_get_count(struct frame_reading *in)
{
    const uint64_t count = frame_get_bytes(in, 4);
    if (count > in->rest.len) {
        in->bad = true;
        return 0;
    }
    return (size_t)count;
}

/* A text that is to end with a NUL; NULL where there was none. */
const char *frame_get_name(struct frame_reading *in, struct arena *arena)
{
    const struct str text = frame_get_text(in);
    return text.ptr ? arena_text(arena, text) : NULL;
}

int frame_get_end(struct frame_reading *in, struct error *why)
{
    const int64_t kind = frame_get_int(in);
    const struct str text = frame_get_text(in);
    if (kind > 0 || kind < ERROR_STOPPED) {
        in->bad = true;
        return 0;
    }
    return kind ? error_set(why, (enum error_kind)kind, "%.*s", STR_ARG(text)) : 0;
}

int frame_done(const struct frame_reading *in, const char *what, struct error *err)
{
    return in->bad || in->rest.len > 0
               ? error_set(
                     err, ERROR_INPUT,
                     "%s is not as it should be; are both sides the same version of stint?",
                     what)
               : 0;
}

/* --- sending ------------------------------------------------------------------------------ */

int frame_send(int fd, struct str bytes, struct error *err)
{
    while (bytes.len > 0) {
        const ssize_t put = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return error_errno(err, "cannot send an answer");
        }
        bytes.ptr += put;
        bytes.len -= (size_t)put;
    }
    return 0;
}

int frame_wait(int fd, const struct stop *stop, int64_t limit_us, struct error *err)
{
    enum { LOOK_MS = 20 };

    const int64_t began = limit_us ? stop_clock() : 0;
    struct pollfd one = {.fd = fd, .events = POLLIN};
    while (poll(&one, 1, stop || limit_us ? LOOK_MS : -1) <= 0) {
        if (stop_is_set(stop)) {
            return stop_explain(stop, err);
        }
        if (limit_us && stop_clock() - began >= limit_us) {
            return error_set(err, ERROR_IO, "the other side has sent nothing for %lld s",
                             (long long)(limit_us / 1000000));
        }
    }
    return 0;
}

/* Fills `size` bytes; *got is less at the end of the stream. */
static int receive(int fd, const struct stop *stop, char *to, size_t size, size_t *got,
                   struct error *err)
{
    *got = 0;
    while (*got < size) {
        int failed = frame_wait(fd, stop, 0, err);
        if (failed) {
            return failed;
        }
        const ssize_t more = recv(fd, to + *got, size - *got, 0);
        if (more < 0 && errno == EINTR) {
            continue;
        }
        if (more < 0) {
            return error_errno(err, "cannot receive an answer");
        }
        if (more == 0) {
            break;
        }
        *got += (size_t)more;
    }
    return 0;
}

int frame_receive(int fd, size_t max, const struct stop *stop, enum frame_kind *kind,
                  struct buf *out, struct error *err)
{
    char head[HEAD];
    size_t got = 0;
    *kind = 0;
    buf_clear(out);
    int failed = receive(fd, stop, head, sizeof(head), &got, err);
    if (failed || got == 0) {
        return failed;
    }
    struct frame_reading in = {.rest = {head, got}};
    const uint64_t length = frame_get_bytes(&in, 4);
    *kind = (enum frame_kind)frame_get_bytes(&in, 1);
    if (in.bad || length > max) {
        return error_set(err, ERROR_INPUT, "what was received is no frame of stint's");
    }
    buf_reserve(out, (size_t)length);
    if (out->overflow) {
        return error_set(err, ERROR_LIMIT, "the answer is larger than %zu bytes", out->max);
    }
    failed = receive(fd, stop, out->ptr, (size_t)length, &got, err);
    out->len = got;
    out->ptr[got] = '\0';
    return failed || got == length
               ? failed
               : error_set(err, ERROR_IO, "the connection ended in the middle of an answer");
}
