/* SPDX-License-Identifier: MIT */

/* stint bank close-period, periods: days whose statements do not change any more. */

#include <inttypes.h>

#include "bank/amount.h"
#include "bank/closings.h"
#include "bank/statements.h"
#include "books/query.h"
#include "service/bank/bank_change.h"

static const char *day_text(const struct bank *bank, int64_t instant)
{
    const struct civil civil = zone_civil(bank->zone, instant);
    return arena_printf(&bank->answer->table.arena, "%04d-%02d-%02d", civil.year, civil.month,
                        civil.day);
}

int bank_check_open(const struct bank *bank, int64_t account, const char *param,
                    int64_t instant)
{
    struct closings closings;
    int failed = closings_read(bank->books, &closings, bank->err);
    const struct closing *last = failed ? NULL : closings_last(&closings, account);
    if (last && instant < last->until) {
        const struct ledger_account *closed = bank_account_of(bank, last->account);
        failed = error_set(
            bank->err, ERROR_CONFLICT,
            "the period of '%.*s' up to %s is closed: --%s %s is the earliest",
            STR_ARG(closed ? closed->name : STR("another account")),
            day_text(bank, last->until - 1), param,
            day_text(bank, str_eq(str_of(param), STR("to")) ? last->until - 1 : last->until));
    }
    closings_release(&closings);
    return failed;
}

/* --- closing ------------------------------------------------------------------------------ */

enum close_column { ACCOUNT_C, CLOSED_C, UNTIL_C, BALANCE_C };

