/* SPDX-License-Identifier: MIT */
#include "bank/charge.h"

#include <string.h>

#include "facts/session.h"
#include "unit/bank/some_bank.h"

/* 2025-03-03T00:00Z, a Monday; the clock of the books says 2025-03-20T12:00Z. */
#define MONDAY (INT64_C(1740960000) * SECOND_US)

struct some_bank {
    struct some_books books;
    struct runs_store runs;
    struct session session;
    int64_t now;
};

static void bank_open_in(struct some_bank *bank, const char *zone)
{
    some_open(&bank->books, zone);
    runs_open(&bank->runs);
    bank->session = (struct session){.facts = bank->runs.facts, .mode = FACTS_WRITE};
    bank->now = bank->books.world.kind.now;
}

static void bank_open(struct some_bank *bank)
{
    bank_open_in(bank, "UTC");
}

static void bank_close(struct some_bank *bank)
{
    runs_close(&bank->runs);
    some_close(&bank->books);
}

static struct charging_result bank_charge(struct some_bank *bank, enum charging_which which)
{
    struct charging_result result;
    struct error err = {0};
    const struct charging_wish wish = {.which = which, .who = STR("ann"), .now = bank->now};
    if (charging_run(bank->books.books, &bank->session, bank->books.zone, &wish, &result,
                     &err) != 0) {
        expect_fail("charging: %s", err.text);
    }
    some_check(&bank->books);
    return result;
}

/* Job `job` of an account: `cpus` from hour `from` to `to` after MONDAY; to < 0: it runs. */
static struct run a_run(int64_t job, const char *account, int64_t cpus, int64_t from,
                        int64_t to)
{
    struct run run = {0};
    RUN_SET(&run, cluster, STR("birch"));
    RUN_SET(&run, job, job);
    RUN_SET(&run, user, STR("bob"));
    RUN_SET(&run, account, str_of(account));
    RUN_SET(&run, cpus, cpus);
    RUN_SET(&run, submit, MONDAY + from * HOUR_US);
    RUN_SET(&run, start, MONDAY + from * HOUR_US);
    if (to >= 0) {
        RUN_SET(&run, end, MONDAY + to * HOUR_US);
        RUN_SET(&run, class, STR("completed"));
    } else {
        RUN_SET(&run, class, STR("running"));
        RUN_SET(&run, req_wall_us, 10 * HOUR_US);
        runs_always_seen(&run);
    }
    return run;
}

static void put(struct some_bank *bank, struct run run)
{
    struct append_counts counts = {0};
    runs_put(&bank->runs, &run, 1, &counts);
}

static int64_t balance(struct some_bank *bank, const char *name)
{
    return some_balance(&bank->books, name, MONDAY).balance;
}

/* chem has 100 SU, a cpu hour is one. */
static void chem_with_100(struct some_bank *bank)
{
    bank_open(bank);
    some_add(&bank->books, "rate", "name=cpu|cpu=1");
    struct ledger_account chem = some_account(&bank->books, "chem");
    some_grant(&bank->books, chem.id, 100 * AMOUNT_ONE, DAY(0), INSTANT_MAX, NULL);
}

static void a_run_is_charged_once(void **state)
{
    (void)state;
    struct some_bank bank;
    chem_with_100(&bank);
    put(&bank, a_run(1, "chem", 4, 0, 2));
    put(&bank, a_run(2, "bio", 4, 0, 2)); /* whose account is not of the bank */
    struct charging_result first = bank_charge(&bank, CHARGING_CHANGED);
    expect_int(first.charged, 1);
    expect_int(balance(&bank, "chem"), 92 * AMOUNT_ONE);
    expect_int(bank_charge(&bank, CHARGING_CHANGED).runs, 0);
    struct charging_result all = bank_charge(&bank, CHARGING_ALL);
    expect_int(all.runs, 2);
    expect_int(all.charged + all.reversed + all.entries, 0);
    expect_int(balance(&bank, "chem"), 92 * AMOUNT_ONE);
    bank_close(&bank);
}

