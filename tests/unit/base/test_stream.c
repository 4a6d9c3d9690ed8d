/* SPDX-License-Identifier: MIT */
#include "base/stream.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "support/expect.h"

enum { CONTENT = 1000000, MOST = 8 << 20 };

static char path[64];

/* One file, written anew by each test. */
static bool make_path(void)
{
    snprintf(path, sizeof(path), "/tmp/stint-stream-XXXXXX");
    int fd = mkstemp(path);
    return fd >= 0 && close(fd) == 0;
}

static void add_gzip(struct buf *out, struct str content)
{
    z_stream z = {0};
    expect_int(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    uLong room = deflateBound(&z, content.len) + 64;
    unsigned char *data = mem_alloc(room, 1);
    char *copy = mem_alloc(content.len + 1, 1);
    memcpy(copy, content.ptr, content.len);
    z.next_in = (unsigned char *)copy;
    z.avail_in = (uInt)content.len;
    z.next_out = data;
    z.avail_out = (uInt)room;
    expect_int(deflate(&z, Z_FINISH), Z_STREAM_END);
    buf_add(out, (struct str){(char *)data, z.total_out});
    deflateEnd(&z);
    free(copy);
    free(data);
}

static void add_zstd(struct buf *out, struct str content)
{
    size_t room = ZSTD_compressBound(content.len);
    char *data = mem_alloc(room, 1);
    size_t size = ZSTD_compress(data, room, content.ptr, content.len, 3);
    expect_false(ZSTD_isError(size));
    buf_add(out, (struct str){data, size});
    free(data);
}

static void add_plain(struct buf *out, struct str content)
{
    buf_add(out, content);
}

typedef void add_fn(struct buf *out, struct str content);

struct encoding_row {
    const char *name;
    add_fn *add;
};

static const struct encoding_row encoding_rows[] = {
    {"plain", add_plain},
    {"gzip", add_gzip},
    {"zstd", add_zstd},
};

/* Lines that compress to about a third, so that windows fill more than once. */
static struct buf make_content(size_t size)
{
    struct buf content;
    buf_init(&content, size + 100);
    uint64_t random = 1;
    while (content.len < size) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
        buf_addf(&content, "%zu|%016llx\n", content.len, (unsigned long long)random);
    }
    content.len = size;
    content.ptr[size] = '\0';
    return content;
}

static void put_file(struct buf *bytes)
{
    struct error err = {0};
    expect_false(bytes->overflow);
    expect_int(file_write(path, buf_str(bytes), &err), 0);
}

static struct stream *open_it(void)
{
    struct stream *stream = NULL;
    struct error err = {0};
    if (stream_open(path, &stream, &err) != 0) {
        expect_fail("%s", err.text);
    }
    return stream;
}

/* Reads all in pieces of `step` bytes. */
static struct buf read_all(struct stream *stream, size_t step)
{
    struct buf all;
    struct error err = {0};
    buf_init(&all, MOST);
    char *piece = mem_alloc(step, 1);
    size_t got = 0;
    do {
        if (stream_read(stream, piece, step, &got, &err) != 0) {
            expect_fail("%s", err.text);
        }
        buf_add(&all, (struct str){piece, got});
        expect_uint(stream_offset(stream), all.len);
    } while (got == step);
    expect_int(stream_read(stream, piece, step, &got, &err), 0);
    expect_uint(got, 0);
    free(piece);
    return all;
}

static void stream_gives_the_content(void **state)
{
    const struct encoding_row *row = *state;
    struct buf content = make_content(CONTENT);
    struct buf bytes;
    buf_init(&bytes, MOST);
    row->add(&bytes, buf_str(&content));
    put_file(&bytes);
    static const size_t steps[] = {1 << 20, 4096, 1000003, 77};
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        struct stream *stream = open_it();
        expect_text(stream_encoding(stream), row->name);
        expect_true(stream_is_file(stream));
        expect_int(stream_is_plain(stream), row->add == add_plain);
        expect_int(stream_about(stream)->size, (int64_t)bytes.len);
        struct buf all = read_all(stream, steps[i]);
        expect_true(str_eq(buf_str(&all), buf_str(&content)));
        uint64_t done = 0;
        uint64_t total = 0;
        stream_progress(stream, &done, &total);
        expect_uint(done, bytes.len);
        expect_uint(total, bytes.len);
        buf_release(&all);
        stream_close(stream);
    }
    buf_release(&bytes);
    buf_release(&content);
}

