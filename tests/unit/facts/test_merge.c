/* SPDX-License-Identifier: MIT */

/*
 * A listing, a log and a database that have records of the same runs: in every order of import the same runs, nothing
 * that one of them knows is lost, and importing any of them again changes nothing.
 */

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/zone.h"
#include "record/precedence.h"
#include "support/chance.h"
#include "support/expect.h"
#include "support/runs.h"

enum { ORIGINS = 3, STORIES = 120, ORDERS = 3 };

static struct runs_store store;
static struct chance chance;
static struct run records[ORIGINS][STORIES]; /* by origin - 1 */
static bool has_record[ORIGINS][STORIES];    /* two of them at least */

/* Of all six, see record/test_run_merge. */
static const int orders[ORDERS][ORIGINS] = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}};

static void make_records(uint64_t seed)
{
    struct zone *zone = NULL;
    struct error err = {0};
    expect_int(zone_open("UTC", &zone, &err), 0);
    chance_init(&chance, seed);
    for (size_t origin = 0; origin < ORIGINS; origin++) {
        for (size_t story = 0; story < STORIES; story++) {
            records[origin][story] =
                chance_record(&chance, (enum run_origin)(origin + 1), (int64_t)story, zone);
            has_record[origin][story] = story % (ORIGINS + 1) != origin;
        }
    }
    zone_close(zone);
}

