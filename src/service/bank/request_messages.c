/* SPDX-License-Identifier: MIT */

/*
 * stint request messages: those who decide are told what was asked for, and requesters are told
 * what was decided. What was sent is recorded message by message, so that a call which fails
 * half way repeats none.
 */

#include <inttypes.h>
#include <stdio.h>

#include "bank/amount.h"
#include "base/limit.h"
#include "base/lockfile.h"
#include "books/message_log.h"
#include "message/message.h"
#include "service/bank/bank_people.h"
#include "service/bank/bank_requests.h"

static const char built_in[] = "Subject: Request for service units: {{subject}}\n"
                               "\n"
                               "{{request}}\n"
                               "More about it:\n"
                               "  stint request show {{number}}\n";

enum message_column { REQUEST_C, WHAT_C, ACCOUNT_C, TO_C };

static const struct heading headings[] = {
    [REQUEST_C] = {"request", "Request", CELL_INT, UNIT_NONE, COLUMN_DIMENSION},
    [WHAT_C] = {"what", "What", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [TO_C] = {"to", "To", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
};

/* One message: about a request, to an address. */
struct telling {
    struct bank *bank;
    const struct bank_request *request;
    struct str to;
};

static struct logged_message record_of(const struct telling *telling)
{
    struct arena *arena = &telling->bank->answer->table.arena;
    const struct bank_request *request = telling->request;
    return (struct logged_message){
        .rule = STR("request"),
        .user = telling->to,
        .what = str_of(arena_printf(arena, "%" PRId64 " %s", request->id,
                                    request_state_name(request->decision.state))),
        .at = telling->bank->now};
}

/* "ann asks for 500 SU for chem until 2026-12-31: a second series", and what was decided. */
static void add_text(const struct telling *telling, struct buf *out)
{
    const struct bank *bank = telling->bank;
    const struct bank_request *request = telling->request;
    struct arena *arena = &bank->answer->table.arena;
    const struct bank_decision *decision = &request->decision;
    buf_addf(out, "%.*s asks for %.*s SU for %.*s", STR_ARG(request->who),
             STR_ARG(amount_print(arena, request->amount)), STR_ARG(request->account));
    if (request->to < INSTANT_MAX) {
        buf_addf(out, " until %s", requests_day(bank, request->to - 1));
    }
    buf_addf(out, ": %.*s\n", STR_ARG(request->why));
    if (decision->state == REQUEST_OPEN) {
        return;
    }
    buf_addf(out, "It was %s", request_state_name(decision->state));
    if (decision->state == REQUEST_APPROVED) {
        buf_addf(out, " with %.*s SU", STR_ARG(amount_print(arena, decision->amount)));
    }
    buf_addf(out, " by %.*s%s%.*s\n", STR_ARG(decision->who), decision->why.ptr ? ": " : "",
             STR_ARG(decision->why));
}

static int compose(const struct telling *telling, struct buf *subject, struct buf *body)
{
    struct bank *bank = telling->bank;
    struct arena *arena = &bank->answer->table.arena;
    const struct bank_request *request = telling->request;
    struct buf text;
    buf_init(&text, MESSAGE_MAX);
    add_text(telling, &text);
    const struct message_value values[] = {
        {"subject", str_of(arena_printf(arena, "%" PRId64 " for %.*s, %s", request->id,
                                        STR_ARG(request->account),
                                        request_state_name(request->decision.state)))},
        {"request", buf_str(&text)},
        {"number", str_of(arena_printf(arena, "%" PRId64, request->id))},
        {"account", request->account},
        {"to", telling->to},
    };
    const int failed = message_fill(bank->service->config, "requests", STR(built_in), values,
                                    COUNT_OF(values), subject, body, bank->err);
    buf_release(&text);
    return failed;
}

static int record(const struct telling *telling)
{
    const struct bank *bank = telling->bank;
    const struct logged_message sent = record_of(telling);
    int failed = books_begin(bank->books, bank->err);
    failed = failed ? failed : logged_message_put(bank->books, &sent, bank->err);
    failed = failed ? failed : books_commit(bank->books, bank->err);
    books_rollback(bank->books);
    return failed;
}

static int send(const struct telling *telling)
{
    struct bank *bank = telling->bank;
    struct buf subject, body;
    buf_init(&subject, LIMIT_TEXT_FIELD);
    buf_init(&body, MESSAGE_MAX);
    int failed = compose(telling, &subject, &body);
    const struct message message = {telling->to, buf_str(&subject), buf_str(&body)};
    failed = failed ? failed
                    : message_send(bank->service->config, &message, bank->now,
                                   bank->service->stop, bank->err);
    failed = failed ? failed : record(telling);
    buf_release(&subject);
    buf_release(&body);
    return failed;
}

static void show_messages(const struct telling *telling)
{
    struct table *table = &telling->bank->answer->table;
    const struct bank_request *request = telling->request;
    const size_t row = table_row(table);
    table_set_int(table, REQUEST_C, row, request->id);
    table_set_text(table, WHAT_C, row, str_of(request_state_name(request->decision.state)));
    table_set_text(table, ACCOUNT_C, row, arena_copy(&table->arena, request->account));
    table_set_text(table, TO_C, row, telling->to);
}

/* Who is to be told: those who can decide about what is open; else the requester. */
static void find_addresses(const struct bank_people *people, const struct bank_request *request,
                           struct bank_addresses *out)
{
    const struct ledger_account *account =
        ledger_accounts_find(&people->bank->accounts, request->account);
    if (request->decision.state != REQUEST_OPEN) {
        bank_people_named(people, request->who, out);
        return;
    }
    if (account) {
        bank_people_managers(people, account, out);
    }
    bank_people_staff(people, out);
}

static int tell_about(struct bank *bank, const struct bank_people *people,
                      const struct bank_request *request, bool apply)
{
    struct bank_addresses to = {.arena = &bank->answer->table.arena};
    int failed = 0;
    if (request->decision.state == REQUEST_WITHDRAWN) {
        return 0;
    }
    find_addresses(people, request, &to);
    for (size_t i = 0; !failed && i < to.count; i++) {
        const struct telling telling = {bank, request, to.rows[i]};
        const struct logged_message wanted = record_of(&telling);
        bool sent = false;
        failed = logged_message_is_there(bank->books, &wanted, &sent, bank->err);
        if (failed || sent) {
            continue;
        }
        failed = apply ? send(&telling) : 0;
        if (!failed) {
            show_messages(&telling);
        }
    }
    if (!failed && to.count == 0 && request->decision.state == REQUEST_OPEN) {
        answer_note(bank->answer, NOTE_WARNING,
                    "nobody can be told about request %" PRId64
                    ": add an address with stint people, or 'staff' to [mail] in stint.conf",
                    request->id);
    }
    return failed;
}

static int tell_all(struct bank *bank, bool apply)
{
    struct bank_requests requests = {0};
    struct bank_people people;
    int failed = bank_people_open(bank, &people);
    failed = failed ? failed : bank_requests_read(bank->books, 0, &requests, bank->err);
    for (size_t i = 0; !failed && i < requests.count; i++) {
        failed = tell_about(bank, &people, &requests.rows[i], apply);
    }
    bank_requests_release(&requests);
    bank_people_close(&people);
    return failed;
}

int requests_tell(struct bank *bank)
{
    const bool apply = request_flag(bank->request, "apply");
    struct lockfile lock = LOCKFILE_NONE;
    int failed = apply ? message_check(bank->service->config, bank->err) : 0;
    if (!failed && apply) {
        failed = lockfile_take(bank->service->store, "requests",
                               "'stint request messages --apply'", &lock, bank->err);
    }
    table_columns(&bank->answer->table, headings, COUNT_OF(headings));
    failed = failed ? failed : tell_all(bank, apply);
    lockfile_release(&lock);
    if (failed) {
        return failed;
    }
    if (bank->answer->table.row_count == 0) {
        answer_note(bank->answer, NOTE_EMPTY, "nothing new");
    } else {
        answer_note(bank->answer, NOTE_RESULT, "%s",
                    apply ? "sent" : "shown and not sent; with --apply each is sent once");
    }
    return 0;
}
