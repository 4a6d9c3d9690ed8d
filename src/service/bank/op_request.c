/* SPDX-License-Identifier: MIT */

/* stint request: allotments that somebody asks for, and what is decided about them. */

#include <inttypes.h>

#include "bank/amount.h"
#include "base/limit.h"
#include "base/scan.h"
#include "service/bank/bank_change.h"
#include "service/bank/bank_requests.h"
#include "service/core/operations.h"

enum {
    OPEN_MAX = 20, /* requests of one person that are not decided */
    REASON_MAX = 4 << 10,
};

const char *requests_day(const struct bank *bank, int64_t instant)
{
    const struct civil civil = zone_civil(bank->zone, instant);
    return arena_printf(&bank->answer->table.arena, "%04d-%02d-%02d", civil.year, civil.month,
                        civil.day);
}

/* --- whose it is -------------------------------------------------------------------------- */

/* Whom a request is of: a token asks for the one whose login it has. */
static struct str asker(const struct caller *caller)
{
    return caller->token && caller->login_count > 0 ? caller->logins[0] : str_of(caller->name);
}

static bool is_own(const struct bank *bank, const struct bank_request *request)
{
    const struct caller *caller = bank->service->caller;
    bool own = str_eq(request->who, str_of(caller->name));
    for (size_t i = 0; !own && i < caller->login_count; i++) {
        own = str_eq(request->who, caller->logins[i]);
    }
    return own;
}

/* Users see their own, managers those of their accounts, staff all. */
static bool is_seen(const struct bank *bank, const struct bank_request *request)
{
    const struct ledger_account *account =
        ledger_accounts_find(&bank->accounts, request->account);
    return is_own(bank, request) || caller_may(bank->service->caller, RIGHT_ALL) ||
           (account && bank_manages(bank, account));
}

static bool may_decide(const struct bank *bank, const struct bank_request *request)
{
    const struct ledger_account *account =
        ledger_accounts_find(&bank->accounts, request->account);
    return caller_may(bank->service->caller, RIGHT_MONEY) ||
           (account && bank_moves(bank, account));
}

/* --- showing ------------------------------------------------------------------------------ */

enum request_column {
    ID_C,
    ACCOUNT_C,
    AMOUNT_C,
    FROM_C,
    TO_C,
    WHO_C,
    AT_C,
    WHY_C,
    STATE_C,
    APPROVED_C,
    ENTRY_C,
    DECIDED_BY_C,
    DECIDED_AT_C,
    ANSWER_C,
};

