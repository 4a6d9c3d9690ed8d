/* SPDX-License-Identifier: MIT */

/*
 * stint bank notices: levels that allotments reached and days before their end, each once. Of several that are due at
 * once (nobody looked for a month) the strongest is shown, and with --apply all of them count as sent.
 */

#include <stdio.h>

#include "bank/amount.h"
#include "service/bank/bank_change.h"

/* The strongest first. */
static const int levels[] = {100, 90, 60};
static const int days[] = {7, 30, 90};

enum { WHAT_MAX = 32 };

enum notice_column { ACCOUNT_C, ALLOTMENT_C, WHAT_C, SHARE_C, LEFT_C, ENDS_C };

static const struct heading headings[] = {
    [ACCOUNT_C] = {"account", "Account", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    [ALLOTMENT_C] = {"allotment", "Allotment", CELL_INT, UNIT_NONE, COLUMN_DIMENSION},
    [WHAT_C] = {"what", "What", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    [SHARE_C] = {"share", "Used", CELL_REAL, UNIT_RATIO, COLUMN_BESIDE},
    [LEFT_C] = {"balance", "Left", CELL_INT, UNIT_SU, COLUMN_MEASURE},
    [ENDS_C] = {"ends", "Ends", CELL_INT, UNIT_INSTANT, COLUMN_BESIDE},
};

/* What it has to give, with what was carried into it. */
static int64_t size_of(const struct ledger_allotment *allotment)
{
    return allotment->granted - allotment->carried;
}

static void add_notice(const struct bank *bank, const struct ledger_account *account,
                       const struct ledger_allotment *allotment, const char *what)
{
    struct table *table = &bank->answer->table;
    const size_t row = table_row(table);
    table_set_text(table, ACCOUNT_C, row, account->name);
    table_set_int(table, ALLOTMENT_C, row, allotment->id);
    table_set_text(table, WHAT_C, row, str_of(what));
    table_set_real(table, SHARE_C, row,
                   (double)allotment->charged / (double)size_of(allotment));
    table_set_int(table, LEFT_C, row, allotment->balance);
    if (allotment->to < INSTANT_MAX) {
        table_set_int(table, ENDS_C, row, allotment->to);
    }
}

/* A thing that is due: shown if it was not sent and nothing stronger of its sort is; recorded as sent with --apply. */
static int consider(const struct bank *bank, const struct ledger_account *account,
                    const struct ledger_allotment *allotment, const char *what, bool *shown)
{
    bool sent = false;
    int failed = ledger_notice_sent(bank->books, allotment->id, what, &sent, bank->err);
    if (failed || sent) {
        *shown = true; /* what is weaker is not news either */
        return failed;
    }
    if (!*shown) {
        add_notice(bank, account, allotment, what);
        *shown = true;
    }
    return request_flag(bank->request, "apply")
               ? ledger_tell(bank->books, allotment->id, what, bank->now, bank->err)
               : 0;
}

static int look_at(const struct bank *bank, const struct ledger_account *account,
                   const struct ledger_allotment *allotment)
{
    char what[WHAT_MAX];
    bool shown = false;
    int failed = 0;
    for (size_t i = 0; !failed && i < COUNT_OF(levels); i++) {
        if ((wide_int)allotment->charged * 100 >= (wide_int)size_of(allotment) * levels[i]) {
            (void)snprintf(what, sizeof(what), "%d %%", levels[i]);
            failed = consider(bank, account, allotment, what, &shown);
        }
    }
    shown = false;
    for (size_t i = 0; !failed && i < COUNT_OF(days); i++) {
        if (allotment->to < INSTANT_MAX && allotment->to - days[i] * DAY_US <= bank->now) {
            (void)snprintf(what, sizeof(what), "%d days", days[i]);
            failed = consider(bank, account, allotment, what, &shown);
        }
    }
    return failed;
}

static int look_at_all(const struct bank *bank)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < bank->allotments.count; i++) {
        const struct ledger_allotment *allotment = &bank->allotments.rows[i];
        const struct ledger_account *account = bank_account_of(bank, allotment->account);
        if (account && !allotment->unlimited && size_of(allotment) > 0 &&
            allotment->from <= bank->now && bank->now < allotment->to) {
            failed = look_at(bank, account, allotment);
        }
    }
    return failed;
}

int bank_do_notices(struct bank *bank)
{
    int failed;
    table_columns(&bank->answer->table, headings, COUNT_OF(headings));
    (void)((failed = books_begin(bank->books, bank->err)) || (failed = bank_read(bank)) ||
           (failed = look_at_all(bank)) || (failed = books_commit(bank->books, bank->err)));
    books_rollback(bank->books);
    if (!failed && bank->answer->table.row_count == 0) {
        answer_note(bank->answer, NOTE_EMPTY, "nothing new");
    } else if (!failed && !request_flag(bank->request, "apply")) {
        answer_note(bank->answer, NOTE_RESULT,
                    "shown and not sent; with --apply each is sent once");
    }
    return failed;
}
