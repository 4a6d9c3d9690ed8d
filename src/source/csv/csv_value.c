/* SPDX-License-Identifier: MIT */
#include "base/attribute.h"
#include "base/calendar.h"
#include "base/hostlist.h"
#include "base/scan.h"
#include "source/csv/csv_map.h"

enum { SHOW_MAX = 60 };

/* --- times -------------------------------------------------------------------------------- */

/* Takes up to `most` digits off a text. */
static bool take_digits(struct str *text, size_t most, int *out)
{
    size_t len = 0;
    int value = 0;
    while (len < most && len < text->len && text->ptr[len] >= '0' && text->ptr[len] <= '9') {
        value = value * 10 + (text->ptr[len++] - '0');
    }
    text->ptr += len;
    text->len -= len;
    *out = value;
    return len > 0;
}

static bool take_month(struct str *text, int *out)
{
    if (text->len < 3) {
        return false;
    }
    *out = civil_month_of((struct str){text->ptr, 3});
    text->ptr += 3;
    text->len -= 3;
    return *out > 0;
}

struct clock {
    struct civil civil;
    int east_s;
    bool has_offset;
};

static bool take_part(struct str *text, char letter, struct clock *clock)
{
    struct civil *civil = &clock->civil;
    switch (letter) {
    case 'Y':
        return take_digits(text, 4, &civil->year);
    case 'y':
        if (!take_digits(text, 2, &civil->year)) {
            return false;
        }
        civil->year += civil->year < 70 ? 2000 : 1900;
        return true;
    case 'm':
        return take_digits(text, 2, &civil->month);
    case 'b':
        return take_month(text, &civil->month);
    case 'd':
        return take_digits(text, 2, &civil->day);
    case 'H':
        return take_digits(text, 2, &civil->hour);
    case 'M':
        return take_digits(text, 2, &civil->minute);
    case 'S':
        return take_digits(text, 2, &civil->second);
    case 'f':
        return civil_take_micro(text, &civil->micro);
    case 'z':
        return clock->has_offset = civil_take_offset(text, &clock->east_s);
    default:
        return false;
    }
}

static bool is_civil(const struct civil *civil)
{
    return civil->year >= CIVIL_FIRST_YEAR && civil->year <= CIVIL_LAST_YEAR &&
           civil->month >= 1 && civil->month <= 12 && civil->day >= 1 &&
           civil->day <= civil_month_days(civil->year, civil->month) && civil->hour <= 24 &&
           civil->minute <= 59 && civil->second <= 60;
}

bool csv_value_time(struct str text, struct str pattern, const struct zone *zone, int64_t *out)
{
    struct clock clock = {.civil = {.month = 1, .day = 1}};
    for (size_t i = 0; i < pattern.len; i++) {
        if (pattern.ptr[i] == '%' && i + 1 < pattern.len) {
            if (!take_part(&text, pattern.ptr[++i], &clock)) {
                return false;
            }
        } else if (text.len > 0 && text.ptr[0] == pattern.ptr[i]) {
            text.ptr++;
            text.len--;
        } else {
            return false;
        }
    }
    if (text.len > 0 || !is_civil(&clock.civil)) {
        return false;
    }
    *out = clock.has_offset ? zone_instant(NULL, clock.civil) - clock.east_s * SECOND_US
                            : zone_instant(zone, clock.civil);
    return true;
}

/* A number of seconds, milliseconds or microseconds, distinguished by size; or ISO 8601. */
static bool scan_instant(struct str text, const struct zone *zone, int64_t *out)
{
    struct period span;
    struct error ignored;
    if (scan_decimal(text, 6, out)) {
        int64_t seconds = *out / SECOND_US;
        *out = seconds > INT64_C(100000000000000) ? seconds
               : seconds > INT64_C(100000000000)  ? seconds * 1000
                                                  : *out;
        return *out >= 0;
    }
    /* Only what has a time of day: a day is no instant. */
    if (text.len < 16 || !str_byte(text, ':') ||
        calendar_span(text, zone, 0, &span, &ignored) != 0 || span.from != span.to) {
        return false;
    }
    *out = span.from;
    return true;
}

/* --- values ------------------------------------------------------------------------------- */

/* A number without a letter, times a unit. */
static bool scan_in_unit(struct str text, int64_t unit, int64_t *out)
{
    int64_t ignored = 0;
    return scan_decimal(text, 0, &ignored) && scan_size(text, unit, out);
}

/* "1500" or "1500m" is 2: a run holds whole cpus, so what is begun counts. */
static bool scan_thousandths(struct str text, int64_t *out)
{
    enum { THOUSANDTHS = 1000 };

    if (text.len > 1 && text.ptr[text.len - 1] == 'm') {
        text.len--;
    }
    if (!scan_decimal(text, 0, out) || *out < 0) {
        return false;
    }
    *out = *out / THOUSANDTHS + (*out % THOUSANDTHS > 0);
    return true;
}

static bool scan_number(const struct csv_format *format, const struct csv_rule *rule,
                        struct str text, int64_t *out)
{
    const enum unit unit = run_fields[rule->field].unit;
    if (rule->pattern.ptr) {
        return csv_value_time(text, rule->pattern, format->zone, out);
    }
    if (rule->unit == CSV_THOUSANDTHS) {
        return scan_thousandths(text, out);
    }
    if (rule->unit > 0) {
        return scan_in_unit(text, rule->unit, out);
    }
    switch ((int)unit) {
    case UNIT_INSTANT:
        return scan_instant(text, format->zone, out);
    case UNIT_SECONDS:
        return scan_duration(text, out);
    case UNIT_BYTES:
        return scan_size(text, 1, out);
    case UNIT_GIB_SECONDS:
        return scan_decimal(text, 6, out);
    case UNIT_MILLIJOULES:
        return scan_decimal(text, 3, out);
    default:
        return scan_decimal(text, 0, out);
    }
}

