/* SPDX-License-Identifier: MIT */
#include "bank/requests.h"

#include <stdlib.h>

#include "bank/statements.h"
#include "base/mem.h"
#include "base/zone.h"
#include "books/query.h"

static const char CANNOT_READ[] = "cannot read the requests of the bank";
static const char CANNOT_WRITE[] = "cannot change the requests of the bank";

const char *request_state_name(enum request_state state)
{
    static const char *const names[REQUEST_STATES] = {
        [REQUEST_OPEN] = "open",
        [REQUEST_APPROVED] = "approved",
        [REQUEST_DECLINED] = "declined",
        [REQUEST_WITHDRAWN] = "withdrawn",
    };
    return names[state];
}

/* The state of a name; what has none is open. */
static enum request_state state_of(struct str name)
{
    unsigned i = REQUEST_STATES - 1;
    while (i > REQUEST_OPEN && !str_eq(name, str_of(request_state_name(i)))) {
        i--;
    }
    return i;
}

static struct bank_request read_one(struct query *q, struct arena *arena)
{
    return (struct bank_request){
        .id = query_int_at(q, 0),
        .account = query_text_at(q, 1, arena),
        .amount = query_int_at(q, 2),
        .from = query_int_at(q, 3),
        .to = query_has_at(q, 4) ? query_int_at(q, 4) : INSTANT_MAX,
        .renews = query_int_at(q, 5),
        .at = query_int_at(q, 6),
        .who = query_text_at(q, 7, arena),
        .why = query_text_at(q, 8, arena),
        .decision = {.state = query_has_at(q, 9) ? state_of(query_view_at(q, 9)) : REQUEST_OPEN,
                     .amount = query_int_at(q, 10),
                     .entry = query_int_at(q, 11),
                     .at = query_int_at(q, 12),
                     .who = query_text_at(q, 13, arena),
                     .why = query_text_at(q, 14, arena)},
    };
}

int bank_requests_read(struct books *books, int64_t id, struct bank_requests *out,
                       struct error *err)
{
    size_t room = 0;
    *out = (struct bank_requests){0};
    struct query q = query_begin(books, SQL_BANK_REQUESTS);
    query_int(&q, id);
    while (query_row(&q)) {
        out->rows = mem_grow(out->rows, out->count, &room, sizeof(*out->rows));
        out->rows[out->count++] = read_one(&q, &out->arena);
    }
    return query_finish(&q, CANNOT_READ, err);
}

void bank_requests_release(struct bank_requests *requests)
{
    free(requests->rows);
    arena_release(&requests->arena);
    *requests = (struct bank_requests){0};
}

int bank_request_add(struct books *books, struct bank_request *request, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_REQUEST_ADD);
    query_text(&q, request->account);
    query_int(&q, request->amount);
    query_int(&q, request->from);
    if (request->to < INSTANT_MAX) {
        query_int(&q, request->to);
    } else {
        query_null(&q);
    }
    query_int(&q, request->renews);
    query_int(&q, request->at);
    query_text(&q, request->who);
    query_text(&q, request->why);
    query_run(&q);
    int failed = query_finish(&q, CANNOT_WRITE, err);
    if (failed) {
        return failed;
    }
    struct query last = query_begin(books, SQL_BANK_LAST_ID);
    request->id = query_row(&last) ? query_int_at(&last, 0) : 0;
    return query_finish(&last, CANNOT_WRITE, err);
}

int bank_request_decide(struct books *books, int64_t id, const struct bank_decision *decision,
                        struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_DECISION_ADD);
    query_int(&q, id);
    query_text(&q, str_of(request_state_name(decision->state)));
    query_int(&q, decision->amount);
    query_int(&q, decision->entry);
    query_int(&q, decision->at);
    query_text(&q, decision->who);
    query_text(&q, decision->why);
    query_run(&q);
    return query_finish(&q, CANNOT_WRITE, err);
}

int bank_request_entry(struct books *books, struct str key, int64_t *out, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_REQUEST_ENTRY);
    query_text(&q, key);
    *out = query_row(&q) ? query_int_at(&q, 0) : 0;
    return query_finish(&q, CANNOT_READ, err);
}
