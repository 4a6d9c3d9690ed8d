/* SPDX-License-Identifier: MIT */

/* Whether the ledger is as it must be: every sum is made anew, from the rows it is a sum of. */

#include <stdlib.h>

#include "bank/amount.h"
#include "bank/ledger.h"
#include "bank/statements.h"
#include "base/mem.h"
#include "books/query.h"

static const char CANNOT_CHECK[] = "cannot check the bank";

struct rule {
    const char *sql;          /* a row for everything that is wrong: a name and two amounts */
    const char *kept, *found; /* what the two are */
};

static const struct rule rules[] = {
    {SQL_BANK_CHECK_SUM, "all pots together hold", "must hold"},
    {SQL_BANK_CHECK_POTS, "one of its pots holds", "its entries sum to"},
    {SQL_BANK_CHECK_HELD, "running jobs hold", "its open liens sum to"},
    {SQL_BANK_CHECK_CHARGED, "its entries charge", "the days of its runs sum to"},
};

static void add_finding(struct ledger_findings *out, struct str name, const struct rule *rule,
                        int64_t kept, int64_t found)
{
    out->rows = mem_resize(out->rows, out->count + 1, sizeof(*out->rows));
    out->rows[out->count++] = str_of(
        arena_printf(&out->arena, "%.*s%s%s %s SU, but %s %s SU", STR_ARG(name),
                     name.len ? ": " : "", rule->kept, amount_print(&out->arena, kept).ptr,
                     rule->found, amount_print(&out->arena, found).ptr));
}

static int check_rule(struct books *books, const struct rule *rule, struct ledger_findings *out,
                      struct error *err)
{
    struct query q = query_begin(books, rule->sql);
    while (query_row(&q)) {
        add_finding(out, query_text_at(&q, 0, &out->arena), rule, query_int_at(&q, 1),
                    query_int_at(&q, 2));
    }
    return query_finish(&q, CANNOT_CHECK, err);
}

/* Sums by account, whose numbers are small and dense. */
struct sums {
    wide_int *rows;
    size_t count;
};

static void add_to(struct sums *sums, int64_t account, int64_t amount)
{
    const size_t at = account < 0 ? 0 : (size_t)account;
    if (at >= sums->count) {
        const size_t room = 2 * at + 16;
        sums->rows = mem_resize(sums->rows, room, sizeof(*sums->rows));
        for (size_t i = sums->count; i < room; i++) {
            sums->rows[i] = 0;
        }
        sums->count = room;
    }
    sums->rows[at] += amount;
}

/* The lines of all runs, against what is kept by day. One pass, whatever there is. */
static int check_lines(struct books *books, struct ledger_findings *out, struct error *err)
{
    static const struct rule rule = {NULL, "the charges of its runs sum to",
                                     "the days of its runs sum to"};
    struct ledger_accounts accounts;
    struct sums lines = {0}, days = {0};
    int failed = ledger_accounts_list(books, &accounts, err);
    const char *const both[] = {SQL_BANK_LINES_BY_ACCOUNT, SQL_BANK_USAGE_BY_ACCOUNT};
    for (size_t i = 0; !failed && i < COUNT_OF(both); i++) {
        struct query q = query_begin(books, both[i]);
        while (query_row(&q)) {
            add_to(i ? &days : &lines, query_int_at(&q, 0), query_int_at(&q, 1));
        }
        failed = query_finish(&q, CANNOT_CHECK, err);
    }
    for (size_t i = 0; !failed && i < accounts.count; i++) {
        const struct ledger_account *account = &accounts.rows[i];
        add_to(&lines, account->id, 0);
        add_to(&days, account->id, 0);
        const wide_int kept = lines.rows[account->id], found = days.rows[account->id];
        if (kept != found) {
            add_finding(out, account->name, &rule, (int64_t)kept, (int64_t)found);
        }
    }
    free(lines.rows);
    free(days.rows);
    ledger_accounts_release(&accounts);
    return failed;
}

static int count_rows(struct books *books, struct ledger_findings *out, struct error *err)
{
    struct query q = query_begin(books, SQL_BANK_COUNTS);
    while (query_row(&q)) {
        out->entries = query_int_at(&q, 0);
        out->charges = query_int_at(&q, 1);
    }
    return query_finish(&q, CANNOT_CHECK, err);
}

int ledger_check(struct books *books, struct ledger_findings *out, struct error *err)
{
    *out = (struct ledger_findings){0};
    int failed = 0;
    for (size_t i = 0; !failed && i < COUNT_OF(rules); i++) {
        failed = check_rule(books, &rules[i], out, err);
    }
    (void)(failed || (failed = check_lines(books, out, err)) ||
           (failed = count_rows(books, out, err)));
    return failed;
}

void ledger_findings_release(struct ledger_findings *findings)
{
    free(findings->rows);
    arena_release(&findings->arena);
    *findings = (struct ledger_findings){0};
}