static void stream_joins_members(void **state)
{
    const struct encoding_row *row = *state;
    struct buf content = make_content(300000);
    struct buf bytes;
    buf_init(&bytes, MOST);
    row->add(&bytes, (struct str){content.ptr, 100000});
    row->add(&bytes, (struct str){content.ptr + 100000, 0});
    row->add(&bytes, (struct str){content.ptr + 100000, 1});
    row->add(&bytes, (struct str){content.ptr + 100001, content.len - 100001});
    put_file(&bytes);
    struct stream *stream = open_it();
    struct buf all = read_all(stream, 4096);
    expect_true(str_eq(buf_str(&all), buf_str(&content)));
    buf_release(&all);
    stream_close(stream);
    buf_release(&bytes);
    buf_release(&content);
}

static void stream_skips_to_any_offset(void **state)
{
    const struct encoding_row *row = *state;
    struct buf content = make_content(CONTENT);
    struct buf bytes;
    buf_init(&bytes, MOST);
    row->add(&bytes, buf_str(&content));
    put_file(&bytes);
    static const uint64_t offsets[] = {0, 1, 100, 300000, 999999, 1000000};
    struct error err = {0};
    struct stream *stream = open_it();
    for (size_t i = 0; i < COUNT_OF(offsets); i++) {
        struct stream *fresh = open_it();
        expect_int(stream_skip_to(fresh, offsets[i], &err), 0);
        expect_int(stream_skip_to(stream, offsets[i], &err), 0);
        expect_uint(stream_offset(fresh), offsets[i]);
        char one = 0;
        size_t got = 0;
        expect_int(stream_read(fresh, &one, 1, &got, &err), 0);
        expect_uint(got, offsets[i] < content.len);
        expect_int(one, content.ptr[offsets[i]]);
        stream_close(fresh);
    }
    stream_close(stream);
    stream = open_it();
    expect_int(stream_skip_to(stream, CONTENT + 1, &err), ERROR_INPUT);
    expect_contains(err.text, "shorter");
    stream_close(stream);
    buf_release(&bytes);
    buf_release(&content);
}

/* Until nothing is left in the pipe; not for ever, should its reader have gone. */
static void wait_until_read(int pipe_end)
{
    int left = 1;
    for (int i = 0; i < 100000 && left > 0; i++) {
        (void)ioctl(pipe_end, FIONREAD, &left);
        (void)usleep(100);
    }
}

/* What the child writes comes byte by byte, each read before the next, and in halves, through a pipe as stdin. */
static void stream_reads_standard_input(void **state)
{
    const struct encoding_row *row = *state;
    struct buf content = make_content(50000);
    struct buf bytes;
    buf_init(&bytes, MOST);
    row->add(&bytes, buf_str(&content));
    int ends[2];
    expect_int(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        size_t at = 0;
        for (; at < 6; at++) {
            (void)!write(ends[1], bytes.ptr + at, 1);
            wait_until_read(ends[0]);
        }
        while (at < bytes.len) {
            size_t step = bytes.len - at < 999 ? bytes.len - at : 999;
            (void)!write(ends[1], bytes.ptr + at, step);
            at += step;
        }
        _exit(0);
    }
    close(ends[1]);
    int keep = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    struct stream *stream = NULL;
    struct error err = {0};
    expect_int(stream_open("-", &stream, &err), 0);
    expect_text(stream_encoding(stream), row->name);
    expect_false(stream_is_file(stream));
    expect_false(stream_is_plain(stream));
    expect_int(stream_skip_to(stream, 1000, &err), 0);
    char *rest = mem_alloc(content.len, 1);
    size_t got = 0;
    expect_int(stream_read(stream, rest, content.len, &got, &err), 0);
    expect_true(
        str_eq((struct str){rest, got}, (struct str){content.ptr + 1000, content.len - 1000}));
    uint64_t done = 0;
    uint64_t total = 1;
    stream_progress(stream, &done, &total);
    expect_uint(done, bytes.len);
    expect_uint(total, 0);
    stream_close(stream);
    expect_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
    dup2(keep, STDIN_FILENO);
    close(keep);
    waitpid(child, NULL, 0);
    free(rest);
    buf_release(&bytes);
    buf_release(&content);
}

