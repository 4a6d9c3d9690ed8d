/* SPDX-License-Identifier: MIT */
#include "demo/demo_clock.h"

#include "base/civil.h"
#include "support/expect.h"

static int64_t local(int year, int month, int day, int hour)
{
    return civil_days(year, month, day) * 86400 + hour * INT64_C(3600);
}

static unsigned activity(int64_t local_s, enum demo_rhythm rhythm)
{
    return demo_clock_hour(local_s).activity[rhythm];
}

struct quieter_row {
    const char *name;
    enum demo_rhythm rhythm;
    int quiet[4], busy[4]; /* year, month, day, hour */
};

static const struct quieter_row quieter_rows[] = {
    {"night is quiet in the office", DEMO_RHYTHM_OFFICE, {2025, 3, 4, 3}, {2025, 3, 4, 10}},
    {"noon is lunch", DEMO_RHYTHM_OFFICE, {2025, 3, 4, 12}, {2025, 3, 4, 11}},
    {"Sunday", DEMO_RHYTHM_OFFICE, {2025, 3, 9, 10}, {2025, 3, 6, 10}},
    {"Christmas Day, a Thursday", DEMO_RHYTHM_OFFICE, {2025, 12, 25, 10}, {2025, 12, 11, 10}},
    {"Good Friday", DEMO_RHYTHM_OFFICE, {2025, 4, 18, 10}, {2025, 4, 11, 10}},
    {"Easter Monday of 2024", DEMO_RHYTHM_OFFICE, {2024, 4, 1, 10}, {2024, 4, 8, 10}},
    {"Ascension Day", DEMO_RHYTHM_OFFICE, {2025, 5, 29, 10}, {2025, 5, 22, 10}},
    {"May Day", DEMO_RHYTHM_OFFICE, {2025, 5, 1, 10}, {2025, 4, 24, 10}},
    {"August", DEMO_RHYTHM_OFFICE, {2025, 8, 12, 10}, {2025, 10, 14, 10}},
    {"weeks after a deadline", DEMO_RHYTHM_OFFICE, {2025, 11, 20, 10}, {2025, 11, 13, 10}},
    {"morning of the night owl", DEMO_RHYTHM_NIGHT, {2025, 3, 4, 8}, {2025, 3, 4, 23}},
    {"students in March", DEMO_RHYTHM_STUDENT, {2025, 3, 4, 15}, {2025, 5, 6, 15}},
    {"pipelines by day", DEMO_RHYTHM_MACHINE, {2025, 3, 4, 12}, {2025, 3, 4, 1}},
};

static void is_quieter(void **state)
{
    const struct quieter_row *row = *state;
    const int *q = row->quiet;
    const int *b = row->busy;
    unsigned quiet = activity(local(q[0], q[1], q[2], q[3]), row->rhythm);
    unsigned busy = activity(local(b[0], b[1], b[2], b[3]), row->rhythm);
    if (quiet >= busy) {
        expect_fail("%u is not quieter than %u", quiet, busy);
    }
}

static void machines_are_closed_on_a_second_tuesday(void **state)
{
    (void)state;
    expect_true(demo_clock_hour(local(2025, 3, 11, 8)).closed);
    expect_false(demo_clock_hour(local(2025, 3, 11, 18)).closed);
    expect_false(demo_clock_hour(local(2025, 3, 4, 8)).closed);
    expect_false(demo_clock_hour(local(2025, 3, 12, 8)).closed);
    expect_true(demo_clock_hour(local(2025, 9, 9, 16)).closed);
}

static void no_hour_exceeds_the_maximum(void **state)
{
    (void)state;
    for (int64_t at = local(2024, 1, 1, 0); at < local(2026, 1, 1, 0); at += 3600) {
        struct demo_hour hour = demo_clock_hour(at);
        for (int i = 0; i < DEMO_RHYTHM_COUNT; i++) {
            expect_true(hour.activity[i] <= DEMO_ACTIVITY_MAX);
        }
    }
}

static void hours_cover_the_period_and_a_part_of_one(void **state)
{
    (void)state;
    int64_t from = local(2025, 3, 3, 9) * SECOND_US;
    struct demo_clock clock;
    demo_clock_init(&clock, (struct period){from, from + 5 * HOUR_US / 2}, NULL);
    expect_int((int64_t)clock.count, 3);
    expect_int(clock.to_s - clock.from_s, 9000);
    expect_int(clock.hours[1].activity[DEMO_RHYTHM_OFFICE],
               activity(local(2025, 3, 3, 10), DEMO_RHYTHM_OFFICE));
    demo_clock_release(&clock);
}

static void people_live_by_the_zone(void **state)
{
    (void)state;
    struct zone *zone = NULL;
    struct error err;
    expect_int(zone_open("Europe/Berlin", &zone, &err), 0);
    int64_t winter = local(2025, 2, 4, 8) * SECOND_US; /* 9 there */
    int64_t summer = local(2025, 6, 3, 8) * SECOND_US; /* 10 there */
    struct demo_clock clock;
    demo_clock_init(&clock, (struct period){winter, winter + HOUR_US}, zone);
    expect_int(clock.hours[0].activity[DEMO_RHYTHM_OFFICE],
               activity(local(2025, 2, 4, 9), DEMO_RHYTHM_OFFICE));
    demo_clock_release(&clock);
    demo_clock_init(&clock, (struct period){summer, summer + HOUR_US}, zone);
    expect_int(clock.hours[0].activity[DEMO_RHYTHM_OFFICE],
               activity(local(2025, 6, 3, 10), DEMO_RHYTHM_OFFICE));
    demo_clock_release(&clock);
    zone_close(zone);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, is_quieter, quieter_rows);
    SUITE_TEST(&suite, machines_are_closed_on_a_second_tuesday);
    SUITE_TEST(&suite, no_hour_exceeds_the_maximum);
    SUITE_TEST(&suite, hours_cover_the_period_and_a_part_of_one);
    SUITE_TEST(&suite, people_live_by_the_zone);
    return suite_run(&suite, "demo_clock");
}
