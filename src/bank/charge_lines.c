/* SPDX-License-Identifier: MIT */
#include "bank/charge_lines.h"

#include <stdlib.h>
#include <string.h>

#include "bank/statements.h"
#include "base/limit.h"
#include "base/mem.h"
#include "books/query.h"

static const char CANNOT_READ[] = "cannot read charges";
static const char CANNOT_WRITE[] = "cannot write charges";

/*
 * Runs that are collected before they are posted: so many fit into the caches of a processor
 * and still share their buckets.
 */
enum { BATCH_RUNS = 1 << 17, ROWS_MAX = 1 << PACKED_ROW_SHIFT };

static int damaged(struct error *err)
{
    return error_set(err, ERROR_STORE,
                     "the charges of the bank are damaged: restore the last dump of the books");
}

/* --- a bucket ----------------------------------------------------------------------------- */

static size_t place_of(const struct charge_lines_bucket *bucket, struct str run)
{
    size_t at = (size_t)str_hash(run, 0) & (bucket->place_count - 1);
    while (bucket->places[at] && !str_eq(bucket->rows[bucket->places[at] - 1].last.run, run)) {
        at = (at + 1) & (bucket->place_count - 1);
    }
    return at;
}

static void grow_bucket(struct charge_lines_bucket *bucket)
{
    enum { FIRST_ROOM = 128 };

    bucket->room = bucket->room ? 2 * bucket->room : FIRST_ROOM;
    bucket->rows = mem_resize(bucket->rows, bucket->room, sizeof(*bucket->rows));
    bucket->place_count = 2 * bucket->room;
    free(bucket->places);
    bucket->places = mem_alloc(bucket->place_count, sizeof(*bucket->places));
    for (size_t i = 0; i < bucket->count; i++) {
        bucket->places[place_of(bucket, bucket->rows[i].last.run)] = (uint32_t)(i + 1);
    }
}

/* Empty, with the memory it has. */
static void clear(struct charge_lines_bucket *bucket)
{
    if (bucket->count > 0) {
        memset(bucket->places, 0, bucket->place_count * sizeof(*bucket->places));
    }
    arena_reset(&bucket->arena);
    bucket->count = 0;
    bucket->next = 0;
}

void charge_lines_release(struct charge_lines_bucket *bucket)
{
    free(bucket->rows);
    free(bucket->places);
    arena_release(&bucket->arena);
    *bucket = (struct charge_lines_bucket){0};
}

const struct packed_line *charge_lines_find(const struct charge_lines_bucket *bucket,
                                            struct str run)
{
    const size_t place = bucket->count ? bucket->places[place_of(bucket, run)] : 0;
    return place ? &bucket->rows[place - 1].last : NULL;
}

/* Makes a line the last one of its run, unless that has a later one. */
static void put(struct charge_lines_bucket *bucket, const struct packed_line *line)
{
    if (bucket->count == bucket->room) {
        grow_bucket(bucket);
    }
    uint32_t *place = &bucket->places[place_of(bucket, line->run)];
    if (!*place) {
        bucket->rows[bucket->count] = (struct charge_lines_run){*line, 1};
        bucket->rows[bucket->count].last.run = arena_copy(&bucket->arena, line->run);
        *place = (uint32_t)++bucket->count;
        return;
    }
    struct charge_lines_run *row = &bucket->rows[*place - 1];
    row->count++;
    if (line->n > row->last.n) {
        const struct str run = row->last.run;
        row->last = *line;
        row->last.run = run;
    }
}

static int take_row(struct charge_lines_bucket *bucket, struct str packed, int64_t round,
                    struct packed_place *place, struct error *err)
{
    struct packed_line line;
    bool bad = false;
    packed_place_reset(place);
    while (packed_take_line(place, &packed, &line, &bad)) {
        line.round = round;
        put(bucket, &line);
    }
    return bad ? damaged(err) : 0;
}

