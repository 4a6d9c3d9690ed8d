/* SPDX-License-Identifier: MIT */
#include "base/calendar.h"

#include <string.h>

#include "base/scan.h"

/*
 * A text is tried as a word, as seconds since 1970, as a length of time back from now, and then
 * as a date, from the year rightwards for as long as it continues. calendar_edges.c has the
 * buckets.
 */

enum {
    DEFAULT_DAYS = 30,
    BACK_MAX = 100000000, /* minutes, or whatever the letter says: centuries */
    SHOWN_MAX = 60,       /* bytes of a text we repeat in an error */
};

/* What kind of text named a span, where calendar_period makes a difference. */
enum form {
    FORM_MOMENT, /* an instant, 7d */
    FORM_DAY,    /* 2025-03-01, today, yesterday */
    FORM_SPAN,   /* 2025, 2025-Q3, last-month */
};

struct named_span {
    enum form form;
    struct period period;
};

struct reader {
    struct str text; /* all of it, for errors */
    const struct zone *zone;
    int64_t now;
    struct error *err;
};

static struct str shown(struct str text)
{
    return (struct str){text.ptr, text.len < SHOWN_MAX ? text.len : SHOWN_MAX};
}

static int unreadable(const struct reader *reader)
{
    return error_set(
        reader->err, ERROR_USAGE,
        "cannot read period '%.*s': write a date like 2025-03-01, a month 2025-03, "
        "7d, or last-month",
        STR_ARG(shown(reader->text)));
}

/*
 * Fills in the span of the bucket that starts at a date; returns 0 as the last step of readers.
 */
static int name_bucket(const struct reader *reader, struct civil start, enum bucket bucket,
                       struct named_span *out)
{
    *out = (struct named_span){
        .form = bucket == BUCKET_DAY ? FORM_DAY : FORM_SPAN,
        .period = {zone_instant(reader->zone, start),
                   zone_instant(reader->zone, bucket_step(start, bucket, 1))},
    };
    return 0;
}

static int name_moment(const struct reader *reader, int64_t instant, struct named_span *out)
{
    if (instant < -DAY_US || instant > INSTANT_MAX) {
        return error_set(reader->err, ERROR_USAGE,
                         "cannot read period '%.*s': it is not in the years %d to %d",
                         STR_ARG(shown(reader->text)), CIVIL_FIRST_YEAR, CIVIL_LAST_YEAR);
    }
    *out = (struct named_span){FORM_MOMENT, {instant, instant}};
    return 0;
}

/* Takes one byte, a letter in either case. */
static bool take_byte(struct str *text, char byte)
{
    if (text->len == 0 || !str_eq_nocase((struct str){text->ptr, 1}, (struct str){&byte, 1})) {
        return false;
    }
    text->ptr++;
    text->len--;
    return true;
}

/* The Monday of an ISO week. */
static struct civil week_start(int year, int week)
{
    struct civil start = {.year = year, .month = 1, .day = 4}; /* always in week 1 */
    start.day += 7 * (week - 1) - civil_weekday(start);
    return start;
}

static int read_week(const struct reader *reader, struct str rest, int year,
                     struct named_span *out)
{
    int week = 0;
    if (!str_take_digits(&rest, 2, &week) || rest.len > 0) {
        return unreadable(reader);
    }
    int week_year = 0;
    int last = 0; /* 28 December is always in a year's last week */
    civil_iso_week((struct civil){.year = year, .month = 12, .day = 28}, &week_year, &last);
    if (week < 1 || week > last) {
        return error_set(reader->err, ERROR_USAGE,
                         "cannot read period '%.*s': the weeks of %d are W01 to W%d",
                         STR_ARG(shown(reader->text)), year, last);
    }
    return name_bucket(reader, week_start(year, week), BUCKET_WEEK, out);
}

/* HH:MM[:SS[.f]] into the civil time. */
static bool take_clock(struct str *text, struct civil *civil)
{
    if (!str_take_digits(text, 2, &civil->hour) || !take_byte(text, ':') ||
        !str_take_digits(text, 2, &civil->minute)) {
        return false;
    }
    if (take_byte(text, ':')) {
        if (!str_take_digits(text, 2, &civil->second)) {
            return false;
        }
        if (take_byte(text, '.') && !civil_take_micro(text, &civil->micro)) {
            return false;
        }
    }
    return civil->hour < 24 && civil->minute < 60 && civil->second < 60;
}