static void a_corrected_record_costs_the_difference(void **state)
{
    (void)state;
    struct some_bank bank;
    chem_with_100(&bank);
    put(&bank, a_run(1, "chem", 4, 0, 2));
    bank_charge(&bank, CHARGING_CHANGED);
    put(&bank, a_run(1, "chem", 4, 0, 3));
    struct charging_result second = bank_charge(&bank, CHARGING_CHANGED);
    expect_int(second.reversed, 1);
    expect_int(second.charged, 1);
    expect_int(second.entries, 1); /* 4 SU more */
    expect_int(balance(&bank, "chem"), 88 * AMOUNT_ONE);
    put(&bank, a_run(1, "bio", 4, 0, 3)); /* it was somebody else's */
    bank_charge(&bank, CHARGING_CHANGED);
    expect_int(balance(&bank, "chem"), 100 * AMOUNT_ONE);
    bank_close(&bank);
}

static void a_running_run_holds_its_price_at_its_limit(void **state)
{
    (void)state;
    struct some_bank bank;
    chem_with_100(&bank);
    bank.now = MONDAY + 2 * HOUR_US;
    put(&bank, a_run(1, "chem", 4, 0, -1));
    expect_int(bank_charge(&bank, CHARGING_CHANGED).liens, 1);
    struct ledger_balance held = some_balance(&bank.books, "chem", MONDAY);
    expect_int(held.balance, 100 * AMOUNT_ONE);
    expect_int(held.held, 40 * AMOUNT_ONE);
    expect_int(held.free, 60 * AMOUNT_ONE);
    put(&bank, a_run(1, "chem", 4, 0, 3));
    bank_charge(&bank, CHARGING_CHANGED);
    struct ledger_balance ended = some_balance(&bank.books, "chem", MONDAY);
    expect_int(ended.held, 0);
    expect_int(ended.free, 88 * AMOUNT_ONE);
    bank_close(&bank);
}

/* Its limit is 10 hours. */
static void a_lien_that_nobody_settles_times_out_a_day_after_the_limit(void **state)
{
    (void)state;
    struct some_bank bank;
    chem_with_100(&bank);
    bank.now = MONDAY + 2 * HOUR_US;
    put(&bank, a_run(1, "chem", 4, 0, -1));
    bank_charge(&bank, CHARGING_CHANGED);
    bank.now = MONDAY + 34 * HOUR_US;
    expect_int(bank_charge(&bank, CHARGING_CHANGED).timed_out, 0);
    expect_int(some_balance(&bank.books, "chem", MONDAY).held, 40 * AMOUNT_ONE);
    bank.now = MONDAY + 34 * HOUR_US + 1;
    expect_int(bank_charge(&bank, CHARGING_CHANGED).timed_out, 1);
    expect_int(some_balance(&bank.books, "chem", MONDAY).held, 0);
    expect_int(bank_charge(&bank, CHARGING_ALL).liens, 0); /* nor is it placed again */
    bank.now = MONDAY + 2 * HOUR_US;                       /* the clock was wrong */
    expect_int(bank_charge(&bank, CHARGING_ALL).liens, 1);
    bank.now = MONDAY + 50 * HOUR_US;
    expect_int(bank_charge(&bank, CHARGING_CHANGED).timed_out, 1);
    put(&bank, a_run(1, "chem", 4, 0, 3)); /* what comes late is charged */
    expect_int(bank_charge(&bank, CHARGING_CHANGED).charged, 1);
    expect_int(balance(&bank, "chem"), 88 * AMOUNT_ONE);
    bank_close(&bank);
}

static void a_changed_rate_holds_from_its_day_on_or_backwards_when_asked(void **state)
{
    (void)state;
    struct some_bank bank;
    chem_with_100(&bank);
    put(&bank, a_run(1, "chem", 4, 0, 2));
    bank_charge(&bank, CHARGING_CHANGED);
    some_add(&bank.books, "rate", "name=cpu|cpu=2|from=2025-03-01");
    expect_int(bank_charge(&bank, CHARGING_CHANGED).runs, 0);
    expect_int(balance(&bank, "chem"), 92 * AMOUNT_ONE);
    struct charging_result again = bank_charge(&bank, CHARGING_ALL);
    expect_int(again.reversed, 1);
    expect_int(again.charged, 1);
    expect_int(balance(&bank, "chem"), 84 * AMOUNT_ONE);
    bank_close(&bank);
}

