/* SPDX-License-Identifier: MIT */
#include "books/packed.h"

#include "base/limit.h"
#include "base/varint.h"
#include "record/run_id.h"
#include "support/expect.h"

static void expect_line(const struct packed_line *line, const struct packed_line *wanted)
{
    expect_true(str_eq(line->run, wanted->run));
    expect_int(line->n, wanted->n);
    expect_int(line->account, wanted->account);
    expect_int(line->cluster, wanted->cluster);
    expect_int(line->user, wanted->user);
    expect_int(line->rate, wanted->rate);
    expect_int(line->start, wanted->start);
    expect_int(line->end, wanted->end);
    expect_int(line->amount, wanted->amount);
}

#define NAME(text)                                                                             \
    {                                                                                          \
        (text), sizeof(text) - 1                                                               \
    }
#define AT INT64_C(1740960000000000)

/* Neighbours, the same run twice, times below the second, names that share nothing, and the ends of 64 bits. */
static const struct packed_line lines[] = {
    {NAME("birch:100"), 0, 1, 2, 3, 4, AT, AT + 3600000000, 1000000, 0},
    {NAME("birch:101"), 0, 1, 2, 3, 4, AT + 5000000, AT + 7000000, 5, 0},
    {NAME("birch:101"), 1, 1, 2, 3, 4, AT + 5000000, AT + 7000000, -5, 0},
    {NAME("birch:101"), 2, 1, 2, 3, 4, AT + 5000001, AT + 7000000, 7, 0},
    {NAME("cedar:~3f2b9c10.7@1"), 0, 70000, 1, 2, 1, -AT, AT, INT64_MAX, 0},
    {NAME("a"), 1048575, INT64_MAX, INT64_MAX, 0, 0, INT64_MIN, INT64_MAX, INT64_MIN, 0},
    {NAME("birch:9"), 0, 1, 1, 1, 1, 0, 0, 0, 0},
};

static void pack_all(struct buf *out)
{
    struct packed_place place = {0};
    buf_init(out, LIMIT_SQL);
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        packed_put_line(&place, &lines[i], out);
    }
    packed_place_release(&place);
}

static void lines_come_out_as_they_went_in(void **state)
{
    (void)state;
    struct buf packed;
    struct packed_place place = {0};
    struct packed_line line;
    bool bad = false;
    size_t count = 0;
    pack_all(&packed);
    struct str rest = buf_str(&packed);
    for (; packed_take_line(&place, &rest, &line, &bad); count++) {
        expect_line(&line, &lines[count]);
    }
    expect_uint(count, COUNT_OF(lines));
    expect_false(bad);
    packed_place_release(&place);
    buf_release(&packed);
}

/* Whatever is missing or wrong of them, it is found out, or gives lines: nothing is read beyond the end. */
static void damaged_bytes_are_found_out(void **state)
{
    (void)state;
    struct buf packed;
    pack_all(&packed);
    for (size_t len = 0; len < packed.len; len++) {
        struct packed_place place = {0};
        struct packed_line line;
        struct str rest = {packed.ptr, len};
        size_t count = 0;
        bool bad = false;
        while (packed_take_line(&place, &rest, &line, &bad)) {
            expect_line(&line, &lines[count++]);
        }
        expect_true(bad || rest.len == 0);
        expect_true(count < COUNT_OF(lines));
        packed_place_release(&place);
    }
    for (size_t at = 0; at < packed.len; at++) {
        struct packed_place place = {0};
        struct packed_line line;
        struct str rest = buf_str(&packed);
        bool bad = false;
        packed.ptr[at] ^= (char)0xff;
        while (packed_take_line(&place, &rest, &line, &bad)) {
        }
        packed.ptr[at] ^= (char)0xff;
        packed_place_release(&place);
    }
    buf_release(&packed);
}

static void cells_come_out_as_they_went_in(void **state)
{
    (void)state;
    static const struct packed_cell cells[] = {
        {20000, 1, 2, 3}, {20000, 1, 3, -3}, {19999, 1, 1, INT64_MAX}, {-1, 2, 1, INT64_MIN}};
    struct buf packed;
    struct packed_place in = {0}, out = {0};
    struct packed_cell cell;
    bool bad = false;
    buf_init(&packed, LIMIT_SQL);
    for (size_t i = 0; i < COUNT_OF(cells); i++) {
        packed_put_cell(&in, &cells[i], &packed);
    }
    struct str rest = buf_str(&packed);
    for (size_t i = 0; i < COUNT_OF(cells); i++) {
        expect_true(packed_take_cell(&out, &rest, &cell, &bad));
        expect_int(cell.day, cells[i].day);
        expect_int(cell.cluster, cells[i].cluster);
        expect_int(cell.user, cells[i].user);
        expect_int(cell.amount, cells[i].amount);
    }
    expect_false(packed_take_cell(&out, &rest, &cell, &bad) || bad);
    struct str half = {packed.ptr, 3};
    packed_place_reset(&out);
    expect_false(packed_take_cell(&out, &half, &cell, &bad));
    expect_true(bad);
    buf_release(&packed);
}

static int64_t bucket_of(const char *name)
{
    struct arena arena = {0};
    struct run run = {0};
    expect_true(run_id_parse(str_of(name), &arena, &run));
    const int64_t bucket = packed_bucket(&run);
    arena_release(&arena);
    return bucket;
}

/* Neighbours lie together, others do not; a number of a row fits behind it, whatever the job. */
static void runs_of_like_numbers_share_a_bucket(void **state)
{
    (void)state;
    static const char *const odd[] = {"birch:9223372036854775807", "birch:-9223372036854775808",
                                      "birch:~x", "birch:7.9223372036854775807",
                                      "birch:7.-1@3"};
    expect_int(bucket_of("birch:64"), bucket_of("birch:95@17"));
    expect_true(bucket_of("birch:64") != bucket_of("birch:96"));
    expect_true(bucket_of("birch:64") != bucket_of("cedar:64"));
    expect_int(bucket_of("birch:64.3"), bucket_of("birch:64.31"));
    expect_true(bucket_of("birch:64.3") != bucket_of("birch:65.3"));
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        const int64_t bucket = bucket_of(odd[i]);
        expect_true(bucket >= 0 && bucket <= INT64_MAX >> PACKED_ROW_SHIFT);
    }
}

static void numbers_of_any_size_fit(void **state)
{
    (void)state;
    static const int64_t numbers[] = {0, 1, -1, 63, 64, -64, -65, 8191, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        char bytes[VARINT_MAX];
        uint64_t out = 0;
        const char *end = varint_put(bytes, varint_fold(numbers[i]));
        struct str rest = {bytes, (size_t)(end - bytes)};
        struct str less = {bytes, rest.len - 1};
        expect_false(varint_take(&less, &out));
        expect_true(varint_take(&rest, &out));
        expect_int(varint_unfold(out), numbers[i]);
        expect_uint(rest.len, 0);
    }
    uint64_t out = 0;
    struct str beyond = STR("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
    expect_false(varint_take(&beyond, &out));
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, numbers_of_any_size_fit);
    SUITE_TEST(&suite, lines_come_out_as_they_went_in);
    SUITE_TEST(&suite, damaged_bytes_are_found_out);
    SUITE_TEST(&suite, cells_come_out_as_they_went_in);
    SUITE_TEST(&suite, runs_of_like_numbers_share_a_bucket);
    return suite_run(&suite, "packed");
}
