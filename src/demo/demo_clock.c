/* SPDX-License-Identifier: MIT */
#include "demo/demo_clock.h"

#include <stdlib.h>

#include "base/civil.h"
#include "base/mem.h"

/* A kind of life, in thousandths. Products of these are the activity of an hour. */
struct rhythm {
    uint16_t hour[24];
    uint16_t weekday[7]; /* from Monday */
    uint16_t holiday;
    uint16_t christmas;
    uint16_t month[12];
    uint16_t deadline; /* what the day before a deadline adds */
};

static const struct rhythm rhythms[DEMO_RHYTHM_COUNT] =
    {
        [DEMO_RHYTHM_OFFICE] =
            {
                .hour = {30,  15,  10,  10,  10,  20,  60,  220, 560, 860, 1000, 960,
                         640, 820, 980, 990, 950, 800, 480, 230, 150, 130, 100,  60},
                .weekday = {930, 1000, 1000, 980, 840, 130, 110},
                .holiday = 160,
                .christmas = 90,
                .month = {1000, 1000, 1000, 950, 1000, 980, 640, 560, 950, 1050, 1080, 850},
                .deadline = 700,
            },
        [DEMO_RHYTHM_NIGHT] =
            {
                .hour = {900, 780, 560, 300, 120, 60,  40,  40,  60,  90,  120, 180,
                         220, 260, 300, 320, 360, 420, 480, 560, 700, 850, 980, 1000},
                .weekday = {850, 900, 950, 1000, 800, 700, 900},
                .holiday = 700,
                .christmas = 350,
                .month = {1000, 1000, 1000, 1000, 1000, 1000, 850, 800, 1000, 1000, 1000, 900},
                .deadline = 900,
            },
        [DEMO_RHYTHM_MACHINE] =
            {
                .hour = {700, 1000, 950, 800, 500, 450, 450, 450, 450, 450, 450, 450,
                         450, 450,  450, 450, 450, 450, 450, 450, 450, 450, 500, 550},
                .weekday = {1000, 1000, 1000, 1000, 1000, 850, 900},
                .holiday = 900,
                .christmas = 850,
                .month = {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000,
                          1000},
                .deadline = 0,
            },
        [DEMO_RHYTHM_STUDENT] =
            {
                .hour = {350, 200, 90,  40,  20,  10,  10,  40,  150, 420, 600, 650,
                         500, 700, 900, 900, 850, 750, 650, 700, 850, 950, 850, 600},
                .weekday = {900, 950, 1000, 950, 700, 350, 600},
                .holiday = 200,
                .christmas = 60,
                .month = {1000, 600, 200, 800, 1000, 1000, 700, 100, 150, 800, 1000, 800},
                .deadline = 2500,
            },
};

/* Days before which everybody is in a hurry: two conferences and the ends of two terms. */
static const struct {
    int month, day;
} deadlines[] = {{1, 28}, {5, 15}, {6, 30}, {11, 15}};

enum { DEADLINE_DAYS = 12 };

static const struct {
    int month, day;
} holidays[] = {{1, 1}, {1, 6}, {5, 1}, {8, 15}, {10, 3}, {11, 1}};

static const int holidays_after_easter[] = {-2, 0, 1, 39, 50}; /* Good Friday to Whit Monday */

/* Easter Sunday in days since 1970 (the anonymous Gregorian algorithm, Meeus 1991). */
static int64_t easter(int year)
{
    int a = year % 19;
    int b = year / 100;
    int c = year % 100;
    int d = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    int e = (32 + 2 * (b % 4) + 2 * (c / 4) - d - c % 4) % 7;
    int f = d + e - 7 * ((a + 11 * d + 22 * e) / 451) + 114;
    return civil_days(year, f / 31, f % 31 + 1);
}

static bool is_holiday(struct civil date, int64_t day)
{
    for (size_t i = 0; i < sizeof(holidays) / sizeof(holidays[0]); i++) {
        if (holidays[i].month == date.month && holidays[i].day == date.day) {
            return true;
        }
    }
    int64_t sunday = easter(date.year);
    for (size_t i = 0; i < sizeof(holidays_after_easter) / sizeof(int); i++) {
        if (day == sunday + holidays_after_easter[i]) {
            return true;
        }
    }
    return false;
}

static bool is_christmas(struct civil date)
{
    return (date.month == 12 && date.day >= 23) || (date.month == 1 && date.day == 1);
}

/* 0 far from a deadline, rising to DEADLINE_DAYS on its day. */
static int hurry(struct civil date, int64_t day)
{
    int most = 0;
    for (size_t i = 0; i < sizeof(deadlines) / sizeof(deadlines[0]); i++) {
        int64_t left = civil_days(date.year, deadlines[i].month, deadlines[i].day) - day;
        if (left >= 0 && left < DEADLINE_DAYS && DEADLINE_DAYS - (int)left > most) {
            most = DEADLINE_DAYS - (int)left;
        }
    }
    return most;
}

/* The second Tuesdays of March and September, from seven to five. */
static bool is_maintenance(struct civil date, int weekday, int hour)
{
    return (date.month == 3 || date.month == 9) && weekday == 1 && date.day > 7 &&
           date.day <= 14 && hour >= 7 && hour < 17;
}

struct demo_hour demo_clock_hour(int64_t local_s)
{
    int64_t day = local_s / 86400;
    int hour = (int)(local_s % 86400 / DEMO_HOUR_S);
    struct civil date = civil_of_days(day);
    int weekday = civil_weekday(date);
    bool christmas = is_christmas(date);
    bool holiday = !christmas && is_holiday(date, day);
    int rush = hurry(date, day);
    struct demo_hour result = {.closed = is_maintenance(date, weekday, hour)};
    for (int i = 0; i < DEMO_RHYTHM_COUNT; i++) {
        const struct rhythm *rhythm = &rhythms[i];
        uint32_t value = rhythm->hour[hour];
        value = value * rhythm->month[date.month - 1] / 1000;
        if (christmas) {
            value = value * rhythm->christmas / 1000;
        } else if (holiday) {
            value = value * rhythm->holiday / 1000;
        } else {
            value = value * rhythm->weekday[weekday] / 1000;
            value += value * rhythm->deadline * (uint32_t)rush / (1000 * DEADLINE_DAYS);
        }
        result.activity[i] = (uint16_t)(value < DEMO_ACTIVITY_MAX ? value : DEMO_ACTIVITY_MAX);
    }
    return result;
}

void demo_clock_init(struct demo_clock *clock, struct period period, const struct zone *zone)
{
    clock->from_s = period.from / SECOND_US;
    clock->to_s = period.to / SECOND_US;
    clock->count = (size_t)((clock->to_s - clock->from_s + DEMO_HOUR_S - 1) / DEMO_HOUR_S);
    clock->hours = mem_alloc(clock->count, sizeof(*clock->hours));
    for (size_t i = 0; i < clock->count; i++) {
        int64_t middle_s = clock->from_s + (int64_t)i * DEMO_HOUR_S + DEMO_HOUR_S / 2;
        int64_t offset_s = zone ? zone_offset(zone, middle_s * SECOND_US) : 0;
        clock->hours[i] = demo_clock_hour(middle_s + offset_s);
    }
}

void demo_clock_release(struct demo_clock *clock)
{
    free(clock->hours);
    *clock = (struct demo_clock){0};
}