static void a_run_across_an_end_is_shared_by_time(void **state)
{
    (void)state;
    struct some_bank bank;
    struct error err = {0};
    struct ledger_allotments list;
    bank_open(&bank);
    some_add(&bank.books, "rate", "name=cpu|cpu=1");
    struct ledger_account chem = some_account(&bank.books, "chem");
    some_grant(&bank.books, chem.id, 1000 * AMOUNT_ONE, DAY(0), MONDAY + DAY_US, NULL);
    some_grant(&bank.books, chem.id, 1000 * AMOUNT_ONE, MONDAY + DAY_US, INSTANT_MAX, NULL);
    put(&bank, a_run(1, "chem", 2, 12, 36)); /* half of it on either day */
    bank_charge(&bank, CHARGING_CHANGED);
    expect_int(ledger_allotments_list(bank.books.books, chem.id, &list, &err), 0);
    expect_int(list.rows[0].charged, 24 * AMOUNT_ONE);
    expect_int(list.rows[0].expired, 976 * AMOUNT_ONE); /* it is over */
    expect_int(list.rows[1].charged, 24 * AMOUNT_ONE);
    expect_int(list.rows[1].balance, 976 * AMOUNT_ONE);
    ledger_allotments_release(&list);
    put(&bank, a_run(2, "chem", 1, 0, 1)); /* late: of what had expired */
    bank_charge(&bank, CHARGING_CHANGED);
    expect_int(ledger_allotments_list(bank.books.books, chem.id, &list, &err), 0);
    expect_int(list.rows[0].charged, 25 * AMOUNT_ONE);
    expect_int(list.rows[0].expired, 975 * AMOUNT_ONE);
    ledger_allotments_release(&list);
    bank_close(&bank);
}

/* 2024-10-27 has 25 hours in Oslo: from 22:00Z on the day before to 23:00Z. */
static void a_day_has_the_hours_that_it_has_where_the_bank_is(void **state)
{
    (void)state;
    const int64_t first = INT64_C(1729980000) * SECOND_US, last = first + 25 * HOUR_US;
    struct some_bank bank;
    struct error err = {0};
    struct ledger_allotments list;
    bank_open_in(&bank, "Europe/Oslo");
    some_add(&bank.books, "rate", "name=cpu|cpu=1");
    struct ledger_account chem = some_account(&bank.books, "chem");
    some_grant(&bank.books, chem.id, 1000 * AMOUNT_ONE, DAY(0), first, NULL);
    some_grant(&bank.books, chem.id, 1000 * AMOUNT_ONE, first, last, NULL);
    some_grant(&bank.books, chem.id, 1000 * AMOUNT_ONE, last, INSTANT_MAX, NULL);
    struct run run = a_run(1, "chem", 1, 0, 48);
    RUN_SET(&run, submit, first - 10 * HOUR_US);
    RUN_SET(&run, start, first - 10 * HOUR_US);
    RUN_SET(&run, end, first + 38 * HOUR_US);
    put(&bank, run);
    bank_charge(&bank, CHARGING_CHANGED);
    expect_int(ledger_allotments_list(bank.books.books, chem.id, &list, &err), 0);
    expect_int(list.rows[0].charged, 10 * AMOUNT_ONE);
    expect_int(list.rows[1].charged, 25 * AMOUNT_ONE);
    expect_int(list.rows[2].charged, 13 * AMOUNT_ONE);
    ledger_allotments_release(&list);
    bank_close(&bank);
}

/* It is noon in UTC and 13:00 in Oslo, where the day has 11 hours left. */
static void a_run_without_a_limit_is_held_to_the_end_of_the_day_where_the_bank_is(void **state)
{
    (void)state;
    struct some_bank bank;
    bank_open_in(&bank, "Europe/Oslo");
    some_add(&bank.books, "rate", "name=cpu|cpu=1");
    struct ledger_account chem = some_account(&bank.books, "chem");
    some_grant(&bank.books, chem.id, 100 * AMOUNT_ONE, DAY(0), INSTANT_MAX, NULL);
    struct run run = a_run(1, "chem", 2, 0, -1);
    RUN_CLEAR(&run, req_wall_us);
    RUN_SET(&run, submit, bank.now - HOUR_US);
    RUN_SET(&run, start, bank.now - HOUR_US);
    put(&bank, run);
    expect_int(bank_charge(&bank, CHARGING_CHANGED).liens, 1);
    expect_int(some_balance(&bank.books, "chem", bank.now).held, 2 * 12 * AMOUNT_ONE);
    bank_close(&bank);
}

