/* SPDX-License-Identifier: MIT */

/*
 * Books that somebody changed behind stint's back, in any column of any table that an answer goes by, with the triggers
 * taken away and put back: the checks notice each of these changes.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bank/charge.h"
#include "bank/requests.h"
#include "books/chain.h"
#include "facts/session.h"
#include "unit/bank/some_bank.h"

/* 2025-03-03T00:00Z */
#define MONDAY (INT64_C(1740960000) * SECOND_US)

struct bed {
    struct some_books books;
    struct runs_store runs;
    struct session session;
};

static void run(struct bed *bed, const char *sql)
{
    struct error err = {0};
    if (books_run(bed->books.books, sql, "a test", &err) != 0) {
        expect_fail("%s: %s", sql, err.text);
    }
}

static void charge(struct bed *bed)
{
    struct charging_result result;
    struct error err = {0};
    const struct charging_wish wish = {
        .which = CHARGING_CHANGED, .who = STR("ann"), .now = bed->books.world.kind.now};
    if (charging_run(bed->books.books, &bed->session, bed->books.zone, &wish, &result, &err) !=
        0) {
        expect_fail("charging: %s", err.text);
    }
}

/* A request that is approved with an entry, and one that is open; and an allotment that is not transferable. */
static void ask(struct bed *bed, struct str account)
{
    struct error err = {0};
    struct books *books = bed->books.books;
    struct bank_request asked = {.account = account,
                                 .amount = AMOUNT_ONE,
                                 .to = MONDAY,
                                 .who = STR("ann"),
                                 .why = STR("work")};
    const struct bank_decision decision = {.state = REQUEST_APPROVED,
                                           .amount = AMOUNT_ONE,
                                           .entry = 1,
                                           .who = STR("bob"),
                                           .why = STR("yes")};
    struct ledger_allotment stays = {
        .account = 1, .kind = STR("grant"), .to = 1, .stays = true};
    int failed = books_begin(books, &err);
    failed = failed ? failed : bank_request_add(books, &asked, &err);
    failed = failed ? failed : bank_request_decide(books, asked.id, &decision, &err);
    failed = failed ? failed : bank_request_add(books, &asked, &err);
    failed = failed ? failed : ledger_allot(books, &stays, &err);
    failed = failed ? failed : books_commit(books, &err);
    if (failed) {
        expect_fail("a request: %s", err.text);
    }
}

/* Two accounts, a changed rate, runs over several days, one of them corrected. */
static void bed_open(struct bed *bed)
{
    some_open(&bed->books, "UTC");
    runs_open(&bed->runs);
    bed->session = (struct session){.facts = bed->runs.facts, .mode = FACTS_WRITE};
    some_add(&bed->books, "rate", "name=cpu|cpu=1");
    const struct ledger_account chem = some_account(&bed->books, "chem"),
                                bio = some_account(&bed->books, "bio");
    (void)some_grant(&bed->books, chem.id, 100 * AMOUNT_ONE, 0, INSTANT_MAX, NULL);
    (void)some_grant(&bed->books, bio.id, 100 * AMOUNT_ONE, 0, INSTANT_MAX, "birch");
    ask(bed, chem.name);
    for (int64_t i = 0; i < 6; i++) {
        struct append_counts counts = {0};
        struct run one = {0};
        RUN_SET(&one, cluster, i % 2 ? STR("birch") : STR("cedar"));
        RUN_SET(&one, job, 1 + i % 5);
        RUN_SET(&one, user, i % 3 ? STR("ann") : STR("bob"));
        RUN_SET(&one, account, i % 2 ? STR("chem") : STR("bio"));
        RUN_SET(&one, cpus, 1 + i);
        RUN_SET(&one, start, MONDAY + i * DAY_US);
        RUN_SET(&one, end, MONDAY + i * DAY_US + 30 * HOUR_US);
        RUN_SET(&one, class, STR("completed"));
        runs_put(&bed->runs, &one, 1, &counts);
        charge(bed);
    }
}

static void bed_close(struct bed *bed)
{
    runs_close(&bed->runs);
    some_close(&bed->books);
}

/* How much the checks find; a check that cannot even read is a finding. */
static size_t findings(struct bed *bed)
{
    struct error err = {0};
    struct ledger_findings sums = {0};
    struct chain_findings chain = {0};
    size_t count = 0;
    count += ledger_check(bed->books.books, &sums, &err) != 0;
    count += chain_check(bed->books.books, &chain, &err) != 0;
    count += sums.count + chain.count;
    if (count && getenv("STINT_TEST_TALK")) {
        printf("# %s\n", chain.count  ? chain.rows[0].ptr
                         : sums.count ? sums.rows[0].ptr
                                      : err.text);
    }
    ledger_findings_release(&sums);
    chain_findings_release(&chain);
    return count;
}

