/* SPDX-License-Identifier: MIT */
#include "books/packed.h"

#include <string.h>

#include "base/limit.h"
#include "base/varint.h"
#include "base/zone.h"

/* --- buckets ------------------------------------------------------------------------------ */

enum {
    GROUP_SHIFT = 5,  /* jobs, or tasks of an array, of one bucket */
    NUMBER_BITS = 34, /* of a bucket: which of the cluster's */
    CLUSTER_BITS = 8,
    KEY_BITS = 16, /* jobs without a number are spread over so many buckets */
};

#define BITS(count) ((UINT64_C(1) << (count)) - 1)

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 31) * UINT64_C(0x9e3779b97f4a7c15);
    return value ^ value >> 29;
}

int64_t packed_bucket(const struct run *run)
{
    const uint64_t cluster = str_hash(run->cluster, 0) & BITS(CLUSTER_BITS);
    const uint64_t scattered = UINT64_C(1) << NUMBER_BITS;
    uint64_t number;
    if (!RUN_HAS(run, job)) {
        number = scattered | (str_hash(run->job_key, 0) & BITS(KEY_BITS));
    } else if (RUN_HAS(run, task)) {
        const uint64_t group = (uint64_t)(run->task >> GROUP_SHIFT);
        number = scattered | (mix(mix((uint64_t)run->job) + group) & BITS(NUMBER_BITS));
    } else {
        number = (uint64_t)(run->job >> GROUP_SHIFT) & BITS(NUMBER_BITS);
    }
    return (int64_t)(cluster << (NUMBER_BITS + 1) | number);
}

/* --- places ------------------------------------------------------------------------------- */

void packed_place_release(struct packed_place *place)
{
    buf_release(&place->run);
    *place = (struct packed_place){0};
}

void packed_place_reset(struct packed_place *place)
{
    if (place->run.ptr) {
        buf_clear(&place->run);
    }
    place->start = place->day = 0;
}

/* Adds numbers to `out`. */
static void put_numbers(struct buf *out, const int64_t *numbers, size_t count)
{
    buf_reserve(out, count * VARINT_MAX);
    if (out->overflow) {
        return;
    }
    char *at = out->ptr + out->len;
    for (size_t i = 0; i < count; i++) {
        at = varint_put(at, varint_fold(numbers[i]));
    }
    *at = '\0';
    out->len = (size_t)(at - out->ptr);
}

static bool take_number(struct str *rest, int64_t *out)
{
    uint64_t folded = 0;
    const bool good = varint_take(rest, &folded);
    *out = varint_unfold(folded);
    return good;
}

/* Differences wrap around, so that none is too large. */
static int64_t less(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* --- lines -------------------------------------------------------------------------------- */

/* Keeps the first `shared` bytes of the name before, and adds the rest of this one. */
static void move_to(struct packed_place *place, size_t shared, struct str rest)
{
    if (!place->run.ptr) {
        buf_init(&place->run, LIMIT_RUN_ID);
    }
    place->run.len = shared;
    buf_add(&place->run, rest);
}

void packed_put_line(struct packed_place *place, const struct packed_line *line,
                     struct buf *out)
{
    size_t shared = 0;
    while (shared < place->run.len && shared < line->run.len &&
           place->run.ptr[shared] == line->run.ptr[shared]) {
        shared++;
    }
    const struct str rest = {line->run.ptr + shared, line->run.len - shared};
    const int64_t sizes[] = {(int64_t)shared, (int64_t)rest.len};
    const int64_t start = less(line->start, place->start), wall = less(line->end, line->start);
    const int64_t unit = start % SECOND_US == 0 && wall % SECOND_US == 0 ? SECOND_US : 1;
    const int64_t numbers[] = {line->n * 2 + (unit == 1),
                               line->account,
                               line->cluster,
                               line->user,
                               line->rate,
                               start / unit,
                               wall / unit,
                               line->amount};
    put_numbers(out, sizes, COUNT_OF(sizes));
    buf_add(out, rest);
    put_numbers(out, numbers, COUNT_OF(numbers));
    move_to(place, shared, rest);
    place->start = line->start;
}

static bool take_run(struct packed_place *place, struct str *rest)
{
    int64_t shared = 0, more = 0;
    if (!take_number(rest, &shared) || !take_number(rest, &more) || shared < 0 || more < 0 ||
        (size_t)shared > place->run.len || (size_t)more > rest->len) {
        return false;
    }
    move_to(place, (size_t)shared, (struct str){rest->ptr, (size_t)more});
    *rest = (struct str){rest->ptr + more, rest->len - (size_t)more};
    return !place->run.overflow;
}

bool packed_take_line(struct packed_place *place, struct str *rest, struct packed_line *out,
                      bool *bad)
{
    int64_t *const numbers[] = {&out->n,    &out->account, &out->cluster, &out->user,
                                &out->rate, &out->start,   &out->end,     &out->amount};
    if (rest->len == 0) {
        return false;
    }
    bool good = take_run(place, rest);
    for (size_t i = 0; good && i < COUNT_OF(numbers); i++) {
        good = take_number(rest, numbers[i]);
    }
    if (!good) {
        *bad = true;
        return false;
    }
    const int64_t unit = out->n & 1 ? 1 : SECOND_US;
    out->run = buf_str(&place->run);
    out->n >>= 1;
    out->start = plus((int64_t)((uint64_t)out->start * (uint64_t)unit), place->start);
    out->end = plus((int64_t)((uint64_t)out->end * (uint64_t)unit), out->start);
    place->start = out->start;
    return true;
}

/* --- cells -------------------------------------------------------------------------------- */

void packed_put_cell(struct packed_place *place, const struct packed_cell *cell,
                     struct buf *out)
{
    const int64_t numbers[] = {less(cell->day, place->day), cell->cluster, cell->user,
                               cell->amount};
    put_numbers(out, numbers, COUNT_OF(numbers));
    place->day = cell->day;
}

bool packed_take_cell(struct packed_place *place, struct str *rest, struct packed_cell *out,
                      bool *bad)
{
    if (rest->len == 0) {
        return false;
    }
    if (!take_number(rest, &out->day) || !take_number(rest, &out->cluster) ||
        !take_number(rest, &out->user) || !take_number(rest, &out->amount)) {
        *bad = true;
        return false;
    }
    out->day = plus(out->day, place->day);
    place->day = out->day;
    return true;
}