static void what_is_beyond_the_allotments_is_owed(void **state)
{
    (void)state;
    struct some_bank bank;
    struct error err = {0};
    chem_with_100(&bank);
    put(&bank, a_run(1, "chem", 15, 0, 8));
    bank_charge(&bank, CHARGING_CHANGED);
    expect_int(balance(&bank, "chem"), -20 * AMOUNT_ONE);
    struct ledger_accounts accounts;
    expect_int(ledger_accounts_list(bank.books.books, &accounts, &err), 0);
    expect_int(accounts.rows[0].over, -20 * AMOUNT_ONE);
    some_grant(&bank.books, accounts.rows[0].id, 50 * AMOUNT_ONE, DAY(0), INSTANT_MAX, NULL);
    ledger_accounts_release(&accounts);
    expect_int(books_begin(bank.books.books, &err), 0);
    expect_int(
        charging_settle(bank.books.books, bank.books.zone, 0, bank.now, STR("ann"), &err), 0);
    expect_int(books_commit(bank.books.books, &err), 0);
    expect_int(ledger_accounts_list(bank.books.books, &accounts, &err), 0);
    expect_int(accounts.rows[0].over, 0); /* the grant pays what was owed */
    ledger_accounts_release(&accounts);
    expect_int(balance(&bank, "chem"), 30 * AMOUNT_ONE);
    some_check(&bank.books);
    bank_close(&bank);
}

static void runs_without_a_rate_are_counted(void **state)
{
    (void)state;
    struct some_bank bank;
    bank_open(&bank);
    some_account(&bank.books, "chem");
    put(&bank, a_run(1, "chem", 15, 0, 8));
    struct charging_result result = bank_charge(&bank, CHARGING_CHANGED);
    expect_int(result.unpriced, 1);
    expect_text(result.why, "no rate fits it");
    expect_int(balance(&bank, "chem"), 0);
    some_add(&bank.books, "rate", "name=cpu|cpu=1");
    expect_int(bank_charge(&bank, CHARGING_ALL).charged, 1);
    expect_int(balance(&bank, "chem"), -120 * AMOUNT_ONE);
    bank_close(&bank);
}

/* Every day of it has its share, and they sum to what it costs. */
static void a_run_of_a_century_is_charged_day_by_day(void **state)
{
    (void)state;

    enum { DAYS = 36525 };

    struct some_bank bank;
    struct error err = {0};
    int64_t day = 0, rest = 0;
    chem_with_100(&bank);
    struct run run = a_run(1, "chem", 7, 0, 1);
    RUN_SET(&run, start, DAY(0) + 1);
    RUN_SET(&run, end, DAY(DAYS) + 1);
    put(&bank, run);
    expect_int(bank_charge(&bank, CHARGING_CHANGED).charged, 1);
    expect_int(balance(&bank, "chem"), (100 - INT64_C(7) * 24 * DAYS) * AMOUNT_ONE);
    expect_int(ledger_used(bank.books.books, 1, 20000, 20001, &day, &err), 0);
    expect_int(day, 7 * 24 * AMOUNT_ONE);
    expect_int(ledger_used(bank.books.books, 1, DAYS, DAYS + 2, &rest, &err), 0);
    expect_int(rest, 1); /* of the last microsecond, rounded up */
    bank_close(&bank);
}

/* Two runs that fit into 64 bits each and not together: the second is refused with a sentence, and the ledger is as it was. */
static void sums_beyond_64_bits_are_refused(void **state)
{
    (void)state;
    struct some_bank bank;
    struct error err = {0};
    struct charging_result result;
    bank_open(&bank);
    some_add(&bank.books, "rate", "name=cpu|cpu=1000000");
    some_account(&bank.books, "chem");
    put(&bank, a_run(1, "chem", 1000000, 0, 9));
    expect_int(bank_charge(&bank, CHARGING_CHANGED).charged, 1);
    expect_int(balance(&bank, "chem"), -9000000 * INT64_C(1000000) * AMOUNT_ONE);
    put(&bank, a_run(2, "chem", 1000000, 0, 9));
    const struct charging_wish wish = {.who = STR("ann"), .now = bank.now};
    expect_int(
        charging_run(bank.books.books, &bank.session, bank.books.zone, &wish, &result, &err),
        ERROR_LIMIT);
    expect_contains(err.text, "an amount beyond 9223372036854.775807 cannot be kept");
    expect_int(balance(&bank, "chem"), -9000000 * INT64_C(1000000) * AMOUNT_ONE);
    some_check(&bank.books);
    bank_close(&bank);
}

