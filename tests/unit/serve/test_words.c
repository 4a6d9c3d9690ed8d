/* SPDX-License-Identifier: MIT */

/* Times, lengths of time, numbers and notes as sentences of pages have them. */

#include "serve/pages/words.h"

#include "base/limit.h"
#include "support/expect.h"

enum { WORDS_NOW_S = 1795100000 }; /* 2026-11-19T14:53:20Z */

#define NOW ((int64_t)WORDS_NOW_S * SECOND_US)

static struct zone *open_utc(void)
{
    struct zone *zone = NULL;
    struct error err;
    expect_int(zone_open("UTC", &zone, &err), 0);
    return zone;
}

static void a_moment_is_said_by_how_far_it_is(void **state)
{
    static const struct {
        int64_t before_s;
        const char *want;
    } rows[] = {
        {0, "today 14:53"},
        {14 * 3600, "today 00:53"},
        {15 * 3600, "yesterday 23:53"},
        {7 * 86400, "12 Nov, 14:53"},
        {365 * 86400, "19 Nov 2025, 14:53"},
        {-86400, "20 Nov, 14:53"},
    };
    struct zone *zone = open_utc();
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct buf text;
        buf_init(&text, LIMIT_ARGUMENT);
        words_instant(&text, zone, NOW - rows[i].before_s * SECOND_US, NOW);
        expect_text_n(text.ptr, text.len, rows[i].want);
        buf_release(&text);
    }
    zone_close(zone);
}

static void a_length_of_time_has_its_two_largest_units(void **state)
{
    static const struct {
        int64_t seconds;
        const char *want;
    } rows[] = {
        {0, "0 s"},          {42, "42 s"},          {60, "1 min"},          {119, "1 min"},
        {3600, "1 h"},       {9600, "2 h 40 min"},  {86399, "23 h 59 min"}, {86400, "1 d"},
        {446400, "5 d 4 h"}, {-9600, "2 h 40 min"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct buf text;
        buf_init(&text, LIMIT_ARGUMENT);
        words_span(&text, rows[i].seconds * SECOND_US);
        expect_text_n(text.ptr, text.len, rows[i].want);
        buf_release(&text);
    }
}

static void an_amount_has_the_digits_that_people_read(void **state)
{
    static const struct {
        double amount;
        const char *want;
    } rows[] = {
        {0, "0"},
        {2.1, "2.1"},
        {24, "24"},
        {999.6, "1,000"},
        {12345, "12,345"},
        {8123456, "8.12 M"},
        {-270459.07, "-270,459"},
        {0.004, "0.004"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct buf text;
        buf_init(&text, LIMIT_ARGUMENT);
        words_amount(&text, rows[i].amount);
        expect_text_n(text.ptr, text.len, rows[i].want);
        buf_release(&text);
    }
}

static void a_bin_of_sizes_is_said_in_words(void **state)
{
    static const struct {
        const char *bin, *want;
    } rows[] = {
        {"[0s, 10s)", "under 10 s"},
        {"[10s, 1m)", "10 s to 1 min"},
        {"7d and more", "7 d and more"},
        {"[256M, 1G)", "256 MiB to 1 GiB"},
        {"3-4", "3-4"},
        {"serial", "serial"},
        {"[, )", " to "},
        {"[)", "[)"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct buf text;
        buf_init(&text, LIMIT_ARGUMENT);
        words_bin(&text, str_of(rows[i].bin));
        expect_text_n(text.ptr, text.len, rows[i].want);
        buf_release(&text);
    }
}

static void a_note_says_nothing_that_only_a_terminal_can_do(void **state)
{
    static const struct {
        const char *note, *want;
    } rows[] = {
        {"---: the number of cpus is unknown for: alder; define it with: stint capacity add "
         "alder --cpus N",
         "the number of cpus is unknown for: alder"},
        {"as of 2026-11-19T14:39:47Z (UTC)", "as of today 14:39"},
        {"2026-10-18T00:00:00+00:00 to 2026-11-17T14:39:47+00:00", "18 Oct to 17 Nov, 14:39"},
        {"the first 8 rows; there may be more: raise --limit, or reverse the order with "
         "--reverse",
         "the first 8 rows"},
        {"there is no measure 'cpu_horus'; did you mean 'cpu_hours'? see them all with: stint "
         "measures",
         "there is no measure 'cpu_horus'; did you mean 'cpu_hours'?"},
        {"was never pulled: stint pull birch", "was never pulled"},
        {"all fields: stint job --all 9", "all fields"},
        {"define the rest with: stint capacity add cedar --cpus N", ""},
        {"waited 00:01:39 (median), 9 of 10 at most 4-03:43:38",
         "waited 1 min (median), 9 of 10 at most 4 d 3 h"},
        {"wait_median, wait_p90: 1 of 646 runs is not included (submit not recorded)",
         "Wait median, Wait p90: 1 of 646 runs is not included (submit not recorded)"},
        {"target plan: 20,000.0 cpu_hours a year", "target plan: 20,000.0 CPU hours a year"},
        {"there are data of alder from 2025-11-22, birch from 2026-01-02",
         "there are data of alder from 22 Nov 2025, birch from 2 Jan"},
        {"version 2026-11-22-b of no_measure", "version 2026-11-22-b of no_measure"},
        {"jobs of 2026-11: 12, 13 --- unknown", "jobs of 2026-11: 12, 13 --- unknown"},
        {"1,234:56:78 is no time", "1,234:56:78 is no time"},
        {"", ""},
    };
    struct zone *zone = open_utc();
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct buf text;
        buf_init(&text, LIMIT_ARGUMENT);
        words_note(&text, str_of(rows[i].note), zone, NOW);
        expect_text_n(text.ptr, text.len, rows[i].want);
        buf_release(&text);
    }
    zone_close(zone);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_moment_is_said_by_how_far_it_is);
    SUITE_TEST(&suite, a_length_of_time_has_its_two_largest_units);
    SUITE_TEST(&suite, an_amount_has_the_digits_that_people_read);
    SUITE_TEST(&suite, a_bin_of_sizes_is_said_in_words);
    SUITE_TEST(&suite, a_note_says_nothing_that_only_a_terminal_can_do);
    return suite_run(&suite, "words");
}