/* Reads until it fails; returns the good bytes before. */
static size_t read_to_failure(struct stream *stream, struct error *err)
{
    size_t good = 0;
    char piece[1024];
    for (;;) {
        size_t got = 0;
        int rc = stream_read(stream, piece, sizeof(piece), &got, err);
        good += got;
        if (rc != 0) {
            return good;
        }
        if (got == 0) {
            expect_fail("no failure");
        }
    }
}

static const struct encoding_row compressed_rows[] = {
    {"gzip", add_gzip},
    {"zstd", add_zstd},
};

static void a_stream_cut_anywhere_is_told(void **state)
{
    const struct encoding_row *row = *state;
    struct buf content = make_content(5000);
    struct buf bytes;
    buf_init(&bytes, MOST);
    row->add(&bytes, buf_str(&content));
    size_t full = bytes.len;
    for (size_t cut = 4; cut < full; cut += cut < 40 ? 1 : 97) {
        bytes.len = cut;
        put_file(&bytes);
        struct stream *stream = open_it();
        struct error err = {0};
        size_t good = read_to_failure(stream, &err);
        expect_true(good <= content.len);
        expect_int(err.kind, ERROR_INPUT);
        expect_contains(err.text, "cut short");
        expect_uint(stream_offset(stream), good);
        size_t got = 9; /* and told again */
        char byte = 0;
        struct error again = {0};
        expect_int(stream_read(stream, &byte, 1, &got, &again), ERROR_INPUT);
        expect_uint(got, 0);
        expect_text(again.text, err.text);
        stream_close(stream);
    }
    buf_release(&bytes);
    buf_release(&content);
}

/* gzip always has a checksum, and zstd's headers and tables rarely let damage pass. */
static void a_broken_stream_never_harms(void **state)
{
    const struct encoding_row *row = *state;
    struct buf content = make_content(3000);
    struct buf bytes;
    buf_init(&bytes, MOST);
    row->add(&bytes, buf_str(&content));
    int failed = 0;
    for (size_t at = 4; at < bytes.len; at += 7) {
        bytes.ptr[at] = (char)(bytes.ptr[at] ^ 0x55);
        put_file(&bytes);
        bytes.ptr[at] = (char)(bytes.ptr[at] ^ 0x55);
        struct stream *stream = open_it();
        struct error err = {0};
        char all[8192];
        size_t got = 0;
        failed += stream_read(stream, all, sizeof(all), &got, &err) != 0;
        stream_close(stream);
    }
    expect_true(failed > 10);
    buf_release(&bytes);
    buf_release(&content);
}

static void rubbish_after_the_end_is_told(void **state)
{
    const struct encoding_row *row = *state;
    struct buf bytes;
    buf_init(&bytes, MOST);
    row->add(&bytes, STR("content"));
    buf_addz(&bytes, "rubbish that is neither");
    put_file(&bytes);
    struct stream *stream = open_it();
    struct error err = {0};
    expect_uint(read_to_failure(stream, &err), 7);
    expect_contains(err.text, "at offset 7 of the content");
    expect_contains(err.text, path);
    stream_close(stream);
    buf_release(&bytes);
}

static void zeros_after_gzip_are_let_pass(void **state)
{
    (void)state;
    struct buf bytes;
    buf_init(&bytes, MOST);
    add_gzip(&bytes, STR("content"));
    buf_fill(&bytes, '\0', 1000);
    put_file(&bytes);
    struct stream *stream = open_it();
    struct buf all = read_all(stream, 100);
    expect_text(all.ptr, "content");
    buf_release(&all);
    stream_close(stream);
    buf_release(&bytes);
}