/* Whoever puts the lines of a run there a second time, past the numbers of the rows, is found out. */
static void charges_that_are_there_twice_are_found(void **state)
{
    (void)state;
    struct some_bank bank;
    struct error err = {0};
    struct ledger_findings findings;
    chem_with_100(&bank);
    put(&bank, a_run(1, "chem", 4, 0, 2));
    bank_charge(&bank, CHARGING_CHANGED);
    expect_int(sqlite3_exec(bank.books.books->db,
                            "INSERT INTO bank_lines SELECT id + 1, round, count, lines FROM "
                            "bank_lines",
                            NULL, NULL, NULL),
               SQLITE_OK);
    expect_int(ledger_check(bank.books.books, &findings, &err), 0);
    expect_uint(findings.count, 3);
    expect_contains(findings.rows[0].ptr, "not numbered one after the other");
    expect_contains(findings.rows[1].ptr, "the charges of its runs sum to 16 SU");
    ledger_findings_release(&findings);
    bank_close(&bank);
}

/* Tasks, numbers below zero, ids that are no numbers: each has its own charge, and loses it alone. */
static void every_kind_of_run_has_its_own_charge(void **state)
{
    (void)state;

    enum { KINDS = 6 };

    struct some_bank bank;
    struct run runs[KINDS];
    struct append_counts counts = {0};
    chem_with_100(&bank);
    for (int64_t i = 0; i < KINDS; i++) {
        runs[i] = a_run(7, "chem", 1, i, i + 1);
        RUN_SET(&runs[i], attempt, 1);
    }
    RUN_SET(&runs[1], task, 7);
    RUN_SET(&runs[2], task, 8);
    RUN_SET(&runs[3], het, 7);
    RUN_SET(&runs[4], job, 8);
    RUN_SET(&runs[5], job_key, STR("a/b"));
    runs_put(&bank.runs, runs, KINDS, &counts);
    expect_int(bank_charge(&bank, CHARGING_CHANGED).charged, KINDS);
    expect_int(balance(&bank, "chem"), (100 - KINDS) * AMOUNT_ONE);
    expect_int(bank_charge(&bank, CHARGING_ALL).charged, 0);
    RUN_SET(&runs[2], cpus, 11);
    put(&bank, runs[2]);
    struct charging_result again = bank_charge(&bank, CHARGING_CHANGED);
    expect_int(again.charged, 1);
    expect_int(again.reversed, 1);
    expect_int(balance(&bank, "chem"), (100 - KINDS - 10) * AMOUNT_ONE);
    bank_close(&bank);
}

/* --- in any order, in any pieces ------------------------------------------------------------------ */

static unsigned dice(uint64_t *seed, unsigned sides)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*seed >> 33) % sides;
}

enum { RUNS = 60, PIECE = 15, ORDERS = 3 };

static const char *const names[] = {"a", "b", "c"};

/* The final record of a job, and one that was wrong before it. */
static struct run drawn_run(int64_t job, bool final)
{
    uint64_t seed = (uint64_t)job * 77 + final;
    const int64_t from = dice(&seed, 300), wall = dice(&seed, 60);
    struct run run = a_run(job, names[dice(&seed, 3)], 1 + dice(&seed, 16), from, from + wall);
    RUN_SET(&run, attempt, job); /* the same of both: they are one run */
    return run;
}

struct pots {
    int64_t charged[8], expired[8], over[3];
};

/* All records in some order: in pieces, wrong ones first, with charging in between or not. */
static void put_in_pieces(struct some_bank *bank, uint64_t *seed)
{
    int64_t jobs[RUNS] = {0};
    for (int64_t i = 0; i < RUNS; i++) {
        const size_t at = dice(seed, (unsigned)i + 1);
        jobs[i] = jobs[at];
        jobs[at] = i + 1;
    }
    for (size_t i = 0; i < RUNS; i += PIECE) {
        struct append_counts counts = {0};
        struct run wrong[PIECE], right[PIECE];
        for (size_t k = 0; k < PIECE; k++) {
            wrong[k] = drawn_run(jobs[i + k], false);
            right[k] = drawn_run(jobs[i + k], true);
        }
        if (dice(seed, 2)) {
            runs_put(&bank->runs, wrong, PIECE / 2, &counts);
            bank_charge(bank, CHARGING_CHANGED);
        }
        runs_put(&bank->runs, right, PIECE, &counts);
        if (dice(seed, 2)) {
            bank_charge(bank, dice(seed, 4) ? CHARGING_CHANGED : CHARGING_ALL);
        }
    }
}