/* The time of day after a date, with the zone's own offset or one that is given. */
static int read_clock(const struct reader *reader, struct str rest, struct civil civil,
                      struct named_span *out)
{
    int east_s = 0;
    if (!take_clock(&rest, &civil)) {
        return unreadable(reader);
    }
    if (rest.len == 0) {
        return name_moment(reader, zone_instant(reader->zone, civil), out);
    }
    if (!civil_take_offset(&rest, &east_s) || rest.len > 0) {
        return unreadable(reader);
    }
    return name_moment(reader, zone_instant(NULL, civil) - east_s * SECOND_US, out);
}

/* From the month on: MM, MM-DD, MM-DDThh:mm... */
static int read_month(const struct reader *reader, struct str rest, int year,
                      struct named_span *out)
{
    struct civil civil = {.year = year, .day = 1};
    if (!str_take_digits(&rest, 2, &civil.month)) {
        return unreadable(reader);
    }
    if (civil.month < 1 || civil.month > 12) {
        return error_set(reader->err, ERROR_USAGE,
                         "cannot read period '%.*s': months are 01 to 12",
                         STR_ARG(shown(reader->text)));
    }
    if (rest.len == 0) {
        return name_bucket(reader, civil, BUCKET_MONTH, out);
    }
    if (!take_byte(&rest, '-') || !str_take_digits(&rest, 2, &civil.day)) {
        return unreadable(reader);
    }
    int days = civil_month_days(year, civil.month);
    if (civil.day < 1 || civil.day > days) {
        return error_set(reader->err, ERROR_USAGE,
                         "cannot read period '%.*s': the days of %04d-%02d are 01 to %d",
                         STR_ARG(shown(reader->text)), year, civil.month, days);
    }
    if (rest.len == 0) {
        return name_bucket(reader, civil, BUCKET_DAY, out);
    }
    if (!take_byte(&rest, 'T') && !take_byte(&rest, ' ')) {
        return unreadable(reader);
    }
    return read_clock(reader, rest, civil, out);
}

/*
 * The first month of a quarter (1 to 4) of a year. Where years do not begin in January, one is
 * named after the year it ends in: with July, 2025 begins in July 2024.
 */
static struct civil quarter_start(const struct reader *reader, int year, int quarter)
{
    const int start = zone_year_start(reader->zone);
    return (struct civil){
        .year = start > 1 ? year - 1 : year, .month = start + 3 * (quarter - 1), .day = 1};
}

/* From the Q on. */
static int read_quarter(const struct reader *reader, struct str rest, int year,
                        struct named_span *out)
{
    int quarter = 0;
    if (!str_take_digits(&rest, 1, &quarter) || rest.len > 0) {
        return unreadable(reader);
    }
    if (quarter < 1 || quarter > 4) {
        return error_set(reader->err, ERROR_USAGE,
                         "cannot read period '%.*s': quarters are Q1 to Q4",
                         STR_ARG(shown(reader->text)));
    }
    return name_bucket(reader, quarter_start(reader, year, quarter), BUCKET_QUARTER, out);
}

/* Four digits, or of a fiscal year the last two of this century. */
static bool take_year(struct str *rest, bool fiscal, int *year)
{
    if (str_take_digits(rest, 4, year)) {
        return true;
    }
    const bool taken = fiscal && str_take_digits(rest, 2, year);
    *year += taken ? 2000 : 0;
    return taken;
}

/*
 * Everything that begins with four digits, or FY and four or two: a year or a quarter, as
 * labels have it.
 */
