/* SPDX-License-Identifier: MIT */
#include "report/filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/calendar.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/scan.h"
#include "facts/run_id_sql.h"
#include "record/run_id.h"
#include "report/catalog.h"

/* What is absent, as tables print it. */
#define ABSENT "---"

/* Takes the next item off a list: trimmed, its ! taken off. False at the end; empty ones are passed over. */
static bool next_item(struct str *rest, struct str *item, bool *negative)
{
    while (rest->ptr) {
        *item = str_trim(str_cut(rest, ','));
        *negative = item->len > 0 && item->ptr[0] == '!';
        if (*negative) {
            *item = str_trim((struct str){item->ptr + 1, item->len - 1});
        }
        if (item->len > 0) {
            return true;
        }
    }
    return false;
}

int filter_add(struct filter *filter, const struct field *field, struct str list,
               struct error *err)
{
    struct str rest = list, item;
    bool negative;
    if (!next_item(&rest, &item,
                   &negative)) { /* a script's empty variable does not mean everybody */
        return error_set(err, ERROR_USAGE,
                         "the filter on %s is empty: name a value, or leave it out", field->id);
    }
    if (!str_is_utf8(list)) {
        return error_set(err, ERROR_USAGE, "the filter on %s is not UTF-8", field->id);
    }
    if (filter->count == FILTER_MAX) {
        return error_set(err, ERROR_USAGE, "more than %d filters", FILTER_MAX);
    }
    filter->conditions[filter->count++] = (struct filter_condition){field, list};
    return 0;
}

int filter_bind(struct filter_values *values, struct facts_value value, struct error *err)
{
    if (values->count == FILTER_VALUES_MAX) {
        return error_set(err, ERROR_USAGE, "filters name more than %d values",
                         FILTER_VALUES_MAX);
    }
    values->values[values->count++] = value;
    return 0;
}

/* What is shared by the steps of one filter_sql. */
struct builder {
    const struct zone *zone;
    int64_t now;
    struct buf *sql;
    struct filter_values *values;
    struct error *err;
};

/* How values of a unit are read, and what to write when they cannot be. */
static bool scan_number(struct str text, enum unit unit, int64_t *out)
{
    switch (unit) {
    case UNIT_HOURS: /* a bare number is hours, as in reports */
        return scan_decimal(text, 6, out) ? !__builtin_mul_overflow(*out, 3600, out)
                                          : scan_duration(text, out);
    case UNIT_SECONDS:
        return scan_duration(text, out);
    case UNIT_BYTES:
        return scan_size(text, 1, out);
    case UNIT_GIB_SECONDS:
        return scan_decimal(text, 6, out);
    case UNIT_RATIO: /* in millionths */
        return str_ends(text, STR("%"))
                   ? scan_decimal(str_trim((struct str){text.ptr, text.len - 1}), 4, out)
                   : scan_decimal(text, 6, out);
    case UNIT_NONE:
    case UNIT_COUNT:
    case UNIT_JOULES:
    case UNIT_GIB_HOURS:
    case UNIT_INSTANT:
    case UNIT_TRUTH:
    case UNIT_COUNT_OF:
        break;
    }
    return scan_int(text, out);
}

static const char *number_example(enum unit unit)
{
    switch (unit) {
    case UNIT_HOURS:
        return "hours like 100, a range like 10..100, or >100";
    case UNIT_SECONDS:
        return "a time like 90m, a range like 1h..2h, or >1h";
    case UNIT_BYTES:
        return "a size like 4G, a range like 4G..16G, or >4G";
    case UNIT_RATIO:
        return "a share like 50%, a range like 10%..50%, or <50%";
    case UNIT_NONE:
    case UNIT_COUNT:
    case UNIT_JOULES:
    case UNIT_GIB_SECONDS:
    case UNIT_GIB_HOURS:
    case UNIT_INSTANT:
    case UNIT_TRUTH:
    case UNIT_COUNT_OF:
        break;
    }
    return "a number like 8, a range like 8..64, or >8";
}

