/* SPDX-License-Identifier: MIT */
#include "bank/usage.h"

#include <stdlib.h>
#include <string.h>

#include "bank/amount.h"
#include "bank/statements.h"
#include "base/limit.h"
#include "base/mem.h"
#include "books/query.h"

/* --- cells -------------------------------------------------------------------------------- */

/* Days may lie before 1970: folded so that their order stays. */
#define DAY_ZERO (UINT64_C(1) << 31)

static struct usage_cell cell_at(int64_t account, const struct packed_cell *cell)
{
    return (struct usage_cell){
        (uint64_t)account << 32 | (((uint64_t)cell->day + DAY_ZERO) & UINT32_MAX),
        (uint64_t)cell->cluster << 32 | (uint64_t)cell->user, cell->amount};
}

static int64_t account_of(const struct usage_cell *cell)
{
    return (int64_t)(cell->when >> 32);
}

struct packed_cell usage_cell_of(const struct usage_cell *cell)
{
    return (struct packed_cell){(int64_t)(cell->when & UINT32_MAX) - (int64_t)DAY_ZERO,
                                (int64_t)(cell->whose >> 32),
                                (int64_t)(cell->whose & UINT32_MAX), cell->amount};
}

static int compare_cells(const void *a, const void *b)
{
    const struct usage_cell *x = a, *y = b;
    return x->when != y->when     ? (x->when < y->when ? -1 : 1)
           : x->whose != y->whose ? (x->whose < y->whose ? -1 : 1)
                                  : 0;
}

/* Sorts cells and adds up those of the same key; what is left is counted in *count. */
static int join(struct usage_cell *cells, size_t *count, struct error *err)
{
    size_t kept = 0;
    int failed = 0;
    if (*count == 0) {
        return 0;
    }
    qsort(cells, *count, sizeof(*cells), compare_cells);
    for (size_t i = 0; !failed && i < *count; i++) {
        struct usage_cell *last = kept ? &cells[kept - 1] : NULL;
        if (last && compare_cells(last, &cells[i]) == 0) {
            failed = amount_add(last->amount, cells[i].amount, &last->amount, err);
        } else {
            cells[kept++] = cells[i];
        }
    }
    *count = kept;
    return failed;
}

/* The largest account, whose numbers are small and dense. */
static size_t accounts_of(const struct usage *usage)
{
    size_t count = 0;
    for (size_t i = 0; i < usage->count; i++) {
        const size_t account = (size_t)(usage->cells[i].when >> 32);
        count = account >= count ? account + 1 : count;
    }
    return count;
}

/*
 * The cells by account, each with its own together: so the sorting of millions becomes that of
 * hundreds, which stay in the caches. `ends` is where the cells of each account end.
 */
