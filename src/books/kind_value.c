/* SPDX-License-Identifier: MIT */

/*
 * Values of the books: from what somebody typed, or a file says, to the one spelling that is
 * kept.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/calendar.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/scan.h"
#include "books/kind.h"

enum { MICRO = 1000000, MICRO_DIGITS = 6, SHOWN_MAX = 80 };

struct reading {
    const struct kind_world *world;
    const struct kind_column *column;
    struct str text; /* trimmed, not empty, of bearable length, UTF-8 */
    struct arena *arena;
    struct str *out;
    struct error *err;
};

static struct str shown(struct str text)
{
    return (struct str){text.ptr, text.len < SHOWN_MAX ? text.len : SHOWN_MAX};
}

static int keep(const struct reading *r)
{
    *r->out = arena_copy(r->arena, r->text);
    return 0;
}

/* What no text of the books may hold: it would break lines, hide things or take all memory. */
static int check_text(const struct kind_column *column, struct str text, struct error *err)
{
    const size_t max = column->type == KIND_TEXT || column->type == KIND_LOGINS
                           ? (size_t)LIMIT_TEXT_FIELD
                           : (size_t)LIMIT_BOOKS_NAME;
    if (text.len > max) {
        return error_set(err, ERROR_USAGE, "%s is %zu bytes long: at most %zu are kept",
                         column->id, text.len, max);
    }
    if (!str_is_utf8(text)) {
        return error_set(err, ERROR_USAGE, "%s is not UTF-8: write it in that encoding",
                         column->id);
    }
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool line = (c == '\n' || c == '\t') && column->type == KIND_TEXT;
        if ((c < ' ' || c == 0x7f) && !line) {
            return error_set(err, ERROR_USAGE,
                             "%s contains a control character (byte %zu): remove it",
                             column->id, i + 1);
        }
    }
    return 0;
}

static int read_choice(const struct reading *r)
{
    for (struct str rest = str_of(r->column->choices); rest.ptr;) {
        if (str_eq(str_cut(&rest, ' '), r->text)) {
            return keep(r);
        }
    }
    return error_set(r->err, ERROR_USAGE, "%s cannot be '%.*s': choose one of: %s",
                     r->column->id, STR_ARG(shown(r->text)), r->column->choices);
}

static int read_known(const struct reading *r, const char *(*name_at)(size_t index),
                      const char *see)
{
    size_t count = 0;
    while (name_at && name_at(count)) {
        count++;
    }
    struct str *names = mem_alloc(count + 1, sizeof(*names));
    bool known = !name_at;
    for (size_t i = 0; i < count; i++) {
        names[i] = str_of(name_at(i));
        known = known || str_eq(names[i], r->text);
    }
    int failed =
        known ? keep(r) : kind_unknown(r->column->id, r->text, names, count, see, r->err);
    free(names);
    return failed;
}

/* The date whose day begins (ends, for the last one) just there, if there is one. */
static bool day_at(const struct zone *zone, int64_t instant, bool last, char date[16])
{
    struct civil civil = zone_civil(zone, last ? instant - 1 : instant);
    struct civil start = {.year = civil.year, .month = civil.month, .day = civil.day};
    snprintf(date, 16, "%04d-%02d-%02d", civil.year % 10000, civil.month, civil.day);
    start.day += last;
    return zone_instant(zone, start) == instant;
}

static int read_time(const struct reading *r)
{
    struct period span;
    char date[16], text[INSTANT_TEXT_MAX];
    const bool last = r->column->flags & KIND_LAST;
    int failed = calendar_span(r->text, r->world->zone, r->world->now, &span, r->err);
    if (failed) {
        return error_prepend(r->err, "%s: ", r->column->id);
    }
    if (span.from < span.to && day_at(r->world->zone, last ? span.to : span.from, last, date)) {
        *r->out = arena_copy(r->arena, str_of(date));
        return 0;
    }
    if (r->column->type == KIND_DATE) {
        return error_set(
            r->err, ERROR_USAGE,
            "%s needs a day, not a time: 2025-03-01, 2025-03, 2025-Q1, 2025, today",
            r->column->id);
    }
    struct zone *utc = NULL;
    failed = zone_open("UTC", &utc, r->err);
    if (!failed) {
        *r->out =
            arena_copy(r->arena, str_of(zone_print(utc, last ? span.to : span.from, text)));
    }
    zone_close(utc);
    return failed;
}

static int read_amount(const struct reading *r)
{
    int64_t micro;
    if (!scan_decimal(r->text, MICRO_DIGITS, &micro) || micro < 0) {
        return error_set(r->err, ERROR_USAGE,
                         "%s needs a number such as 250000 or 1.5, not negative, not '%.*s'",
                         r->column->id, STR_ARG(shown(r->text)));
    }
    *r->out = kind_amount(r->arena, micro);
    return 0;
}

static int by_text(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* Sorted and without repeats, so that the same logins are always the same text. */
static int read_logins(const struct reading *r)
{
    size_t count = 0;
    struct str *logins = mem_alloc(r->text.len + 1, sizeof(*logins));
    for (struct str rest = r->text; rest.ptr;) {
        struct str login = str_trim(str_cut(&rest, ','));
        if (login.len > 0) {
            logins[count++] = login;
        }
    }
    qsort(logins, count, sizeof(*logins), by_text);
    struct buf text;
    buf_init(&text, LIMIT_TEXT_FIELD);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !str_eq(logins[i], logins[i - 1])) {
            buf_addz(&text, text.len ? "," : "");
            buf_add(&text, logins[i]);
        }
    }
    *r->out = text.len ? arena_copy(r->arena, buf_str(&text)) : (struct str){0};
    buf_release(&text);
    free(logins);
    return 0;
}

int kind_read(const struct kind_world *world, const struct kind_column *column,
              struct str given, struct arena *arena, struct str *out, struct error *err)
{
    struct reading r = {world, column, str_trim(given), arena, out, err};
    *out = (struct str){0};
    if (r.text.len == 0) {
        return 0;
    }
    int failed = check_text(column, r.text, err);
    if (failed) {
        return failed;
    }
    switch (column->type) {
    case KIND_CHOICE:
        return read_choice(&r);
    case KIND_DATE:
    case KIND_TIME:
        return read_time(&r);
    case KIND_AMOUNT:
        return read_amount(&r);
    case KIND_LOGINS:
        return read_logins(&r);
    case KIND_MEASURE:
        return read_known(&r, world->measure_at, "see them all with: stint help report");
    case KIND_DIMENSION:
        return read_known(&r, world->dimension_at, "see them all with: stint help report");
    case KIND_NAME:
    case KIND_TEXT:
    case KIND_GLOB:
        break;
    }
    return keep(&r);
}

int64_t kind_instant(const struct zone *zone, const struct kind_column *column, struct str text)
{
    struct period span = {0, 0};
    struct error ignored;
    /* What the books hold was read by kind_read: it can be read again. */
    (void)!calendar_span(text, zone, 0, &span, &ignored);
    return column->flags & KIND_LAST ? span.to : span.from;
}

int64_t kind_micro(struct str amount)
{
    int64_t micro = 0;
    (void)scan_decimal(amount, MICRO_DIGITS, &micro);
    return micro;
}

struct str kind_amount(struct arena *arena, int64_t micro)
{
    char *text = arena_printf(arena, "%" PRId64 ".%06" PRId64, micro / MICRO, micro % MICRO);
    struct str out = str_of(text);
    while (out.ptr[out.len - 1] == '0') {
        out.len--;
    }
    out.len -= out.ptr[out.len - 1] == '.';
    return arena_copy(arena, out);
}