static int load(struct books *books, int64_t number, struct packed_place *place,
                struct charge_lines_bucket *out, struct error *err)
{
    const int64_t first = number << PACKED_ROW_SHIFT;
    struct error other = {0};
    int failed = 0;
    clear(out);
    struct query q = query_begin(books, SQL_BANK_LINES_OF);
    query_int(&q, first);
    query_int(&q, first + ROWS_MAX - 1);
    while (!failed && query_row(&q)) {
        out->next = query_int_at(&q, 0) - first + 1;
        failed = take_row(out, query_blob_at(&q, 1), query_int_at(&q, 2), place, err);
    }
    const int second = query_finish(&q, CANNOT_READ, failed ? &other : err);
    return failed ? failed : second;
}

int charge_lines_load(struct books *books, int64_t bucket, struct charge_lines_bucket *out,
                      struct error *err)
{
    struct packed_place place = {0};
    const int failed = load(books, bucket, &place, out, err);
    packed_place_release(&place);
    return failed;
}

/* --- a batch ------------------------------------------------------------------------------ */

/* What a run ought to be charged. Its name lies in the batch: where, and how long it is. */
struct lines_wanted {
    int64_t bucket;
    size_t name;
    struct packed_line line;
};

/* Which bucket a row of a pile lies in. Sorting these moves less than sorting the rows. */
struct lines_key {
    int64_t bucket;
    size_t row;
};

static int compare_lines(const void *a, const void *b)
{
    const struct lines_key *x = a, *y = b;
    return x->bucket != y->bucket ? (x->bucket < y->bucket ? -1 : 1)
           : x->row != y->row     ? (x->row < y->row ? -1 : 1)
                                  : 0;
}

static bool is_same(const struct packed_line *a, const struct packed_line *b)
{
    return a->amount == b->amount &&
           (a->amount == 0 || (a->account == b->account && a->cluster == b->cluster &&
                               a->user == b->user && a->start == b->start && a->end == b->end));
}

static int post(struct charge_lines_batch *batch, struct packed_line *line, int64_t *posted,
                struct error *err)
{
    line->round = batch->round;
    packed_put_line(&batch->place, line, &batch->packed);
    put(&batch->bucket, line);
    ++*posted;
    return batch->posted(batch->context, line, err);
}

/*
 * Compares what is with what ought to be, and posts what differs. A run that a rate lets go
 * free has a line as well: it is pinned to that rate like any other.
 */
static int post_difference(struct charge_lines_batch *batch, size_t row, int64_t *posted,
                           struct error *err)
{
    const struct charge_lines_pile *pile = &batch->posting;
    struct packed_line next = pile->rows[row].line;
    const struct packed_line *last = charge_lines_find(&batch->bucket, next.run);
    struct packed_line current = last ? *last : (struct packed_line){.run = next.run, .n = -1};
    int failed = batch->reprice(batch->context, pile->prices ? &pile->prices[row] : NULL, last,
                                &next, err);
    current.amount = current.amount > 0 ? current.amount : 0;
    const bool is_free = !last && next.amount == 0 && next.rate > 0;
    if (failed || (is_same(&current, &next) && !is_free) ||
        (current.amount > 0 && batch->missing_only)) {
        return failed;
    }
    if (batch->differs) {
        return is_free ? 0 : batch->differs(batch->context, &current, &next, err);
    }
    next.n = current.n + 1;
    if (current.amount > 0) {
        current.n = next.n++;
        current.amount = -current.amount;
        batch->reversed++;
        failed = post(batch, &current, posted, err);
    }
    if (!failed && (next.amount > 0 || is_free)) {
        batch->charged += next.amount > 0;
        failed = post(batch, &next, posted, err);
    }
    return failed;
}

static int write_row(struct charge_lines_batch *batch, int64_t bucket, int64_t count,
                     struct error *err)
{
    if (batch->bucket.next >= ROWS_MAX || batch->packed.overflow) {
        return error_set(err, ERROR_LIMIT, "the runs next to '%.*s' were charged too often",
                         STR_ARG(batch->bucket.rows[0].last.run));
    }
    const int64_t id = (bucket << PACKED_ROW_SHIFT) + batch->bucket.next;
    struct query q = query_begin(batch->books, SQL_BANK_LINES_ADD);
    query_int(&q, id);
    query_int(&q, batch->round);
    query_int(&q, count);
    query_blob(&q, buf_str(&batch->packed));
    query_run(&q);
    chain_lines_add(&batch->chain, batch->round, id, count, buf_str(&batch->packed));
    return query_finish(&q, CANNOT_WRITE, err);
}

