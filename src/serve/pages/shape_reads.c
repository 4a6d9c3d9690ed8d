/* SPDX-License-Identifier: MIT */

/*
 * Large numbers: measures of a period with their change against another one, how they went, and
 * what they are of the whole site.
 */
#include "serve/pages/shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/attribute.h"
#include "base/limit.h"
#include "base/mem.h"
#include "serve/pages/words.h"
#include "view/chart/chart.h"
#include "view/chart/strip.h"

/*
 * Measures with a name of their own above a large number, where a table has no room for it, and
 * whether more of it is better (1) or worse (-1). More of any other is neither, as of use.
 */
static const struct read_measure {
    const char *id, *label;
    int direction;
} read_measures[] = {
    {"success_rate", "Jobs that succeeded", 1}, {"cpu_efficiency", "CPU efficiency", 1},
    {"gpu_efficiency", "GPU efficiency", 1},    {"mem_efficiency", "Memory efficiency", 1},
    {"wait_median", "Median wait", -1},         {"wait_p90", "Nine in ten waited under", -1},
    {"jobs_failed", "Jobs that failed", -1},
};

static const struct read_measure *read_measure_of(const struct column *column)
{
    for (size_t i = 0; i < COUNT_OF(read_measures); i++) {
        if (str_eq(str_of(column->id), str_of(read_measures[i].id))) {
            return &read_measures[i];
        }
    }
    return NULL;
}

const char *shape_read_label(const struct column *column)
{
    const struct read_measure *measure = read_measure_of(column);
    return measure ? measure->label : column->label;
}

static int direction_of(const struct column *column)
{
    const struct read_measure *measure = read_measure_of(column);
    return measure ? measure->direction : 0;
}

/* A cell of a column of that name with an ending: "jobs" and "_change". */
static bool beside(const struct table *table, const struct column *column, const char *ending,
                   double *out)
{
    char id[128];
    const int length = snprintf(id, sizeof(id), "%s%s", column->id, ending);
    return length > 0 && (size_t)length < sizeof(id) && cell_real(table, id, 0, out);
}

/* "3.2 %", of shares "0.7 points", and whether it went up. */
static void add_change(const struct page_view *view, struct model *read,
                       const struct table *table, const struct column *column)
{
    struct buf text;
    double change = 0, part = 0;
    const bool share = column->unit == UNIT_RATIO;
    const bool known = beside(table, column, "_change", &change) &&
                       (share || beside(table, column, "_percent", &part));
    const double shown = fabs(share ? 100 * change : 100 * part);
    const int better = direction_of(column) * (change > 0 ? 1 : -1);
    buf_init(&text, LIMIT_ARGUMENT);
    if (known) {
        buf_addf(&text, shown < 10 ? "%.1f %s" : "%.0f %s", shown, share ? "points" : "%");
    }
    model_text(read, "change", view_text(view, &text));
    model_text(read, "way", shown < 0.05 ? STR("eq") : change > 0 ? STR("up") : STR("dn"));
    model_text(read, "mood",
               better == 0 || shown < 0.05 ? STR("soft")
               : better > 0                ? STR("good")
                                           : STR("badt"));
    buf_release(&text);
}

/* A measure by itself, without what stands beside it. */
static bool is_compared(const struct table *table, const struct column *column)
{
    char id[128];
    (void)snprintf(id, sizeof(id), "%s_before", column->id);
    return column->role == COLUMN_MEASURE && table_find(table, id) < table->column_count;
}

/* How a measure went, as a line; nothing where it has less than two values. */
static struct str spark_of(const struct page_view *view, const struct reads_beside *more,
                           const char *id)
{
    const struct table *table = more->over_time;
    const size_t rows = table ? table->row_count - table->footer_count : 0;
    if (rows < 2 || table_find(table, id) == table->column_count) {
        return (struct str){0};
    }
    double *values = mem_alloc(rows, sizeof *values);
    struct buf text;
    buf_init(&text, LIMIT_OUTPUT);
    for (size_t row = 0; row < rows; row++) {
        values[row] = cell_number(table, id, row, nan(""));
    }
    spark_page(&text, &(struct spark){.values = values,
                                      .count = rows,
                                      .unsettled = more->unsettled,
                                      .look = chart_look_of(id)});
    const struct str copy = view_text(view, &text);
    buf_release(&text);
    free(values);
    return copy;
}

/*
 * A share has a bar with a mark at that of the site, any other number a line of how it went.
 */
static void add_beside(const struct page_view *view, struct reading *reading,
                       const struct column *column, double value,
                       const struct reads_beside *more)
{
    const double site = more->site ? cell_number(more->site, column->id, 0, -1) : -1;
    if (column->unit == UNIT_RATIO && site >= 0) {
        reading->share = value;
        reading->mark = site;
        reading->tone = direction_of(column) > 0 ? tone_of_use(value, TONE_GREY) : TONE_GREY;
        reading->context = view_printf(view, "site %.0f %%", 100 * site);
    } else {
        reading->spark = spark_of(view, more, column->id);
    }
}

static void add_read(struct page_view *view, struct model *panel, const struct table *table,
                     size_t index, const struct reads_beside *more)
{
    const struct column *column = &table->columns[index];
    const bool known = column->present[0];
    struct reading reading = {
        .label = str_of(shape_read_label(column)), .known = known, .share = -1, .mark = -1};
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    if (known) {
        words_cell(&text, table, index, 0, view->service->zone, view->service->now());
    } else {
        buf_addz(&text, "not recorded");
    }
    reading.value = view_text(view, &text);
    if (known && more) {
        add_beside(view, &reading, column, table_real(table, index, 0), more);
    }
    add_change(view, shape_reading(panel, &reading), table, column);
    buf_release(&text);
}

void shape_reads(struct page_view *view, struct model *panel, const struct answer *answer)
{
    const struct table *table = &answer->table;
    const struct reads_beside *more = view->beside;
    size_t count = 0;
    if (table->row_count != 1) {
        return; /* of several none is the whole */
    }
    model_text(panel, "about", view_note(view, cell_words(table, "note", 0)));
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column *column = &table->columns[i];
        /* GPUs that nobody has or uses are no reading */
        const bool cards = str_starts(str_of(column->id), STR("gpu_"));
        if (!is_compared(table, column) ||
            (cards && (!column->present[0] || table_real(table, i, 0) == 0))) {
            continue;
        }
        add_read(view, panel, table, i, more);
        for (size_t k = 0; count == 0 && more && k < more->reading_count; k++) {
            (void)shape_reading(panel, &more->readings[k]);
        }
        count++;
    }
}