/* Takes the triggers away; *again: what makes them again. */
static void drop_triggers(struct bed *bed, struct buf *again)
{
    struct buf drop;
    struct error err = {0};
    buf_init(&drop, 1 << 20);
    struct query q = query_begin(bed->books.books,
                                 "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
    while (query_row(&q)) {
        buf_addf(&drop, "DROP TRIGGER %.*s;", STR_ARG(query_view_at(&q, 0)));
        buf_addf(again, "%.*s;", STR_ARG(query_view_at(&q, 1)));
    }
    expect_int(query_finish(&q, "a test", &err), 0);
    run(bed, drop.ptr);
    buf_release(&drop);
}

/* Another value of the same type, in the first row that has one; and how many rows that were. */
static void mutate(struct bed *bed, const char *table, const char *column)
{
    char sql[1024];
    snprintf(
        sql, sizeof(sql),
        "UPDATE OR IGNORE %s SET \"%s\" = CASE typeof(\"%s\") WHEN 'integer' THEN \"%s\" + 1 "
        "WHEN 'blob' THEN CAST(substr(\"%s\", 1, length(\"%s\") - 1) || x'7e' AS BLOB) "
        "ELSE \"%s\" || 'x' END "
        "WHERE \"%s\" IS NOT NULL",
        table, column, column, column, column, column, column, column);
    run(bed, "PRAGMA ignore_check_constraints = ON");
    run(bed, sql);
    run(bed, "PRAGMA ignore_check_constraints = OFF");
}

/* What no answer goes by, and what is no part of the ledger. */
static bool is_exempt(struct str table, struct str column)
{
    static const char *const tables[] = {"bank_lien", "bank_lien_end", "bank_notice_sent",
                                         "bank_message", "sqlite_sequence"};
    bool exempt = str_eq(table, STR("bank_state")) && !str_eq(column, STR("value"));
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        exempt = exempt || str_eq(table, str_of(tables[i]));
    }
    return exempt;
}

static void every_column_that_is_changed_behind_our_back_is_noticed(void **state)
{
    (void)state;
    struct bed bed = {0};
    struct error err = {0};
    struct arena arena = {0};
    struct str names[256][2];
    size_t count = 0, noticed = 0;
    bed_open(&bed);
    expect_uint(findings(&bed), 0);
    struct query q = query_begin(
        bed.books.books,
        "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c "
        "WHERE t.type = 'table' AND (t.name LIKE 'bank_%' OR t.name IN ('history', 'rate')) "
        "ORDER BY 1, 2");
    while (query_row(&q) && count < COUNT_OF(names)) {
        names[count][0] = query_text_at(&q, 0, &arena);
        names[count++][1] = query_text_at(&q, 1, &arena);
    }
    expect_int(query_finish(&q, "a test", &err), 0);
    for (size_t i = 0; i < count; i++) {
        struct buf again;
        if (is_exempt(names[i][0], names[i][1])) {
            continue;
        }
        buf_init(&again, 1 << 20);
        run(&bed, "PRAGMA foreign_keys = OFF");
        run(&bed, "BEGIN");
        drop_triggers(&bed, &again);
        mutate(&bed, names[i][0].ptr, names[i][1].ptr);
        struct query changed = query_begin(bed.books.books, "SELECT changes()");
        const int64_t rows = query_row(&changed) ? query_int_at(&changed, 0) : 0;
        expect_int(query_finish(&changed, "a test", &err), 0);
        run(&bed, again.ptr);
        if (rows > 0 && findings(&bed) == 0) {
            expect_fail("%s.%s: not noticed", names[i][0].ptr, names[i][1].ptr);
        }
        noticed += rows > 0;
        run(&bed, "ROLLBACK");
        buf_release(&again);
    }
    expect_true(noticed > 60);
    expect_uint(findings(&bed), 0);
    arena_release(&arena);
    bed_close(&bed);
}

static void a_trigger_that_is_gone_and_a_guard_that_is_off_are_noticed(void **state)
{
    (void)state;
    struct bed bed = {0};
    bed_open(&bed);
    run(&bed, "DROP TRIGGER bank_entry_is_not_changed");
    expect_uint(findings(&bed), 1);
    bed_close(&bed);
    bed_open(&bed);
    run(&bed, "INSERT INTO restoring VALUES (1)");
    expect_uint(findings(&bed), 1);
    bed_close(&bed);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, every_column_that_is_changed_behind_our_back_is_noticed);
    SUITE_TEST(&suite, a_trigger_that_is_gone_and_a_guard_that_is_off_are_noticed);
    return suite_run(&suite, "mutated");
}
