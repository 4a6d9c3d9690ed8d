/* SPDX-License-Identifier: MIT */

/*
 * Slices are the content, cut between lines: nothing lost, nothing twice, whatever its lines are like.
 */

#include "ingest/slicer.h"

#include "base/limit.h"
#include "unit/ingest/toy_store.h"
#include "unit/ingest/toy_story.h"

enum { MOST = 64 << 20 };

static struct toy toy;

/* What a walk over all slices met. */
struct walk {
    int records, unfinished, oversize;
    uint64_t whole_to, whole_line;
};

static uint64_t lines_of(struct str text)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < text.len; i++) {
        lines += text.ptr[i] == '\n';
    }
    return lines;
}

static void expect_bytes(struct str got, struct str want)
{
    expect_uint(got.len, want.len);
    expect_true(got.len == 0 || memcmp(got.ptr, want.ptr, want.len) == 0);
}

/* One slice against the content from `at` on; gives the byte at which the next must begin. */
static size_t check_slice(const struct slice *slice, struct str content, size_t at,
                          struct walk *walk)
{
    const struct str data = {slice->data, slice->length};
    expect_uint(slice->first_byte, at);
    expect_uint(slice->first_line, lines_of((struct str){content.ptr, at}) + 1);
    expect_true(data.len > 0);
    expect_bytes(data, (struct str){content.ptr + at, data.len});
    switch (slice->kind) {
    case SLICE_RECORDS:
        walk->records++;
        expect_int(data.ptr[data.len - 1], '\n');
        return at + data.len;
    case SLICE_UNFINISHED:
        walk->unfinished++;
        expect_uint(at + data.len, content.len);
        expect_true(memchr(data.ptr, '\n', data.len) == NULL);
        return at + data.len;
    case SLICE_OVERSIZE:
        break;
    }
    walk->oversize++;
    expect_uint(data.len, LIMIT_SLICE);
    expect_true(memchr(data.ptr, '\n', data.len) == NULL);
    const char *rest = content.ptr + at + data.len;
    const char *end = memchr(rest, '\n', content.len - at - data.len);
    return end ? (size_t)(end - content.ptr) + 1 : content.len;
}

/* The last bytes before whole_to, as much as there is of them. */
static void check_tail(const struct slicer *slicer, struct str content)
{
    size_t length = slicer->whole_to < SLICER_TAIL ? (size_t)slicer->whole_to : SLICER_TAIL;
    expect_bytes((struct str){slicer->tail, slicer->tail_length},
                 (struct str){content.ptr + slicer->whole_to - length, length});
}

/* Slices all of the content from `from`, the start of line `line`, on, in batches of `batch` bytes. */
static struct walk walk_from(struct str content, size_t from, uint64_t line, uint64_t batch)
{
    struct walk walk = {0};
    struct slicer slicer;
    struct error err = {0};
    struct stream *stream = NULL;
    struct slice slice = {.data = mem_alloc(1, LIMIT_SLICE)};
    size_t at = from, before = from < SLICER_TAIL ? from : SLICER_TAIL;
    toy_write(&toy, "content", content);
    expect_int(stream_open(toy_path(&toy, "content"), &stream, &err), 0);
    expect_int(stream_skip_to(stream, from, &err), 0);
    slicer_init(&slicer, stream, source_find(STR("sge")), NULL, line,
                (struct str){content.ptr + from - before, before});
    while (!slicer.at_end) {
        slicer_begin_batch(&slicer, batch);
        const uint64_t batch_end = slicer.offset + batch;
        for (bool more = true; more;) {
            expect_int(slicer_next(&slicer, &slice, &more, &err), 0);
            if (more) {
                expect_true(slice.first_byte < batch_end);
                at = check_slice(&slice, content, at, &walk);
                check_tail(&slicer, content);
            }
        }
        expect_true(slicer.at_end || slicer.offset >= batch_end);
    }
    expect_uint(at, content.len);
    walk.whole_to = slicer.whole_to;
    walk.whole_line = slicer.whole_line;
    slicer_release(&slicer);
    stream_close(stream);
    free(slice.data);
    return walk;
}

static struct walk walk_all(struct str content)
{
    struct walk walk = walk_from(content, 0, 1, UINT64_MAX / 2);
    struct walk in_batches = walk_from(content, 0, 1, 1);
    expect_int(in_batches.records, walk.records);
    expect_uint(in_batches.whole_to, walk.whole_to);
    return walk;
}

