/* SPDX-License-Identifier: MIT */

/* Answers as tables, large numbers, fields and lists of a panel. */
#include "serve/pages/panel_cells.h"

#include <inttypes.h>
#include <math.h>

#include "base/limit.h"
#include "base/url.h"
#include "report/catalog.h"
#include "serve/pages/link.h"
#include "serve/pages/shape.h"
#include "serve/pages/words.h"
#include "view/number.h"

enum {
    TEXT_MAX = 64 << 10,
    TEXT_LONG = 40, /* columns; a longer text may be broken anywhere */
};

static const char *column_about(const struct column *column)
{
    const struct measure *measure = measure_find(str_of(column->id));
    const struct field *field = measure ? NULL : column_find(str_of(column->id));
    return measure ? measure->doc : field ? field->doc : "";
}

static bool is_hidden(const struct table *table, size_t column)
{
    return table->columns[column].role == COLUMN_TARGET ||
           table->columns[column].audience == COLUMN_FOR_MACHINES ||
           str_eq(str_of(table->columns[column].id), STR("run_id"));
}

static void cell_text(struct buf *out, const struct page_view *view, const struct table *table,
                      size_t column, size_t row)
{
    const struct column *c = &table->columns[column];
    if (!c->present[row]) {
        buf_addz(out, "---");
    } else if (c->type == CELL_TEXT) {
        buf_add(out, c->names && c->names[row].ptr ? c->names[row] : c->cells[row].text);
    } else {
        number_human(out, table, column, row, view->service->zone);
    }
}

/* The cluster that a row is of; the null string where no column has it. */
static struct str cluster_of(const struct table *table, size_t row)
{
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column *c = &table->columns[i];
        if (str_eq(str_of(c->id), STR("cluster")) && c->type == CELL_TEXT && c->present[row]) {
            return c->cells[row].text;
        }
    }
    return (struct str){0};
}

/* The page of what a cell names: a job's by its run_id, where the row has one. */
static void cell_link(struct buf *out, const struct page_view *view, const struct table *table,
                      size_t column, size_t row)
{
    const char *prefix = view->request->prefix;
    const struct column *c = &table->columns[column];
    if (str_eq(str_of(c->id), STR("id")) || str_eq(str_of(c->id), STR("job"))) {
        for (size_t i = 0; i < table->column_count; i++) {
            if (str_eq(str_of(table->columns[i].id), STR("run_id")) &&
                table->columns[i].present[row]) {
                link_of_value(out, prefix, (struct str){0}, "run_id",
                              table->columns[i].cells[row].text);
                return;
            }
        }
        if (c->type == CELL_TEXT && c->present[row] &&
            row + table->footer_count < table->row_count) {
            link_of_value(out, prefix, (struct str){0}, "run_id", c->cells[row].text);
            return;
        }
    }
    if (c->type == CELL_TEXT && c->present[row] &&
        row + table->footer_count < table->row_count) {
        const bool account = view->accounts && str_eq(str_of(c->id), STR("account"));
        if (account) {
            buf_addf(out, "%s/%s/", prefix, view->accounts);
            url_encode(out, c->cells[row].text);
        } else {
            link_of_value(out, prefix, cluster_of(table, row), c->id, c->cells[row].text);
        }
    }
}

/* Whether people read it in the words of a sentence, with the exact form beside the pointer. */
static bool is_worded(const struct table *table, size_t column, size_t row)
{
    const struct column *c = &table->columns[column];
    const double rounded_from = 100e6; /* SU, in millionths: below, decimals say something */
    return c->present[row] && c->type != CELL_TEXT &&
           ((c->unit == UNIT_INSTANT && !c->picture) || c->unit == UNIT_SECONDS ||
            (c->unit == UNIT_COUNT && c->type == CELL_REAL &&
             table_real(table, column, row) == round(table_real(table, column, row))) ||
            (c->unit == UNIT_SU && fabs(table_real(table, column, row)) >= rounded_from));
}

/*
 * A bar beside a share: of what was used of what was held, coloured where it is little; of
 * other shares, its length alone.
 */