static void zstd_skippable_frames_hold_nothing(void **state)
{
    (void)state;
    struct buf bytes;
    buf_init(&bytes, MOST);
    buf_add(&bytes, STR("\x5a\x2a\x4d\x18\x03\x00\x00\x00xyz"));
    add_zstd(&bytes, STR("content"));
    buf_add(&bytes, STR("\x50\x2a\x4d\x18\x00\x00\x00\x00"));
    put_file(&bytes);
    struct stream *stream = open_it();
    expect_text(stream_encoding(stream), "zstd");
    struct buf all = read_all(stream, 100);
    expect_text(all.ptr, "content");
    buf_release(&all);
    stream_close(stream);
    buf_release(&bytes);
}

/* Frame header: no single segment, window descriptor of exponent 21: 2 GiB. */
static void a_zstd_window_too_large_is_a_limit(void **state)
{
    (void)state;
    struct buf bytes;
    buf_init(&bytes, MOST);
    buf_add(&bytes, STR("\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00"));
    put_file(&bytes);
    struct stream *stream = open_it();
    struct error err = {0};
    read_to_failure(stream, &err);
    expect_int(err.kind, ERROR_LIMIT);
    expect_contains(err.text, "--long");
    stream_close(stream);
    buf_release(&bytes);
}

static void short_files_are_plain(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "a", "\x1f\x8b", "\x28\xb5\x2f", "\x1f\x8b\x07x"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct buf bytes;
        buf_init(&bytes, MOST);
        buf_addz(&bytes, texts[i]);
        put_file(&bytes);
        struct stream *stream = open_it();
        expect_true(stream_is_plain(stream));
        struct buf all = read_all(stream, 100);
        expect_text(all.ptr, texts[i]);
        buf_release(&all);
        stream_close(stream);
        buf_release(&bytes);
    }
}

static void a_plain_file_may_grow(void **state)
{
    (void)state;
    struct buf bytes;
    buf_init(&bytes, MOST);
    buf_addz(&bytes, "first line\n");
    put_file(&bytes);
    struct stream *stream = open_it();
    char text[100];
    size_t got = 0;
    struct error err = {0};
    expect_int(stream_read(stream, text, sizeof(text), &got, &err), 0);
    expect_uint(got, 11);
    int fd = open(path, O_WRONLY | O_APPEND);
    expect_int(write(fd, "second", 6), 6);
    close(fd);
    expect_int(stream_read(stream, text, sizeof(text), &got, &err), 0);
    expect_text_n(text, got, "second");
    expect_uint(stream_offset(stream), 17);
    stream_close(stream);
    buf_release(&bytes);
}

static void stream_open_says_why_not(void **state)
{
    (void)state;
    struct stream *stream = NULL;
    struct error err = {0};
    expect_int(stream_open("/nowhere/at/all", &stream, &err), ERROR_MISSING);
    expect_text(err.text, "cannot open '/nowhere/at/all': No such file or directory");
    expect_int(stream_open("/tmp", &stream, &err), ERROR_INPUT);
    expect_text(err.text, "cannot read '/tmp': it is a folder");
    expect_true(stream == NULL);
    stream_close(NULL);
}

int main(void)
{
    struct suite suite = {0};
    if (!make_path()) {
        return 1;
    }
    SUITE_ROWS(&suite, stream_gives_the_content, encoding_rows);
    SUITE_ROWS(&suite, stream_joins_members, encoding_rows);
    SUITE_ROWS(&suite, stream_skips_to_any_offset, encoding_rows);
    SUITE_ROWS(&suite, stream_reads_standard_input, encoding_rows);
    SUITE_ROWS(&suite, a_stream_cut_anywhere_is_told, compressed_rows);
    SUITE_ROWS(&suite, a_broken_stream_never_harms, compressed_rows);
    SUITE_ROWS(&suite, rubbish_after_the_end_is_told, compressed_rows);
    SUITE_TEST(&suite, zeros_after_gzip_are_let_pass);
    SUITE_TEST(&suite, zstd_skippable_frames_hold_nothing);
    SUITE_TEST(&suite, a_zstd_window_too_large_is_a_limit);
    SUITE_TEST(&suite, short_files_are_plain);
    SUITE_TEST(&suite, a_plain_file_may_grow);
    SUITE_TEST(&suite, stream_open_says_why_not);
    int rc = suite_run(&suite, "stream");
    unlink(path);
    return rc;
}