static int read_date(const struct reader *reader, struct named_span *out)
{
    struct str rest = reader->text;
    int year = 0;
    const bool fiscal = rest.len >= 2 && str_eq_nocase((struct str){rest.ptr, 2}, STR("FY"));
    rest = fiscal ? (struct str){rest.ptr + 2, rest.len - 2} : rest;
    const int first = CIVIL_FIRST_YEAR + (zone_year_start(reader->zone) > 1);
    if (!take_year(&rest, fiscal, &year) || (rest.len > 0 && !take_byte(&rest, '-'))) {
        return unreadable(reader);
    }
    if (fiscal && zone_fiscal_month(reader->zone) == 0) {
        return error_set(reader->err, ERROR_USAGE,
                         "cannot read period '%.*s': the first month of the fiscal year is not "
                         "configured; set --year-starts MONTH, or year_starts = MONTH in "
                         "[site] of stint.conf; the calendar year is '%d'",
                         STR_ARG(shown(reader->text)), year);
    }
    if (year < first || year > CIVIL_LAST_YEAR) {
        return error_set(reader->err, ERROR_USAGE,
                         "cannot read period '%.*s': years are %d to %d",
                         STR_ARG(shown(reader->text)), first, CIVIL_LAST_YEAR);
    }
    if (rest.len == 0 && reader->text.ptr[reader->text.len - 1] != '-') {
        return name_bucket(reader, quarter_start(reader, year, 1), BUCKET_YEAR, out);
    }
    if (take_byte(&rest, 'Q')) {
        return read_quarter(reader, rest, year, out);
    }
    if (fiscal) {
        return unreadable(reader);
    }
    if (take_byte(&rest, 'W')) {
        return read_week(reader, rest, year, out);
    }
    return read_month(reader, rest, year, out);
}

struct word {
    const char *text;
    enum bucket bucket;
    int step; /* buckets from the present one */
};

static const struct word words[] = {
    {"today", BUCKET_DAY, 0},
    {"yesterday", BUCKET_DAY, -1},
    {"this-week", BUCKET_WEEK, 0},
    {"last-week", BUCKET_WEEK, -1},
    {"this-month", BUCKET_MONTH, 0},
    {"last-month", BUCKET_MONTH, -1},
    {"this-quarter", BUCKET_QUARTER, 0},
    {"last-quarter", BUCKET_QUARTER, -1},
    {"this-year", BUCKET_YEAR, 0},
    {"last-year", BUCKET_YEAR, -1},
};

static const struct word *find_word(struct str text)
{
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (str_eq_nocase(text, str_of(words[i].text))) {
            return &words[i];
        }
    }
    return NULL;
}

/* 90m, 6h, 7d, 4w; false if the text has another form. */
static bool is_back(struct str text, int64_t *count, char *unit)
{
    if (text.len < 2 || text.ptr[0] < '0' || text.ptr[0] > '9') {
        return false;
    }
    *unit = (char)(text.ptr[text.len - 1] | 0x20);
    bool known = *unit == 'm' || *unit == 'h' || *unit == 'd' || *unit == 'w';
    return known && scan_int((struct str){text.ptr, text.len - 1}, count);
}

static int read_back(const struct reader *reader, int64_t count, char unit,
                     struct named_span *out)
{
    int64_t instant = -DAY_US - 1; /* far enough for name_moment to refuse it */
    if (count <= BACK_MAX && (unit == 'm' || unit == 'h')) {
        instant = reader->now - count * (unit == 'm' ? 60 * SECOND_US : HOUR_US);
    } else if (count <= BACK_MAX) {
        struct civil day = bucket_floor(zone_civil(reader->zone, reader->now), BUCKET_DAY, 1);
        day.day -= (int)count * (unit == 'w' ? 7 : 1);
        instant = zone_instant(reader->zone, day);
    }
    return name_moment(reader, instant, out);
}

/* The bytes before the first that is no digit, as a number. */
static bool take_number(struct str *text, int64_t *out)
{
    size_t len = 0;
    while (len < text->len && text->ptr[len] >= '0' && text->ptr[len] <= '9') {
        len++;
    }
    const bool taken = scan_int((struct str){text->ptr, len}, out);
    *text = (struct str){text->ptr + len, text->len - len};
    return taken;
}

/* now-7days, as Slurm takes it: without a unit, seconds. False: it has another form. */
static bool is_before_now(struct str text, int64_t now, int64_t *instant)
{
    static const struct {
        const char *name;
        int64_t length;
    } units[] = {{"seconds", SECOND_US},
                 {"minutes", 60 * SECOND_US},
                 {"hours", HOUR_US},
                 {"days", DAY_US},
                 {"weeks", 7 * DAY_US}};

    int64_t count = 0;
    if (!str_starts(text, STR("now-"))) {
        return false;
    }
    text = (struct str){text.ptr + 4, text.len - 4};
    if (!take_number(&text, &count) || count > BACK_MAX) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        const struct str name = {units[i].name, text.len};
        if (text.len <= strlen(units[i].name) && str_eq_nocase(text, name)) {
            *instant = now - count * units[i].length;
            return true;
        }
    }
    return false;
}