/* Those of one bucket. */
static int post_bucket(struct charge_lines_batch *batch, const struct lines_key *keys,
                       size_t count, struct error *err)
{
    int64_t posted = 0;
    int failed = load(batch->books, keys->bucket, &batch->place, &batch->bucket, err);
    packed_place_reset(&batch->place);
    buf_clear(&batch->packed);
    for (size_t i = 0; !failed && i < count; i++) {
        failed = post_difference(batch, keys[i].row, &posted, err);
    }
    return failed || posted == 0 ? failed : write_row(batch, keys->bucket, posted, err);
}

/* The keys of the pile, sorted. */
static void sort_keys(struct charge_lines_batch *batch)
{
    const struct charge_lines_pile *pile = &batch->posting;
    bool is_sorted = true;
    if (batch->key_room < pile->count) {
        batch->key_room = pile->room;
        batch->keys = mem_resize(batch->keys, batch->key_room, sizeof(*batch->keys));
    }
    for (size_t i = 0; i < pile->count; i++) {
        batch->keys[i] = (struct lines_key){pile->rows[i].bucket, i};
        is_sorted =
            is_sorted && (i == 0 || compare_lines(&batch->keys[i - 1], &batch->keys[i]) < 0);
    }
    if (!is_sorted) {
        qsort(batch->keys, pile->count, sizeof(*batch->keys), compare_lines);
    }
}

/* Posts the pile that is to be posted, and empties it. */
static int post_pile(struct charge_lines_batch *batch, struct error *err)
{
    struct charge_lines_pile *pile = &batch->posting;
    int failed = 0;
    if (pile->count == 0) {
        return 0;
    }
    if (!batch->packed.ptr) {
        buf_init(&batch->packed, LIMIT_OUTPUT);
    }
    for (size_t i = 0; i < pile->count; i++) { /* names have moved while there came more */
        pile->rows[i].line.run.ptr = pile->names.ptr + pile->rows[i].name;
    }
    sort_keys(batch);
    for (size_t i = 0, end = 0; !failed && i < pile->count; i = end) {
        while (end < pile->count && batch->keys[end].bucket == batch->keys[i].bucket) {
            end++;
        }
        failed = post_bucket(batch, &batch->keys[i], end - i, err);
    }
    pile->count = 0;
    buf_clear(&pile->names);
    return failed;
}

static void *work(void *context)
{
    struct charge_lines_batch *batch = context;
    batch->failed = post_pile(batch, &batch->error);
    return NULL;
}

int charge_lines_wait(struct charge_lines_batch *batch, struct error *err)
{
    if (!batch->is_posting) {
        return 0;
    }
    (void)pthread_join(batch->worker, NULL);
    batch->is_posting = false;
    if (batch->failed) {
        *err = batch->error;
    }
    return batch->failed;
}

/* What was collected is what is to be posted; an empty pile is there for what comes. */
static int hand_over(struct charge_lines_batch *batch, struct error *err)
{
    const int failed = charge_lines_wait(batch, err);
    const struct charge_lines_pile empty = batch->posting;
    batch->posting = batch->coming;
    batch->coming = empty;
    return failed;
}

int charge_lines_flush(struct charge_lines_batch *batch, struct error *err)
{
    const int failed = hand_over(batch, err);
    return failed ? failed : post_pile(batch, err);
}

/* By a thread of its own, or, where there is none to be had, at once. */
static int post_beside(struct charge_lines_batch *batch, struct error *err)
{
    const int failed = hand_over(batch, err);
    if (failed) {
        return failed;
    }
    batch->error = (struct error){0};
    batch->is_posting = pthread_create(&batch->worker, NULL, work, batch) == 0;
    return batch->is_posting ? 0 : post_pile(batch, err);
}

static void make_pile_room(struct charge_lines_pile *pile, bool with_prices)
{
    if (!pile->names.ptr) {
        buf_init(&pile->names, LIMIT_OUTPUT);
    }
    if (pile->count == pile->room) {
        pile->room = pile->room ? 2 * pile->room : 256;
        pile->rows = mem_resize(pile->rows, pile->room, sizeof(*pile->rows));
        if (with_prices) {
            pile->prices = mem_resize(pile->prices, pile->room, sizeof(*pile->prices));
        }
    }
}

