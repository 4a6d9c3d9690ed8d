/* SPDX-License-Identifier: MIT */
#include "bank/refunds.h"

#include <stdlib.h>

#include "bank/charge_lines.h"
#include "bank/statements.h"
#include "base/mem.h"
#include "books/query.h"
#include "record/run_id.h"

int refunds_read(struct books *books, struct refunds *out, struct error *err)
{
    size_t room = 0;
    *out = (struct refunds){0};
    struct query q = query_begin(books, SQL_BANK_REFUNDS);
    while (query_row(&q)) {
        out->rows = mem_grow(out->rows, out->count, &room, sizeof(*out->rows));
        out->rows[out->count++] = (struct refund){.account = query_int_at(&q, 0),
                                                  .run = query_text_at(&q, 1, &out->arena),
                                                  .pot = query_int_at(&q, 2),
                                                  .decided = query_int_at(&q, 3),
                                                  .is = query_int_at(&q, 4)};
    }
    return query_finish(&q, "cannot read the refunds of the bank", err);
}

void refunds_release(struct refunds *refunds)
{
    free(refunds->rows);
    arena_release(&refunds->arena);
    *refunds = (struct refunds){0};
}

struct refund *refunds_of(const struct refunds *refunds, int64_t account, size_t *count)
{
    size_t low = 0, high = refunds->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (refunds->rows[middle].account < account) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *count = 0;
    while (low + *count < refunds->count && refunds->rows[low + *count].account == account) {
        ++*count;
    }
    return refunds->rows ? refunds->rows + low : NULL;
}

/* Whether an account pays for the runs of another. */
static int is_paid_by(struct books *books, int64_t account, int64_t payer, bool *out,
                      struct error *err)
{
    *out = account == payer;
    if (*out) {
        return 0;
    }
    struct query q = query_begin(books, SQL_BANK_PARENT_OF);
    query_int(&q, account);
    *out = query_row(&q) && query_int_at(&q, 0) == payer;
    return query_finish(&q, "cannot read the refunds of the bank", err);
}

/* What a run is charged now, if the account pays for it. */
static int charge_of(struct books *books, struct str name, int64_t account, int64_t *out,
                     struct error *err)
{
    struct arena arena = {0};
    struct run run = {0};
    struct charge_lines_bucket bucket = {0};
    int failed = 0;
    *out = 0;
    if (run_id_parse(name, &arena, &run)) {
        failed = charge_lines_load(books, packed_bucket(&run), &bucket, err);
        const struct packed_line *line = failed ? NULL : charge_lines_find(&bucket, name);
        bool paid = false;
        failed = line ? is_paid_by(books, line->account, account, &paid, err) : failed;
        *out = paid && line->amount > 0 ? line->amount : 0;
    }
    charge_lines_release(&bucket);
    arena_release(&arena);
    return failed;
}

int refunds_work_out(struct books *books, struct refund *rows, size_t count, struct error *err)
{
    int64_t left = 0; /* of the charge of the run at hand */
    int failed = 0;
    for (size_t i = 0; !failed && i < count; i++) {
        if (i == 0 || !str_eq(rows[i].run, rows[i - 1].run)) {
            failed = charge_of(books, rows[i].run, rows[i].account, &left, err);
        }
        rows[i].ought = rows[i].decided < left ? rows[i].decided : left;
        left -= rows[i].ought;
    }
    return failed;
}