static struct usage_cell *by_account(const struct usage *usage, size_t *ends, size_t accounts)
{
    struct usage_cell *out = mem_alloc(usage->count, sizeof(*out));
    for (size_t i = 0; i < usage->count; i++) {
        ends[usage->cells[i].when >> 32]++;
    }
    for (size_t i = 0, sum = 0; i < accounts; i++) {
        const size_t count = ends[i];
        ends[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < usage->count; i++) {
        out[ends[usage->cells[i].when >> 32]++] = usage->cells[i];
    }
    return out;
}

int usage_join(struct usage *usage, struct error *err)
{
    if (usage->count == 0) {
        return 0;
    }
    const size_t accounts = accounts_of(usage);
    size_t *ends = mem_alloc(accounts + 1, sizeof(*ends)), kept = 0;
    struct usage_cell *cells = by_account(usage, ends, accounts);
    int failed = 0;
    for (size_t i = 0, first = 0; !failed && i < accounts; first = ends[i++]) {
        size_t count = ends[i] - first;
        failed = join(cells + first, &count, err);
        memmove(cells + kept, cells + first, count * sizeof(*cells));
        kept += count;
    }
    free(ends);
    free(usage->cells);
    usage->cells = cells;
    usage->room = usage->count;
    usage->count = kept;
    return failed;
}

/*
 * Room for one more: by joining those that are there, and by more memory where that does not
 * help much.
 */
static int make_usage_room(struct usage *usage, struct error *err)
{
    enum { FIRST_ROOM = 1 << 12, JOINED_FROM = 1 << 21 };

    int failed = usage->room >= JOINED_FROM ? usage_join(usage, err) : 0;
    if (!failed && 2 * usage->count >= usage->room) {
        usage->room = usage->room ? 2 * usage->room : FIRST_ROOM;
        usage->cells = mem_resize(usage->cells, usage->room, sizeof(*usage->cells));
    }
    return failed;
}

static int add_cell(struct usage *usage, const struct usage_charge *charge, int64_t day,
                    int64_t amount, struct error *err)
{
    int failed = 0;
    if (amount == 0) {
        return 0;
    }
    if (usage->count == usage->room) {
        failed = make_usage_room(usage, err);
    }
    if (!failed) {
        usage->cells[usage->count++] = cell_at(
            charge->account, &(struct packed_cell){day, charge->cluster, charge->user, amount});
    }
    return failed;
}

void usage_release(struct usage *usage)
{
    free(usage->cells);
    *usage = (struct usage){.zone = usage->zone};
}

/* --- days --------------------------------------------------------------------------------- */

/* Makes `day` the one that an instant lies in. */
static void find_day(struct usage *usage, int64_t instant)
{
    if (usage->day_start <= instant && instant < usage->day_end) {
        return;
    }
    const struct civil civil = zone_civil(usage->zone, instant);
    struct civil midnight = {.year = civil.year, .month = civil.month, .day = civil.day};
    usage->day = civil_days(civil.year, civil.month, civil.day);
    usage->day_start = zone_instant(usage->zone, midnight);
    midnight.day++;
    usage->day_end = zone_instant(usage->zone, midnight);
}

/* A part of a charge on a day, or on the first open one. */
static int add_part(struct usage *usage, const struct usage_charge *charge, int64_t amount,
                    struct error *err)
{
    if (usage->day >= charge->floor) {
        return add_cell(usage, charge, usage->day, amount, err);
    }
    struct usage_late *late = &usage->late;
    late->first = late->is ? late->first : usage->day;
    late->last = usage->day;
    late->amount += amount;
    late->is = true;
    return add_cell(usage, charge, charge->floor, amount, err);
}

int usage_add(struct usage *usage, const struct usage_charge *charge, struct error *err)
{
    const int64_t span = charge->end - charge->start;
    const wide_int size = charge->amount < 0 ? -(wide_int)charge->amount : charge->amount;
    const int sign = charge->amount < 0 ? -1 : 1;
    int64_t done = 0; /* of the size */
    int failed = 0;
    usage->late = (struct usage_late){0};
    find_day(usage, charge->start);
    for (int64_t at = charge->start; !failed;) {
        const bool last = usage->day_end >= charge->end;
        const int64_t upto =
            last ? (int64_t)size : (int64_t)(size * (usage->day_end - charge->start) / span);
        failed = add_part(usage, charge, sign * (upto - done), err);
        done = upto;
        if (last) {
            break;
        }
        at = usage->day_end;
        find_day(usage, at);
    }
    return failed;
}

/* --- out ---------------------------------------------------------------------------------- */

/* The cells of one row of the books: what it has, and what is new. */
struct stretch {
    int64_t account, number;
    struct usage_cell *cells;
    size_t count, room;
};

static void put(struct stretch *stretch, struct usage_cell cell)
{
    stretch->cells =
        mem_grow(stretch->cells, stretch->count, &stretch->room, sizeof(*stretch->cells));
    stretch->cells[stretch->count++] = cell;
}

static int take_kept(void *context, int64_t account, const struct packed_cell *cell,
                     struct error *err)
{
    (void)err;
    put(context, cell_at(account, cell));
    return 0;
}

static int pack(const struct stretch *stretch, struct buf *out, int64_t *sum, struct error *err)
{
    struct packed_place before = {0};
    int failed = 0;
    *sum = 0;
    for (size_t i = 0; !failed && i < stretch->count; i++) {
        const struct packed_cell cell = usage_cell_of(&stretch->cells[i]);
        if (cell.amount != 0) {
            packed_put_cell(&before, &cell, out);
            failed = amount_add(*sum, cell.amount, sum, err);
        }
    }
    return failed;
}

static int put_row(const struct stretch *stretch, struct books *books, struct buf *packed,
                   struct error *err)
{
    int64_t sum = 0;
    buf_clear(packed);
    const int failed = pack(stretch, packed, &sum, err);
    if (failed || packed->overflow) {
        return failed ? failed
                      : error_set(err, ERROR_LIMIT, "an account was used by too many people");
    }
    struct query q = query_begin(books, SQL_BANK_USED_PUT);
    query_int(&q, stretch->account);
    query_int(&q, stretch->number);
    query_int(&q, sum);
    query_blob(&q, buf_str(packed));
    query_run(&q);
    return query_finish(&q, "cannot write what was used", err);
}

static int64_t stretch_of(const struct usage_cell *cell)
{
    return usage_cell_of(cell).day >> PACKED_DAYS_SHIFT;
}

/* The cells from `at` on that lie in one row; returns where the next begin. */
static int write_stretch(const struct usage *usage, size_t *at, struct stretch *stretch,
                         struct books *books, struct buf *packed, struct error *err)
{
    const struct usage_cell *first = &usage->cells[*at];
    const struct usage_taker taker = {stretch, take_kept, NULL};
    stretch->account = account_of(first);
    stretch->number = stretch_of(first);
    stretch->count = 0;
    const int64_t day = stretch->number * (1 << PACKED_DAYS_SHIFT);
    int failed =
        usage_each(books, stretch->account, day, day + (1 << PACKED_DAYS_SHIFT), &taker, err);
    for (; *at < usage->count && stretch_of(&usage->cells[*at]) == stretch->number &&
           account_of(&usage->cells[*at]) == stretch->account;
         ++*at) {
        put(stretch, usage->cells[*at]);
    }
    (void)(failed || (failed = join(stretch->cells, &stretch->count, err)) ||
           (failed = put_row(stretch, books, packed, err)));
    return failed;
}

int usage_write(struct usage *usage, struct books *books, struct error *err)
{
    struct stretch stretch = {0};
    struct buf packed;
    if (usage->count == 0) {
        return 0;
    }
    int failed = usage_join(usage, err);
    buf_init(&packed, LIMIT_BOOKS_FILE);
    for (size_t at = 0; !failed && at < usage->count;) {
        failed = write_stretch(usage, &at, &stretch, books, &packed, err);
    }
    free(stretch.cells);
    buf_release(&packed);
    usage_release(usage);
    return failed;
}

/* --- what is there ------------------------------------------------------------------------ */

static int take_row(struct query *q, int64_t first, int64_t last,
                    const struct usage_taker *taker, struct error *err)
{
    struct packed_place place = {0};
    struct packed_cell cell;
    struct str packed = query_blob_at(q, 3);
    const int64_t account = query_int_at(q, 0);
    bool bad = false;
    int failed = 0;
    while (!failed && packed_take_cell(&place, &packed, &cell, &bad)) {
        bad = bad || cell.day >> PACKED_DAYS_SHIFT != query_int_at(q, 1);
        if (!bad && cell.day >= first && cell.day < last) {
            failed = taker->take(taker->context, account, &cell, err);
        }
    }
    if (bad) {
        return error_set(err, ERROR_STORE,
                         "what accounts used is damaged: restore the last dump of the books");
    }
    return failed || !taker->end ? failed
                                 : taker->end(taker->context, account, query_int_at(q, 2), err);
}

static int take_rows(struct books *books, const char *sql, int64_t account, int64_t first,
                     int64_t last, const struct usage_taker *taker, struct error *err)
{
    struct error other = {0};
    int failed = 0;
    struct query q = query_begin(books, sql);
    query_int(&q, first >> PACKED_DAYS_SHIFT);
    query_int(&q, (last - 1) >> PACKED_DAYS_SHIFT);
    if (account) {
        query_int(&q, account);
    }
    while (!failed && query_row(&q)) {
        failed = take_row(&q, first, last, taker, err);
    }
    const int second = query_finish(&q, "cannot read what was used", failed ? &other : err);
    return failed ? failed : second;
}

int usage_each(struct books *books, int64_t account, int64_t first, int64_t last,
               const struct usage_taker *taker, struct error *err)
{
    return take_rows(books, account ? SQL_BANK_USED_OF : SQL_BANK_USED_ALL, account, first,
                     last, taker, err);
}

int usage_paid(struct books *books, int64_t account, int64_t first, int64_t last,
               const struct usage_taker *taker, struct error *err)
{
    return take_rows(books, SQL_BANK_USED_PAID, account, first, last, taker, err);
}