/* What every pot comes to after all records, in some order, in pieces, some of them twice. */
static void after_an_order(uint64_t seed, struct pots *out)
{
    struct some_bank bank;
    struct error err = {0};
    struct ledger_accounts accounts;
    struct ledger_allotments list;
    bank_open(&bank);
    some_add(&bank.books, "rate", "name=cpu|cpu=0.333333");
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct ledger_account account = some_account(&bank.books, names[i]);
        some_grant(&bank.books, account.id, 100 * AMOUNT_ONE, DAY(0), MONDAY + 5 * DAY_US,
                   NULL);
        some_grant(&bank.books, account.id, 200 * AMOUNT_ONE, MONDAY + 4 * DAY_US, INSTANT_MAX,
                   "birch");
    }
    put_in_pieces(&bank, &seed);
    bank_charge(&bank, CHARGING_CHANGED);
    expect_int(ledger_accounts_list(bank.books.books, &accounts, &err), 0);
    expect_int(ledger_allotments_list(bank.books.books, 0, &list, &err), 0);
    expect_int((int64_t)list.count, 6);
    for (size_t i = 0; i < list.count; i++) {
        out->charged[i] = list.rows[i].charged;
        out->expired[i] = list.rows[i].expired;
    }
    for (size_t i = 0; i < accounts.count; i++) {
        out->over[i] = accounts.rows[i].over;
    }
    ledger_accounts_release(&accounts);
    ledger_allotments_release(&list);
    bank_close(&bank);
}

/* The same by hand: what each account was charged in all. */
static int64_t expected_total(const char *name)
{
    int64_t total = 0;
    for (int64_t job = 1; job <= RUNS; job++) {
        const struct run run = drawn_run(job, true);
        if (str_eq(run.account, str_of(name))) {
            total += run.cpus * 333333 * ((run.end - run.start) / HOUR_US);
        }
    }
    return total;
}

static void the_order_of_records_does_not_matter(void **state)
{
    (void)state;
    struct pots first, other;
    memset(&first, 0, sizeof first);
    memset(&other, 0, sizeof other);
    after_an_order(1, &first);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        expect_int(first.charged[2 * i] + first.charged[2 * i + 1] - first.over[i],
                   expected_total(names[i]));
    }
    for (uint64_t seed = 2; seed <= ORDERS; seed++) {
        after_an_order(seed, &other);
        expect_true(memcmp(&first, &other, sizeof first) == 0);
    }
}

/* What is charged for a run that has every field, by rates as a line each. */
static int64_t charged_by(const char *rate)
{
    struct some_bank bank;
    struct run run = a_run(1, "chem", 4, 0, 2);
    bank_open(&bank);
    struct ledger_account chem = some_account(&bank.books, "chem");
    some_grant(&bank.books, chem.id, 100 * AMOUNT_ONE, DAY(0), INSTANT_MAX, NULL);
    some_add(&bank.books, "rate", "name=other|cpu=1|gpu=0");
    some_add(&bank.books, "rate", rate);
    RUN_SET(&run, partition, STR("long"));
    RUN_SET(&run, qos, STR("low"));
    RUN_SET(&run, gpu_type, STR("a100"));
    RUN_SET(&run, gpus, 1);
    RUN_SET(&run, mem_bytes, INT64_C(8) << 30);
    RUN_SET(&run, node_count, 2);
    RUN_SET(&run, billing, 7);
    RUN_SET(&run, suspended_us, HOUR_US);
    RUN_SET(&run, state, STR("COMPLETED"));
    put(&bank, run);
    bank_charge(&bank, CHARGING_CHANGED);
    const int64_t left = balance(&bank, "chem");
    bank_close(&bank);
    return 100 * AMOUNT_ONE - left;
}

/* Only fields that some rate goes by are read: none may be missing. The run counts for an hour. */
static void every_field_that_a_rate_goes_by_is_read(void **state)
{
    (void)state;
    expect_int(charged_by("name=none|cpu=9|partition=short"), 4 * AMOUNT_ONE);
    expect_int(charged_by("name=partition|cpu=2|gpu=0|partition=long"), 8 * AMOUNT_ONE);
    expect_int(charged_by("name=qos|cpu=3|gpu=0|qos=low"), 12 * AMOUNT_ONE);
    expect_int(charged_by("name=model|cpu=1|gpu=5|gpu_type=a*"), 9 * AMOUNT_ONE);
    expect_int(charged_by("name=mem|mem=1|gpu=0|cluster=b*"), 8 * AMOUNT_ONE);
    expect_int(charged_by("name=node|node=3|gpu=0|cluster=b*"), 6 * AMOUNT_ONE);
    expect_int(charged_by("name=recorded|how=recorded|cluster=b*"), 7 * AMOUNT_ONE);
    expect_int(charged_by("name=state|cpu=1|gpu=0|free=COMPLETED|cluster=b*"), 0);
    expect_int(charged_by("name=class|cpu=1|gpu=0|free=completed|cluster=b*"), 0);
}

