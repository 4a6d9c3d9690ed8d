/* SPDX-License-Identifier: MIT */
#include "bank/usage.h"

#include <stdlib.h>

#include "bank/amount.h"
#include "bank/statements.h"
#include "base/mem.h"
#include "books/query.h"

/* --- cells ---------------------------------------------------------------------------------------- */

static size_t place(const struct usage *usage, const struct usage_cell *key)
{
    uint64_t hash = (uint64_t)key->account * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ (uint64_t)key->day) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ (uint64_t)key->cluster << 40 ^ (uint64_t)key->user) *
           UINT64_C(0x94d049bb133111eb);
    size_t at = (size_t)(hash >> 20) & (usage->room - 1);
    for (;; at = (at + 1) & (usage->room - 1)) {
        const struct usage_cell *cell = &usage->cells[at];
        if (!cell->used || (cell->account == key->account && cell->day == key->day &&
                            cell->cluster == key->cluster && cell->user == key->user)) {
            return at;
        }
    }
}

/* Twice the room, or the first. */
static void grow(struct usage *usage)
{
    enum { FIRST_ROOM = 1024 };

    const struct usage old = *usage;
    usage->room = old.room ? 2 * old.room : FIRST_ROOM;
    usage->cells = mem_alloc(usage->room, sizeof(*usage->cells));
    for (size_t i = 0; i < old.room; i++) {
        if (old.cells[i].used) {
            usage->cells[place(usage, &old.cells[i])] = old.cells[i];
        }
    }
    free(old.cells);
}

static int add_cell(struct usage *usage, const struct usage_charge *charge, int64_t day,
                    int64_t amount, struct error *err)
{
    if (amount == 0) {
        return 0;
    }
    if (2 * usage->count >= usage->room) {
        grow(usage);
    }
    const struct usage_cell key = {.account = charge->account,
                                   .day = day,
                                   .cluster = charge->cluster,
                                   .user = charge->user,
                                   .used = true};
    struct usage_cell *cell = &usage->cells[place(usage, &key)];
    if (!cell->used) {
        *cell = key;
        usage->count++;
    }
    return amount_add(cell->amount, amount, &cell->amount, err);
}

void usage_release(struct usage *usage)
{
    free(usage->cells);
    *usage = (struct usage){.zone = usage->zone};
}

/* --- days ----------------------------------------------------------------------------------------- */

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

int usage_add(struct usage *usage, const struct usage_charge *charge, struct error *err)
{
    const int64_t span = charge->end - charge->start;
    const wide_int size = charge->amount < 0 ? -(wide_int)charge->amount : charge->amount;
    const int sign = charge->amount < 0 ? -1 : 1;
    int64_t done = 0; /* of the size */
    int failed = 0;
    find_day(usage, charge->start);
    for (int64_t at = charge->start; !failed;) {
        const bool last = usage->day_end >= charge->end;
        const int64_t upto =
            last ? (int64_t)size : (int64_t)(size * (usage->day_end - charge->start) / span);
        failed = add_cell(usage, charge, usage->day, sign * (upto - done), err);
        done = upto;
        if (last) {
            break;
        }
        at = usage->day_end;
        find_day(usage, at);
    }
    return failed;
}

/* --- out ------------------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    const struct usage_cell *x = a, *y = b;
    int64_t difference = x->account - y->account;
    difference = difference ? difference : x->day - y->day;
    difference = difference ? difference : x->cluster - y->cluster;
    difference = difference ? difference : x->user - y->user;
    return difference < 0 ? -1 : difference > 0;
}

/* Cells that are used, together and in the order of the table. */
static void sort_cells(struct usage *usage)
{
    size_t kept = 0;
    for (size_t i = 0; i < usage->room; i++) {
        if (usage->cells[i].used) {
            usage->cells[kept++] = usage->cells[i];
        }
    }
    qsort(usage->cells, kept, sizeof(*usage->cells), compare);
}

/* One by one, added to what is there. */
static int add_cells(const struct usage *usage, struct books *books, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_USAGE_ADD);
    for (size_t i = 0; i < usage->count; i++) {
        const struct usage_cell *cell = &usage->cells[i];
        if (cell->amount == 0) {
            continue;
        }
        query_int(&q, cell->account);
        query_int(&q, cell->day);
        query_int(&q, cell->cluster);
        query_int(&q, cell->user);
        query_int(&q, cell->amount);
        query_run(&q);
        query_again(&q);
    }
    return query_finish(&q, "cannot write what was used", err);
}

static int put_cells(const struct usage *usage, struct books *books, struct error *err)
{
    struct query_rows *rows = mem_alloc(1, sizeof(*rows));
    query_rows_begin(books, SQL_BANK_USAGE_FIRST, 5, rows);
    for (size_t i = 0; i < usage->count; i++) {
        const struct usage_cell *cell = &usage->cells[i];
        if (cell->amount != 0) {
            query_rows_int(rows, cell->account);
            query_rows_int(rows, cell->day);
            query_rows_int(rows, cell->cluster);
            query_rows_int(rows, cell->user);
            query_rows_int(rows, cell->amount);
        }
    }
    const int failed = query_rows_finish(rows, "cannot write what was used", err);
    free(rows);
    return failed;
}

int usage_write(struct usage *usage, bool fresh, struct books *books, struct error *err)
{
    if (usage->count == 0) {
        return 0;
    }
    sort_cells(usage);
    const int failed = (fresh ? put_cells : add_cells)(usage, books, err);
    usage_release(usage);
    return failed;
}
