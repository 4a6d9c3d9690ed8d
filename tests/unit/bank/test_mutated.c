/* SPDX-License-Identifier: MIT */

/*
 * Books that somebody changed behind stint's back, in any column of any table that an answer
 * goes by, with the triggers taken away and put back: the checks notice each of these changes.
 * And books of which the disk returns another byte: the checks notice it, or every answer is
 * what it was. STINT_BYTES=all tries every part of every page.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bank/charge.h"
#include "bank/charges.h"
#include "bank/closings.h"
#include "bank/requests.h"
#include "base/file.h"
#include "base/sha256.h"
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
static size_t findings(struct books *books)
{
    struct error err = {0};
    struct ledger_findings sums = {0};
    struct chain_findings chain = {0};
    size_t count = 0;
    count += ledger_check(books, &sums, &err) != 0;
    count += chain_check(books, &chain, &err) != 0;
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
    expect_uint(findings(bed.books.books), 0);
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
        if (rows > 0 && findings(bed.books.books) == 0) {
            expect_fail("%s.%s: not noticed", names[i][0].ptr, names[i][1].ptr);
        }
        noticed += rows > 0;
        run(&bed, "ROLLBACK");
        buf_release(&again);
    }
    expect_true(noticed > 60);
    expect_uint(findings(bed.books.books), 0);
    arena_release(&arena);
    bed_close(&bed);
}

static void a_trigger_that_is_gone_and_a_guard_that_is_off_are_noticed(void **state)
{
    (void)state;
    struct bed bed = {0};
    bed_open(&bed);
    run(&bed, "DROP TRIGGER bank_entry_is_not_changed");
    expect_uint(findings(bed.books.books), 1);
    bed_close(&bed);
    bed_open(&bed);
    run(&bed, "INSERT INTO restoring VALUES (1)");
    expect_uint(findings(bed.books.books), 1);
    bed_close(&bed);
}

/* --- bytes -------------------------------------------------------------------------------- */

/* What is told of a bank: all that its lists have, as one digest. */
struct told {
    struct sha256 sha;
    bool failed; /* something cannot be read */
};

static void tell(struct told *told, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void tell(struct told *told, const char *format, ...)
{
    char text[1024];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof(text), format, values);
    va_end(values);
    sha256_add(&told->sha, str_of(text));
}

static void tell_accounts(struct told *told, struct books *books)
{
    struct error err = {0};
    struct ledger_accounts accounts;
    struct ledger_allotments list;
    told->failed = told->failed || ledger_accounts_list(books, &accounts, &err) != 0 ||
                   ledger_allotments_list(books, 0, &list, &err) != 0;
    if (told->failed) {
        return;
    }
    for (size_t i = 0; i < accounts.count; i++) {
        const struct ledger_account *a = &accounts.rows[i];
        struct ledger_balance b = {0};
        told->failed = told->failed || ledger_balance(a, &list, MONDAY, &b, &err) != 0;
        tell(told, "account %lld %.*s %lld %lld %d %lld %lld %lld: %lld %lld %lld\n",
             (long long)a->id, STR_ARG(a->name), (long long)a->opened, (long long)a->closed,
             (int)a->overdraft, (long long)a->overdraft_micro, (long long)a->held,
             (long long)a->over, (long long)b.balance, (long long)b.free, (long long)b.granted);
    }
    for (size_t i = 0; i < list.count; i++) {
        const struct ledger_allotment *l = &list.rows[i];
        tell(told, "allotment %lld %lld %.*s %d %lld %lld %.*s %lld %lld %lld %d\n",
             (long long)l->id, (long long)l->account, STR_ARG(l->kind), l->unlimited,
             (long long)l->from, (long long)l->to, STR_ARG(l->clusters), (long long)l->carry,
             (long long)l->balance, (long long)l->charged, l->stays);
    }
    ledger_accounts_release(&accounts);
    ledger_allotments_release(&list);
}

static void tell_entries(struct told *told, struct books *books)
{
    struct error err = {0};
    struct ledger_entries entries;
    struct ledger_draws draws;
    told->failed = told->failed ||
                   ledger_entries_list(books, 0, INT64_MIN, INT64_MAX, &entries, &err) != 0 ||
                   ledger_draws_list(books, &draws, &err) != 0;
    if (told->failed) {
        return;
    }
    for (size_t i = 0; i < entries.count; i++) {
        const struct ledger_entry *e = &entries.rows[i];
        tell(told, "entry %lld %.*s %d %lld %lld %lld %lld %.*s %.*s %.*s\n", (long long)e->id,
             STR_ARG(e->key), (int)e->kind, (long long)e->from, (long long)e->to,
             (long long)e->amount, (long long)e->at, STR_ARG(e->who), STR_ARG(e->why),
             STR_ARG(e->run));
    }
    for (size_t i = 0; i < draws.count; i++) {
        const struct ledger_draw_row *d = &draws.rows[i];
        tell(told, "draw %.*s %.*s %lld %.*s %lld %lld\n", STR_ARG(d->kind), STR_ARG(d->name),
             (long long)d->account, STR_ARG(d->cluster), (long long)d->from, (long long)d->to);
    }
    ledger_entries_release(&entries);
    ledger_draws_release(&draws);
}

