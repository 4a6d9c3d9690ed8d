/* SPDX-License-Identifier: MIT */

/* Questions about the ledger that statements and refunds ask. */

#include <stdlib.h>
#include <string.h>

#include "bank/amount.h"
#include "bank/charge_lines.h"
#include "bank/ledger.h"
#include "bank/name_ids.h"
#include "bank/statements.h"
#include "bank/usage.h"
#include "base/mem.h"
#include "books/query.h"
#include "record/run_id.h"

static const char CANNOT_READ[] = "cannot read the bank";

/* Whether somebody is among those who used an account. */
struct sought {
    int64_t user;
    bool found;
};

static int look_for(void *context, int64_t account, const struct packed_cell *cell,
                    struct error *err)
{
    struct sought *sought = context;
    (void)account;
    (void)err;
    sought->found = sought->found || cell->user == sought->user;
    return 0;
}

int ledger_used_by(struct books *books, int64_t account, struct str login, bool *out,
                   struct error *err)
{
    struct sought sought = {0};
    const struct usage_taker taker = {&sought, look_for, NULL};
    struct query q = query_begin(books, SQL_BANK_NAME_ID);
    query_text(&q, login);
    sought.user = query_row(&q) ? query_int_at(&q, 0) : 0;
    int failed = query_finish(&q, CANNOT_READ, err);
    if (!failed && sought.user) {
        failed = usage_each(books, account, INT32_MIN, INT32_MAX, &taker, err);
    }
    *out = sought.found;
    return failed;
}

/* Sums by cluster and user, by their numbers. */
struct sums {
    struct packed_cell *rows; /* `day` does not count */
    size_t count, room;
};

static int take_sum(void *context, int64_t account, const struct packed_cell *cell,
                    struct error *err)
{
    struct sums *sums = context;
    (void)account;
    (void)err;
    sums->rows = mem_grow(sums->rows, sums->count, &sums->room, sizeof(*sums->rows));
    sums->rows[sums->count++] = *cell;
    return 0;
}

static int compare_sums(const void *a, const void *b)
{
    const struct packed_cell *x = a, *y = b;
    return x->cluster != y->cluster ? (x->cluster < y->cluster ? -1 : 1)
           : x->user != y->user     ? (x->user < y->user ? -1 : 1)
                                    : 0;
}

/* One of each, without those that come to nothing. */
static int add_up(struct sums *sums, struct error *err)
{
    size_t kept = 0;
    int failed = 0;
    if (sums->count == 0) {
        return 0;
    }
    qsort(sums->rows, sums->count, sizeof(*sums->rows), compare_sums);
    for (size_t i = 0, end = 0; !failed && i < sums->count; i = end) {
        struct packed_cell sum = sums->rows[i];
        for (end = i + 1;
             !failed && end < sums->count && compare_sums(&sum, &sums->rows[end]) == 0; end++) {
            failed = amount_add(sum.amount, sums->rows[end].amount, &sum.amount, err);
        }
        if (sum.amount != 0) {
            sums->rows[kept++] = sum;
        }
    }
    sums->count = kept;
    return failed;
}

static int compare_uses(const void *a, const void *b)
{
    const struct ledger_use *x = a, *y = b;
    const int by_cluster = str_compare(x->cluster, y->cluster);
    return x->amount != y->amount ? (x->amount > y->amount ? -1 : 1)
           : by_cluster           ? by_cluster
                                  : str_compare(x->user, y->user);
}

int ledger_uses_list(struct books *books, int64_t account, int64_t first, int64_t last,
                     struct ledger_uses *out, struct error *err)
{
    struct sums sums = {0};
    const struct usage_taker taker = {&sums, take_sum, NULL};
    int failed;
    *out = (struct ledger_uses){0};
    (void)((failed = usage_paid(books, account, first, last, &taker, err)) ||
           (failed = add_up(&sums, err)));
    out->rows = mem_alloc(sums.count + 1, sizeof(*out->rows));
    for (; !failed && out->count < sums.count; out->count++) {
        struct ledger_use *use = &out->rows[out->count];
        use->amount = sums.rows[out->count].amount;
        (void)((failed = name_ids_of(books, sums.rows[out->count].cluster, &out->arena,
                                     &use->cluster, err)) ||
               (failed = name_ids_of(books, sums.rows[out->count].user, &out->arena, &use->user,
                                     err)));
    }
    qsort(out->rows, out->count, sizeof(*out->rows), compare_uses);
    free(sums.rows);
    return failed;
}

