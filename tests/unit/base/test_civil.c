/* SPDX-License-Identifier: MIT */
#include "base/civil.h"

#include <stdio.h>
#include <time.h>

#include "support/expect.h"

static void civil_days_and_back_agree_with_libc(void **state)
{
    (void)state;
    for (int64_t day = -800000; day <= 800000; day += 13) {
        time_t moment = (time_t)(day * 86400);
        struct tm want;
        gmtime_r(&moment, &want);
        struct civil civil = civil_of_days(day);
        expect_int(civil.year, want.tm_year + 1900);
        expect_int(civil.month, want.tm_mon + 1);
        expect_int(civil.day, want.tm_mday);
        expect_int(civil_weekday(civil), (want.tm_wday + 6) % 7);
        expect_int(civil_days(civil.year, civil.month, civil.day), day);
    }
}

struct carry_row {
    const char *name;
    int year, month, day;
    int same_year, same_month, same_day;
};

static const struct carry_row carry_rows[] = {
    {"month 13", 2024, 13, 1, 2025, 1, 1},    {"month 0", 2025, 0, 1, 2024, 12, 1},
    {"month -11", 2025, -11, 1, 2024, 1, 1},  {"month 25", 2025, 25, 1, 2027, 1, 1},
    {"day 0", 2025, 3, 0, 2025, 2, 28},       {"day 0 after leap day", 2024, 3, 0, 2024, 2, 29},
    {"day 32", 2025, 1, 32, 2025, 2, 1},      {"day 366", 2025, 1, 366, 2026, 1, 1},
    {"day -30", 2025, 1, -30, 2024, 12, 1},   {"1900 is no leap year", 1900, 2, 29, 1900, 3, 1},
    {"2000 is one", 2000, 2, 30, 2000, 3, 1}, {"2100 is none", 2100, 2, 29, 2100, 3, 1},
};

static void civil_days_carries(void **state)
{
    const struct carry_row *row = *state;
    expect_int(civil_days(row->year, row->month, row->day),
               civil_days(row->same_year, row->same_month, row->same_day));
}

