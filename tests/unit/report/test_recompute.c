/* SPDX-License-Identifier: MIT */

/*
 * Numbers that were computed twice agree; and if one of them is wrong, it is found.
 */
#include <stdio.h>

#include "report/rollup/rollup.h"
#include "report/verify/recompute.h"
#include "report/verify/row_sums.h"
#include "support/chance.h"
#include "support/expect.h"
#include "support/slow_way.h"
#include "unit/report/ask.h"

enum { RUNS = 400 };

static struct runs_store store;
static struct run runs[RUNS];

/* What a comparison found. */
struct found {
    size_t comparisons, differences, rows;
    bool cpu_hours, users, days; /* whether that differs: the measure, a user's row, a day's */
    bool lost_row;
    int64_t told; /* progress */
    bool stop;
};

static void on_difference(void *watcher, const struct recompute_difference *d)
{
    struct found *found = watcher;
    if (!d->measure) {
        found->lost_row = true;
        return;
    }
    expect_true(d->sides[0] != d->sides[1]);
    found->cpu_hours |= str_eq(str_of(d->measure->id), STR("cpu_hours"));
    found->users |= d->cut->dimension && str_eq(str_of(d->cut->dimension), STR("user"));
    found->days |= d->cut->bucket == BUCKET_DAY;
}

static void on_comparison(void *watcher, const struct recompute_comparison *c)
{
    struct found *found = watcher;
    found->comparisons++;
    found->rows += c->rows;
    found->differences += c->differences;
}

static bool on_progress(void *watcher, int64_t done, int64_t total)
{
    struct found *found = watcher;
    expect_true(done < total);
    found->told++;
    return !found->stop;
}

static int compare(struct found *found, const struct zone *zone, struct period period,
                   int64_t now, struct error *err)
{
    const struct recompute with = {
        .facts = store.facts,
        .zone = zone,
        .period = period,
        .now = now,
        .watcher = found,
        .differs = on_difference,
        .compared = on_comparison,
        .progress = on_progress,
    };
    return recompute(&with, err);
}

static struct found compare_all(const char *zone_name, const char *from, const char *to)
{
    struct found found = {0};
    struct error err = {0};
    struct zone *zone = ask_zone(zone_name);
    if (compare(&found, zone, ask_period(zone, from, to), ask_instant(zone, "2024-11-20"),
                &err) != 0) {
        expect_fail("%s", err.text);
    }
    zone_close(zone);
    return found;
}

