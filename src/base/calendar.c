/* SPDX-License-Identifier: MIT */
#include "base/calendar.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "base/scan.h"

/*
 * Calendar buckets are reckoned as civil dates and only then turned into instants, so that clock
 * changes need no thought. Hours are the exception: they are steps of time from one full hour of
 * the clock to the next.
 */

enum {
    FIRST_YEAR = 1970,
    LAST_YEAR = 2261,
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
    return error_set(reader->err, ERROR_USAGE,
                     "cannot read period '%.*s': write a date like 2025-03-01, a month 2025-03, "
                     "7d, or last-month",
                     STR_ARG(shown(reader->text)));
}

/* The start of the bucket a date lies in, as a date at midnight. */
static struct civil date_floor(struct civil civil, enum bucket bucket)
{
    struct civil start = {.year = civil.year, .month = civil.month, .day = civil.day};
    switch (bucket) {
    case BUCKET_WEEK:
        start.day -= civil_weekday(civil);
        break;
    case BUCKET_MONTH:
        start.day = 1;
        break;
    case BUCKET_QUARTER:
        start.day = 1;
        start.month -= (civil.month - 1) % 3;
        break;
    case BUCKET_YEAR:
        start.day = 1;
        start.month = 1;
        break;
    case BUCKET_NONE:
    case BUCKET_HOUR:
    case BUCKET_DAY:
        break;
    }
    return start;
}

/* A bucket's start moved by so many buckets; fields may leave their range and are carried later. */
static struct civil date_step(struct civil start, enum bucket bucket, int count)
{
    switch (bucket) {
    case BUCKET_DAY:
        start.day += count;
        break;
    case BUCKET_WEEK:
        start.day += 7 * count;
        break;
    case BUCKET_MONTH:
        start.month += count;
        break;
    case BUCKET_QUARTER:
        start.month += 3 * count;
        break;
    case BUCKET_YEAR:
        start.year += count;
        break;
    case BUCKET_NONE:
    case BUCKET_HOUR:
        assert(!"a bucket of whole days");
        break;
    }
    return start;
}

/* Fills in the span of the bucket that starts at a date. */
static int name_bucket(const struct reader *reader, struct civil start, enum bucket bucket,
                       struct named_span *out)
{
    *out = (struct named_span){
        .form = bucket == BUCKET_DAY ? FORM_DAY : FORM_SPAN,
        .period = {zone_instant(reader->zone, start),
                   zone_instant(reader->zone, date_step(start, bucket, 1))},
    };
    if (out->period.to > INSTANT_MAX) {
        return error_set(reader->err, ERROR_USAGE,
                         "cannot read period '%.*s': it ends after June %d",
                         STR_ARG(shown(reader->text)), LAST_YEAR);
    }
    return 0;
}

static int name_moment(const struct reader *reader, int64_t instant, struct named_span *out)
{
    if (instant < -DAY_US || instant > INSTANT_MAX) {
        return error_set(reader->err, ERROR_USAGE,
                         "cannot read period '%.*s': it is not in the years %d to %d",
                         STR_ARG(shown(reader->text)), FIRST_YEAR, LAST_YEAR);
    }
    *out = (struct named_span){FORM_MOMENT, {instant, instant}};
    return 0;
}

