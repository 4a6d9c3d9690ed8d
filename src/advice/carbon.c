/* SPDX-License-Identifier: MIT */
#include "advice/carbon.h"

#include <stdlib.h>

#include "base/calendar.h"
#include "base/mem.h"
#include "base/scan.h"

enum { MILLIONTHS = 6 };

static int add_carbon_row(const struct zone *zone, struct carbon *out, size_t *room,
                          struct str time, struct str grams, size_t line, struct error *err)
{
    struct period span;
    int64_t value = 0;
    struct error ignored;
    if (calendar_span(str_trim(time), zone, 0, &span, &ignored) != 0 ||
        !scan_decimal(str_trim(grams), MILLIONTHS, &value) || value < 0) {
        /* the heading */
        return line == 1
                   ? 0
                   : error_set(err, ERROR_INPUT, "line %zu is no time and grams: '%.*s,%.*s'",
                               line, STR_ARG(time), STR_ARG(grams));
    }
    if (out->count > 0 && span.from <= out->rows[out->count - 1].from) {
        return error_set(err, ERROR_INPUT, "line %zu is not later than the one before", line);
    }
    if (out->count == CARBON_ROWS_MAX) {
        return error_set(err, ERROR_LIMIT, "there are more than %d lines", CARBON_ROWS_MAX);
    }
    out->rows = mem_grow(out->rows, out->count, room, sizeof(*out->rows));
    out->rows[out->count++] = (struct carbon_row){span.from, (double)value / 1e6};
    return 0;
}

int carbon_read(struct str text, const struct zone *zone, struct carbon *out, struct error *err)
{
    size_t room = 0, number = 0;
    int failed = 0;
    *out = (struct carbon){0};
    while (text.ptr && !failed) {
        struct str line = str_trim(str_cut(&text, '\n'));
        number++;
        if (line.len > 0 && line.ptr[0] != '#') {
            const struct str time = str_cut(&line, ',');
            failed = add_carbon_row(zone, out, &room, time, line, number, err);
        }
    }
    return failed || out->count > 0
               ? failed
               : error_set(err, ERROR_INPUT, "it has no line of a time and grams");
}

void carbon_release(struct carbon *carbon)
{
    free(carbon->rows);
}

/* The last row that begins at or before `at`; count if there is none. */
static size_t row_at(const struct carbon *carbon, int64_t at)
{
    size_t low = 0, high = carbon->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (carbon->rows[middle].from <= at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? carbon->count : low - 1;
}

double carbon_mean(const struct carbon *carbon, int64_t from, int64_t to)
{
    double sum = 0;
    const size_t first = row_at(carbon, from);
    if (first == carbon->count) {
        return -1;
    }
    if (to <= from) {
        return carbon->rows[first].grams;
    }
    for (size_t i = first; i < carbon->count && carbon->rows[i].from < to; i++) {
        const int64_t begin = carbon->rows[i].from > from ? carbon->rows[i].from : from;
        const int64_t end = i + 1 < carbon->count && carbon->rows[i + 1].from < to
                                ? carbon->rows[i + 1].from
                                : to;
        sum += carbon->rows[i].grams * (double)(end - begin);
    }
    return sum / (double)(to - from);
}
