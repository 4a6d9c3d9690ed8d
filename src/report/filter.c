/* SPDX-License-Identifier: MIT */
#include "report/filter.h"

#include "base/calendar.h"
#include "base/scan.h"
#include "report/catalog.h"

int filter_add(struct filter *filter, const struct field *field, struct str list, struct error *err)
{
    if (filter->count == FILTER_MAX) {
        return error_set(err, ERROR_USAGE, "more than %d filters", FILTER_MAX);
    }
    filter->conditions[filter->count++] = (struct filter_condition){field, list};
    return 0;
}

int filter_bind(struct filter_values *values, struct facts_value value, struct error *err)
{
    if (values->count == FILTER_VALUES_MAX) {
        return error_set(err, ERROR_USAGE, "filters name more than %d values", FILTER_VALUES_MAX);
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

/* A number as typed, in the small unit of the field. An instant is a span: *upper is its end. */
static int read_number(const struct builder *b, const struct field *field, struct str text,
                       int64_t *lower, int64_t *upper)
{
    struct period span;
    bool good = false;
    if (field->unit == UNIT_INSTANT) {
        if (calendar_span(text, b->zone, b->now, &span, b->err) != 0) {
            return ERROR_USAGE;
        }
        *lower = span.from;
        *upper = span.to > span.from ? span.to - 1 : span.to;
        return 0;
    }
    if (field->unit == UNIT_SECONDS || field->unit == UNIT_HOURS) {
        good = scan_duration(text, lower);
    } else if (field->unit == UNIT_BYTES) {
        good = scan_size(text, 1, lower);
    } else {
        good = scan_int(text, lower);
    }
    *upper = *lower;
    return good ? 0
                : error_set(b->err, ERROR_USAGE,
                            "cannot read '%.*s' as a value of %s: write a number like 8, a range like 8..64, or >8",
                            STR_ARG(text), field->id);
}

static int bind_int(const struct builder *b, int64_t value)
{
    return filter_bind(b->values, FACTS_INT(value), b->err);
}

/* "8..64": both ends included, either may be left out. */
static int add_range(const struct builder *b, const struct field *field, struct str from, struct str to)
{
    int64_t low = INT64_MIN, high = INT64_MAX, unused;
    int failed = 0;
    if (from.len > 0 && (failed = read_number(b, field, from, &low, &unused)) != 0) {
        return failed;
    }
    if (to.len > 0 && (failed = read_number(b, field, to, &unused, &high)) != 0) {
        return failed;
    }
    buf_addf(b->sql, "%s BETWEEN ? AND ?", column_sql(field));
    return (failed = bind_int(b, low)) != 0 ? failed : bind_int(b, high);
}

static int add_comparison(const struct builder *b, const struct field *field, struct str text)
{
    bool less = text.ptr[0] == '<';
    bool equal = text.len > 1 && text.ptr[1] == '=';
    struct str number = str_trim((struct str){text.ptr + 1 + equal, text.len - 1 - equal});
    int64_t lower, upper;
    int failed = read_number(b, field, number, &lower, &upper);
    if (failed) {
        return failed;
    }
    buf_addf(b->sql, "%s %c%s ?", column_sql(field), less ? '<' : '>', equal ? "=" : "");
    return bind_int(b, less == equal ? upper : lower);
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
    if (failed) {
        return failed;
    }
    buf_addf(b->sql, "%s BETWEEN ? AND ?", column_sql(field));
    return (failed = bind_int(b, lower)) != 0 ? failed : bind_int(b, upper);
}

static int add_text(const struct builder *b, const struct field *field, struct str pattern)
{
    bool glob = false;
    for (size_t i = 0; i < pattern.len; i++) {
        glob |= pattern.ptr[i] == '*' || pattern.ptr[i] == '?' || pattern.ptr[i] == '[';
    }
    const char *match = glob ? "GLOB" : "=";
    if (field == &run_fields[RUN_state]) { /* people say the class as often as the raw state */
        buf_addf(b->sql, "(\"state\" %s ? OR \"class\" %s ?)", match, match);
        int failed = filter_bind(b->values, FACTS_TEXT(pattern), b->err);
        return failed ? failed : filter_bind(b->values, FACTS_TEXT(pattern), b->err);
    }
    buf_addf(b->sql, "%s %s ?", column_sql(field), match);
    return filter_bind(b->values, FACTS_TEXT(pattern), b->err);
}

/* All patterns of one sign: "(a OR b OR c)"; adds nothing and says so when there are none. */
static int add_alternatives(const struct builder *b, const struct filter_condition *condition,
                            bool negative, const char *before)
{
    bool any = false;
    int failed = 0;
    for (struct str rest = condition->list; rest.ptr && !failed;) {
        struct str item = str_trim(str_cut(&rest, ','));
        bool is_negative = item.len > 0 && item.ptr[0] == '!';
        if (is_negative) {
            item = (struct str){item.ptr + 1, item.len - 1};
        }
        if (is_negative != negative || item.len == 0) {
            continue;
        }
        buf_addz(b->sql, any ? " OR " : before);
        any = true;
        failed = condition->field->type == FIELD_TEXT ? add_text(b, condition->field, item)
                                                       : add_number(b, condition->field, item);
    }
    buf_addz(b->sql, any ? ")" : "");
    return failed;
}

int filter_sql(const struct filter *filter, const struct zone *zone, int64_t now, struct buf *sql,
               struct filter_values *values, struct error *err)
{
    const struct builder b = {zone, now, sql, values, err};
    for (size_t i = 0; i < filter->count; i++) {
        const struct filter_condition *condition = &filter->conditions[i];
        int failed = add_alternatives(&b, condition, false, " AND (");
        if (failed) {
            return failed;
        }
        /* what is absent cannot be the thing that was taken away */
        size_t before = sql->len;
        buf_addf(sql, " AND (%s IS NULL OR NOT ", column_sql(condition->field));
        size_t head = sql->len;
        failed = add_alternatives(&b, condition, true, "(");
        if (failed) {
            return failed;
        }
        if (sql->len == head) {
            sql->len = before;
            sql->ptr[before] = '\0';
        } else {
            buf_addc(sql, ')');
        }
    }
    return 0;
}