static void tell_charges(struct told *told, struct books *books, const struct zone *zone)
{
    struct error err = {0};
    struct charges charges;
    struct ledger_uses uses;
    const struct charges_filter filter = {.first = INT32_MIN, .last = INT32_MAX, .zone = zone};
    told->failed = told->failed || charges_list(books, &filter, &charges, &err) != 0 ||
                   ledger_uses_list(books, 1, INT32_MIN, INT32_MAX, &uses, &err) != 0;
    if (told->failed) {
        return;
    }
    for (size_t i = 0; i < charges.count; i++) {
        const struct charges_item *c = &charges.rows[i];
        tell(told, "charge %.*s %lld %lld %.*s %.*s %.*s %lld %lld %lld %lld %lld %.*s\n",
             STR_ARG(c->run), (long long)c->n, (long long)c->account, STR_ARG(c->cluster),
             STR_ARG(c->user), STR_ARG(c->rate), (long long)c->version, (long long)c->start,
             (long long)c->end, (long long)c->amount, (long long)c->at, STR_ARG(c->who));
    }
    for (size_t i = 0; i < uses.count; i++) {
        tell(told, "use %.*s %.*s %lld\n", STR_ARG(uses.rows[i].cluster),
             STR_ARG(uses.rows[i].user), (long long)uses.rows[i].amount);
    }
    charges_release(&charges);
    ledger_uses_release(&uses);
}

static void tell_decided(struct told *told, struct books *books)
{
    struct error err = {0};
    struct bank_requests requests;
    told->failed = told->failed || bank_requests_read(books, 0, &requests, &err) != 0;
    for (size_t i = 0; !told->failed && i < requests.count; i++) {
        const struct bank_request *r = &requests.rows[i];
        tell(told, "request %lld %.*s %lld %d %lld\n", (long long)r->id, STR_ARG(r->account),
             (long long)r->amount, (int)r->decision.state, (long long)r->decision.amount);
    }
    if (!told->failed) {
        bank_requests_release(&requests);
    }
    for (size_t k = 0; k < kind_count; k++) {
        struct books_rows rows;
        told->failed = told->failed || books_list(books, &kinds[k], &rows, &err) != 0;
        for (size_t i = 0; !told->failed && i < rows.count; i++) {
            for (size_t c = 0; c < kinds[k].column_count; c++) {
                tell(told, "%s %.*s\n", kinds[k].name, STR_ARG(rows.rows[i].cells[c]));
            }
        }
        if (!told->failed) {
            books_rows_release(&rows);
        }
    }
}

/* The digest of all that is told; false: something cannot be read. */
static bool tell_all(struct books *books, const struct zone *zone, char out[SHA256_TEXT + 1])
{
    struct told told = {0};
    sha256_begin(&told.sha);
    tell_accounts(&told, books);
    tell_entries(&told, books);
    tell_charges(&told, books, zone);
    tell_decided(&told, books);
    sha256_end(&told.sha, out);
    return !told.failed;
}

static void write_bytes(const char *path, struct str bytes)
{
    FILE *file = fopen(path, "w");
    expect_true(file && fwrite(bytes.ptr, 1, bytes.len, file) == bytes.len);
    expect_int(fclose(file), 0);
}

/* Whether books cannot be read, their checks find something, or they tell what they told. */
static bool is_safe(struct some_books *some, const char *before)
{
    struct error err = {0};
    struct books *books = NULL;
    char now[SHA256_TEXT + 1] = "";
    bool noticed = books_open(some->folder, BOOKS_READ, &some->world, &books, &err) != 0 ||
                   books_verify(books, &err) != 0 || findings(books) > 0 ||
                   !tell_all(books, some->zone, now);
    books_close(books);
    return noticed || strcmp(before, now) == 0;
}

static void a_byte_that_changed_is_noticed_or_changes_no_answer(void **state)
{
    (void)state;

    enum { PART = 64, PAGE = 4096 };

    struct bed bed = {0};
    struct some_books other;
    struct error err = {0};
    struct buf bytes;
    char before[SHA256_TEXT + 1];
    const char *wish = getenv("STINT_BYTES");
    const size_t step = wish && strcmp(wish, "all") == 0 ? 1 : 16;
    size_t filled = 0, tried = 0;
    bed_open(&bed);
    expect_true(tell_all(bed.books.books, bed.books.zone, before));
    books_close(bed.books.books);
    bed.books.books = NULL;
    char *path = file_join(bed.books.folder, "books.sqlite");
    some_world(&other, "UTC");
    char *copy = file_join(other.folder, "books.sqlite");
    buf_init(&bytes, 1 << 26);
    expect_int(file_read(path, &bytes, &err), 0);
    write_bytes(copy, buf_str(&bytes));
    expect_true(is_safe(&other, before));
    for (size_t part = 0; part < bytes.len / PART; part++) {
        /* another byte in every part, and none of the empty space of a page */
        size_t at = part * PART + (part * 7919) % PART, left = PART;
        while (left-- > 0 && bytes.ptr[at] == 0) {
            at = part * PART + (at + 1) % PART;
        }
        if (bytes.ptr[at] == 0 || filled++ % step) {
            continue;
        }
        const char was = bytes.ptr[at];
        bytes.ptr[at] = (char)(was ^ (1 << part % 8));
        write_bytes(copy, buf_str(&bytes));
        bytes.ptr[at] = was;
        if (!is_safe(&other, before)) {
            expect_fail("byte %zu, of page %zu: not noticed", at, 1 + at / PAGE);
        }
        tried++;
    }
    printf("# %zu of %zu parts with something in them\n", tried, filled);
    expect_true(tried > 30);
    buf_release(&bytes);
    free(path);
    free(copy);
    some_close(&other);
    bed_close(&bed);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, every_column_that_is_changed_behind_our_back_is_noticed);
    SUITE_TEST(&suite, a_byte_that_changed_is_noticed_or_changes_no_answer);
    SUITE_TEST(&suite, a_trigger_that_is_gone_and_a_guard_that_is_off_are_noticed);
    return suite_run(&suite, "mutated");
}