/* All runs, a line a field; without the step that wrote them and the line. */
static void print_runs(struct buf *out)
{
    struct table table = {0};
    struct error err = {0};
    if (facts_query(store.facts, "SELECT * EXCLUDE (line, batch) FROM runs ORDER BY job",
                    (struct facts_values){0}, &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_uint(table.row_count, STORIES);
    for (size_t row = 0; row < table.row_count; row++) {
        for (size_t c = 0; c < table.column_count; c++) {
            const struct column *column = &table.columns[c];
            buf_addf(out, "%zu %s ", row, column->id);
            if (!table_has(&table, c, row)) {
                buf_addz(out, "---\n");
            } else if (column->type == CELL_TEXT) {
                buf_addf(out, "%.*s\n", STR_ARG(column->cells[row].text));
            } else {
                buf_addf(out, "%lld\n", (long long)table_wide(&table, c, row));
            }
        }
    }
    table_release(&table);
}

/* Where two texts differ first, rather than all of both. */
static void expect_same(const char *got, const char *want, const char *what)
{
    while (*got && *got == *want) {
        got++;
        want++;
    }
    if (*got == *want) {
        return;
    }
    while (got[-1] != '\n') {
        got--;
        want--;
    }
    expect_fail("%s: got '%.*s', want '%.*s'", what, (int)strcspn(got, "\n"), got,
                (int)strcspn(want, "\n"), want);
}

/* What one of them has; returns how many. */
static int64_t put(int origin, struct append_counts *counts)
{
    struct run some[STORIES];
    size_t count = 0;
    for (size_t story = 0; story < STORIES; story++) {
        if (has_record[origin][story]) {
            some[count++] = records[origin][story];
        }
    }
    runs_put(&store, some, count, counts);
    return (int64_t)count;
}

static bool any_has(size_t story, enum run_field field)
{
    for (size_t origin = 0; origin < ORIGINS; origin++) {
        if (has_record[origin][story] && run_has(&records[origin][story], field)) {
            return true;
        }
    }
    return false;
}

/* Whether what any of these records has is known of the runs. */
static void expect_all_known(void)
{
    struct table table = {0};
    struct error err = {0};
    if (facts_query(store.facts, "SELECT * FROM runs ORDER BY job", (struct facts_values){0},
                    &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    for (size_t c = 0; c < table.column_count; c++) {
        size_t field = 0;
        while (strcmp(run_fields[field].member, table.columns[c].id) != 0) {
            field++;
        }
        const enum precedence precedence = precedence_of((enum run_field)field);
        if (field == RUN_mem_basis ||
            (precedence != PRECEDENCE_VALUE && precedence != PRECEDENCE_USE)) {
            continue;
        }
        for (size_t story = 0; story < STORIES; story++) {
            if (!table_has(&table, c, story) && any_has(story, (enum run_field)field)) {
                expect_fail("%s of %zu is known to one of them, and lost", run_fields[field].id,
                            story);
            }
        }
    }
    table_release(&table);
}

/* All records in an order; what the runs are then. */
static void put_all(const int *order, struct buf *out)
{
    struct append_counts counts;
    runs_clear(&store);
    for (size_t t = 0; t < ORIGINS; t++) {
        put(order[t], &counts);
    }
    print_runs(out);
}

static void every_order_gives_the_same_runs(void **state)
{
    (void)state;
    struct buf first, runs;
    make_records(7);
    buf_init(&first, LIMIT_OUTPUT);
    buf_init(&runs, LIMIT_OUTPUT);
    put_all(orders[0], &first);
    expect_all_known();
    for (size_t o = 1; o < ORDERS; o++) {
        buf_clear(&runs);
        put_all(orders[o], &runs);
        expect_same(runs.ptr, first.ptr, "another order");
    }
    buf_release(&runs);
    buf_release(&first);
}

static void importing_again_changes_nothing(void **state)
{
    (void)state;
    struct buf once, again;
    struct append_counts counts;
    make_records(8);
    buf_init(&once, LIMIT_OUTPUT);
    buf_init(&again, LIMIT_OUTPUT);
    put_all(orders[1], &once);
    for (int origin = 0; origin < ORIGINS; origin++) {
        const int64_t count = put(origin, &counts);
        expect_int(counts.unchanged, count);
        expect_int(counts.replaced, 0);
    }
    print_runs(&again);
    expect_same(again.ptr, once.ptr, "imported again");
    buf_release(&once);
    buf_release(&again);
}

static void expect_run(const char *expression, int64_t want)
{
    char sql[256];
    int64_t got = 0;
    struct error err = {0};
    snprintf(sql, sizeof(sql), "SELECT count(*) FROM runs WHERE %s", expression);
    if (facts_number(store.facts, sql, (struct facts_values){0}, &got, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
    if (got != want) {
        expect_fail("%s: %lld runs, want %lld", expression, (long long)got, (long long)want);
    }
}

static struct run plain(enum run_origin origin, int64_t file)
{
    struct run run = {0};
    RUN_SET(&run, job, 1);
    RUN_SET(&run, submit, 10 * SECOND_US);
    RUN_SET(&run, origin, origin);
    RUN_SET(&run, file, file);
    return run;
}

static void a_listing_takes_neither_the_end_nor_what_was_measured(void **state)
{
    (void)state;
    struct append_counts counts;
    struct run ended = plain(ORIGIN_DATABASE, 1), listed = plain(ORIGIN_LISTING, 2);
    RUN_SET(&ended, start, 20 * SECOND_US);
    RUN_SET(&ended, end, 50 * SECOND_US);
    RUN_SET(&ended, class, STR("completed"));
    RUN_SET(&ended, cpu_used_us, 5 * SECOND_US);
    RUN_SET(&listed, start, 21 * SECOND_US);
    RUN_SET(&listed, class, STR("running"));
    RUN_SET(&listed, seen, 60 * SECOND_US);
    RUN_SET(&listed, work_dir, STR("/home/ann"));
    runs_clear(&store);
    runs_put(&store, &ended, 1, &counts);
    runs_put(&store, &listed, 1, &counts);
    expect_run(
        "class = 'completed' AND \"end\" = 50000000 AND start = 20000000 AND cpu_used_us "
        "= 5000000 AND work_dir = '/home/ann' AND seen IS NULL AND origin = 3",
        1);
}

static void a_later_listing_that_waits_again_takes_the_start_away(void **state)
{
    (void)state;
    struct append_counts counts;
    struct run running = plain(ORIGIN_DATABASE, 1), waiting = plain(ORIGIN_LISTING, 2);
    RUN_SET(&running, start, 20 * SECOND_US);
    RUN_SET(&running, class, STR("running"));
    RUN_SET(&waiting, class, STR("pending"));
    RUN_SET(&waiting, seen, 15 * SECOND_US);
    runs_clear(&store);
    runs_put(&store, &running, 1, &counts);
    runs_put(&store, &waiting, 1, &counts);
    expect_run("class = 'running' AND start = 20000000", 1);
    RUN_SET(&waiting, seen, 30 * SECOND_US);
    runs_put(&store, &waiting, 1, &counts);
    expect_run("class = 'pending' AND start IS NULL AND seen = 30000000", 1);
}

static void a_newer_record_of_the_same_weight_wins(void **state)
{
    (void)state;
    struct append_counts counts;
    struct run first = plain(ORIGIN_LOG, 1), second = plain(ORIGIN_LOG, 2);
    RUN_SET(&first, account, STR("old"));
    RUN_SET(&first, qos, STR("normal"));
    RUN_SET(&second, account, STR("new"));
    runs_clear(&store);
    runs_put(&store, &first, 1, &counts);
    runs_put(&store, &second, 1, &counts);
    expect_run("account = 'new' AND qos = 'normal'", 1);
}

static void a_new_version_of_a_record_takes_away_what_it_does_not_have(void **state)
{
    (void)state;
    struct append_counts counts;
    struct run first = plain(ORIGIN_LOG, 1), listed = plain(ORIGIN_LISTING, 2), mended;
    RUN_SET(&first, account, STR("wrong"));
    RUN_SET(&listed, work_dir, STR("/home/ann"));
    RUN_SET(&listed, seen, 30 * SECOND_US);
    mended = plain(ORIGIN_LOG, 1);
    runs_clear(&store);
    runs_put(&store, &first, 1, &counts);
    runs_put(&store, &listed, 1, &counts);
    expect_run("account = 'wrong' AND work_dir = '/home/ann'", 1);
    runs_put(&store, &mended, 1, &counts);
    expect_run("account IS NULL AND work_dir = '/home/ann'", 1);
}

static void every_field_has_its_precedence(void **state)
{
    (void)state;
    expect_int(precedence_of(RUN_attempt), PRECEDENCE_IDENTITY);
    expect_int(precedence_of(RUN_user), PRECEDENCE_VALUE);
    expect_int(precedence_of(RUN_exit_code), PRECEDENCE_VALUE);
    expect_int(precedence_of(RUN_cpu_used_us), PRECEDENCE_USE);
    expect_int(precedence_of(RUN_gpu_used_us), PRECEDENCE_USE);
    expect_int(precedence_of(RUN_nodes), PRECEDENCE_USE);
    expect_int(precedence_of(RUN_end), PRECEDENCE_STANDING);
    expect_int(precedence_of(RUN_class), PRECEDENCE_STANDING);
    expect_int(precedence_of(RUN_digest), PRECEDENCE_RECORD);
    expect_int(precedence_of(RUN_until), PRECEDENCE_DERIVED);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, every_field_has_its_precedence);
    SUITE_TEST(&suite, a_listing_takes_neither_the_end_nor_what_was_measured);
    SUITE_TEST(&suite, a_later_listing_that_waits_again_takes_the_start_away);
    SUITE_TEST(&suite, a_newer_record_of_the_same_weight_wins);
    SUITE_TEST(&suite, a_new_version_of_a_record_takes_away_what_it_does_not_have);
    SUITE_TEST(&suite, every_order_gives_the_same_runs);
    SUITE_TEST(&suite, importing_again_changes_nothing);
    return runs_suite(&suite, &store, "merge");
}