/* Lines of the given lengths, line ends included; a negative one has no line end. */
static struct buf text_of(const int64_t *lengths, size_t count)
{
    struct buf text;
    buf_init(&text, MOST);
    for (size_t i = 0; i < count; i++) {
        int64_t length = lengths[i] < 0 ? -lengths[i] : lengths[i] - 1;
        buf_fill(&text, (char)('a' + i % 26), (size_t)length);
        buf_addz(&text, lengths[i] < 0 ? "" : "\n");
    }
    return text;
}

struct shape_row {
    const char *name;
    int64_t lengths[6]; /* 0 ends them */
    int records, unfinished, oversize;
};

enum { S = LIMIT_SLICE };

static const struct shape_row shape_rows[] = {
    {"nothing", {0}, 0, 0, 0},
    {"one byte", {-1}, 0, 1, 0},
    {"one line", {10}, 1, 0, 0},
    {"an empty line", {1}, 1, 0, 0},
    {"a line and a half", {10, -4}, 1, 1, 0},
    {"a line that fills a slice", {S}, 1, 0, 0},
    {"a line one byte short of a slice", {S - 1}, 1, 0, 0},
    {"a line one byte too long", {S + 1}, 0, 0, 1},
    {"a slice without line end", {-S}, 0, 0, 1},
    {"nearly a slice without line end", {1 - S}, 0, 1, 0},
    {"more than a slice without line end", {-1 - S}, 0, 0, 1},
    {"two lines that fill a slice", {S / 2, S / 2}, 1, 0, 0},
    {"a second line that begins at the slice's last byte", {S - 1, 5}, 2, 0, 0},
    {"a long line between short ones", {10, S + 7, 10}, 2, 0, 1},
    {"two slices in one line", {2 * S}, 0, 0, 1},
    {"just more than two slices in one line", {2 * S + 1, 3}, 1, 0, 1},
    {"three slices in one line, then half a one", {3 * S, -3}, 0, 1, 1},
    {"long lines in a row", {S + 1, S + 1, 2 * S, S}, 1, 0, 3},
    {"a long line at the end", {10, 20, -3 * S}, 1, 0, 1},
    {"a carry that fills a slice", {2, S, 2}, 3, 0, 0},
    {"a carry that is too long", {2, S + 1, 2}, 2, 0, 1},
};

static void slices_are_the_content(void **state)
{
    const struct shape_row *row = *state;
    size_t count = 0;
    while (count < COUNT_OF(row->lengths) && row->lengths[count] != 0) {
        count++;
    }
    struct buf text = text_of(row->lengths, count);
    struct walk walk = walk_all(buf_str(&text));
    expect_int(walk.records, row->records);
    expect_int(walk.unfinished, row->unfinished);
    expect_int(walk.oversize, row->oversize);
    expect_uint(walk.whole_line, lines_of(buf_str(&text)) + 1);
    if (walk.unfinished == 0) {
        expect_uint(walk.whole_to, text.len);
    }
    buf_release(&text);
}

static void any_lines_will_do(void **state)
{
    (void)state;
    struct toy_random random = {42};
    for (int round = 0; round < 6; round++) {
        int64_t lengths[40];
        int64_t left = 24 << 20;
        size_t count = 0;
        for (; count < COUNT_OF(lengths) && left > 0; count++) {
            int64_t most = toy_chance(&random, 20)   ? 3 * S
                           : toy_chance(&random, 50) ? S / 3
                                                     : 200;
            lengths[count] = 1 + toy_below(&random, most);
            left -= lengths[count];
        }
        lengths[count - 1] *= toy_chance(&random, 50) ? 1 : -1;
        struct buf text = text_of(lengths, count);
        (void)walk_all(buf_str(&text));
        buf_release(&text);
    }
}

/* From the start of any line, the slices are the rest, and the tail reaches back before it. */
static void slicing_goes_on_where_it_was(void **state)
{
    (void)state;
    static const int64_t lengths[] = {3, 5000, 100, S, 20000};
    struct buf text = text_of(lengths, COUNT_OF(lengths));
    size_t at = 0;
    for (size_t i = 0; i < COUNT_OF(lengths); i++) {
        struct walk walk = walk_from(buf_str(&text), at, i + 1, UINT64_MAX / 2);
        expect_uint(walk.whole_to, text.len);
        expect_uint(walk.whole_line, COUNT_OF(lengths) + 1);
        at += (size_t)lengths[i];
    }
    buf_release(&text);
}

