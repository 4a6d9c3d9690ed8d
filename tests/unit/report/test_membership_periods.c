/* SPDX-License-Identifier: MIT */

/*
 * Metagroups: hours are counted where their user was at the time, and a total is the sum of its rows.
 *
 * Ann moves from chem to geo at the start of 2025-07-01 (UTC). Bob's group is in geo all the time; cy is
 * nowhere. Times are of June 30 and July 1.
 */

#include "report/sql/membership_periods.h"

#include "unit/report/ask.h"

static struct runs_store store;
static struct zone *utc;

#define HOURS(n) ((n)*HOUR_US)

static int64_t july; /* the instant of the move */

static struct str geo_levels[] = {{"science", 7}, {"geo", 3}};
static struct str chem_levels[] = {{"chem", 4}};
static struct membership members_rows[3];
static struct membership_list members = {.rows = members_rows, .count = 3};

static void set_members(void)
{
    members_rows[0] = (struct membership){MEMBERSHIP_USER, STR("ann"), STR("chem"), STR("chem"),
                                          chem_levels,     1,          0,           july};
    members_rows[1] =
        (struct membership){MEMBERSHIP_USER, STR("ann"), STR("geo"), STR("science"),
                            geo_levels,      2,          july,       INSTANT_MAX};
    members_rows[2] = (struct membership){
        MEMBERSHIP_GROUP, STR("rocks"), STR("geo"), STR("science"), geo_levels, 2, 0,
        INSTANT_MAX};
}

static void add(const char *user, const char *group, int64_t from, int64_t to, int64_t cpus,
                int64_t used)
{
    struct run run = {0};
    RUN_SET(&run, user, str_of(user));
    if (group) {
        RUN_SET(&run, group, str_of(group));
    }
    RUN_SET(&run, submit, july + from);
    RUN_SET(&run, start, july + from);
    RUN_SET(&run, end, july + to);
    RUN_SET(&run, cpus, cpus);
    RUN_SET(&run, cpu_used_us, used);
    RUN_SET(&run, class, STR("completed"));
    runs_add(&store, &run, 1);
}

static void opens(void **state)
{
    (void)state;
    utc = ask_zone("UTC");
    july = ask_instant(utc, "2025-07-01");
    runs_open(&store);
    set_members();
    add("ann", NULL, HOURS(-6), HOURS(2), 4, HOURS(16));     /* crosses the move: 6 h and 2 h */
    add("ann", "rocks", HOURS(3), HOURS(4), 1, HOURS(1));    /* user beats group */
    add("ann", "rocks", 0, 0, 1, 0);                         /* no time, at the very instant */
    add("bob", "rocks", HOURS(-12), HOURS(12), 2, HOURS(6)); /* 12 h on either day */
    add("cy", NULL, HOURS(-1), HOURS(1), 1, HOURS(2));
}

static struct question two_days(const char *measures_, const char *by)
{
    struct question question = {.zone = utc, .members = &members, .sort = by};
    question.period = ask_period(utc, "2025-06-30", "2025-07-01");
    question.now = question.period.to;
    question.ascending = true;
    ask_measures(&question, measures_);
    ask_by(&question, by);
    return question;
}

static void expect_row(const struct table *table, size_t row, const char *name, int64_t cpu,
                       int64_t used, int64_t jobs, int64_t active)
{
    struct str got = ask_text(table, table->columns[0].id, row);
    expect_text_n(got.ptr, got.len, name);
    expect_int(ask_number(table, "cpu_hours", row), HOURS(cpu));
    expect_int(ask_number(table, "cpu_used_hours", row), HOURS(used));
    expect_int(ask_number(table, "jobs", row), jobs);
    expect_int(ask_number(table, "jobs_active", row), active);
}

/*
 * chem: ann's 6 h x 4 = 24 cpu hours, 16 x 6/8 = 12 used; nothing ended there.
 * geo: ann's 2 x 4 + 1 = 9, bob's 24 x 2 = 48; used 4 + 1 + 6; ended: ann 3, bob 1.
 * nobody's: cy's 2, used 2.
 */