/* A number as typed, in the small unit of the field. An instant is a span: *upper is its end. */
static int read_number(const struct builder *b, const struct field *field, struct str text,
                       int64_t *lower, int64_t *upper)
{
    text = str_trim(text);
    if (field->unit == UNIT_INSTANT) {
        struct period span;
        int failed = calendar_span(text, b->zone, b->now, &span, b->err);
        if (failed) {
            return failed;
        }
        *lower = span.from;
        *upper = span.to > span.from ? span.to - 1 : span.to;
        return 0;
    }
    if (!scan_number(text, field->unit, lower)) {
        return error_set(b->err, ERROR_USAGE, "cannot read '%.*s' as a value of %s: write %s",
                         STR_ARG(text), field->id, number_example(field->unit));
    }
    *upper = *lower;
    return 0;
}

static int bind_number(const struct builder *b, const struct field *field, int64_t value)
{
    if (field->unit == UNIT_RATIO) {
        const struct facts_value ratio = {.type = VALUE_REAL, .real = (double)value / 1e6};
        return filter_bind(b->values, ratio, b->err);
    }
    return filter_bind(b->values, FACTS_INT(value), b->err);
}

static int add_between(const struct builder *b, const struct field *field, int64_t low,
                       int64_t high)
{
    buf_addf(b->sql, "%s BETWEEN ? AND ?", column_sql(field));
    int failed = bind_number(b, field, low);
    return failed ? failed : bind_number(b, field, high);
}

/* "8..64": both ends included, either may be left out. */
static int add_range(const struct builder *b, const struct field *field, struct str from,
                     struct str to)
{
    int64_t low = INT64_MIN, high = INT64_MAX, unused;
    int failed = 0;
    if (from.len > 0 && (failed = read_number(b, field, from, &low, &unused)) != 0) {
        return failed;
    }
    if (to.len > 0 && (failed = read_number(b, field, to, &unused, &high)) != 0) {
        return failed;
    }
    if (low > high) {
        return error_set(b->err, ERROR_USAGE,
                         "the range %.*s..%.*s of %s is empty: write the smaller end first",
                         STR_ARG(from), STR_ARG(to), field->id);
    }
    return add_between(b, field, low, high);
}

static int add_comparison(const struct builder *b, const struct field *field, struct str text)
{
    bool less = text.ptr[0] == '<';
    bool equal = text.len > 1 && text.ptr[1] == '=';
    struct str number = {text.ptr + 1 + equal, text.len - 1 - equal};
    int64_t lower, upper;
    int failed = read_number(b, field, number, &lower, &upper);
    if (failed) {
        return failed;
    }
    buf_addf(b->sql, "%s %c%s ?", column_sql(field), less ? '<' : '>', equal ? "=" : "");
    return bind_number(b, field, less == equal ? upper : lower);
}

static int add_number(const struct builder *b, const struct field *field, struct str text)
{
    if (text.len > 0 && (text.ptr[0] == '<' || text.ptr[0] == '>')) {
        return add_comparison(b, field, text);
    }
    for (size_t i = 0; i + 1 < text.len; i++) {
        if (text.ptr[i] == '.' && text.ptr[i + 1] == '.') {
            return add_range(b, field, (struct str){text.ptr, i},
                             (struct str){text.ptr + i + 2, text.len - i - 2});
        }
    }
    int64_t lower, upper;
    int failed = read_number(b, field, text, &lower, &upper);
    return failed ? failed : add_between(b, field, lower, upper);
}

static bool is_glob(struct str pattern)
{
    bool glob = false;
    for (size_t i = 0; i < pattern.len; i++) {
        glob |= pattern.ptr[i] == '*' || pattern.ptr[i] == '?' || pattern.ptr[i] == '[';
    }
    return glob;
}

static int add_text(const struct builder *b, const struct field *field, struct str pattern)
{
    const char *match = is_glob(pattern) ? "GLOB" : "=";
    if (field == &run_fields[RUN_state]) { /* people say the class as often as the raw state */
        buf_addf(b->sql, "(\"state\" %s ? OR \"class\" %s ?)", match, match);
        int failed = filter_bind(b->values, FACTS_TEXT(pattern), b->err);
        return failed ? failed : filter_bind(b->values, FACTS_TEXT(pattern), b->err);
    }
    buf_addf(b->sql, "%s %s ?", column_sql(field), match);
    return filter_bind(b->values, FACTS_TEXT(pattern), b->err);
}