static void execute(struct some_bank *bank, const char *sql)
{
    struct error err = {0};
    if (facts_execute(bank->runs.facts, sql, (struct facts_values){0}, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

/* So many that they are posted in several piles, some of them while liens are placed and settled. */
static void many_are_charged_as_few_are(void **state)
{
    (void)state;
    struct some_bank bank;
    chem_with_100(&bank);
    put(&bank, a_run(1, "chem", 1, 0, 1));
    put(&bank, a_run(2, "chem", 1, 0, -1));
    bank.now = MONDAY + 2 * HOUR_US;
    execute(&bank, "INSERT INTO runs BY NAME SELECT r.* REPLACE (r.job + 10 + i AS job, "
                   "r.attempt + i AS attempt) FROM runs r, range(140000) t(i) WHERE r.job = 1");
    execute(&bank, "INSERT INTO runs BY NAME SELECT r.* REPLACE (r.job + 1000000 + i AS job, "
                   "r.attempt + i AS attempt) FROM runs r, range(999) t(i) WHERE r.job = 2");
    execute(&bank, "INSERT INTO runs BY NAME SELECT r.* REPLACE (r.job + 300000 + i AS job, "
                   "r.attempt + i AS attempt) FROM runs r, range(20000) t(i) WHERE r.job = 1");
    struct charging_result first = bank_charge(&bank, CHARGING_CHANGED);
    expect_int(first.runs, 161001);
    expect_int(first.charged, 160001);
    expect_int(first.liens, 1000);
    expect_int(balance(&bank, "chem"), (100 - 160001) * AMOUNT_ONE);
    expect_int(some_balance(&bank.books, "chem", MONDAY).held, 10000 * AMOUNT_ONE);
    /* All of them end, and are among those that are looked at again. */
    execute(&bank, "UPDATE runs SET \"end\" = start + 3600000000, until = NULL WHERE \"end\" "
                   "IS NULL");
    struct charging_result second = bank_charge(&bank, CHARGING_ALL);
    expect_int(second.charged, 1000);
    expect_int(second.reversed, 0);
    expect_int(some_balance(&bank.books, "chem", MONDAY).held, 0);
    expect_int(balance(&bank, "chem"), (100 - 161001) * AMOUNT_ONE);
    bank_close(&bank);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_run_is_charged_once);
    SUITE_TEST(&suite, a_corrected_record_costs_the_difference);
    SUITE_TEST(&suite, a_running_run_holds_its_price_at_its_limit);
    SUITE_TEST(&suite, a_lien_that_nobody_settles_times_out_a_day_after_the_limit);
    SUITE_TEST(&suite, a_changed_rate_holds_from_its_day_on_or_backwards_when_asked);
    SUITE_TEST(&suite, a_run_across_an_end_is_shared_by_time);
    SUITE_TEST(&suite, a_day_has_the_hours_that_it_has_where_the_bank_is);
    SUITE_TEST(&suite, a_run_without_a_limit_is_held_to_the_end_of_the_day_where_the_bank_is);
    SUITE_TEST(&suite, what_is_beyond_the_allotments_is_owed);
    SUITE_TEST(&suite, runs_without_a_rate_are_counted);
    SUITE_TEST(&suite, a_run_of_a_century_is_charged_day_by_day);
    SUITE_TEST(&suite, sums_beyond_64_bits_are_refused);
    SUITE_TEST(&suite, charges_that_are_there_twice_are_found);
    SUITE_TEST(&suite, every_kind_of_run_has_its_own_charge);
    SUITE_TEST(&suite, the_order_of_records_does_not_matter);
    SUITE_TEST(&suite, every_field_that_a_rate_goes_by_is_read);
    SUITE_TEST(&suite, many_are_charged_as_few_are);
    return suite_run(&suite, "charging");
}