static void civil_month_days_of_all_months(void **state)
{
    (void)state;
    static const int want[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (int month = 1; month <= 12; month++) {
        expect_int(civil_month_days(2025, month), want[month - 1]);
    }
    expect_int(civil_month_days(2024, 2), 29);
    expect_int(civil_month_days(2000, 2), 29);
    expect_int(civil_month_days(2100, 2), 28);
}

/* The C library is not asked in the sources; here it is the witness. */
static size_t (*const libc_print)(char *, size_t, const char *, const struct tm *) = strftime;

/* Its %G and %V are the ISO year and week. */
static void civil_iso_week_agrees_with_libc(void **state)
{
    (void)state;
    for (int64_t day = 0; day < 60000; day++) {
        time_t moment = (time_t)(day * 86400);
        struct tm tm;
        gmtime_r(&moment, &tm);
        char text[16];
        libc_print(text, sizeof(text), "%G-W%V", &tm);
        int year = 0;
        int week = 0;
        civil_iso_week(civil_of_days(day), &year, &week);
        char got[32];
        snprintf(got, sizeof(got), "%d-W%02d", year, week);
        expect_text(got, text);
    }
}

struct valid_row {
    const char *name;
    struct civil civil;
    bool valid;
};

static const struct valid_row valid_rows[] = {
    {"the first instant", {1970, 1, 1, 0, 0, 0, 0}, true},
    {"the last second", {2260, 12, 31, 23, 59, 59, 0}, true},
    {"a leap second", {2016, 12, 31, 23, 59, 60, 0}, true},
    {"a leap day", {2024, 2, 29, 0, 0, 0, 0}, true},
    {"a leap day that there is not", {2025, 2, 29, 0, 0, 0, 0}, false},
    {"too early", {1969, 12, 31, 23, 59, 59, 0}, false},
    {"too late", {2261, 1, 1, 0, 0, 0, 0}, false},
    {"month 0", {2025, 0, 1, 0, 0, 0, 0}, false},
    {"month 13", {2025, 13, 1, 0, 0, 0, 0}, false},
    {"day 0", {2025, 1, 0, 0, 0, 0, 0}, false},
    {"hour 24", {2025, 1, 1, 24, 0, 0, 0}, false},
    {"minute 60", {2025, 1, 1, 0, 60, 0, 0}, false},
    {"second 61", {2025, 1, 1, 0, 0, 61, 0}, false},
};

static void civil_is_valid_for_records(void **state)
{
    const struct valid_row *row = *state;
    expect_int(civil_is_valid(row->civil), row->valid);
}

static void months_have_names(void **state)
{
    (void)state;
    expect_int(civil_month_of(STR("Jan")), 1);
    expect_int(civil_month_of(STR("dec")), 12);
    expect_int(civil_month_of(STR("anF")), 0);
    expect_int(civil_month_of(STR("June")), 0);
    expect_int(civil_month_of(STR("")), 0);
}

struct micro_row {
    const char *name; /* also the text */
    bool there;
    int micro;
    const char *rest;
};

static const struct micro_row micro_rows[] = {
    {"5Z", true, 500000, "Z"}, {"000001", true, 1, ""}, {"123456999+01", true, 123456, "+01"},
    {"", false, 0, ""},        {"Z", false, 0, "Z"},
};

static void decimals_of_a_second_are_taken(void **state)
{
    const struct micro_row *row = *state;
    struct str rest = str_of(row->name);
    int micro = -1;
    expect_int(civil_take_micro(&rest, &micro), row->there);
    expect_int(micro, row->micro);
    expect_text_n(rest.ptr, rest.len, row->rest);
}

static const struct offset_row {
    const char *name; /* the text */
    bool there;
    int east_s;
    const char *rest;
} offset_rows[] = {
    {"Z", true, 0, ""},
    {"z and more", true, 0, " and more"},
    {"+00:00", true, 0, ""},
    {"-0000", true, 0, ""},
    {"+01", true, 3600, ""},
    {"-08", true, -28800, ""},
    {"+05:30", true, 19800, ""},
    {"+0530", true, 19800, ""},
    {"-03:30", true, -12600, ""},
    {"-0330]", true, -12600, "]"},
    {"+14:00", true, 50400, ""},
    {"-12:00", true, -43200, ""},
    {"+23:59", true, 86340, ""},
    {"-23:59", true, -86340, ""},
    {"+01 CET", true, 3600, " CET"},
    {"+24:00", false, 0, "+24:00"},
    {"+25:00", false, 0, "+25:00"},
    {"+05:60", false, 0, "+05:60"},
    {"+05:3", false, 0, "+05:3"},
    {"+05:", false, 0, "+05:"},
    {"+530", false, 0, "+530"},
    {"+5:30", false, 0, "+5:30"},
    {"-8", false, 0, "-8"},
    {"+05300", false, 0, "+05300"},
    {"+", false, 0, "+"},
    {"+-1", false, 0, "+-1"},
    {"0100", false, 0, "0100"},
    {" Z", false, 0, " Z"},
    {"", false, 0, ""},
};

static void offsets_from_utc_are_taken(void **state)
{
    const struct offset_row *row = *state;
    struct str rest = str_of(row->name);
    int east_s = 0;
    expect_int(civil_take_offset(&rest, &east_s), row->there);
    expect_int(east_s, row->east_s);
    expect_text_n(rest.ptr, rest.len, row->rest);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, civil_days_and_back_agree_with_libc);
    SUITE_ROWS(&suite, civil_days_carries, carry_rows);
    SUITE_TEST(&suite, civil_month_days_of_all_months);
    SUITE_TEST(&suite, civil_iso_week_agrees_with_libc);
    SUITE_ROWS(&suite, civil_is_valid_for_records, valid_rows);
    SUITE_TEST(&suite, months_have_names);
    SUITE_ROWS(&suite, decimals_of_a_second_are_taken, micro_rows);
    SUITE_ROWS(&suite, offsets_from_utc_are_taken, offset_rows);
    return suite_run(&suite, "civil");
}