/* Takes exactly `count` digits off the start; `text` is unmoved if they are not there. */
static bool take_digits(struct str *text, size_t count, int *out)
{
    int value = 0;
    if (text->len < count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (text->ptr[i] < '0' || text->ptr[i] > '9') {
            return false;
        }
        value = value * 10 + (text->ptr[i] - '0');
    }
    text->ptr += count;
    text->len -= count;
    *out = value;
    return true;
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

/* The Monday of an ISO week; beyond the year's last week that of a later year. */
static struct civil week_start(int year, int week)
{
    struct civil start = {.year = year, .month = 1, .day = 4}; /* always in week 1 */
    start.day += 7 * (week - 1) - civil_weekday(start);
    return start;
}

/* The ISO year and week of a date: those of its Thursday. */
static void iso_week(struct civil civil, int *year, int *week)
{
    int64_t thursday =
        civil_days(civil.year, civil.month, civil.day) - civil_weekday(civil) + 3;
    *year = civil_of_days(thursday).year;
    *week = (int)((thursday - civil_days(*year, 1, 1)) / 7) + 1;
}

static int read_week(const struct reader *reader, struct str rest, int year,
                     struct named_span *out)
{
    int week = 0;
    if (!take_digits(&rest, 2, &week) || rest.len > 0) {
        return unreadable(reader);
    }
    struct civil start = week_start(year, week);
    int got_year = 0;
    int got_week = 0;
    iso_week(start, &got_year, &got_week);
    if (got_year != year || got_week != week) {
        return error_set(reader->err, ERROR_USAGE,
                         "cannot read period '%.*s': the weeks of %d are W01 to W%d",
                         STR_ARG(shown(reader->text)), year,
                         got_year > year && got_week == 1 && week == 53 ? 52 : 53);
    }
    return name_bucket(reader, start, BUCKET_WEEK, out);
}

/* HH:MM[:SS[.f]] into the civil time. */
static bool take_clock(struct str *text, struct civil *civil)
{
    if (!take_digits(text, 2, &civil->hour) || !take_byte(text, ':') ||
        !take_digits(text, 2, &civil->minute)) {
        return false;
    }
    if (take_byte(text, ':')) {
        if (!take_digits(text, 2, &civil->second)) {
            return false;
        }
        if (take_byte(text, '.')) {
            int unit = 1000000;
            int digit = 0;
            size_t before = text->len;
            while (take_digits(text, 1, &digit)) {
                unit /= 10;
                civil->micro += digit * unit;
            }
            if (text->len == before) {
                return false;
            }
        }
    }
    return civil->hour < 24 && civil->minute < 60 && civil->second < 60;
}

/* +01:00, +0100, +01 in seconds. */
static bool take_offset(struct str *text, int *out)
{
    bool west = take_byte(text, '-');
    int hours = 0;
    int minutes = 0;
    if ((!west && !take_byte(text, '+')) || !take_digits(text, 2, &hours)) {
        return false;
    }
    bool colon = take_byte(text, ':');
    if ((colon || text->len > 0) && !take_digits(text, 2, &minutes)) {
        return false;
    }
    int seconds = hours * 3600 + minutes * 60;
    *out = west ? -seconds : seconds;
    return hours < 24 && minutes < 60;
}

/* The time of day after a date, with the zone's own offset or one that is given. */
static int read_clock(const struct reader *reader, struct str rest, struct civil civil,
                      struct named_span *out)
{
    int offset = 0;
    if (!take_clock(&rest, &civil)) {
        return unreadable(reader);
    }
    if (rest.len == 0) {
        return name_moment(reader, zone_instant(reader->zone, civil), out);
    }
    if (!take_byte(&rest, 'Z') && !take_offset(&rest, &offset)) {
        return unreadable(reader);
    }
    if (rest.len > 0) {
        return unreadable(reader);
    }
    int64_t seconds = civil_days(civil.year, civil.month, civil.day) * 86400 +
                      civil.hour * 3600 + civil.minute * 60 + civil.second - offset;
    return name_moment(reader, seconds * SECOND_US + civil.micro, out);
}

/* From the month on: MM, MM-DD, MM-DDThh:mm... */
static int read_month(const struct reader *reader, struct str rest, int year,
                      struct named_span *out)
{
    struct civil civil = {.year = year, .day = 1};
    if (!take_digits(&rest, 2, &civil.month)) {
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
    if (!take_byte(&rest, '-') || !take_digits(&rest, 2, &civil.day)) {
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

/* Everything that begins with four digits. */
static int read_date(const struct reader *reader, struct named_span *out)
{
    struct str rest = reader->text;
    int year = 0;
    if (!take_digits(&rest, 4, &year) || (rest.len > 0 && !take_byte(&rest, '-'))) {
        return unreadable(reader);
    }
    if (year < FIRST_YEAR || year > LAST_YEAR) {
        return error_set(reader->err, ERROR_USAGE,
                         "cannot read period '%.*s': years are %d to %d",
                         STR_ARG(shown(reader->text)), FIRST_YEAR, LAST_YEAR);
    }
    if (reader->text.len == 4) {
        return name_bucket(reader, (struct civil){.year = year, .month = 1, .day = 1},
                           BUCKET_YEAR, out);
    }
    if (take_byte(&rest, 'Q')) {
        int quarter = 0;
        if (!take_digits(&rest, 1, &quarter) || rest.len > 0) {
            return unreadable(reader);
        }
        if (quarter < 1 || quarter > 4) {
            return error_set(reader->err, ERROR_USAGE,
                             "cannot read period '%.*s': quarters are Q1 to Q4",
                             STR_ARG(shown(reader->text)));
        }
        struct civil start = {.year = year, .month = 3 * quarter - 2, .day = 1};
        return name_bucket(reader, start, BUCKET_QUARTER, out);
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
    {"today", BUCKET_DAY, 0},          {"yesterday", BUCKET_DAY, -1},
    {"this-week", BUCKET_WEEK, 0},     {"last-week", BUCKET_WEEK, -1},
    {"this-month", BUCKET_MONTH, 0},   {"last-month", BUCKET_MONTH, -1},
    {"this-quarter", BUCKET_QUARTER, 0}, {"last-quarter", BUCKET_QUARTER, -1},
    {"this-year", BUCKET_YEAR, 0},     {"last-year", BUCKET_YEAR, -1},
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
    return memchr("mhdw", *unit, 4) && scan_int((struct str){text.ptr, text.len - 1}, count);
}

static int read_back(const struct reader *reader, int64_t count, char unit,
                     struct named_span *out)
{
    int64_t instant = -DAY_US - 1; /* far enough for name_moment to refuse it */
    if (count <= BACK_MAX && (unit == 'm' || unit == 'h')) {
        instant = reader->now - count * (unit == 'm' ? 60 * SECOND_US : HOUR_US);
    } else if (count <= BACK_MAX) {
        struct civil day = date_floor(zone_civil(reader->zone, reader->now), BUCKET_DAY);
        day.day -= (int)count * (unit == 'w' ? 7 : 1);
        instant = zone_instant(reader->zone, day);
    }
    return name_moment(reader, instant, out);
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
        struct civil start = date_floor(zone_civil(zone, now), word->bucket);
        return name_bucket(&reader, date_step(start, word->bucket, word->step), word->bucket,
                           out);
    }
    if (str_starts(reader.text, STR("@"))) {
        struct str digits = {reader.text.ptr + 1, reader.text.len - 1};
        return scan_decimal(digits, 6, &number) ? name_moment(&reader, number, out)
                                                : unreadable(&reader);
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
    return error_set(err, ERROR_USAGE,
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

static const char *const bucket_names[] = {
    [BUCKET_NONE] = "none",   [BUCKET_HOUR] = "hour",       [BUCKET_DAY] = "day",
    [BUCKET_WEEK] = "week",   [BUCKET_MONTH] = "month",     [BUCKET_QUARTER] = "quarter",
    [BUCKET_YEAR] = "year",
};

int bucket_parse(struct str text, enum bucket *out, struct error *err)
{
    for (size_t i = 0; i < COUNT_OF(bucket_names); i++) {
        if (str_eq_nocase(text, str_of(bucket_names[i]))) {
            *out = (enum bucket)i;
            return 0;
        }
    }
    return error_set(err, ERROR_USAGE,
                     "there is no period '%.*s' to count by: write hour, day, week, month, "
                     "quarter, year or none",
                     STR_ARG(shown(text)));
}

const char *bucket_name(enum bucket bucket)
{
    assert((size_t)bucket < COUNT_OF(bucket_names));
    return bucket_names[bucket];
}

/* The moment between two at which the offset changes, which it does once. */
static int64_t find_change(const struct zone *zone, int64_t before, int64_t after)
{
    int32_t offset = zone_offset(zone, before);
    while (after - before > SECOND_US) {
        int64_t middle = before + (after - before) / 2;
        middle -= middle % SECOND_US;
        if (middle <= before) {
            break;
        }
        if (zone_offset(zone, middle) == offset) {
            before = middle;
        } else {
            after = middle;
        }
    }
    return after;
}

static int64_t past_full_hour(const struct zone *zone, int64_t instant)
{
    int64_t local = (instant + zone_offset(zone, instant) * SECOND_US) % HOUR_US;
    return local < 0 ? local + HOUR_US : local;
}

/*
 * A full hour of the clock, or the moment of a change inside an hour: where clocks change by half
 * an hour (Lord Howe) there is a bucket of half an hour.
 */
static int64_t hour_floor(const struct zone *zone, int64_t instant)
{
    int64_t start = instant - past_full_hour(zone, instant);
    bool changed = zone_offset(zone, start) != zone_offset(zone, instant);
    return changed ? find_change(zone, start, instant) : start;
}

static int64_t hour_next(const struct zone *zone, int64_t edge)
{
    int64_t next = edge + HOUR_US - past_full_hour(zone, edge);
    bool changed = zone_offset(zone, next) != zone_offset(zone, edge);
    return changed ? find_change(zone, edge, next) : next;
}

struct edges {
    int64_t *at;
    size_t count;
    size_t room;
};

static int add_edge(struct edges *edges, int64_t edge, enum bucket bucket, struct error *err)
{
    if (edges->count > LIMIT_BUCKETS) {
        return error_set(err, ERROR_LIMIT,
                         "the period has more than %d %ss: write a shorter one, or count by "
                         "something longer",
                         LIMIT_BUCKETS, bucket_name(bucket));
    }
    if (edges->count == edges->room) {
        edges->room = edges->room > 0 ? 2 * edges->room : 64;
        edges->at = mem_resize(edges->at, edges->room, sizeof(*edges->at));
    }
    edges->at[edges->count++] = edge;
    return 0;
}

static int add_hours(struct edges *edges, struct period period, const struct zone *zone,
                     struct error *err)
{
    int64_t edge = hour_floor(zone, period.from);
    int rc = add_edge(edges, edge, BUCKET_HOUR, err);
    while (rc == 0 && (edge < period.to || edges->count < 2)) {
        edge = hour_next(zone, edge);
        rc = add_edge(edges, edge, BUCKET_HOUR, err);
    }
    return rc;
}

static int add_dates(struct edges *edges, struct period period, enum bucket bucket,
                     const struct zone *zone, struct error *err)
{
    struct civil start = date_floor(zone_civil(zone, period.from), bucket);
    int64_t edge = zone_instant(zone, start);
    int rc = add_edge(edges, edge, bucket, err);
    for (int step = 1; rc == 0 && (edge < period.to || edges->count < 2); step++) {
        int64_t next = zone_instant(zone, date_step(start, bucket, step));
        if (next > edge) { /* a day that a zone skipped, as Samoa 2011-12-30, is no bucket */
            edge = next;
            rc = add_edge(edges, edge, bucket, err);
        }
    }
    return rc;
}

int calendar_edges(struct period period, enum bucket bucket, const struct zone *zone,
                   int64_t **edges, size_t *count, struct error *err)
{
    assert(period.from <= period.to);
    struct edges list = {0};
    int rc = 0;
    if (bucket == BUCKET_NONE) {
        rc = add_edge(&list, period.from, bucket, err);
        if (rc == 0) {
            rc = add_edge(&list, period.to, bucket, err);
        }
    } else if (bucket == BUCKET_HOUR) {
        rc = add_hours(&list, period, zone, err);
    } else {
        rc = add_dates(&list, period, bucket, zone, err);
    }
    if (rc != 0) {
        free(list.at);
        return rc;
    }
    *edges = list.at;
    *count = list.count - 1;
    return 0;
}

/* Whether the clock shows this time twice, now or earlier. */
static bool is_repeated(const struct zone *zone, int64_t edge)
{
    if (zone_instant(zone, zone_civil(zone, edge)) != edge) {
        return true;
    }
    int64_t back_s = zone_offset(zone, edge) - zone_offset(zone, edge + 3 * HOUR_US);
    return back_s > 0 && zone_offset(zone, edge + back_s * SECOND_US) ==
                             zone_offset(zone, edge + 3 * HOUR_US);
}

/* An hour that the clock shows twice has its offset at the end, so that labels stay different. */
static void print_hour(int64_t edge, const struct zone *zone, char label[BUCKET_LABEL_MAX])
{
    enum { TO_MINUTE = 16, TO_SECOND = 19 };
    char text[INSTANT_TEXT_MAX];
    zone_print(zone, edge - edge % SECOND_US, text);
    text[TO_MINUTE] = '\0';
    const char *offset = is_repeated(zone, edge) ? text + TO_SECOND : "";
    int length = snprintf(label, BUCKET_LABEL_MAX, "%s%s", text, offset);
    assert(length < BUCKET_LABEL_MAX);
}

const char *calendar_label(int64_t edge, enum bucket bucket, const struct zone *zone,
                           char label[BUCKET_LABEL_MAX])
{
    struct civil civil = zone_civil(zone, edge);
    int year = civil.year;
    int week = 0;
    int length = 0;
    label[0] = '\0';
    switch (bucket) {
    case BUCKET_NONE:
        break;
    case BUCKET_HOUR:
        print_hour(edge, zone, label);
        break;
    case BUCKET_DAY:
        length = snprintf(label, BUCKET_LABEL_MAX, "%04d-%02d-%02d", year, civil.month,
                          civil.day);
        break;
    case BUCKET_WEEK:
        iso_week(civil, &year, &week);
        length = snprintf(label, BUCKET_LABEL_MAX, "%04d-W%02d", year, week);
        break;
    case BUCKET_MONTH:
        length = snprintf(label, BUCKET_LABEL_MAX, "%04d-%02d", year, civil.month);
        break;
    case BUCKET_QUARTER:
        length = snprintf(label, BUCKET_LABEL_MAX, "%04d-Q%d", year, (civil.month + 2) / 3);
        break;
    case BUCKET_YEAR:
        length = snprintf(label, BUCKET_LABEL_MAX, "%04d", year);
        break;
    }
    assert(length < BUCKET_LABEL_MAX);
    return label;
}