static void hours_are_split_at_the_day_of_the_move(void **state)
{
    (void)state;
    struct table table;
    struct question question =
        two_days("cpu_hours,cpu_used_hours,jobs,jobs_active", "metagroup");
    ask(store.facts, &question, &table);
    expect_int((int64_t)table.row_count, 3);
    expect_row(&table, 0, "chem", 24, 12, 0, 1);
    expect_row(&table, 1, "geo", 57, 11, 4, 4);
    expect_row(&table, 2, "---", 2, 2, 1, 1);
    table_release(&table);
    question = two_days("cpu_hours,cpu_used_hours,jobs,jobs_active", "metagroup_top");
    ask(store.facts, &question, &table);
    expect_row(&table, 1, "science", 57, 11, 4, 4);
    table_release(&table);
}

/* June 30: chem 24, geo bob's 24. July 1: geo ann's 9 and bob's 24. */
static void a_series_knows_where_they_were(void **state)
{
    (void)state;
    struct table table;
    struct question question =
        two_days("cpu_hours,cpu_used_hours,jobs,jobs_active,running_peak", "metagroup");
    question.bucket = BUCKET_DAY;
    ask_where(&question, "metagroup", "chem,geo");
    ask(store.facts, &question, &table);
    expect_int((int64_t)table.row_count, 3);
    expect_row(&table, 0, "chem", 24, 12, 0, 1);
    expect_row(&table, 1, "geo", 24, 3, 0, 1);
    expect_row(&table, 2, "geo", 33, 8, 4, 4);
    expect_int(ask_number(&table, "running_peak", 2), 2);
    table_release(&table);
}

static void without_members_nobody_is_in_any(void **state)
{
    (void)state;
    struct table table;
    struct question question =
        two_days("cpu_hours,cpu_used_hours,jobs,jobs_active", "metagroup");
    question.members = NULL;
    ask(store.facts, &question, &table);
    expect_int((int64_t)table.row_count, 1);
    expect_row(&table, 0, "---", 83, 25, 5, 5);
    table_release(&table);
}

/*
 * Ann leaves chem for geo an hour before July and is back an hour into it: her run of eight hours is in chem
 * for 5 and 1 of them, and is one run. Bob's is in geo all the time, ann's other two are in chem, cy's nowhere.
 */
static void a_run_that_left_and_came_back_is_one(void **state)
{
    (void)state;
    struct membership rows[] = {
        {MEMBERSHIP_USER, STR("ann"), STR("chem"), STR("chem"), chem_levels, 1, 0,
         july - HOURS(1)},
        {MEMBERSHIP_USER, STR("ann"), STR("geo"), STR("science"), geo_levels, 2,
         july - HOURS(1), july + HOURS(1)},
        {MEMBERSHIP_USER, STR("ann"), STR("chem"), STR("chem"), chem_levels, 1, july + HOURS(1),
         INSTANT_MAX},
        members_rows[2],
    };
    const struct membership_list again = {.rows = rows, .count = COUNT_OF(rows)};
    struct question question = two_days("jobs_active,wall_hours,jobs", "metagroup");
    question.members = &again;
    expect_answer(store.facts, &question, "chem 2 7h 2\ngeo 3 26h 2\n--- 1 2h 1\n");
    question.bucket = BUCKET_MONTH;
    expect_answer(store.facts, &question,
                  "chem 2025-06 1 5h 0\ngeo 2025-06 2 13h 0\n--- 2025-06 1 1h 0\n"
                  "chem 2025-07 2 2h 2\ngeo 2025-07 3 13h 2\n--- 2025-07 1 1h 1\n");
    question.bucket = BUCKET_NONE;
    question.dimension_count = 0;
    question.sort = NULL;
    ask_where(&question, "metagroup", "chem,geo"); /* in both, and one run */
    expect_answer(store.facts, &question, "4 33h 4\n");
}

static void closes(void **state)
{
    (void)state;
    runs_close(&store);
    zone_close(utc);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, opens);
    SUITE_TEST(&suite, hours_are_split_at_the_day_of_the_move);
    SUITE_TEST(&suite, a_series_knows_where_they_were);
    SUITE_TEST(&suite, without_members_nobody_is_in_any);
    SUITE_TEST(&suite, a_run_that_left_and_came_back_is_one);
    SUITE_TEST(&suite, closes);
    return suite_run(&suite, "moves");
}