int ledger_held_list(struct books *books, int64_t account, struct ledger_uses *out,
                     struct error *err)
{
    size_t room = 0;
    *out = (struct ledger_uses){0};
    struct query q = query_begin(books, SQL_BANK_HELD_BY_USER);
    query_int(&q, account);
    while (query_row(&q)) {
        out->rows = mem_grow(out->rows, out->count, &room, sizeof(*out->rows));
        out->rows[out->count++] = (struct ledger_use){.user = query_text_at(&q, 0, &out->arena),
                                                      .amount = query_int_at(&q, 1)};
    }
    return query_finish(&q, CANNOT_READ, err);
}

void ledger_uses_release(struct ledger_uses *uses)
{
    free(uses->rows);
    arena_release(&uses->arena);
    *uses = (struct ledger_uses){0};
}

static int take_amount(void *context, int64_t account, const struct packed_cell *cell,
                       struct error *err)
{
    int64_t *sum = context;
    (void)account;
    return amount_add(*sum, cell->amount, sum, err);
}

int ledger_used(struct books *books, int64_t account, int64_t first, int64_t last, int64_t *out,
                struct error *err)
{
    const struct usage_taker taker = {out, take_amount, NULL};
    *out = 0;
    return usage_paid(books, account, first, last, &taker, err);
}

int ledger_moved(struct books *books, int64_t account, int64_t before, int64_t *out,
                 struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_MOVED_BEFORE);
    query_int(&q, account);
    query_int(&q, before);
    *out = query_row(&q) ? query_int_at(&q, 0) : 0;
    return query_finish(&q, CANNOT_READ, err);
}

/* Runs that a name may mean. */
struct meant {
    struct str name;
    struct arena *arena;
    const char *names; /* of those that were found */
    size_t count;
    struct packed_line last; /* the last line of the last one that was found */
};

/*
 * "336698" and "birch:336698" mean every run whose name continues with a task, a component or
 * an attempt.
 */
bool ledger_run_is_meant(struct str name, struct str run)
{
    const char *colon = memchr(run.ptr, ':', run.len);
    const size_t cluster =
        colon && !memchr(name.ptr, ':', name.len) ? (size_t)(colon + 1 - run.ptr) : 0;
    const struct str rest = {run.ptr + cluster, run.len - cluster};
    return str_starts(rest, name) &&
           (rest.len == name.len || strchr(".+@", rest.ptr[name.len]));
}

static int take_meant(void *context, const struct packed_line *line, struct error *err)
{
    enum { SHOWN = 20 };

    struct meant *meant = context;
    (void)err;
    if (!ledger_run_is_meant(meant->name, line->run)) {
        return 0;
    }
    const bool same = meant->count > 0 && str_eq(line->run, meant->last.run);
    if (same && line->n < meant->last.n) {
        return 0;
    }
    const struct str run = same ? meant->last.run : arena_copy(meant->arena, line->run);
    if (!same && ++meant->count <= SHOWN) {
        meant->names = arena_printf(meant->arena, "%s %.*s", meant->names, STR_ARG(run));
    }
    meant->last = *line;
    meant->last.run = run;
    return 0;
}

/* A whole name is found where it lies; a part of one by looking at all there is. */
static int find_run(struct books *books, struct meant *meant, struct error *err)
{
    struct run run = {0};
    struct charge_lines_bucket bucket = {0};
    const struct packed_line *line = NULL;
    int failed = 0;
    if (run_id_parse(meant->name, meant->arena, &run)) {
        failed = charge_lines_load(books, packed_bucket(&run), &bucket, err);
        line = failed ? NULL : charge_lines_find(&bucket, meant->name);
    }
    if (line) {
        failed = take_meant(meant, line, err);
    } else if (!failed) {
        failed = charge_lines_each(books, &(struct charge_lines_taker){meant, take_meant, NULL},
                                   err);
    }
    charge_lines_release(&bucket);
    return failed || meant->count == 1 ? failed
           : meant->count == 0
               ? error_set(err, ERROR_MISSING, "no run '%.*s' was charged",
                           STR_ARG(meant->name))
               : error_set(err, ERROR_USAGE, "several runs are meant; choose one:%s",
                           meant->names);
}

static int name_account(struct books *books, int64_t account, struct arena *arena,
                        struct str *out, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_ACCOUNT_NAME);
    query_int(&q, account);
    *out = query_row(&q) ? query_text_at(&q, 0, arena) : (struct str){0};
    return query_finish(&q, CANNOT_READ, err);
}