static const char *wanted(enum run_field field)
{
    switch ((int)run_fields[field].unit) {
    case UNIT_INSTANT:
        return "a time of the years " CIVIL_YEARS;
    case UNIT_SECONDS:
        return "a duration";
    case UNIT_BYTES:
        return "a size";
    default:
        return "a number";
    }
}

static bool refuse_csv_value(const struct csv_rule *rule, struct str value, struct error *err)
{
    if (value.len > SHOW_MAX) {
        value.len = SHOW_MAX;
        while (value.len > 0 && ((unsigned char)value.ptr[value.len] & 0xc0) == 0x80) {
            value.len--;
        }
    }
    error_set(err, ERROR_INPUT, "%.*s '%.*s' is not %s",
              rule->constant ? 5 : (int)rule->text.len,
              rule->constant ? "value" : rule->text.ptr, STR_ARG(value), wanted(rule->field));
    return false;
}

static bool is_absent(const struct csv_format *format, struct str value)
{
    for (size_t i = 0; i < format->absent_count; i++) {
        if (str_eq(value, format->absent[i])) {
            return true;
        }
    }
    return value.len == 0;
}

/*
 * A time of 0 is how many programs write that a time is missing: nothing ran in the first
 * second of 1970.
 */
static bool is_no_time(const struct csv_rule *rule, struct str value)
{
    int64_t number;
    return run_fields[rule->field].unit == UNIT_INSTANT && !rule->pattern.ptr &&
           scan_decimal(value, 6, &number) && number == 0;
}

static void set_has(struct run *run, enum run_field field)
{
    run->has[field / 64] |= UINT64_C(1) << field % 64;
}

bool csv_value_set(const struct csv_format *format, const struct csv_rule *rule,
                   struct str value, struct run *run, struct error *err)
{
    char *at = (char *)run + run_fields[rule->field].offset;
    int64_t number = 0;
    value = str_trim(value);
    if (is_absent(format, value) || is_no_time(rule, value)) {
        return true;
    }
    if (run_fields[rule->field].type == FIELD_TEXT) {
        memcpy(at, &value, sizeof(value));
    } else if (scan_number(format, rule, value, &number)) {
        memcpy(at, &number, sizeof(number));
    } else if (rule->field == RUN_job) { /* an id that is no number */
        RUN_SET(run, job_key, value);
        return true;
    } else {
        return refuse_csv_value(rule, value, err);
    }
    set_has(run, rule->field);
    return true;
}

/* --- what follows ------------------------------------------------------------------------- */

static bool find_word(const struct csv_format *format, struct str text, enum run_class *out)
{
    for (size_t i = 0; i < format->word_count; i++) {
        if (str_eq_nocase(text, format->words[i].text)) {
            *out = format->words[i].class;
            return true;
        }
    }
    for (int i = 0; i < CLASS_COUNT; i++) {
        if (str_eq_nocase(text, run_class_name((enum run_class)i))) {
            *out = (enum run_class)i;
            return true;
        }
    }
    return false;
}

/* What the words say; else the exit code; else nobody knows. */
static enum run_class class_of(const struct csv_format *format, const struct run *run)
{
    enum run_class class = CLASS_OTHER;
    if (RUN_HAS(run, class)) {
        (void)find_word(format, run->class, &class);
        return class;
    }
    if (RUN_HAS(run, state) && find_word(format, run->state, &class)) {
        return class;
    }
    if (!RUN_HAS(run, state) && RUN_HAS(run, exit_code) && RUN_HAS(run, end)) {
        return run->exit_code == 0 ? CLASS_COMPLETED : CLASS_FAILED;
    }
    return CLASS_OTHER;
}

/* Where a file has the list of nodes alone, the first of them. */
static void fill_node(struct arena *arena, struct run *run)
{
    struct hostlist list;
    if (RUN_HAS(run, nodes) && !RUN_HAS(run, node) && hostlist_read(run->nodes, arena, &list) &&
        list.count > 0) {
        RUN_SET(run, node, list.nodes[0].name);
    }
}

bool csv_value_finish(const struct csv_format *format, struct arena *arena, struct run *run,
                      struct error *err)
{
    const int64_t tell[] = {RUN_HAS(run, submit) ? run->submit : -1,
                            RUN_HAS(run, end) ? run->end : -1};
    if (!RUN_HAS(run, job) && !RUN_HAS(run, job_key)) {
        error_set(err, ERROR_INPUT, "has no job");
        return false;
    }
    bool started = RUN_HAS(run, start) && run->start > 0;
    uint64_t hash = str_hash((struct str){(const char *)tell, sizeof(tell)}, 0);
    RUN_SET(run, attempt, started ? run->start : -1 - (int64_t)(hash >> 2));
    RUN_SET(run, flags, 0);
    fill_node(arena, run);
    RUN_SET(run, class, run_class_name(class_of(format, run)));
    if (!RUN_HAS(run, start)) { /* what never started held nothing */
        RUN_CLEAR(run, cpus);
        RUN_CLEAR(run, gpus);
    }
    if (!RUN_HAS(run, mem_peak_bytes) || run->mem_peak_bytes <= 0) {
        RUN_CLEAR(run, mem_peak_bytes);
        RUN_CLEAR(run, mem_basis);
    } else if (!RUN_HAS(run, mem_basis)) {
        RUN_SET(run, mem_basis, STR("unknown"));
    }
    return true;
}