static void add_bar(struct model *cell, const struct table *table, size_t column, size_t row)
{
    static const struct {
        const char *id;
        bool judged;
    } barred[] = {{"cpu_efficiency", true},  {"gpu_efficiency", true},
                  {"mem_efficiency", false}, {"time_efficiency", false},
                  {"success_rate", false},   {"share", false},
                  {"utilization", false},    {"gpu_utilization", false}};
    const struct column *c = &table->columns[column];
    model_text(cell, "bar", (struct str){0});
    model_text(cell, "tone", (struct str){0});
    for (size_t i = 0; i < COUNT_OF(barred); i++) {
        if (str_eq(str_of(c->id), str_of(barred[i].id)) && c->unit == UNIT_RATIO &&
            c->present[row]) {
            const double share = fmin(1, fmax(0, table_real(table, column, row)));
            model_format(cell, "bar", "%.1f", 100 * share);
            model_text(cell, "tone",
                       str_of(tone_name(barred[i].judged ? tone_of_use(share, TONE_GREY)
                                                         : TONE_GREY)));
        }
    }
}

/* A state of a run or of a node has a sign and a colour beside its word. */
static void add_state(struct model *cell, const struct table *table, size_t column, size_t row)
{
    const struct column *c = &table->columns[column];
    const bool state = c->type == CELL_TEXT && (str_eq(str_of(c->id), STR("class")) ||
                                                str_eq(str_of(c->id), STR("state")));
    const enum tone tone =
        state && c->present[row] ? tone_of_state(c->cells[row].text) : TONE_NONE;
    model_text(cell, "state",
               tone == TONE_NONE                            ? (struct str){0}
               : str_eq(c->cells[row].text, STR("pending")) ? STR("wait")
                                                            : str_of(tone_name(tone)));
}

/* The state of an account of the bank, which people see as a light beside the word. */
static struct str light_of(const struct table *table, size_t column, size_t row)
{
    static const char *const lights[] = {"ok", "low", "over", "unlimited"};
    const struct column *c = &table->columns[column];
    size_t i = COUNT_OF(lights);
    if (str_eq(str_of(c->id), STR("state")) && c->type == CELL_TEXT && c->present[row] &&
        str_eq(str_of(table->columns[0].id), STR("account"))) {
        for (i = 0; i < COUNT_OF(lights) && !str_eq(c->cells[row].text, str_of(lights[i]));
             i++) {
        }
    }
    return i < COUNT_OF(lights) ? str_of(lights[i]) : (struct str){0};
}

static void add_cell(const struct page_view *view, struct model *row_model,
                     const struct table *table, size_t column, size_t row)
{
    struct model *cell = model_add(row_model, "cells");
    struct buf text, url;
    buf_init(&text, TEXT_MAX);
    buf_init(&url, TEXT_MAX);
    const struct column *c = &table->columns[column];
    const bool worded = is_worded(table, column, row);
    /* what sums up has no name of its own: nothing is missing there */
    const bool blank = !c->present[row] && c->type == CELL_TEXT &&
                       row + table->footer_count >= table->row_count;
    if (!blank) {
        cell_text(&text, view, table, column, row);
        model_text(cell, "exact", worded ? buf_str(&text) : (struct str){0});
        if (worded) {
            buf_clear(&text);
            words_cell(&text, table, column, row, view->service->zone, view->service->now());
        }
        cell_link(&url, view, table, column, row);
    }
    const struct str light = light_of(table, column, row);
    const bool is_long = str_width(buf_str(&text)) > TEXT_LONG;
    model_text(cell, "text", buf_str(&text));
    model_text(cell, "url", buf_str(&url));
    if (blank) {
        model_text(cell, "exact", (struct str){0});
    }
    add_bar(cell, table, column, row);
    add_state(cell, table, column, row);
    model_text(cell, "label", str_of(c->label));
    model_text(cell, "light", light);
    model_flag(cell, "number", column_is_right(c));
    model_flag(cell, "long", is_long);
    model_flag(cell, "prose", false);
    model_flag(cell, "absent", !blank && !c->present[row]);
    model_flag(cell, "marked",
               column_is_right(c) || is_long || light.len > 0 || (!blank && !c->present[row]));
    buf_release(&text);
    buf_release(&url);
}

static void add_head(const struct page_view *view, struct model *model,
                     const struct table *table)
{
    model_list(model, "head");
    for (size_t i = 0; i < table->column_count; i++) {
        if (!is_hidden(table, i)) {
            struct model *head = model_add(model, "head");
            model_text(head, "label", str_of(table->columns[i].label));
            model_text(head, "about", str_of(column_about(&table->columns[i])));
            const char *sorted = NULL;
            model_text(head, "url",
                       view->sort_url ? view->sort_url(view, table->columns[i].id, &sorted)
                                      : (struct str){0});
            model_text(head, "sorted", str_of(sorted));
            model_flag(head, "number", column_is_right(&table->columns[i]));
        }
    }
}

