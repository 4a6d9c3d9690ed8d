/* SPDX-License-Identifier: MIT */
#include "bank/closings.h"

#include <stdlib.h>

#include "bank/amount.h"
#include "bank/statements.h"
#include "base/mem.h"
#include "books/query.h"

static const char CANNOT_READ[] = "cannot read the closed periods of the bank";
static const char CANNOT_WRITE[] = "cannot change the closed periods of the bank";

int closings_read(struct books *books, struct closings *out, struct error *err)
{
    size_t room = 0;
    *out = (struct closings){0};
    struct query q = query_begin(books, SQL_BANK_CLOSINGS);
    while (query_row(&q)) {
        out->rows = mem_grow(out->rows, out->count, &room, sizeof(*out->rows));
        out->rows[out->count++] = (struct closing){query_int_at(&q, 0), query_int_at(&q, 1),
                                                   query_int_at(&q, 2), query_int_at(&q, 3)};
    }
    return query_finish(&q, CANNOT_READ, err);
}

void closings_release(struct closings *closings)
{
    free(closings->rows);
    *closings = (struct closings){0};
}

/* Where the rows of accounts after this one begin. */
static size_t end_of(const struct closings *closings, int64_t account)
{
    size_t low = 0, high = closings->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (closings->rows[middle].account <= account) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

int64_t closings_floor(const struct closings *closings, int64_t account, int64_t round)
{
    for (size_t i = end_of(closings, account);
         i-- > 0 && closings->rows[i].account == account;) {
        if (closings->rows[i].round < round) {
            return closings->rows[i].day;
        }
    }
    return INT64_MIN;
}

const struct closing *closings_last(const struct closings *closings, int64_t account)
{
    const struct closing *last = NULL;
    if (account) {
        const size_t end = end_of(closings, account);
        return end > 0 && closings->rows[end - 1].account == account ? &closings->rows[end - 1]
                                                                     : NULL;
    }
    for (size_t i = 0; i < closings->count; i++) {
        last = last && last->until >= closings->rows[i].until ? last : &closings->rows[i];
    }
    return last;
}

int closings_add(struct books *books, const struct closing *closing, int64_t at, struct str who,
                 struct str why, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_CLOSING_ADD);
    query_int(&q, closing->account);
    query_int(&q, closing->until);
    query_int(&q, closing->day);
    query_int(&q, closing->round);
    query_int(&q, at);
    query_text(&q, who);
    query_text(&q, why);
    query_run(&q);
    return query_finish(&q, CANNOT_WRITE, err);
}

/* --- what was late ------------------------------------------------------------------------ */

int lates_read(struct books *books, int64_t account, int64_t first, int64_t last,
               struct lates *out, struct error *err)
{
    *out = (struct lates){0};
    struct query q = query_begin(books, SQL_BANK_LATES);
    query_int(&q, account);
    query_int(&q, first);
    query_int(&q, last);
    while (query_row(&q)) {
        lates_add(out,
                  (struct late){query_int_at(&q, 0), query_int_at(&q, 1), query_int_at(&q, 2),
                                query_int_at(&q, 3), query_int_at(&q, 4), query_int_at(&q, 5),
                                query_int_at(&q, 6), query_int_at(&q, 7)});
    }
    return query_finish(&q, CANNOT_READ, err);
}

void lates_release(struct lates *lates)
{
    free(lates->rows);
    *lates = (struct lates){0};
}

void lates_add(struct lates *lates, struct late late)
{
    lates->rows = mem_grow(lates->rows, lates->count, &lates->room, sizeof(*lates->rows));
    lates->rows[lates->count++] = late;
}

static int compare_closings(const void *a, const void *b)
{
    const struct late *x = a, *y = b;
    const int64_t keys[][2] = {{x->account, y->account},
                               {x->round, y->round},
                               {x->cluster, y->cluster},
                               {x->user, y->user}};
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        if (keys[i][0] != keys[i][1]) {
            return keys[i][0] < keys[i][1] ? -1 : 1;
        }
    }
    return 0;
}

int lates_join(struct lates *lates, struct error *err)
{
    size_t kept = 0;
    int failed = 0;
    if (lates->count > 1) {
        qsort(lates->rows, lates->count, sizeof(*lates->rows), compare_closings);
    }
    for (size_t i = 0; !failed && i < lates->count; i++) {
        struct late *last = kept ? &lates->rows[kept - 1] : NULL;
        const struct late *next = &lates->rows[i];
        if (!last || compare_closings(last, next) != 0) {
            lates->rows[kept++] = *next;
            continue;
        }
        failed = amount_add(last->amount, next->amount, &last->amount, err);
        last->first = next->first < last->first ? next->first : last->first;
        last->last = next->last > last->last ? next->last : last->last;
    }
    lates->count = kept;
    return failed;
}

int lates_write(const struct lates *lates, struct books *books, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_LATE_ADD);
    for (size_t i = 0; i < lates->count; i++) {
        const struct late *row = &lates->rows[i];
        const int64_t numbers[] = {row->account, row->round,  row->cluster, row->user,
                                   row->day,     row->amount, row->first,   row->last};
        for (size_t n = 0; n < COUNT_OF(numbers); n++) {
            query_int(&q, numbers[n]);
        }
        query_run(&q);
        query_again(&q);
    }
    return query_finish(&q, CANNOT_WRITE, err);
}
