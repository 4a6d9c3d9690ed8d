/* SPDX-License-Identifier: MIT */
#pragma once

/* A bank of a test's own in its books: see unit/books/some_books.h. */

#include <sqlite3.h>

#include "bank/amount.h"
#include "bank/ledger.h"
#include "books/books_internal.h"
#include "unit/books/some_books.h"

#define DAY(n) ((n)*DAY_US) /* since 1970, in UTC */

/* Opens an account whose runs are those of the scheduler's account of the same name. */
static inline struct ledger_account some_account(struct some_books *some, const char *name)
{
    struct error err = {0};
    struct ledger_account account = {.name = str_of(name), .closed = INSTANT_MAX};
    int failed;
    (void)((failed = books_begin(some->books, &err)) ||
           (failed = ledger_open(some->books, &account, &err)) ||
           (failed = ledger_draw(some->books, &account, "account", account.name, &err)) ||
           (failed = books_commit(some->books, &err)));
    if (failed) {
        expect_fail("%s: %s", name, err.text);
    }
    return account;
}

static inline int some_post(struct some_books *some, const char *key, enum ledger_kind kind,
                            int64_t from, int64_t to, int64_t amount,
                            enum ledger_outcome *outcome, struct error *err)
{
    const struct ledger_entry entry = {.key = str_of(key),
                                       .kind = kind,
                                       .from = from,
                                       .to = to,
                                       .amount = amount,
                                       .at = some->world.kind.now,
                                       .who = STR("ann")};
    int failed = books_begin(some->books, err);
    failed = failed ? failed : ledger_post(some->books, &entry, outcome, err);
    failed = failed ? failed : books_commit(some->books, err);
    books_rollback(some->books);
    return failed;
}

/* An allotment with a grant in it; amount -1: unlimited. */
static inline struct ledger_allotment some_grant(struct some_books *some, int64_t account,
                                                 int64_t amount, int64_t from, int64_t to,
                                                 const char *clusters)
{
    struct error err = {0};
    enum ledger_outcome outcome;
    struct ledger_allotment allotment = {.account = account,
                                         .kind = STR("grant"),
                                         .unlimited = amount < 0,
                                         .from = from,
                                         .to = to,
                                         .clusters = str_of(clusters)};
    int failed;
    (void)((failed = books_begin(some->books, &err)) ||
           (failed = ledger_allot(some->books, &allotment, &err)) ||
           (failed = books_commit(some->books, &err)));
    if (!failed && amount > 0) {
        failed = some_post(some, NULL, LEDGER_GRANT, LEDGER_GRANTED, allotment.pot, amount,
                           &outcome, &err);
    }
    if (failed) {
        expect_fail("grant: %s", err.text);
    }
    return allotment;
}

static inline struct ledger_balance some_balance(struct some_books *some, const char *name,
                                                 int64_t now)
{
    struct error err = {0};
    struct ledger_accounts accounts;
    struct ledger_allotments allotments = {0};
    struct ledger_balance balance = {0};
    int failed = ledger_accounts_list(some->books, &accounts, &err);
    const struct ledger_account *account = ledger_accounts_find(&accounts, str_of(name));
    (void)(failed ||
           (failed = ledger_allotments_list(some->books, account->id, &allotments, &err)) ||
           (failed = ledger_balance(account, &allotments, now, &balance, &err)));
    if (failed) {
        expect_fail("%s: %s", name, err.text);
    }
    ledger_allotments_release(&allotments);
    ledger_accounts_release(&accounts);
    return balance;
}

/* The ledger finds nothing wrong with itself. */
static inline void some_check(struct some_books *some)
{
    struct error err = {0};
    struct ledger_findings findings;
    if (ledger_check(some->books, &findings, &err) != 0) {
        expect_fail("check: %s", err.text);
    }
    if (findings.count) {
        expect_fail("check found: %.*s", STR_ARG(findings.rows[0]));
    }
    ledger_findings_release(&findings);
}