static void execute(const char *sql)
{
    struct error err = {0};
    int64_t changed = 0;
    if (facts_execute(store.facts, sql, (struct facts_values){0}, &changed, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_int(changed, 1);
}

static void an_empty_store_agrees_with_itself(void **state)
{
    (void)state;
    runs_open(&store);
    struct found found = compare_all("UTC", "2024-01-01", "2024-01-31");
    expect_uint(found.differences, 0);
    expect_int(found.told, 0);
}

static void all_ways_agree_on_random_runs(void **state)
{
    (void)state;
    struct chance chance;
    struct zone *zone = ask_zone("Europe/Oslo");
    chance_init(&chance, 4711);
    for (size_t i = 0; i < RUNS; i++) {
        runs[i] = chance_run(&chance, zone);
    }
    runs_add(&store, runs, RUNS);
    zone_close(zone);
    struct found found = compare_all("Europe/Oslo", "2023-12-01", "2025-06-01");
    expect_uint(found.differences, 0);
    expect_true(!found.lost_row);
    /* in all; 4 dimensions and 3 buckets: the two ways, and two sums each */
    expect_uint(found.comparisons, 1 + 7 * 3);
    expect_true(found.rows > 500); /* days alone are 549 */
    expect_true(found.told > 0);
    found = compare_all("Australia/Lord_Howe", "2024-03-31T12:00", "2024-10-27T02:30");
    expect_uint(found.differences, 0);
    found = compare_all("UTC", "2024-11-19", "2024-11-20"); /* now is within */
    expect_uint(found.differences, 0);
    found = compare_all("UTC", "2025-01-01", "2025-01-02"); /* and here it is not yet */
    expect_uint(found.differences, 0);
}

/* The run by run way is the slow way of the tests, where both know a measure. */
static void tallies_are_what_the_slow_way_gives(void **state)
{
    (void)state;
    struct zone *zone = ask_zone("UTC");
    const struct period period = ask_period(zone, "2024-03-30", "2024-10-27");
    const int64_t now = ask_instant(zone, "2024-07-01");
    const struct run *all[RUNS];
    struct row_sums tally = {0};
    struct table table = {0};
    for (size_t i = 0; i < RUNS; i++) {
        all[i] = &runs[i];
        row_sums_add(&tally, &runs[i], period, now);
    }
    row_sums_columns(&table, false);
    table_row(&table);
    row_sums_set(&tally, &table, 0, 0);
    for (size_t i = 0; i < ROW_SUMS_MEASURES; i++) {
        const struct slow_value want =
            slow_answer(row_sums_measure(i)->id, (struct slow_runs){.runs = all, .count = RUNS},
                        (struct slow_time){&period, 1, now});
        expect_int(table_has(&table, i, 0), want.known);
        if (want.known && want.is_real) {
            expect_double(table.columns[i].cells[0].real, want.real, 1e-12);
        } else if (want.known) {
            expect_true(table_wide(&table, i, 0) == want.number);
        }
    }
    table_release(&table);
    zone_close(zone);
}

/* The sums of questions go by `until`, those run by run by the end itself. */
static void a_wrong_number_in_the_store_is_found(void **state)
{
    (void)state;
    execute("UPDATE runs SET until = until + 1 WHERE rowid = (SELECT min(rowid) FROM runs "
            "WHERE cpus > 0 AND \"user\" IS NOT NULL AND \"end\" > start AND start > "
            "epoch_us(TIMESTAMP '2024-01-01') AND \"end\" < epoch_us(TIMESTAMP '2024-07-01'))");
    struct found found = compare_all("UTC", "2024-01-01", "2024-06-30");
    expect_true(found.differences > 0);
    expect_true(found.cpu_hours && found.users && found.days);
    execute(
        "UPDATE runs SET until = greatest(\"end\", start) WHERE until <> 9223372036854775807 "
        "AND until > \"end\" AND until > start");
}

/* Sums that were kept are compared with the facts. */
static void a_wrong_number_in_a_roll_up_is_found(void **state)
{
    (void)state;
    struct error err = {0};
    struct zone *zone = ask_zone("Europe/Oslo");
    if (rollup_refresh(store.facts, zone, &err) != 0) {
        expect_fail("%s", err.text);
    }
    zone_close(zone);
    struct found found = compare_all("Europe/Oslo", "2023-12-01", "2025-06-01");
    expect_uint(found.differences, 0);
    /* a third way: once more in all, and for each cut once against the facts and once as a sum */
    expect_uint(found.comparisons, 2 + 7 * 5);
    execute(
        "UPDATE rollup_month SET cpu_hours = cpu_hours + 1 WHERE rowid = (SELECT min(rowid) "
        "FROM rollup_month WHERE cpu_hours > 0)");
    found = compare_all("Europe/Oslo", "2023-12-01", "2025-06-01");
    expect_true(found.differences > 0);
    expect_true(found.cpu_hours);
    expect_uint(compare_all("UTC", "2024-01-01", "2024-01-31").comparisons, 1 + 7 * 3);
}

/* A user who is there one way and not the other. */
static void a_row_that_is_missing_is_found(void **state)
{
    (void)state;
    struct zone *zone = ask_zone("UTC");
    struct run run = {0};
    RUN_SET(&run, user, STR("zoe"));
    RUN_SET(&run, start, ask_instant(zone, "2024-05-01"));
    RUN_SET(&run, end, ask_instant(zone, "2024-05-02"));
    runs_add(&store, &run, 1);
    execute("UPDATE runs SET until = start - 10 * 86400000000 WHERE \"user\" = 'zoe'");
    struct found found = compare_all("UTC", "2024-05-01T12:00", "2024-05-01T13:00");
    expect_true(found.lost_row);
    zone_close(zone);
}

static void it_stops_when_it_is_told_to(void **state)
{
    (void)state;
    struct found found = {.stop = true};
    struct error err = {0};
    struct zone *zone = ask_zone("UTC");
    expect_int(compare(&found, zone, ask_period(zone, "2024-05-01", "2024-05-02"), 0, &err),
               ERROR_STOPPED);
    expect_int(found.told, 1);
    expect_contains(err.text, "stopped after 0 of");
    zone_close(zone);
}

static void closes_the_store(void **state)
{
    (void)state;
    runs_close(&store);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, an_empty_store_agrees_with_itself);
    SUITE_TEST(&suite, all_ways_agree_on_random_runs);
    SUITE_TEST(&suite, tallies_are_what_the_slow_way_gives);
    SUITE_TEST(&suite, a_wrong_number_in_the_store_is_found);
    SUITE_TEST(&suite, a_wrong_number_in_a_roll_up_is_found);
    SUITE_TEST(&suite, a_row_that_is_missing_is_found);
    SUITE_TEST(&suite, it_stops_when_it_is_told_to);
    SUITE_TEST(&suite, closes_the_store);
    return suite_run(&suite, "recompute");
}