static const struct heading close_headings[] = {
    [ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [CLOSED_C] = {"closed", "Closed up to", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [UNTIL_C] = {"then", "Then", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [BALANCE_C] = {"balance", "Closing balance", CELL_INT, UNIT_SU, COLUMN_MEASURE},
};

/* The first instant after --to, which has to be over. */
static int read_until(const struct bank *bank, int64_t *out)
{
    if (!request_has(bank->request, "to")) {
        return error_set(bank->err, ERROR_USAGE, "say up to which day: --to DAY");
    }
    int failed = bank_instant(bank, "to", true, 0, out);
    if (!failed && *out > bank->now) {
        failed = error_set(bank->err, ERROR_CONFLICT,
                           "%s is not over yet: only what is over can be closed",
                           day_text(bank, *out - 1));
    }
    return failed;
}

static int add_closing(const struct bank *bank, const struct ledger_account *account,
                       int64_t until)
{
    struct closing next = {account->id, until, bank_day(bank, until), 0};
    const int failed = charging_last_round(bank->books, &next.round, bank->err);
    return failed ? failed
                  : closings_add(bank->books, &next, bank->now,
                                 str_of(bank->service->caller->name),
                                 request_text(bank->request, "note"), bank->err);
}

static int close_one(struct bank *bank, const struct closings *closings, int64_t until,
                     const struct ledger_account *account)
{
    const struct closing *last = closings_last(closings, account->id);
    struct table *table = &bank->answer->table;
    int64_t balance = 0;
    if ((last && last->until >= until) || ledger_has_parent(account)) {
        return 0;
    }
    int failed = bank_balance_at(bank, account, until, &balance);
    failed = failed ? failed : add_closing(bank, account, until);
    if (failed) {
        return failed;
    }
    const size_t row = table_row(table);
    table_set_text(table, ACCOUNT_C, row, account->name);
    if (last) {
        table_set_text(table, CLOSED_C, row, str_of(day_text(bank, last->until - 1)));
    }
    table_set_text(table, UNTIL_C, row, str_of(day_text(bank, until - 1)));
    table_set_int(table, BALANCE_C, row, balance);
    return 0;
}

/*
 * Everything that is to be in the period has to be posted: runs that changed are charged, and
 * what ended has expired.
 */
static int check_charged(const struct bank *bank)
{
    bool behind = false;
    int failed = charging_is_behind(bank->books, bank->service->session, &behind, bank->err);
    if (failed == ERROR_MISSING) {
        failed = 0; /* without a store there are no runs */
    }
    if (!failed && behind) {
        failed = error_set(bank->err, ERROR_CONFLICT,
                           "some runs are not charged yet: charge them first, with: stint bank "
                           "charge");
    }
    return failed ? failed : bank_settle(bank, 0);
}

int bank_close_account(const struct bank *bank, const struct ledger_account *account,
                       int64_t until, bool *closed)
{
    struct closings closings = {0};
    *closed = false;
    int failed = check_charged(bank);
    failed = failed ? failed : closings_read(bank->books, &closings, bank->err);
    const struct closing *last = failed ? NULL : closings_last(&closings, account->id);
    if (!failed && (!last || last->until < until)) {
        failed = add_closing(bank, account, until);
        *closed = !failed;
    }
    closings_release(&closings);
    return failed;
}

/* Closes an account, or all, inside a transaction. */
static int close_them(struct bank *bank)
{
    struct closings closings = {0};
    struct str name;
    const struct ledger_account *one = NULL;
    int64_t until = 0;
    int failed = bank_read(bank);
    failed = failed ? failed : read_until(bank, &until);
    if (!failed && request_each(bank->request, "word", 0, &name)) {
        failed = bank_account(bank, 0, &one);
    }
    if (one && ledger_has_parent(one)) {
        failed = error_set(bank->err, ERROR_CONFLICT,
                           "the periods of '%.*s' are those of its parent: stint bank "
                           "close-period %.*s",
                           STR_ARG(one->name), STR_ARG(one->payer_name));
    }
    failed = failed ? failed : check_charged(bank);
    failed = failed ? failed : closings_read(bank->books, &closings, bank->err);
    table_columns(&bank->answer->table, close_headings, COUNT_OF(close_headings));
    table_exact(&bank->answer->table);
    for (size_t i = 0; !failed && i < bank->accounts.count; i++) {
        const struct ledger_account *account = &bank->accounts.rows[i];
        failed = !one || one == account ? close_one(bank, &closings, until, account) : 0;
    }
    closings_release(&closings);
    return failed;
}

int bank_do_close_period(struct bank *bank)
{
    const bool apply = request_flag(bank->request, "apply");
    int failed = books_begin(bank->books, bank->err);
    failed = failed ? failed : close_them(bank);
    failed = failed || !apply ? failed : books_commit(bank->books, bank->err);
    books_rollback(bank->books);
    if (failed) {
        return failed;
    }
    if (bank->answer->table.row_count == 0) {
        answer_note(bank->answer, NOTE_EMPTY, "it is closed already");
    } else if (!apply) {
        answer_note(bank->answer, NOTE_RESULT,
                    "nothing was changed: this is the plan; --apply closes it, and a period is "
                    "not opened again");
    }
    return 0;
}

/* --- listing ------------------------------------------------------------------------------ */

enum period_column { P_ACCOUNT_C, P_UNTIL_C, P_AT_C, P_WHO_C, P_WHY_C };

static const struct heading period_headings[] = {
    [P_ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [P_UNTIL_C] = {"closed", "Closed up to", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [P_AT_C] = {"at", "Closed at", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
    [P_WHO_C] = {"who", "Who", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [P_WHY_C] = {"why", "Why", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
};

static void add_period(const struct bank *bank, struct query *q)
{
    struct table *table = &bank->answer->table;
    const size_t row = table_row(table);
    table_set_text(table, P_ACCOUNT_C, row, query_text_at(q, 0, &table->arena));
    table_set_text(table, P_UNTIL_C, row, str_of(day_text(bank, query_int_at(q, 1) - 1)));
    table_set_int(table, P_AT_C, row, query_int_at(q, 2));
    table_set_text(table, P_WHO_C, row, query_text_at(q, 3, &table->arena));
    if (query_has_at(q, 4)) {
        table_set_text(table, P_WHY_C, row, query_text_at(q, 4, &table->arena));
    }
}

int bank_show_periods(struct bank *bank)
{
    struct str name;
    const struct ledger_account *one = NULL;
    int failed =
        request_each(bank->request, "word", 0, &name) ? bank_account(bank, 0, &one) : 0;
    if (failed) {
        return failed;
    }
    table_columns(&bank->answer->table, period_headings, COUNT_OF(period_headings));
    struct query q = query_begin(bank->books, SQL_BANK_CLOSINGS_SHOWN);
    while (query_row(&q)) {
        const struct ledger_account *account = bank_account_of(bank, query_int_at(&q, 5));
        if (account && (!one || one == account)) {
            add_period(bank, &q);
        }
    }
    if (bank->answer->table.row_count == 0) {
        answer_note(bank->answer, NOTE_EMPTY, "no period is closed");
    }
    return query_finish(&q, "cannot read the bank", bank->err);
}