/* --- jobs --------------------------------------------------------------------------------------- */

static bool take_number(struct str *rest, int64_t *out)
{
    size_t digits = 0;
    while (digits < rest->len && rest->ptr[digits] >= '0' && rest->ptr[digits] <= '9') {
        digits++;
    }
    if (!scan_int((struct str){rest->ptr, digits}, out)) {
        return false;
    }
    *rest = (struct str){rest->ptr + digits, rest->len - digits};
    return true;
}

/* Without ".host", the name of a server. */
static struct str without_server(struct str text)
{
    for (size_t i = 0; i + 1 < text.len; i++) {
        const char next = text.ptr[i + 1];
        if (text.ptr[i] == '.' &&
            ((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z'))) {
            return (struct str){text.ptr, i};
        }
    }
    return text;
}

bool filter_job_id(struct str text, struct job_id *out)
{
    struct str rest = without_server(str_trim(text));
    *out = (struct job_id){0};
    if (!take_number(&rest, &out->job)) {
        return false;
    }
    const bool bracket = str_take(&rest, '[');
    if (bracket || str_take(&rest, '.') || str_take(&rest, '_')) {
        out->has_task = true;
        if (!take_number(&rest, &out->task) || (bracket && !str_take(&rest, ']'))) {
            return false;
        }
    }
    if (str_take(&rest, '+')) {
        out->has_het = true;
        if (!take_number(&rest, &out->het)) {
            return false;
        }
    }
    return rest.len == 0;
}

/* "<100", "100..200", "..200": numbers as other fields have them. */
static bool is_job_range(struct str item)
{
    const bool number =
        item.len > 0 && (item.ptr[0] == '.' || (item.ptr[0] >= '0' && item.ptr[0] <= '9'));
    return item.len > 0 && (item.ptr[0] == '<' || item.ptr[0] == '>' ||
                            (number && memmem(item.ptr, item.len, "..", 2)));
}

bool filter_next_job(struct str *rest, struct str *item)
{
    bool negative;
    struct job_id id;
    while (next_item(rest, item, &negative)) {
        if (!negative && !str_eq(*item, STR(ABSENT)) && !is_job_range(*item) &&
            (filter_job_id(*item, &id) || !is_glob(*item))) {
            return true;
        }
    }
    return false;
}

static int add_job_id(const struct builder *b, const struct job_id *id)
{
    int failed = filter_bind(b->values, FACTS_INT(id->job), b->err);
    buf_addz(b->sql, "(job = ?");
    if (!failed && id->has_task) {
        buf_addz(b->sql, " AND task = ?");
        failed = filter_bind(b->values, FACTS_INT(id->task), b->err);
    }
    if (!failed && id->has_het) {
        buf_addz(b->sql, " AND het = ?");
        failed = filter_bind(b->values, FACTS_INT(id->het), b->err);
    }
    buf_addc(b->sql, ')');
    return failed;
}

/* A job that has a number goes by its own id, not by a name that a thousand others have. */
static int add_job_text(const struct builder *b, struct str pattern)
{
    const char *match = is_glob(pattern) ? "GLOB" : "=";
    buf_addf(b->sql, "(job_key %s ? OR (job IS NULL AND name %s ?))", match, match);
    int failed = filter_bind(b->values, FACTS_TEXT(pattern), b->err);
    return failed ? failed : filter_bind(b->values, FACTS_TEXT(pattern), b->err);
}

/* The id of a job without a number, as a name of a run has it: between the tilde and the marks that follow. */
static struct str escaped_key(struct str item)
{
    struct str key = item;
    size_t len = 0;
    (void)str_cut(&key, '~');
    while (len < key.len && !memchr(".+@", key.ptr[len], 3)) {
        len++;
    }
    return (struct str){key.ptr, len};
}

/*
 * The run of a name (record/run_id.h), by the columns it is made of. What the name escapes is made plain by
 * the engine, so that bound texts are pieces of what was typed.
 */
static int add_run(const struct builder *b, const struct run *run, struct str item)
{
    struct str rest = item;
    buf_addz(b->sql, "(cluster = " RUN_ID_PLAIN_SQL);
    int failed = filter_bind(b->values, FACTS_TEXT(str_cut(&rest, ':')), b->err);
    for (unsigned i = RUN_cluster + 1; !failed && i < RUN_FIELD_COUNT; i++) {
        const struct field *field = &run_fields[i];
        const char *member = (const char *)run + field->offset;
        if (!(field->flags & FIELD_KEY)) {
            continue;
        }
        buf_addf(b->sql, " AND \"%s\"", field->member);
        if (!run_has(run, i)) {
            buf_addz(b->sql, " IS NULL");
        } else if (field->type == FIELD_TEXT) {
            buf_addz(b->sql, " = " RUN_ID_PLAIN_SQL);
            failed = filter_bind(b->values, FACTS_TEXT(escaped_key(rest)), b->err);
        } else {
            buf_addz(b->sql, " = ?");
            failed = filter_bind(b->values, FACTS_INT(*(const int64_t *)(const void *)member),
                                 b->err);
        }
    }
    buf_addc(b->sql, ')');
    return failed;
}

static bool read_run(struct str item, struct run *run)
{
    struct arena arena = {0};
    const bool is_run = run_id_parse(item, &arena, run);
    arena_release(&arena);
    return is_run;
}

static int add_job(const struct builder *b, const struct field *field, struct str item)
{
    struct job_id id;
    struct run run = {0};
    if (read_run(item, &run)) { /* of its texts only whether they are there is looked at */
        return add_run(b, &run, item);
    }
    if (is_job_range(item)) {
        return add_number(b, field, item);
    }
    if (!filter_job_id(item, &id)) {
        return add_job_text(b, item);
    }
    return add_job_id(b, &id);
}

static int add_item(const struct builder *b, const struct field *field, struct str item)
{
    if (str_eq(item, STR(ABSENT))) {
        buf_addf(b->sql, "%s IS NULL", column_sql(field));
        return 0;
    }
    if (field == &run_fields[RUN_job]) {
        return add_job(b, field, item);
    }
    return field->type == FIELD_TEXT ? add_text(b, field, item) : add_number(b, field, item);
}

/* All items of one sign, "(a OR b OR c)" after `before` and with `after`; nothing when there are none. */
static int add_alternatives(const struct builder *b, const struct filter_condition *condition,
                            bool negative, const char *before, const char *after)
{
    struct str rest = condition->list, item;
    bool any = false, is_negative;
    while (next_item(&rest, &item, &is_negative)) {
        if (is_negative != negative) {
            continue;
        }
        buf_addz(b->sql, any ? " OR " : before);
        any = true;
        int failed = add_item(b, condition->field, item);
        if (failed) {
            return failed;
        }
    }
    buf_addz(b->sql, any ? after : "");
    return 0;
}

int filter_sql(const struct filter *filter, const struct zone *zone, int64_t now,
               struct buf *sql, struct filter_values *values, struct error *err)
{
    const struct builder b = {zone, now, sql, values, err};
    for (size_t i = 0; i < filter->count; i++) {
        int failed;
        /* what is absent cannot be the thing that was taken away */
        (void)((failed = add_alternatives(&b, &filter->conditions[i], false, " AND (", ")")) ||
               (failed = add_alternatives(&b, &filter->conditions[i], true,
                                          " AND NOT coalesce(", ", false)")));
        if (failed) {
            return failed;
        }
    }
    return 0;
}

int filter_only(const struct filter *filter, const struct field *field, struct filter *out,
                struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < filter->count; i++) {
        if (filter->conditions[i].field == field) {
            failed = filter_add(out, field, filter->conditions[i].list, err);
        }
    }
    return failed;
}

int filter_check(const struct filter *filter, const struct zone *zone, int64_t now,
                 struct error *err)
{
    struct filter_values *values = mem_alloc(1, sizeof(*values));
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    int failed = filter_sql(filter, zone, now, &sql, values, err);
    buf_release(&sql);
    free(values);
    return failed;
}