/* The number of a month that is named, in full or by three letters; 0: it has another form. */
static int named_month(struct str text)
{
    static const char *const names[] = {"january",   "february", "march",    "april",
                                        "may",       "june",     "july",     "august",
                                        "september", "october",  "november", "december"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (str_eq_nocase(text, str_of(names[i])) ||
            str_eq_nocase(text, (struct str){names[i], 3})) {
            return (int)i + 1;
        }
    }
    return 0;
}

/* The last one that has begun. */
static int read_named_month(const struct reader *reader, int month, struct named_span *out)
{
    const struct civil today = zone_civil(reader->zone, reader->now);
    const struct civil start = {
        .year = month > today.month ? today.year - 1 : today.year, .month = month, .day = 1};
    return name_bucket(reader, start, BUCKET_MONTH, out);
}

static int read_span(struct str text, const struct zone *zone, int64_t now,
                     struct named_span *out, struct error *err)
{
    const struct reader reader = {str_trim(text), zone, now, err};
    int64_t number = 0;
    char unit = 0;
    if (str_eq_nocase(reader.text, STR("now"))) {
        return name_moment(&reader, now, out);
    }
    const struct word *word = find_word(reader.text);
    if (word) {
        struct civil start =
            bucket_floor(zone_civil(zone, now), word->bucket, zone_year_start(zone));
        return name_bucket(&reader, bucket_step(start, word->bucket, word->step), word->bucket,
                           out);
    }
    if (str_starts(reader.text, STR("@"))) {
        struct str digits = {reader.text.ptr + 1, reader.text.len - 1};
        return scan_decimal(digits, 6, &number) ? name_moment(&reader, number, out)
                                                : unreadable(&reader);
    }
    if (is_before_now(reader.text, now, &number)) {
        return name_moment(&reader, number, out);
    }
    if (named_month(reader.text) > 0) {
        return read_named_month(&reader, named_month(reader.text), out);
    }
    if (is_back(reader.text, &number, &unit)) {
        return read_back(&reader, number, unit, out);
    }
    return read_date(&reader, out);
}

int calendar_span(struct str text, const struct zone *zone, int64_t now, struct period *out,
                  struct error *err)
{
    struct named_span span;
    int rc = read_span(text, zone, now, &span, err);
    if (rc == 0) {
        *out = span.period;
    }
    return rc;
}

/* Says how to mend a period that ends before it has begun. */
static int empty_period(struct str from, struct str to, struct period period,
                        const struct zone *zone, struct error *err)
{
    char start[INSTANT_TEXT_MAX];
    char end[INSTANT_TEXT_MAX];
    zone_print(zone, period.from, start);
    zone_print(zone, period.to, end);
    if (to.len == 0) {
        return error_set(err, ERROR_USAGE,
                         "the period is empty: '%.*s' begins at %s and it is %s now: write an "
                         "earlier start, or an end after it",
                         STR_ARG(shown(from)), start, end);
    }
    return error_set(
        err, ERROR_USAGE,
        "the period is empty: it begins with '%.*s' (%s) and ends with '%.*s' (%s): "
        "write the earlier one first",
        STR_ARG(shown(from)), start, STR_ARG(shown(to)), end);
}

int calendar_period(struct str from, struct str to, const struct zone *zone, int64_t now,
                    struct period *out, struct error *err)
{
    struct named_span first = {0};
    struct named_span last = {.period = {now, now}};
    from = str_trim(from);
    to = str_trim(to);
    int rc = from.len > 0 ? read_span(from, zone, now, &first, err) : 0;
    if (rc == 0 && to.len > 0) {
        rc = read_span(to, zone, now, &last, err);
    }
    if (rc != 0) {
        return rc;
    }
    if (from.len == 0) {
        struct civil start = zone_civil(zone, last.period.to);
        start.day -= DEFAULT_DAYS;
        first.period.from = zone_instant(zone, start);
    } else if (to.len == 0 && first.form == FORM_SPAN) {
        last = first;
    }
    struct period period = {first.period.from, last.period.to};
    if (period.from >= period.to) {
        return empty_period(from, to, period, zone, err);
    }
    *out = period;
    return 0;
}