static const struct heading headings[] = {
    [ID_C] = {"request", "Request", CELL_INT, UNIT_NONE, COLUMN_DIMENSION},
    [ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [AMOUNT_C] = {"amount", "Amount", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [FROM_C] = {"from", "From", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [TO_C] = {"to", "Last day", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [WHO_C] = {"who", "Who", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [AT_C] = {"at", "Asked at", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [WHY_C] = {"why", "Reason", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [STATE_C] = {"state", "State", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [APPROVED_C] = {"approved", "Approved", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [ENTRY_C] = {"entry", "Entry", CELL_INT, UNIT_NONE, COLUMN_BESIDE},
    [DECIDED_BY_C] = {"decided_by", "Decided by", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [DECIDED_AT_C] = {"decided_at", "Decided at", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [ANSWER_C] = {"answer", "Answer", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
};

static void add_decision(struct table *table, size_t row, const struct bank_decision *decision)
{
    if (decision->state == REQUEST_APPROVED) {
        table_set_int(table, APPROVED_C, row, decision->amount);
        table_set_int(table, ENTRY_C, row, decision->entry);
    }
    table_set_text(table, DECIDED_BY_C, row, arena_copy(&table->arena, decision->who));
    table_set_int(table, DECIDED_AT_C, row, decision->at);
    if (decision->why.ptr) {
        table_set_text(table, ANSWER_C, row, arena_copy(&table->arena, decision->why));
    }
}

static void add_request_row(const struct bank *bank, const struct bank_request *request)
{
    struct table *table = &bank->answer->table;
    const size_t row = table_row(table);
    table_set_int(table, ID_C, row, request->id);
    table_set_text(table, ACCOUNT_C, row, arena_copy(&table->arena, request->account));
    table_set_int(table, AMOUNT_C, row, request->amount);
    table_set_text(table, FROM_C, row, str_of(requests_day(bank, request->from)));
    if (request->to < INSTANT_MAX) {
        table_set_text(table, TO_C, row, str_of(requests_day(bank, request->to - 1)));
    }
    table_set_text(table, WHO_C, row, arena_copy(&table->arena, request->who));
    table_set_int(table, AT_C, row, request->at);
    table_set_text(table, WHY_C, row, arena_copy(&table->arena, request->why));
    table_set_text(table, STATE_C, row, str_of(request_state_name(request->decision.state)));
    if (request->decision.state != REQUEST_OPEN) {
        add_decision(table, row, &request->decision);
    }
}

static int list_requests(struct bank *bank)
{
    struct bank_requests requests;
    struct str account = {0};
    const bool all = request_flag(bank->request, "all");
    (void)request_each(bank->request, "word", 0, &account);
    int failed = bank_requests_read(bank->books, 0, &requests, bank->err);
    table_columns(&bank->answer->table, headings, COUNT_OF(headings));
    for (size_t i = 0; !failed && i < requests.count; i++) {
        const struct bank_request *request = &requests.rows[i];
        if (is_seen(bank, request) && (all || request->decision.state == REQUEST_OPEN) &&
            (!account.ptr || str_eq(account, request->account))) {
            add_request_row(bank, request);
        }
    }
    if (!failed && bank->answer->table.row_count == 0) {
        answer_note(bank->answer, NOTE_EMPTY, "%s",
                    all ? "nothing was asked for" : "no request is open; see also --all");
    }
    bank_requests_release(&requests);
    return failed;
}

/* The request that the first word names. ERROR_MISSING: it is not there for this caller. */
static int find_request(const struct bank *bank, struct bank_requests *requests,
                        const struct bank_request **out)
{
    struct str word;
    int64_t id = 0;
    *out = NULL;
    *requests = (struct bank_requests){0};
    if (!request_each(bank->request, "word", 0, &word)) {
        return error_set(bank->err, ERROR_USAGE,
                         "say which request: its number; see: stint request list");
    }
    if (!scan_int(word, &id) || id <= 0) {
        return error_set(bank->err, ERROR_USAGE,
                         "'%.*s' is no number of a request; see: stint request list",
                         STR_ARG(word));
    }
    int failed = bank_requests_read(bank->books, id, requests, bank->err);
    if (!failed && (requests->count == 0 || !is_seen(bank, &requests->rows[0]))) {
        failed =
            error_set(bank->err, ERROR_MISSING,
                      "there is no request %" PRId64 "; see: stint request list --all", id);
    }
    *out = failed ? NULL : &requests->rows[0];
    return failed;
}

static int show_request(struct bank *bank)
{
    struct bank_requests requests;
    const struct bank_request *request;
    int failed = find_request(bank, &requests, &request);
    table_columns(&bank->answer->table, headings, COUNT_OF(headings));
    if (!failed) {
        add_request_row(bank, request);
        bank->answer->as_records = true;
    }
    bank_requests_release(&requests);
    return failed;
}

/* Runs a change in a transaction, then shows the request it was about. */
static int in_transaction(struct bank *bank, int (*change)(struct bank *bank, int64_t *id))
{
    struct bank_requests requests = {0};
    int64_t id = 0;
    int failed = books_begin(bank->books, bank->err);
    failed = failed ? failed : bank_read(bank);
    failed = failed ? failed : change(bank, &id);
    failed = failed ? failed : books_commit(bank->books, bank->err);
    books_rollback(bank->books);
    failed = failed ? failed : bank_requests_read(bank->books, id, &requests, bank->err);
    table_columns(&bank->answer->table, headings, COUNT_OF(headings));
    for (size_t i = 0; !failed && i < requests.count; i++) {
        add_request_row(bank, &requests.rows[i]);
        bank->answer->as_records = true;
    }
    bank_requests_release(&requests);
    return failed;
}

/* --- asking ------------------------------------------------------------------------------- */

/* The beginning of the day that is `more` days after that of an instant. */
static int64_t day_after(const struct bank *bank, int64_t instant, int64_t more)
{
    const struct civil day = civil_of_days(bank_day(bank, instant) + more);
    return zone_instant(bank->zone, day);
}

/* The allotment of an account that ends last, which a renewal follows. */
static int find_last(const struct bank *bank, const struct ledger_account *account,
                     const struct ledger_allotment **out)
{
    *out = NULL;
    for (size_t i = 0; i < bank->allotments.count; i++) {
        const struct ledger_allotment *row = &bank->allotments.rows[i];
        if (row->account == account->id && !row->unlimited &&
            (!*out || row->to >= (*out)->to)) {
            *out = row;
        }
    }
    if (!*out || (*out)->to >= INSTANT_MAX) {
        return error_set(bank->err, ERROR_CONFLICT,
                         "no allotment of '%.*s' ends last: ask for an amount, without --renew",
                         STR_ARG(account->name));
    }
    if ((*out)->then > 0) {
        return error_set(bank->err, ERROR_CONFLICT,
                         "allotment %" PRId64 " of '%.*s' is renewed at its end by itself",
                         (*out)->id, STR_ARG(account->name));
    }
    return 0;
}

/* What follows the last allotment of the account: as much, for as long. */
static int read_renewal(const struct bank *bank, struct bank_request *out)
{
    const struct ledger_account *account;
    const struct ledger_allotment *last;
    int failed = bank_account(bank, 0, &account);
    failed = failed ? failed : find_last(bank, account, &last);
    if (failed) {
        return failed;
    }
    const int64_t days = bank_day(bank, last->to) - bank_day(bank, last->from);
    out->renews = last->id;
    out->amount = last->granted;
    out->from = day_after(bank, last->to > bank->now ? last->to : bank->now, 0);
    out->to = day_after(bank, out->from, days > 0 ? days : 1);
    return 0;
}

static int check_text(const struct bank *bank, struct str text, size_t most, const char *what)
{
    if (text.ptr && text.len == 0) {
        return error_set(bank->err, ERROR_USAGE, "%s is empty", what);
    }
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f) {
            return error_set(bank->err, ERROR_USAGE, "%s has a control character", what);
        }
    }
    return text.len <= most ? 0
                            : error_set(bank->err, ERROR_USAGE,
                                        "%s is longer than %zu bytes: shorten it", what, most);
}

/*
 * Why something is asked for or declined: without a reason nobody can decide about it, or learn
 * from it.
 */
static int read_reason(const struct bank *bank, struct str *out)
{
    *out = request_text(bank->request, "note");
    if (out->len == 0) {
        return error_set(bank->err, ERROR_USAGE, "say why: --note TEXT");
    }
    return check_text(bank, *out, REASON_MAX, "--note");
}

/* Days of --from and --to, where they are given. */
static int read_days(const struct bank *bank, struct bank_request *out)
{
    int64_t from, to;
    int failed = bank_instant(bank, "from", false, out->from, &from);
    failed = failed ? failed : bank_instant(bank, "to", true, out->to, &to);
    if (failed) {
        return failed;
    }
    out->from = day_after(bank, from, 0);
    out->to = to >= INSTANT_MAX ? INSTANT_MAX : day_after(bank, to - 1, 1);
    if (out->to <= bank->now) {
        return error_set(bank->err, ERROR_USAGE, "--to: %s is over",
                         requests_day(bank, out->to - 1));
    }
    return out->from < out->to
               ? 0
               : error_set(bank->err, ERROR_USAGE, "the allotment would end before it begins");
}

static int read_request(const struct bank *bank, struct bank_request *out)
{
    struct str text;
    *out = (struct bank_request){.from = day_after(bank, bank->now, 0),
                                 .to = INSTANT_MAX,
                                 .at = bank->now,
                                 .who = asker(bank->service->caller)};
    int failed = bank_word(bank, 0, "the account", &out->account);
    failed = failed ? failed : check_text(bank, out->account, LIMIT_BOOKS_NAME, "the account");
    failed = failed ? failed : read_reason(bank, &out->why);
    if (!failed && request_flag(bank->request, "renew")) {
        failed = read_renewal(bank, out);
    }
    if (!failed && request_each(bank->request, "word", 1, &text)) {
        failed = change_amount(bank, 1, &out->amount);
    } else if (!failed && out->amount <= 0) {
        failed =
            error_set(bank->err, ERROR_USAGE, "say how much: stint request add ACCOUNT AMOUNT");
    }
    return failed ? failed : read_days(bank, out);
}

/* One renewal of an allotment at a time, and not too many requests of one person. */
static int check_others(const struct bank *bank, const struct bank_request *wanted)
{
    struct bank_requests requests;
    size_t open = 0;
    int failed = bank_requests_read(bank->books, 0, &requests, bank->err);
    for (size_t i = 0; !failed && i < requests.count; i++) {
        const struct bank_request *other = &requests.rows[i];
        if (other->decision.state != REQUEST_OPEN) {
            continue;
        }
        open += str_eq(other->who, wanted->who);
        if (wanted->renews && other->renews == wanted->renews) {
            failed = error_set(bank->err, ERROR_CONFLICT,
                               "a renewal of allotment %" PRId64
                               " was asked for already: request %" PRId64 " is open",
                               wanted->renews, other->id);
        }
    }
    if (!failed && open >= OPEN_MAX) {
        failed = error_set(bank->err, ERROR_CONFLICT,
                           "%.*s has %zu open requests: withdraw one, or wait for a decision",
                           STR_ARG(wanted->who), open);
    }
    bank_requests_release(&requests);
    return failed;
}

static int change_add(struct bank *bank, int64_t *id)
{
    struct bank_request request;
    int failed = read_request(bank, &request);
    failed = failed ? failed : check_others(bank, &request);
    failed = failed ? failed : bank_request_add(bank->books, &request, bank->err);
    *id = request.id;
    return failed;
}

static int add_request(struct bank *bank)
{
    return in_transaction(bank, change_add);
}

/* --- deciding ----------------------------------------------------------------------------- */

static struct bank_decision decision_of(const struct bank *bank, enum request_state state)
{
    return (struct bank_decision){.state = state,
                                  .at = bank->now,
                                  .who = str_of(bank->service->caller->name),
                                  .why = request_text(bank->request, "note")};
}

static int refuse_decided(const struct bank *bank, const struct bank_request *request)
{
    return error_set(bank->err, ERROR_CONFLICT,
                     "request %" PRId64 " was %s by %.*s: add another", request->id,
                     request_state_name(request->decision.state),
                     STR_ARG(request->decision.who));
}

static int check_may_decide(const struct bank *bank, const struct bank_request *request)
{
    const struct caller *caller = bank->service->caller;
    if (!may_decide(bank, request)) {
        return error_set(bank->err, ERROR_DENIED,
                         "%s does not manage '%.*s': somebody who does, or has the right "
                         "money, decides about it",
                         caller->name, STR_ARG(request->account));
    }
    if (is_own(bank, request) && !caller_may(caller, RIGHT_BOOKS)) {
        return error_set(bank->err, ERROR_DENIED,
                         "nobody decides about their own request: ask somebody else, or "
                         "withdraw it");
    }
    return 0;
}

/* What is approved as a command of the bank: a grant, or with --source a transfer. */
struct posting {
    struct request_value values[8];
    size_t count;
    struct str key;
};

static void add_value(struct posting *posting, const char *name, struct str text)
{
    posting->values[posting->count++] = (struct request_value){name, text};
}

static void write_posting(const struct bank *bank, const struct bank_request *request,
                          int64_t amount, struct posting *out)
{
    struct arena *arena = &bank->answer->table.arena;
    const struct str source = request_text(bank->request, "source");
    *out = (struct posting){
        .key = str_of(arena_printf(arena, BANK_REQUEST_KEY "%" PRId64, request->id))};
    add_value(out, "action", source.ptr ? STR("transfer") : STR("grant"));
    add_value(out, "word", source.ptr ? source : request->account);
    add_value(out, "word", amount_print(arena, amount));
    add_value(out, "id", out->key);
    add_value(out, "note",
              str_of(arena_printf(arena, "request %" PRId64 " of %.*s: %.*s", request->id,
                                  STR_ARG(request->who), STR_ARG(request->why))));
    if (source.ptr) {
        add_value(out, "into", request->account);
        return;
    }
    add_value(out, "from", str_of(requests_day(bank, request->from)));
    if (request->to < INSTANT_MAX) {
        add_value(out, "to", str_of(requests_day(bank, request->to - 1)));
    }
}

static int run_posting(struct bank *bank, const struct posting *posting)
{
    const struct request *whole = bank->request;
    const struct request one = {
        .operation = &operation_bank, .values = posting->values, .count = posting->count};
    int failed = request_check(&one, bank->err);
    if (!failed) {
        bank->request = &one;
        failed = request_has(&one, "into") ? change_transfer(bank) : change_grant(bank);
        bank->request = whole;
    }
    return failed;
}

/* Whether it can be paid as asked. */
static int check_payment(const struct bank *bank, const struct bank_request *request)
{
    const bool transfer = request_has(bank->request, "source");
    if (!ledger_accounts_find(&bank->accounts, request->account)) {
        return error_set(bank->err, ERROR_MISSING,
                         "there is no account '%.*s' yet: open it first, with: stint bank open "
                         "%.*s",
                         STR_ARG(request->account), STR_ARG(request->account));
    }
    if (transfer && (request_has(bank->request, "from") || request_has(bank->request, "to"))) {
        return error_set(bank->err, ERROR_USAGE,
                         "what comes out of an account (--source) keeps its end: leave --from "
                         "and --to out");
    }
    if (!transfer && !caller_may(bank->service->caller, RIGHT_MONEY | RIGHT_ALL)) {
        return error_set(bank->err, ERROR_DENIED,
                         "a grant needs the rights money and all, which %s lacks: pay it out "
                         "of an account that you manage, with --source ACCOUNT",
                         bank->service->caller->name);
    }
    return 0;
}

/* Approving again changes nothing; another amount is another decision. */
static int approve_again(const struct bank *bank, const struct bank_request *request,
                         int64_t amount)
{
    if (request->decision.state != REQUEST_APPROVED ||
        (amount > 0 && amount != request->decision.amount)) {
        return refuse_decided(bank, request);
    }
    answer_note(bank->answer, NOTE_RESULT,
                "request %" PRId64 " was approved before: nothing was changed", request->id);
    return 0;
}

static int approve(struct bank *bank, const struct bank_request *asked, int64_t amount)
{
    struct bank_request request = *asked;
    struct bank_decision decision = decision_of(bank, REQUEST_APPROVED);
    struct posting posting;
    decision.amount = amount > 0 ? amount : request.amount;
    int failed = check_payment(bank, &request);
    failed = failed ? failed : read_days(bank, &request);
    if (failed) {
        return failed;
    }
    write_posting(bank, &request, decision.amount, &posting);
    failed = run_posting(bank, &posting);
    failed = failed ? failed
                    : bank_request_entry(bank->books, posting.key, &decision.entry, bank->err);
    return failed ? failed : bank_request_decide(bank->books, request.id, &decision, bank->err);
}

static int change_approve(struct bank *bank, int64_t *id)
{
    struct bank_requests requests;
    const struct bank_request *request;
    struct str text;
    int64_t amount = 0;
    int failed = find_request(bank, &requests, &request);
    failed = failed ? failed : check_may_decide(bank, request);
    if (!failed && request_each(bank->request, "word", 1, &text)) {
        failed = change_amount(bank, 1, &amount);
    }
    if (!failed) {
        *id = request->id;
        failed = request->decision.state != REQUEST_OPEN ? approve_again(bank, request, amount)
                                                         : approve(bank, request, amount);
    }
    bank_requests_release(&requests);
    return failed;
}

static int approve_request(struct bank *bank)
{
    return in_transaction(bank, change_approve);
}

/* Ends a request without an entry. */
static int end_request(struct bank *bank, const struct bank_request *request,
                       enum request_state state)
{
    const struct bank_decision decision = decision_of(bank, state);
    int failed = check_text(bank, decision.why, REASON_MAX, "--note");
    if (!failed && request->decision.state == state) {
        answer_note(bank->answer, NOTE_RESULT,
                    "request %" PRId64 " was %s before: nothing was changed", request->id,
                    request_state_name(state));
        return 0;
    }
    if (!failed && request->decision.state != REQUEST_OPEN) {
        failed = refuse_decided(bank, request);
    }
    return failed ? failed
                  : bank_request_decide(bank->books, request->id, &decision, bank->err);
}

static int change_decline(struct bank *bank, int64_t *id)
{
    struct bank_requests requests;
    const struct bank_request *request;
    struct str reason;
    int failed = find_request(bank, &requests, &request);
    failed = failed ? failed : check_may_decide(bank, request);
    failed = failed ? failed : read_reason(bank, &reason);
    if (!failed) {
        *id = request->id;
        failed = end_request(bank, request, REQUEST_DECLINED);
    }
    bank_requests_release(&requests);
    return failed;
}

static int decline_request(struct bank *bank)
{
    return in_transaction(bank, change_decline);
}

static int change_withdraw(struct bank *bank, int64_t *id)
{
    struct bank_requests requests;
    const struct bank_request *request;
    int failed = find_request(bank, &requests, &request);
    if (!failed && !is_own(bank, request)) {
        failed = error_set(bank->err, ERROR_DENIED,
                           "request %" PRId64 " is of %.*s, who alone withdraws it: decline it",
                           request->id, STR_ARG(request->who));
    }
    if (!failed) {
        *id = request->id;
        failed = end_request(bank, request, REQUEST_WITHDRAWN);
    }
    bank_requests_release(&requests);
    return failed;
}

static int withdraw_request(struct bank *bank)
{
    return in_transaction(bank, change_withdraw);
}

/* --- the operation ------------------------------------------------------------------------ */

static const struct action {
    const char *name;
    int (*run)(struct bank *bank);
    bool writes;
    size_t words;        /* at most */
    const char *options; /* that it takes, blank-separated */
} table[] = {
    {"add", add_request, true, 2, "from to renew note"},
    {"list", list_requests, false, 1, "all"},
    {"show", show_request, false, 1, ""},
    {"approve", approve_request, true, 2, "from to source note"},
    {"decline", decline_request, true, 1, "note"},
    {"withdraw", withdraw_request, true, 1, "note"},
    {"messages", requests_tell, true, 0, "apply"},
};

static const struct operation_action actions[] = {
    {"add", "ask for an allotment: account, amount, last day and reason", RIGHT_OWN,
     ACTION_CHANGES, NULL},
    {"list", "list the requests that are open, or all (--all)", RIGHT_OWN, 0, NULL},
    {"show", "show one, with what was decided", RIGHT_OWN, 0, NULL},
    {"approve", "grant it, perhaps with another amount or end, or pay it from --source",
     RIGHT_TRANSFER, ACTION_CHANGES, NULL},
    {"decline", "decline it, with a reason", RIGHT_TRANSFER, ACTION_CHANGES, NULL},
    {"withdraw", "take back a request of one's own", RIGHT_OWN, ACTION_CHANGES, NULL},
    {"messages", "list who is to be told about requests and decisions; --apply sends it",
     RIGHT_MONEY | RIGHT_ALL, 0, NULL},
};

static const struct param params[] = {
    {.name = "action",
     .type = PARAM_CHOICE,
     .value = "ACTION",
     .choices = "add list show approve decline withdraw messages",
     .help = "what to do",
     .positional = true,
     .required = true},
    {.name = "word",
     .type = PARAM_TEXT,
     .value = "WORD",
     .help = "the account, or the number of the request; then the amount",
     .positional = true,
     .repeated = true},
    {.name = "from",
     .letter = 'S',
     .type = PARAM_TEXT,
     .value = "TIME",
     .help = "first day of the allotment; default today, or after the one that is renewed"},
    {.name = "to",
     .letter = 'E',
     .type = PARAM_TEXT,
     .value = "TIME",
     .help =
         "last day of the allotment; default no end, or as long as the one that is renewed"},
    {.name = "renew",
     .type = PARAM_FLAG,
     .help = "add: as much for as long as the allotment of the account that ends last, after "
             "it"},
    {.name = "source",
     .type = PARAM_TEXT,
     .value = "ACCOUNT",
     .help = "approve: by a transfer out of this account, instead of a grant"},
    {.name = "note",
     .type = PARAM_TEXT,
     .value = "TEXT",
     .help = "the reason; add and decline need one"},
    {.name = "all", .type = PARAM_FLAG, .help = "list: also those that were decided"},
    {.name = "apply",
     .type = PARAM_FLAG,
     .changes = true,
     .help = "messages: send them, each once"},
};

static bool is_listed(const char *list, const char *name)
{
    for (struct str rest = str_of(list); rest.ptr;) {
        if (str_eq(str_cut(&rest, ' '), str_of(name))) {
            return true;
        }
    }
    return false;
}

static int check_options(const struct action *action, const struct request *request,
                         struct error *err)
{
    struct str word;
    if (request_each(request, "word", action->words, &word)) {
        return error_set(err, ERROR_USAGE, "%s does not take '%.*s'; see: stint help request",
                         action->name, STR_ARG(word));
    }
    for (size_t i = 2; i < COUNT_OF(params); i++) {
        if (request_has(request, params[i].name) &&
            !is_listed(action->options, params[i].name)) {
            return error_set(err, ERROR_USAGE, "%s does not take --%s; see: stint help request",
                             action->name, params[i].name);
        }
    }
    return 0;
}

static int run_request(struct service *service, const struct request *request,
                       struct answer *answer, struct error *err)
{
    const struct str name = request_text(request, "action");
    const struct action *action = table;
    struct bank bank = {0};
    while (!str_eq(name, str_of(action->name))) {
        action++; /* it is one of them: request_check has looked */
    }
    int failed = check_options(action, request, err);
    failed = failed ? failed
                    : bank_open(service, request, answer,
                                action->writes ? BOOKS_WRITE : BOOKS_READ, &bank, err);
    failed = failed ? failed : action->run(&bank);
    bank_close(&bank);
    return failed;
}

const struct operation operation_request = {
    .name = "request",
    .summary = "ask for an allotment, and decide about what others ask for",
    .description =
        "A request asks for an amount of service units for an account, until a day, with a "
        "reason. It is decided once. Those with the right to change money approve it, perhaps "
        "with another amount or end, which posts a grant; those who manage the account can pay "
        "it out of another account that they manage (--source); both can decline it, with a "
        "reason. Nobody decides about their own request, but those who may change the books.\n"
        "Users see their own requests, managers those of their accounts, staff all. Requests "
        "and decisions are never edited, and are part of the chain of the ledger.",
    .examples =
        "stint request add chem 500 --to 2026-12-31 --note 'a second series' # ask for it\n"
        "stint request add chem --renew --note 'the project goes on' # as before\n"
        "stint request list # what is open\n"
        "stint request approve 12 300 --to 2026-09-30 # less, and for a shorter time\n"
        "stint request approve 12 --source lab # out of another account\n"
        "stint request decline 12 --note 'the call is closed' # with a reason\n"
        "stint request messages --apply # tell those it concerns",
    .rights = RIGHT_OWN,
    .actions = actions,
    .action_count = COUNT_OF(actions),
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_request,
};
