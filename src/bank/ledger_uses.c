/* SPDX-License-Identifier: MIT */

/* Questions about the ledger that statements and refunds ask. */

#include <stdlib.h>

#include "bank/ledger.h"

#include "bank/statements.h"
#include "base/mem.h"
#include "books/query.h"
#include <string.h>

static const char CANNOT_READ[] = "cannot read the bank";

int ledger_used_by(struct books *books, int64_t account, struct str login, bool *out,
                   struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_USED_BY);
    query_int(&q, account);
    query_text(&q, login);
    *out = query_row(&q);
    return query_finish(&q, CANNOT_READ, err);
}

int ledger_uses_list(struct books *books, int64_t account, int64_t first, int64_t last,
                     struct ledger_uses *out, struct error *err)
{
    size_t room = 0;
    *out = (struct ledger_uses){0};
    struct query q = query_begin(books, SQL_BANK_USAGE_BY_USER);
    query_int(&q, account);
    query_int(&q, first);
    query_int(&q, last);
    while (query_row(&q)) {
        if (out->count == room) {
            room = room ? 2 * room : 16;
            out->rows = mem_resize(out->rows, room, sizeof(*out->rows));
        }
        out->rows[out->count++] =
            (struct ledger_use){query_text_at(&q, 0, &out->arena),
                                query_text_at(&q, 1, &out->arena), query_int_at(&q, 2)};
    }
    return query_finish(&q, CANNOT_READ, err);
}

void ledger_uses_release(struct ledger_uses *uses)
{
    free(uses->rows);
    arena_release(&uses->arena);
    *uses = (struct ledger_uses){0};
}

int ledger_used(struct books *books, int64_t account, int64_t first, int64_t last, int64_t *out,
                struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_USAGE_SUM);
    query_int(&q, account);
    query_int(&q, first);
    query_int(&q, last);
    *out = query_row(&q) ? query_int_at(&q, 0) : 0;
    return query_finish(&q, CANNOT_READ, err);
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

/* The one charged run that a name means. */
static int find_run(struct books *books, struct str name, struct arena *arena, struct str *out,
                    struct error *err)
{
    size_t count = 0;
    const char *names = "";
    struct query q = query_begin(books, SQL_BANK_CHARGED_RUNS_LIKE);
    query_text(&q, name);
    while (query_row(&q)) {
        *out = query_text_at(&q, 0, arena);
        names = arena_printf(arena, "%s %.*s", names, STR_ARG(*out));
        count++;
    }
    int failed = query_finish(&q, CANNOT_READ, err);
    return failed || count == 1 ? failed
           : count == 0
               ? error_set(err, ERROR_MISSING, "no run '%.*s' was charged", STR_ARG(name))
               : error_set(err, ERROR_USAGE, "several runs are meant; choose one:%s", names);
}

int ledger_charge_of(struct books *books, struct str name, struct arena *arena,
                     struct ledger_charge *out, struct error *err)
{
    *out = (struct ledger_charge){0};
    int failed = find_run(books, name, arena, &out->run, err);
    if (failed) {
        return failed;
    }
    struct query q = query_begin(books, SQL_BANK_CHARGES_OF_RUN);
    query_text(&q, out->run);
    while (query_row(&q)) { /* the last line holds, if it is a charge */
        const int64_t amount = query_int_at(&q, 6);
        out->account = query_text_at(&q, 2, arena);
        out->start = query_int_at(&q, 4);
        out->end = query_int_at(&q, 5);
        out->amount = amount > 0 ? amount : 0;
    }
    failed = query_finish(&q, CANNOT_READ, err);
    q = query_begin(books, SQL_BANK_REFUNDED);
    query_text(&q, out->run);
    out->refunded = query_row(&q) ? query_int_at(&q, 0) : 0;
    struct error other = {0};
    int second = query_finish(&q, CANNOT_READ, failed ? &other : err);
    return failed ? failed : second;
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
        if (out->count == room) {
            room = room ? 2 * room : 16;
            out->rows = mem_resize(out->rows, room, sizeof(*out->rows));
        }
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