/* What a form calls the row by: text as it is in the books, a number without anything in it. */
static void add_key(struct model *row_model, const struct table *table, const char *key,
                    size_t row)
{
    model_text(row_model, "key", (struct str){0});
    for (size_t i = 0; key && i < table->column_count; i++) {
        const struct column *column = &table->columns[i];
        if (!str_eq(str_of(column->id), str_of(key)) || !column->present[row]) {
            continue;
        }
        if (column->type == CELL_TEXT) {
            model_text(row_model, "key", column->cells[row].text);
        } else if (column->type == CELL_INT) {
            model_format(row_model, "key", "%" PRId64, column->cells[row].integer);
        }
    }
}

/* The rows of a table that are shown: those of the part that the page is, or the first. */
static size_t rows_shown(const struct page_view *view, const struct table *table, size_t most)
{
    most = view->page_size ? view->skip + view->page_size : most;
    return table->row_count < most ? table->row_count : most;
}

void cells_table(const struct page_view *view, struct model *model, const struct table *table,
                 size_t most)
{
    const size_t shown = rows_shown(view, table, most);
    add_head(view, model, table);
    model_list(model, "rows");
    for (size_t row = view->skip; row < shown; row++) {
        struct model *row_model = model_add(model, "rows");
        model_flag(row_model, "footer", row + table->footer_count >= table->row_count);
        model_list(row_model, "cells");
        add_key(row_model, table, view->key, row);
        for (size_t i = 0; i < table->column_count; i++) {
            if (!is_hidden(table, i)) {
                add_cell(view, row_model, table, i, row);
            }
        }
    }
    model_text(model, "more", (struct str){0});
    if (shown < table->row_count && !view->page_size) {
        model_format(model, "more", "The first %zu of %zu rows; CSV and JSON have all.", shown,
                     table->row_count);
    }
}

void cells_numbers(const struct page_view *view, struct model *model, const struct table *table)
{
    model_list(model, "numbers");
    for (size_t i = 0; i < table->column_count && table->row_count > 0; i++) {
        if (table->columns[i].role == COLUMN_MEASURE) {
            struct model *number = model_add(model, "numbers");
            struct buf text;
            buf_init(&text, TEXT_MAX);
            if (table_has(table, i, table->row_count - 1)) {
                words_cell(&text, table, i, table->row_count - 1, view->service->zone,
                           view->service->now());
            } else {
                buf_addz(&text, "---");
            }
            model_text(number, "value", buf_str(&text));
            model_text(number, "label", str_of(shape_read_label(&table->columns[i])));
            model_text(number, "about", str_of(column_about(&table->columns[i])));
            buf_release(&text);
        }
    }
}

void cells_fields(const struct page_view *view, struct model *model, const struct table *table)
{
    model_list(model, "records");
    for (size_t row = 0; row < table->row_count && row < PANEL_ROWS_MAX; row++) {
        struct model *record = model_add(model, "records");
        model_list(record, "cells");
        for (size_t i = 0; i < table->column_count; i++) {
            if (table->columns[i].present[row] &&
                table->columns[i].audience != COLUMN_FOR_MACHINES) {
                add_cell(view, record, table, i, row);
            }
        }
    }
}

/* A text without columns, which may be broken wherever it does not fit. */
static bool is_prose(struct str text)
{
    return !memmem(text.ptr, text.len, "  ", 2);
}

void cells_list(const struct page_view *view, struct model *model, const struct table *table)
{
    struct model *record = model_add(model, "records");
    model_list(record, "cells");
    for (size_t row = 0; row < table->row_count && row < PANEL_ROWS_MAX; row++) {
        struct model *cell = model_add(record, "cells");
        struct buf label, text;
        buf_init(&label, TEXT_MAX);
        buf_init(&text, TEXT_MAX);
        cell_text(&label, view, table, 0, row);
        for (size_t i = 1; i < table->column_count; i++) {
            buf_addz(&text, i > 1 ? ": " : "");
            cell_text(&text, view, table, i, row);
        }
        model_text(cell, "label", buf_str(&label));
        model_text(cell, "text", buf_str(&text));
        model_text(cell, "url", (struct str){0});
        model_text(cell, "light", (struct str){0});
        model_text(cell, "exact", (struct str){0});
        model_text(cell, "bar", (struct str){0});
        model_text(cell, "tone", (struct str){0});
        model_text(cell, "state", (struct str){0});
        model_flag(cell, "prose", is_prose(buf_str(&text)));
        buf_release(&label);
        buf_release(&text);
    }
}