static void nothing_comes_after_a_failure(void **state)
{
    (void)state;
    struct slicer slicer;
    struct error err = {0};
    struct stream *stream = NULL;
    struct slice slice = {.data = mem_alloc(1, LIMIT_SLICE)};
    bool more = true;
    /* the beginning of a gzip file, and no more */
    toy_write(&toy, "content", STR("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\x01"));
    expect_int(stream_open(toy_path(&toy, "content"), &stream, &err), 0);
    slicer_init(&slicer, stream, source_find(STR("sge")), NULL, 1, (struct str){0});
    slicer_begin_batch(&slicer, 1 << 20);
    expect_int(slicer_next(&slicer, &slice, &more, &err), ERROR_INPUT);
    expect_contains(err.text, "cut short");
    expect_int(slicer_next(&slicer, &slice, &more, &err), 0);
    expect_false(more);
    slicer_release(&slicer);
    stream_close(stream);
    free(slice.data);
}

/* --- records of many lines -------------------------------------------------------------------- */

/* A record ends with a semicolon; lines mean nothing. */
static size_t cut_at_semicolon(const void *format, struct str data, bool last)
{
    (void)format, (void)last;
    const char *end = data.len > 0 ? memrchr(data.ptr, ';', data.len) : NULL;
    return end ? (size_t)(end - data.ptr) + 1 : 0;
}

static bool skip_to_semicolon(const void *format, uint64_t *state, struct str data,
                              size_t *used)
{
    (void)format;
    (*state)++;
    const char *end = data.len > 0 ? memchr(data.ptr, ';', data.len) : NULL;
    *used = end ? (size_t)(end - data.ptr) + 1 : data.len;
    return end != NULL;
}

struct long_row {
    const char *name;
    size_t bytes; /* of the record in the middle, its semicolon included */
    bool oversize;
};

static const struct long_row long_rows[] = {
    {"shorter than a slice", S / 2, false},
    {"longer than a slice", 2 * S + 77, false},
    {"as long as a slice may grow", LIMIT_SLICE_MAX - 3, false},
    {"longer than any slice", LIMIT_SLICE_MAX + 5 * S + 9, true},
    {"ending where a piece that is skipped ends", LIMIT_SLICE_MAX + S - 3, true},
};

static void long_record_has_a_slice_that_grows(void **state)
{
    const struct long_row *row = *state;
    const struct source_driver driver = {.cut = cut_at_semicolon, .skip = skip_to_semicolon};
    struct slice slice = {0};
    struct slicer slicer;
    struct stream *stream = NULL;
    struct error err = {0};
    struct buf text;
    buf_init(&text, MOST);
    buf_addz(&text, "a\n;"); /* three bytes, before and after */
    buf_fill(&text, '\n', row->bytes - 1);
    buf_addz(&text, ";b\n;");
    toy_write(&toy, "content", buf_str(&text));
    expect_int(stream_open(toy_path(&toy, "content"), &stream, &err), 0);
    slicer_init(&slicer, stream, &driver, NULL, 1, (struct str){0});
    slicer_begin_batch(&slicer, UINT64_MAX / 2);
    uint64_t records = 0, oversize = 0, lines = 0;
    for (bool more = true; more;) {
        expect_int(slicer_next(&slicer, &slice, &more, &err), 0);
        if (more) {
            oversize += slice.kind == SLICE_OVERSIZE;
            for (size_t i = 0; slice.kind == SLICE_RECORDS && i < slice.length; i++) {
                records += slice.data[i] == ';';
            }
            lines = slice.first_line;
        }
    }
    expect_uint(oversize, row->oversize);
    expect_uint(records, row->oversize ? 2 : 3);
    expect_true(lines >= 1);
    expect_uint(slicer.whole_to, text.len);
    expect_uint(slicer.whole_line, lines_of(buf_str(&text)) + 1);
    slicer_release(&slicer);
    stream_close(stream);
    free(slice.data);
    buf_release(&text);
}

int main(void)
{
    struct suite suite = {0};
    toy_make(&toy);
    SUITE_ROWS(&suite, slices_are_the_content, shape_rows);
    SUITE_TEST(&suite, any_lines_will_do);
    SUITE_TEST(&suite, slicing_goes_on_where_it_was);
    SUITE_TEST(&suite, nothing_comes_after_a_failure);
    SUITE_ROWS(&suite, long_record_has_a_slice_that_grows, long_rows);
    int status = suite_run(&suite, "slicer");
    toy_remove(toy.folder);
    return status;
}
