/* SPDX-License-Identifier: MIT */

/* Charges are posted by a thread while the next runs are priced: seen here by the thread sanitizer. */

#include "bank/charge.h"

#include "facts/session.h"
#include "unit/bank/some_bank.h"

/* 2025-03-03T00:00Z */
#define MONDAY (INT64_C(1740960000) * SECOND_US)

static void put(struct runs_store *runs, int64_t job, bool ended)
{
    struct append_counts counts = {0};
    struct run run = {0};
    RUN_SET(&run, cluster, STR("birch"));
    RUN_SET(&run, job, job);
    RUN_SET(&run, user, STR("bob"));
    RUN_SET(&run, account, STR("chem"));
    RUN_SET(&run, cpus, 1);
    RUN_SET(&run, submit, MONDAY);
    RUN_SET(&run, start, MONDAY);
    if (ended) {
        RUN_SET(&run, end, MONDAY + HOUR_US);
        RUN_SET(&run, class, STR("completed"));
    } else {
        RUN_SET(&run, class, STR("running"));
        RUN_SET(&run, req_wall_us, 10 * HOUR_US);
        runs_always_seen(&run);
    }
    runs_put(runs, &run, 1, &counts);
}

static void execute(struct runs_store *runs, const char *sql)
{
    struct error err = {0};
    if (facts_execute(runs->facts, sql, (struct facts_values){0}, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static void charge(struct some_books *books, struct runs_store *runs,
                   struct charging_result *result)
{
    struct error err = {0};
    struct session session = {.facts = runs->facts, .mode = FACTS_WRITE};
    const struct charging_wish wish = {
        .which = CHARGING_CHANGED, .who = STR("ann"), .now = MONDAY + 2 * HOUR_US};
    if (charging_run(books->books, &session, books->zone, &wish, result, &err) != 0) {
        expect_fail("charging: %s", err.text);
    }
    some_check(books);
}

/* More than one pile of them, by several users and with runs that hold, before and after the first pile is handed over. */
static void piles_are_posted_while_the_next_is_priced(void **state)
{
    (void)state;
    struct some_books books;
    struct runs_store runs;
    struct charging_result result;
    some_open(&books, "UTC");
    runs_open(&runs);
    some_add(&books, "rate", "name=cpu|cpu=1");
    (void)some_account(&books, "chem");
    put(&runs, 1, true);
    put(&runs, 2, false);
    execute(&runs,
            "INSERT INTO runs BY NAME SELECT r.* REPLACE (r.job + 10 + i AS job, "
            "'u' || (i % 97) AS \"user\") FROM runs r, range(140000) t(i) WHERE r.job = 1");
    execute(&runs, "INSERT INTO runs BY NAME SELECT r.* REPLACE (r.job + 500000 + i AS job) "
                   "FROM runs r, range(99) t(i) WHERE r.job = 2");
    execute(&runs,
            "INSERT INTO runs BY NAME SELECT r.* REPLACE (r.job + 300000 + i AS job, "
            "'v' || (i % 89) AS \"user\") FROM runs r, range(20000) t(i) WHERE r.job = 1");
    charge(&books, &runs, &result);
    expect_int(result.charged, 160001);
    expect_int(result.liens, 100);
    expect_int(some_balance(&books, "chem", MONDAY).balance, -160001 * AMOUNT_ONE);
    runs_close(&runs);
    some_close(&books);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, piles_are_posted_while_the_next_is_priced);
    return suite_run(&suite, "charging threads");
}
