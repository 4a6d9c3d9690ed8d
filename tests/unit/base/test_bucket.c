/* SPDX-License-Identifier: MIT */
#include "base/bucket.h"

#include "support/expect.h"

struct parse_row {
    const char *name;
    enum bucket bucket;
};

static const struct parse_row parse_rows[] = {
    {"none", BUCKET_NONE}, {"hour", BUCKET_HOUR},   {"day", BUCKET_DAY},
    {"week", BUCKET_WEEK}, {"month", BUCKET_MONTH}, {"quarter", BUCKET_QUARTER},
    {"year", BUCKET_YEAR},
};

static void bucket_names_go_both_ways(void **state)
{
    const struct parse_row *row = *state;
    enum bucket got = BUCKET_NONE;
    struct error err = {0};
    expect_int(bucket_parse(str_of(row->name), &got, &err), 0);
    expect_int(got, row->bucket);
    expect_text(bucket_name(row->bucket), row->name);
}

static void bucket_parse_names_the_choices(void **state)
{
    (void)state;
    enum bucket got = BUCKET_DAY;
    struct error err = {0};
    expect_int(bucket_parse(STR("DAY"), &got, &err), 0);
    expect_int(bucket_parse(STR("fortnight"), &got, &err), ERROR_USAGE);
    expect_text(err.text, "'fortnight' is not a calendar interval: write hour, day, week, "
                          "month, quarter, year or none");
    expect_int(bucket_parse(STR(""), &got, &err), ERROR_USAGE);
    expect_int(got, BUCKET_DAY);
}

struct floor_row {
    const char *name;
    enum bucket bucket;
    struct civil civil;
    int year, month, day; /* of the start, carried */
    int year_start;
};

static const struct floor_row floor_rows[] = {
    {"day", BUCKET_DAY, {2025, 3, 15, 13, 14, 15, 16}, 2025, 3, 15, 1},
    {"week from a Sunday", BUCKET_WEEK, {2025, 3, 2, 23, 0, 0, 0}, 2025, 2, 24, 1},
    {"week from a Monday", BUCKET_WEEK, {2025, 3, 3, 0, 0, 0, 0}, 2025, 3, 3, 1},
    {"week over new year", BUCKET_WEEK, {2025, 1, 1, 0, 0, 0, 0}, 2024, 12, 30, 1},
    {"month", BUCKET_MONTH, {2024, 2, 29, 1, 0, 0, 0}, 2024, 2, 1, 1},
    {"quarter 1", BUCKET_QUARTER, {2025, 3, 31, 0, 0, 0, 0}, 2025, 1, 1, 1},
    {"quarter 2", BUCKET_QUARTER, {2025, 4, 1, 0, 0, 0, 0}, 2025, 4, 1, 1},
    {"quarter 4", BUCKET_QUARTER, {2025, 12, 31, 0, 0, 0, 0}, 2025, 10, 1, 1},
    {"year", BUCKET_YEAR, {2025, 12, 31, 23, 59, 59, 999999}, 2025, 1, 1, 1},
    {"year from July, its first day", BUCKET_YEAR, {2025, 7, 1, 0, 0, 0, 0}, 2025, 7, 1, 7},
    {"year from July, its last", BUCKET_YEAR, {2025, 6, 30, 0, 0, 0, 0}, 2024, 7, 1, 7},
    {"year from December", BUCKET_YEAR, {2025, 1, 1, 0, 0, 0, 0}, 2024, 12, 1, 12},
    {"quarter from July", BUCKET_QUARTER, {2025, 6, 30, 0, 0, 0, 0}, 2025, 4, 1, 7},
    {"quarter from February", BUCKET_QUARTER, {2025, 1, 31, 0, 0, 0, 0}, 2024, 11, 1, 2},
    {"quarter from December", BUCKET_QUARTER, {2025, 2, 28, 0, 0, 0, 0}, 2024, 12, 1, 12},
    {"month, whatever the year", BUCKET_MONTH, {2025, 6, 30, 0, 0, 0, 0}, 2025, 6, 1, 7},
};

static void bucket_floor_is_a_midnight(void **state)
{
    const struct floor_row *row = *state;
    struct civil start = bucket_floor(row->civil, row->bucket, row->year_start);
    expect_int(civil_days(start.year, start.month, start.day),
               civil_days(row->year, row->month, row->day));
    expect_int(start.hour + start.minute + start.second + start.micro, 0);
}

struct step_row {
    const char *name;
    enum bucket bucket;
    int count;
    int year, month, day; /* from 2025-01-01 */
};

static const struct step_row step_rows[] = {
    {"days", BUCKET_DAY, 60, 2025, 3, 2},
    {"day back", BUCKET_DAY, -1, 2024, 12, 31},
    {"weeks", BUCKET_WEEK, 2, 2025, 1, 15},
    {"months", BUCKET_MONTH, 14, 2026, 3, 1},
    {"month back", BUCKET_MONTH, -1, 2024, 12, 1},
    {"quarter", BUCKET_QUARTER, 1, 2025, 4, 1},
    {"quarter back", BUCKET_QUARTER, -1, 2024, 10, 1},
    {"year", BUCKET_YEAR, 1, 2026, 1, 1},
};

static void bucket_step_moves(void **state)
{
    const struct step_row *row = *state;
    struct civil start = {.year = 2025, .month = 1, .day = 1};
    struct civil moved = bucket_step(start, row->bucket, row->count);
    expect_int(civil_days(moved.year, moved.month, moved.day),
               civil_days(row->year, row->month, row->day));
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, bucket_names_go_both_ways, parse_rows);
    SUITE_TEST(&suite, bucket_parse_names_the_choices);
    SUITE_ROWS(&suite, bucket_floor_is_a_midnight, floor_rows);
    SUITE_ROWS(&suite, bucket_step_moves, step_rows);
    return suite_run(&suite, "bucket");
}