static int read_refunded(struct books *books, struct str run, int64_t account, int64_t *out,
                         struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_REFUNDED);
    query_text(&q, run);
    query_int(&q, account);
    *out = query_row(&q) ? query_int_at(&q, 0) : 0;
    return query_finish(&q, CANNOT_READ, err);
}

int ledger_charge_of(struct books *books, struct str name, struct arena *arena,
                     struct ledger_charge *out, struct error *err)
{
    struct meant meant = {.name = name, .arena = arena, .names = ""};
    *out = (struct ledger_charge){0};
    int failed = find_run(books, &meant, err);
    if (failed) {
        return failed;
    }
    out->run = meant.last.run;
    out->start = meant.last.start;
    out->end = meant.last.end;
    out->amount = meant.last.amount > 0 ? meant.last.amount : 0;
    (void)((failed = name_account(books, meant.last.account, arena, &out->account, err)) ||
           (failed = name_ids_of(books, meant.last.cluster, arena, &out->cluster, err)) ||
           (failed = read_refunded(books, out->run, meant.last.account, &out->refunded, err)));
    return failed;
}

int ledger_notice_sent(struct books *books, int64_t allotment, const char *what, bool *out,
                       struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_NOTICE_SENT);
    query_int(&q, allotment);
    query_text(&q, str_of(what));
    *out = query_row(&q);
    return query_finish(&q, CANNOT_READ, err);
}

int ledger_tell(struct books *books, int64_t allotment, const char *what, int64_t at,
                struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_TELL);
    query_int(&q, allotment);
    query_text(&q, str_of(what));
    query_int(&q, at);
    query_run(&q);
    return query_finish(&q, "cannot change the bank", err);
}

int ledger_message_sent(struct books *books, struct str to, int64_t allotment, const char *what,
                        bool *out, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_MESSAGE_SENT);
    query_text(&q, to);
    query_int(&q, allotment);
    query_text(&q, str_of(what));
    *out = query_row(&q);
    return query_finish(&q, CANNOT_READ, err);
}

int ledger_message_add(struct books *books, struct str to, int64_t allotment, const char *what,
                       int64_t at, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_MESSAGE_ADD);
    query_text(&q, to);
    query_int(&q, allotment);
    query_text(&q, str_of(what));
    query_int(&q, at);
    query_run(&q);
    return query_finish(&q, "cannot change the bank", err);
}

int ledger_message_last(struct books *books, struct str to, int64_t *out, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_MESSAGE_LAST);
    *out = INT64_MIN;
    query_text(&q, to);
    if (query_row(&q) && query_has_at(&q, 0)) {
        *out = query_int_at(&q, 0);
    }
    return query_finish(&q, CANNOT_READ, err);
}

int ledger_moved_between(struct books *books, int64_t account, int64_t from, int64_t to,
                         int64_t sums[LEDGER_KINDS], struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_MOVED_BETWEEN);
    query_int(&q, account);
    query_int(&q, from);
    query_int(&q, to);
    memset(sums, 0, LEDGER_KINDS * sizeof(*sums));
    while (query_row(&q)) {
        const struct str kind = query_view_at(&q, 0);
        for (unsigned i = 0; i < LEDGER_KINDS; i++) {
            sums[i] = str_eq(kind, str_of(ledger_kind_name(i))) ? query_int_at(&q, 1) : sums[i];
        }
    }
    return query_finish(&q, CANNOT_READ, err);
}

int ledger_messages_prune(struct books *books, int64_t before, int64_t now, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_MESSAGE_PRUNE);
    query_int(&q, before);
    query_int(&q, now);
    query_run(&q);
    return query_finish(&q, "cannot change the bank", err);
}

int ledger_moves_list(struct books *books, int64_t account, struct ledger_moves *out,
                      struct error *err)
{
    size_t room = 0;
    *out = (struct ledger_moves){0};
    struct query q = query_begin(books, SQL_BANK_MOVES);
    query_int(&q, account);
    while (query_row(&q)) {
        out->rows = mem_grow(out->rows, out->count, &room, sizeof(*out->rows));
        out->rows[out->count++] = (struct ledger_move){
            ledger_kind_of(query_view_at(&q, 0)), query_int_at(&q, 1), query_int_at(&q, 2)};
    }
    return query_finish(&q, CANNOT_READ, err);
}

void ledger_moves_release(struct ledger_moves *moves)
{
    free(moves->rows);
    *moves = (struct ledger_moves){0};
}
