/* SPDX-License-Identifier: MIT */
#include "view/metrics/openmetrics.h"

#include <inttypes.h>

#include "base/limit.h"
#include "base/printable.h"

enum { MICRO = 1000000 };

/* By type: the word for it in both forms, and what samples have behind the family's name. */
static const struct {
    const char *words[2];
    const char *behind;
} types[] = {
    [METRIC_GAUGE] = {{"gauge", "gauge"}, ""},
    [METRIC_COUNTER] = {{"counter", "counter"}, "_total"},
    [METRIC_INFO] = {{"gauge", "info"}, "_info"},
};

/* In the older form a family is called as its samples are. */
void openmetrics_family(struct buf *out, enum openmetrics_form form,
                        const struct openmetrics_family *family)
{
    const char *behind = form == FORM_PROMETHEUS ? types[family->type].behind : "";
    buf_addf(out, "# HELP %s%s %s\n", family->name, behind, family->help);
    buf_addf(out, "# TYPE %s%s %s\n", family->name, behind, types[family->type].words[form]);
    if (family->unit && form == FORM_OPENMETRICS) {
        buf_addf(out, "# UNIT %s %s\n", family->name, family->unit);
    }
}

void openmetrics_begin(struct buf *out, const struct openmetrics_family *family)
{
    buf_addf(out, "%s%s", family->name, types[family->type].behind);
}

/* The escapes of the format, but for that of line breaks: visible text has none. */
static void add_escaped(struct buf *out, struct str value)
{
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] == '\\' || value.ptr[i] == '"') {
            buf_addc(out, '\\');
        }
        buf_addc(out, value.ptr[i]);
    }
}

/* Inside the braces of the sample that is being written; they are opened by the first label. */
void openmetrics_label(struct buf *out, const char *name, struct str value)
{
    const char last = out->len > 0 ? out->ptr[out->len - 1] : '\0';
    if (last == '}') {
        out->ptr[out->len - 1] = ',';
    } else {
        buf_addc(out, '{');
    }
    buf_addf(out, "%s=\"", name);
    struct buf seen;
    buf_init(&seen, LIMIT_OUTPUT);
    printable_add(&seen, value, false);
    add_escaped(out, buf_str(&seen));
    out->overflow |= seen.overflow;
    buf_release(&seen);
    buf_addz(out, "\"}");
}

void openmetrics_real(struct buf *out, double value)
{
    buf_addf(out, " %.15g\n", value);
}

static bool is_micro(enum unit unit)
{
    return unit == UNIT_SECONDS || unit == UNIT_HOURS || unit == UNIT_INSTANT;
}

/* Whole numbers exactly, however large: a counter that loses digits stands still. */
static void add_wide(struct buf *out, wide_int value, bool micro)
{
    char digits[48];
    size_t at = sizeof digits;
    size_t places = 0;
    wide_int rest = value;
    do {
        const int digit = (int)(rest % 10); /* of the sign of the rest */
        digits[--at] = (char)('0' + (digit < 0 ? -digit : digit));
        rest /= 10;
        places++;
        if (micro && places == 6) {
            digits[--at] = '.';
        }
    } while (rest != 0 || (micro && places < 7));
    buf_addz(out, value < 0 ? " -" : " ");
    buf_add(out, (struct str){digits + at, sizeof digits - at});
    buf_addc(out, '\n');
}

void openmetrics_cell(struct buf *out, const struct table *table, size_t column, size_t row)
{
    const struct column *c = &table->columns[column];
    if (c->type == CELL_REAL) {
        openmetrics_real(out, is_micro(c->unit) ? table_real(table, column, row) / MICRO
                                                : table_real(table, column, row));
    } else {
        add_wide(out, table_wide(table, column, row), is_micro(c->unit));
    }
}

void openmetrics_end(struct buf *out, enum openmetrics_form form)
{
    buf_addz(out, form == FORM_OPENMETRICS ? "# EOF\n" : "");
}
