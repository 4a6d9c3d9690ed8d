/* SPDX-License-Identifier: MIT */

/*
 * Random runs, random questions (support/asked.h), and the answers worked out the slow way. Equal to the last microsecond.
 * STINT_SEED=N asks other questions, STINT_QUESTIONS=N more of them. The same at every door, in every role, is
 * tests/sh/test_questions.sh.
 */
#include <stdio.h>
#include <stdlib.h>

#include "report/rollup/rollup.h"
#include "support/asked.h"
#include "support/expect.h"
#include "unit/report/ask.h"

enum { RUNS = 300, QUESTIONS = 50, CUTS = 2 };

static struct runs_store store;
static struct run runs[RUNS];
static const struct run *all[RUNS];
static uint64_t seed = 20250310;
static size_t question_number;
static struct chance chance;
static struct asked_zones zones;
static char about[64];
static const struct asked_site site = {all, RUNS, &zones, about};

static void draw(struct asked *asked)
{
    (void)snprintf(about, sizeof about, "seed %" PRIu64 ", question %zu", seed,
                   question_number);
    asked_draw(asked, &chance, &site, ASKED_EVERYTHING);
}

static void opens_a_store_of_random_runs(void **state)
{
    (void)state;
    const char *given = getenv("STINT_SEED");
    seed = given ? strtoull(given, NULL, 10) : seed;
    chance_init(&chance, seed);
    asked_zones_open(&zones);
    for (size_t i = 0; i < RUNS; i++) {
        runs[i] = asked_run(&chance, &zones, (int64_t)i + 1);
        all[i] = &runs[i];
    }
    runs_open(&store);
    runs_add(&store, runs, RUNS);
    struct error err = {0};
    if (rollup_refresh(store.facts, zones.zones[1], &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static void ask_or_describe(const struct asked *asked, struct table *table)
{
    struct error err = {0};
    *table = (struct table){0};
    if (question_ask(store.facts, &asked->question, table, &err) != 0) {
        expect_fail("%s\n%s", asked_describe(asked, &site), err.text);
    }
}

static void answers_are_what_the_slow_way_gives(void **state)
{
    (void)state;
    const char *given = getenv("STINT_QUESTIONS");
    const size_t count = given ? strtoull(given, NULL, 10) : QUESTIONS;
    for (question_number = 0; question_number < count; question_number++) {
        struct asked asked;
        struct table table;
        draw(&asked);
        ask_or_describe(&asked, &table);
        asked_expect(&asked, &site, &table);
        table_release(&table);
    }
}

/* A measure's value does not depend on what else is asked. */
static void every_measure_alone_is_what_it_is_among_all(void **state)
{
    (void)state;
    struct asked asked;
    struct question *q = &asked.question;
    draw(&asked);
    q->dimension_count = 0;
    q->bucket = asked.cells = BUCKET_NONE;
    for (size_t i = 0; i < measure_count; i++) {
        struct table table;
        q->measures[0] = &measures[i];
        q->measure_count = 1;
        q->period.from = q->period.to - 1 - chance_below(&chance, 40 * DAY_US);
        ask_or_describe(&asked, &table);
        asked_expect(&asked, &site, &table);
        table_release(&table);
    }
}

/* The sum of a column; unknown cells add nothing. */
static wide_int sum_of(const struct table *table, const char *id)
{
    size_t column = ask_column(table, id);
    wide_int sum = 0;
    for (size_t row = 0; row < table->row_count; row++) {
        sum += table_has(table, column, row) ? table_wide(table, column, row) : 0;
    }
    return sum;
}

static void expect_same_sums(const struct asked *asked, const struct table *total)
{
    const struct question *q = &asked->question;
    struct table parts;
    ask_or_describe(asked, &parts);
    for (size_t i = 0; i < q->measure_count; i++) {
        if (!question_adds_up(q, q->measures[i])) {
            continue;
        }
        if (sum_of(total, q->measures[i]->id) != sum_of(&parts, q->measures[i]->id)) {
            expect_fail("%s\n%s does not add up", asked_describe(asked, &site),
                        q->measures[i]->id);
        }
    }
    table_release(&parts);
}

/* What all rows come to is a question of its own. */
static void expect_sums_of_rows(struct asked *asked, enum bucket bucket)
{
    const struct question rows = asked->question;
    struct table total;
    asked->question.bucket = BUCKET_NONE;
    question_drop_dimensions(&asked->question);
    ask_or_describe(asked, &total);
    asked->question = rows;
    asked->question.bucket = bucket;
    expect_same_sums(asked, &total);
    table_release(&total);
}

/*
 * By dimensions, in buckets, folded: hours add up to days, days to weeks, months and years. Ten weeks at most: the hours of
 * a year, each with every sum there is, show no more and are most of the time that this takes.
 */
static void a_total_is_the_sum_of_its_parts(void **state)
{
    (void)state;
    static const char *const cuts[] = {"user,group",       "size,shape", "weekday",
                                       "hour_of_day,user", "node",       "node,user"};
    for (size_t i = 0; i < CUTS; i++) {
        struct asked asked;
        struct question *q = &asked.question;
        struct table total;
        draw(&asked);
        q->measure_count = q->dimension_count = 0;
        q->bucket = BUCKET_NONE;
        if (q->period.to - q->period.from > 70 * DAY_US) {
            q->period.to = q->period.from + 70 * DAY_US;
        }
        for (size_t m = 0; m < measure_count; m++) {
            if (measures[m].additive) {
                q->measures[q->measure_count++] = &measures[m];
            }
        }
        ask_or_describe(&asked, &total);
        for (enum bucket bucket = BUCKET_HOUR; bucket <= BUCKET_YEAR; bucket++) {
            q->bucket = bucket;
            expect_same_sums(&asked, &total);
        }
        for (size_t cut = 0; cut < COUNT_OF(cuts); cut++) {
            ask_by(q, cuts[cut]);
            expect_sums_of_rows(&asked, (i + cut) % 2 ? BUCKET_MONTH : BUCKET_NONE);
        }
        table_release(&total);
    }
}

static void closes_the_store(void **state)
{
    (void)state;
    runs_close(&store);
    asked_zones_close(&zones);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, opens_a_store_of_random_runs);
    SUITE_TEST(&suite, answers_are_what_the_slow_way_gives);
    SUITE_TEST(&suite, every_measure_alone_is_what_it_is_among_all);
    SUITE_TEST(&suite, a_total_is_the_sum_of_its_parts);
    SUITE_TEST(&suite, closes_the_store);
    return suite_run(&suite, "differential");
}
