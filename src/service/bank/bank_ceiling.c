/* SPDX-License-Identifier: MIT */

/*
 * stint bank ceiling: what all users of an account together may use, which those who manage its
 * parent may decide. It is a cap as `stint cap` has them.
 */

#include "books/kind.h"
#include "service/bank/bank_change.h"

/* The row of the ceiling of the period that is asked for; 0: none. */
static int find_ceiling(const struct bank *bank, const struct kind *kind,
                        const struct ledger_account *account, int64_t *id)
{
    const struct str per = request_text(bank->request, "per");
    struct books_rows rows;
    const int failed = books_list(bank->books, kind, &rows, bank->err);
    *id = 0;
    for (size_t i = 0; !failed && i < rows.count; i++) {
        const struct kind_row *row = &rows.rows[i];
        if (str_eq(kind_cell(kind, row, "account"), account->name) &&
            str_eq(kind_cell(kind, row, "user"), STR(CAPS_ALL)) &&
            str_eq(kind_cell(kind, row, "per"), per) && !kind_cell(kind, row, "from").ptr) {
            *id = row->id;
        }
    }
    books_rows_release(&rows);
    return failed;
}

static int remove_ceiling(const struct bank *bank, const struct kind *kind,
                          const struct ledger_account *account)
{
    int64_t id = 0;
    int failed = find_ceiling(bank, kind, account, &id);
    if (!failed && id == 0) {
        failed = error_set(bank->err, ERROR_MISSING,
                           "'%.*s' has no such ceiling; see: stint bank caps %.*s",
                           STR_ARG(account->name), STR_ARG(account->name));
    }
    return failed ? failed : books_remove(bank->books, kind, id, bank->err);
}

/* "500", or "40%" of what is granted. */
static int put_ceiling(const struct bank *bank, const struct kind *kind,
                       const struct ledger_account *account, struct str text)
{
    const bool share = str_ends(text, STR("%"));
    const struct str number = {text.ptr, text.len - share}, nothing = STR("");

    const struct {
        const char *column;
        struct str text;
    } given[] = {
        {"account", account->name},
        {"user", STR(CAPS_ALL)},
        {"per", request_text(bank->request, "per")},
        {"amount", share ? nothing : number},
        {"share", share ? number : nothing},
        {"note", request_text(bank->request, "note")},
    };
    struct str cells[KIND_COLUMNS_MAX] = {0};
    enum books_outcome outcome;
    for (size_t i = 0; i < COUNT_OF(given); i++) {
        cells[kind_column(kind, given[i].column)] = given[i].text;
    }
    return books_put(bank->books, kind, cells, &outcome, bank->err);
}

/* Those who may change money, and of an account with a parent those who manage that. */
static bool may_decide(const struct bank *bank, const struct ledger_account *account)
{
    const struct ledger_account *parent = bank_account_of(bank, account->payer);
    return caller_may(bank->service->caller, RIGHT_MONEY) ||
           (ledger_has_parent(account) && parent && bank_moves(bank, parent));
}

static int change(const struct bank *bank)
{
    const struct kind *kind = kind_find(STR("cap"));
    const struct ledger_account *account;
    struct str text;
    int failed;
    (void)((failed = bank_account(bank, 0, &account)) ||
           (failed = bank_word(bank, 1, "how much: an amount, a share such as 40%, or none",
                               &text)));
    if (!failed && !may_decide(bank, account)) {
        failed = error_set(bank->err, ERROR_DENIED,
                           "the ceilings of '%.*s' are decided by those who manage its parent",
                           STR_ARG(account->name));
    }
    return failed                      ? failed
           : str_eq(text, STR("none")) ? remove_ceiling(bank, kind, account)
                                       : put_ceiling(bank, kind, account, text);
}

int bank_do_ceiling(struct bank *bank)
{
    int failed;
    (void)((failed = books_begin(bank->books, bank->err)) || (failed = bank_read(bank)) ||
           (failed = change(bank)) || (failed = books_commit(bank->books, bank->err)));
    books_rollback(bank->books);
    (void)(failed || (failed = bank_read(bank)) || (failed = bank_show_caps(bank)));
    return failed;
}