int charge_lines_want(struct charge_lines_batch *batch, const struct run *run,
                      const struct packed_line *line, const struct charge_lines_price *price,
                      struct error *err)
{
    struct charge_lines_pile *pile = &batch->coming;
    make_pile_room(pile, price != NULL);
    if (price) {
        pile->prices[pile->count] = *price;
    }
    pile->rows[pile->count++] =
        (struct lines_wanted){packed_bucket(run), pile->names.len, *line};
    buf_add(&pile->names, line->run);
    return pile->count < BATCH_RUNS ? 0 : post_beside(batch, err);
}

static void pile_release(struct charge_lines_pile *pile)
{
    free(pile->rows);
    free(pile->prices);
    buf_release(&pile->names);
}

void charge_lines_batch_release(struct charge_lines_batch *batch)
{
    struct error ignored = {0};
    (void)!charge_lines_wait(batch, &ignored);
    pile_release(&batch->coming);
    pile_release(&batch->posting);
    charge_lines_release(&batch->bucket);
    packed_place_release(&batch->place);
    buf_release(&batch->packed);
    chain_lines_release(&batch->chain);
    free(batch->keys);
    *batch = (struct charge_lines_batch){0};
}

/* --- all of them -------------------------------------------------------------------------- */

/* Runs of a bucket that lack a line, or have two of one number. */
static void tell_odd(const struct charge_lines_bucket *bucket,
                     const struct charge_lines_taker *taker)
{
    for (size_t i = 0; i < bucket->count; i++) {
        const struct charge_lines_run *run = &bucket->rows[i];
        if (run->last.n + 1 != run->count) {
            taker->odd(taker->context, run->last.run);
        }
    }
}

/* The lines of one row; `bucket` has those of the rows before it. */
static int each_of_row(struct str packed, int64_t round, struct packed_place *place,
                       struct charge_lines_bucket *bucket,
                       const struct charge_lines_taker *taker, struct error *err)
{
    struct packed_line line;
    bool bad = false;
    int failed = 0;
    packed_place_reset(place);
    while (!failed && packed_take_line(place, &packed, &line, &bad)) {
        line.round = round;
        if (taker->odd) {
            put(bucket, &line);
        }
        failed = taker->take(taker->context, &line, err);
    }
    return !failed && bad ? damaged(err) : failed;
}

int charge_lines_near(struct books *books, const struct run *run,
                      const struct charge_lines_taker *taker, struct error *err)
{
    const struct charge_lines_taker plain = {taker->context, taker->take, NULL};
    const int64_t first = packed_bucket(run) << PACKED_ROW_SHIFT;
    struct packed_place place = {0};
    struct error other = {0};
    int failed = 0;
    struct query q = query_begin(books, SQL_BANK_LINES_OF);
    query_int(&q, first);
    query_int(&q, first + ROWS_MAX - 1);
    while (!failed && query_row(&q)) {
        failed =
            each_of_row(query_blob_at(&q, 1), query_int_at(&q, 2), &place, NULL, &plain, err);
    }
    packed_place_release(&place);
    const int second = query_finish(&q, CANNOT_READ, failed ? &other : err);
    return failed ? failed : second;
}

int charge_lines_each(struct books *books, const struct charge_lines_taker *taker,
                      struct error *err)
{
    struct packed_place place = {0};
    struct charge_lines_bucket bucket = {0};
    struct error other = {0};
    int64_t number = -1;
    int failed = 0;
    struct query q = query_begin(books, SQL_BANK_LINES_ALL);
    while (!failed && query_row(&q)) {
        const int64_t next = query_int_at(&q, 0) >> PACKED_ROW_SHIFT;
        if (taker->odd && next != number) {
            tell_odd(&bucket, taker);
            clear(&bucket);
        }
        number = next;
        failed =
            each_of_row(query_blob_at(&q, 1), query_int_at(&q, 2), &place, &bucket, taker, err);
    }
    if (taker->odd) {
        tell_odd(&bucket, taker);
    }
    packed_place_release(&place);
    charge_lines_release(&bucket);
    const int second = query_finish(&q, CANNOT_READ, failed ? &other : err);
    return failed ? failed : second;
}
