/* SPDX-License-Identifier: MIT */
#include "serve/pages/panel.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "base/url.h"
#include "report/catalog.h"
#include "serve/pages/link.h"
#include "view/chart/choose.h"
#include "view/marked.h"
#include "view/number.h"
#include "view/web/chart_data.h"

enum {
    PANEL_ROWS_MAX = 1000,
    PANEL_ROWS_FOLDED = 100, /* of a table that few open, below a picture of all of it */
    TEXT_MAX = 64 << 10,
    TEXT_LONG = 40, /* columns; a longer text may be broken anywhere */
};

struct str view_value(const struct page_view *view, const char *name)
{
    struct str found = {0};
    for (size_t i = 0; i < view->value_count; i++) {
        if (str_eq(str_of(view->values[i].name), str_of(name))) {
            found = view->values[i].text;
        }
    }
    return found;
}

/* --- the answer as a model --- */

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
    /* what sums up has no name of its own: nothing is missing there */
    const bool blank = !c->present[row] && c->type == CELL_TEXT &&
                       row + table->footer_count >= table->row_count;
    if (!blank) {
        cell_text(&text, view, table, column, row);
        cell_link(&url, view, table, column, row);
    }
    const struct str light = light_of(table, column, row);
    const bool is_long = str_width(buf_str(&text)) > TEXT_LONG;
    model_text(cell, "text", buf_str(&text));
    model_text(cell, "url", buf_str(&url));
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

static void add_head(struct model *model, const struct table *table)
{
    model_list(model, "head");
    for (size_t i = 0; i < table->column_count; i++) {
        if (!is_hidden(table, i)) {
            struct model *head = model_add(model, "head");
            model_text(head, "label", str_of(table->columns[i].label));
            model_text(head, "about", str_of(column_about(&table->columns[i])));
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

static void add_table(const struct page_view *view, struct model *model,
                      const struct table *table, size_t most)
{
    const size_t shown = rows_shown(view, table, most);
    add_head(model, table);
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

static void add_numbers(const struct page_view *view, struct model *model,
                        const struct table *table)
{
    model_list(model, "numbers");
    for (size_t i = 0; i < table->column_count && table->row_count > 0; i++) {
        if (table->columns[i].role == COLUMN_MEASURE) {
            struct model *number = model_add(model, "numbers");
            struct buf text;
            buf_init(&text, TEXT_MAX);
            cell_text(&text, view, table, i, table->row_count - 1);
            model_text(number, "value", buf_str(&text));
            model_text(number, "label", str_of(table->columns[i].label));
            model_text(number, "about", str_of(column_about(&table->columns[i])));
            buf_release(&text);
        }
    }
}

static void add_fields(const struct page_view *view, struct model *model,
                       const struct table *table)
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

/* An answer that is a list: each row is a label and what there is to say. */
/* A text without columns, which may be broken wherever it does not fit. */
static bool is_prose(struct str text)
{
    return !memmem(text.ptr, text.len, "  ", 2);
}

static void add_list(const struct page_view *view, struct model *model,
                     const struct table *table)
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
        model_flag(cell, "prose", is_prose(buf_str(&text)));
        buf_release(&label);
        buf_release(&text);
    }
}

/* The question as an address that the script of the page can change: for what `report` answers, and over time. */
static const char *explore_url(const struct page_view *view, const struct request *request)
{
    struct buf url;
    const bool report = str_eq(str_of(request->operation->name), STR("report"));
    if (!report && !str_eq(str_of(request->operation->name), STR("timeline"))) {
        return NULL;
    }
    buf_init(&url, TEXT_MAX);
    link_of_request(&url,
                    arena_printf(view->arena, "%s/%s", view->request->prefix,
                                 report ? "explore" : "answer/timeline"),
                    request);
    const char *copy = arena_text(view->arena, buf_str(&url));
    buf_release(&url);
    return copy;
}

/* The chart as data for the script; a kind that it does not draw has none. */
static void add_chart(const struct page_view *view, struct model *model,
                      const struct chart *chart, const struct table *table,
                      const struct request *request)
{
    struct chart_data_way way = {.explore = explore_url(view, request), .table = table};
    struct buf text;
    size_t count = 0;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct column *column = &table->columns[i];
        if (column->role == COLUMN_DIMENSION && dimension_find(str_of(column->id)) &&
            str_eq(str_of(request->operation->name), STR("report")) &&
            count++ < CHART_DATA_DIMENSIONS_MAX) {
            way.dimensions[count - 1] = column->id;
        }
    }
    if (count > CHART_DATA_DIMENSIONS_MAX) {
        way.explore = NULL; /* their names are joined: none of them can be clicked */
    }
    if (!chart_data_can(chart)) {
        return;
    }
    buf_init(&text, LIMIT_OUTPUT);
    chart_data_write(&text, chart, &way);
    model_text(model, "chart", buf_str(&text));
    buf_release(&text);
}

/* The picture without what stands around it on the page; false: the answer cannot be drawn. */
static bool add_picture(struct page_view *view, struct model *model,
                        const struct answer *answer, const struct panel *panel,
                        const struct request *request)
{
    struct str wished = view_value(view, "chart");
    const struct chart_wish wish = {
        .kind = panel->chart ? str_of(panel->chart)
                : wished.len ? wished
                             : (struct str){0},
        .zone = view->service->zone,
        .period = answer->period,
        .covered = answer->covered,
        .now = answer->as_of,
    };
    struct chart chart = {0};
    struct table seen = {0};
    struct error ignored = {0};
    struct buf svg;
    buf_init(&svg, LIMIT_OUTPUT);
    table_seen(&answer->table, COLUMN_FOR_PEOPLE, &seen);
    if (answer->table.row_count > 0 && chart_choose(&seen, &wish, &chart, &ignored) == 0 &&
        chart_has_data(&chart)) {
        chart.width = panel->show & PANEL_WIDE ? CHART_WIDTH : CHART_NARROW;
        chart_svg_bare(&svg, &chart);
        add_chart(view, model, &chart, &seen, request);
    }
    const bool drawn = svg.len > 0;
    model_markup(model, "picture",
                 drawn ? arena_copy(view->arena, buf_str(&svg)) : (struct str){0});
    buf_release(&svg);
    chart_release(&chart);
    table_seen_release(&seen);
    return drawn;
}

/* Whether a panel above says it: what concerns the whole page is said once. */
static bool was_said(struct page_view *view, struct str text)
{
    for (size_t i = 0; i < view->said_count; i++) {
        if (str_eq(view->said[i], text)) {
            return true;
        }
    }
    if (view->said_count < VIEW_SAID_MAX) {
        view->said[view->said_count++] = arena_copy(view->arena, text);
    }
    return false;
}

/* A page has the moment below it, unless a panel is of an earlier one, and its parts are links, where a terminal needs a note. */
static unsigned notes_hidden(const struct page_view *view, const struct answer *answer,
                             unsigned show)
{
    const bool is_now = answer->as_of + SECOND_US > view->service->now();
    return NOTE_BIT(NOTE_LAYOUT) | (is_now ? NOTE_BIT(NOTE_MOMENT) : 0) |
           (view->page_size ? NOTE_BIT(NOTE_MORE) : 0) |
           (show & PANEL_NOTES ? 0 : NOTE_BIT(NOTE_PERIOD) | NOTE_BIT(NOTE_READING));
}

/* Returns which kinds there are now. */
static unsigned add_notes(struct page_view *view, struct model *model,
                          const struct answer *answer, unsigned show)
{
    const unsigned hidden = notes_hidden(view, answer, show);
    unsigned written = 0;
    model_list(model, "notes");
    for (size_t i = 0; i < answer->notes.count; i++) {
        const struct note *note = &answer->notes.rows[i];
        const bool anew = note->kind == NOTE_SCOPE || !was_said(view, str_of(note->text));
        if (!(NOTE_BIT(note->kind) & hidden) && anew) {
            model_text(model_add(model, "notes"), "text", str_of(note->text));
            written |= NOTE_BIT(note->kind);
        }
    }
    return written;
}

/* What an answer without rows means, and where there is something to do, what. */
static const struct {
    const char *operation, *sentence;
} empties[] = {
    {"bank", "Nothing here yet."},
    {"balance", "No account of the bank is yours."},
    {"doctor", "Nothing."},
    {"gap", "None is known."},
    {"hogs", "Nobody, in this period."},
    {"jobs", "No job matches: choose a longer period, or take a filter away."},
    {"queue", "Nothing waits or runs."},
    {"quarantine", "None: every record could be read."},
    {"report", "No runs: choose a longer period, or take a filter away."},
    {"reservations", "None."},
    {"timeline", "No samples in this period: they come from stint-agent on the nodes."},
    {"waste", "Nobody, in this period."},
};

static struct str empty_sentence(const struct request *request, const struct answer *answer)
{
    for (size_t i = 0; i < answer->notes.count; i++) {
        if (answer->notes.rows[i].kind == NOTE_EMPTY) {
            return STR("Nothing yet."); /* why stands above */
        }
    }
    for (size_t i = 0; i < COUNT_OF(empties); i++) {
        if (str_eq(str_of(request->operation->name), str_of(empties[i].operation))) {
            return str_of(empties[i].sentence);
        }
    }
    return STR("Nothing to show.");
}

/* --- the ways on --- */

/* What somebody takes from a page as CSV is opened in a spreadsheet. */
static const struct {
    const char *label, *suffix, *flag;
} exports[] = {{"CSV", "csv", "no-formulas"}, {"JSON", "json", NULL}, {"SVG", "svg", NULL}};

static void add_links(const struct page_view *view, struct model *model,
                      const struct panel *panel, const struct request *request)
{
    struct buf text;
    buf_init(&text, TEXT_MAX);
    for (size_t i = 0; i < COUNT_OF(exports); i++) {
        struct model *link = model_add(model, "exports");
        char *base = arena_printf(view->arena, "%s/api/v1/%s.%s", view->request->prefix,
                                  request->operation->name, exports[i].suffix);
        buf_clear(&text);
        link_of_request(&text, base, request);
        if (exports[i].flag) {
            url_add(&text, exports[i].flag, STR("true"));
        }
        model_text(link, "label", str_of(exports[i].label));
        model_text(link, "url", buf_str(&text));
    }
    buf_clear(&text);
    link_command(&text, request);
    model_text(model, "command", buf_str(&text));
    buf_clear(&text);
    if (panel->opens) {
        link_of_request(&text,
                        arena_printf(view->arena, "%s/%s", view->request->prefix, panel->opens),
                        request);
    }
    model_text(model, "opens", buf_str(&text));
    buf_release(&text);
}

/* --- asking --- */

static unsigned show_of(const struct panel *panel, const struct answer *answer)
{
    const unsigned fitting =
        answer->as_list || answer->as_records ? PANEL_FIELDS : PANEL_PICTURE | PANEL_TABLE;
    return panel->show & PANEL_FITTING ? panel->show | fitting : panel->show;
}

static void add_answer(struct page_view *view, struct model *model, const struct panel *panel,
                       const struct request *request, const struct answer *answer)
{
    struct table marked = {0};
    const struct table *table = answer->shown.column_count ? &answer->shown : &answer->table;
    if (marked_is(table)) {
        marked_table(table, &marked);
        table = &marked;
    }
    const unsigned show = show_of(panel, answer);
    view->more = view->page_size && table->row_count > view->skip + view->page_size;
    model_flag(model, "table", show & PANEL_TABLE);
    const unsigned noted = add_notes(view, model, answer, show);
    if (table->row_count == 0 && !(noted & NOTE_BIT(NOTE_EMPTY))) {
        model_text(model, "empty", empty_sentence(request, answer));
    }
    if (show & PANEL_NUMBERS) {
        add_numbers(view, model, table);
    }
    if (show & PANEL_PICTURE && !add_picture(view, model, answer, panel, request) &&
        table->row_count > 0 && !(show & PANEL_TABLE)) {
        model_text(model, "empty", STR("Not recorded, so there is nothing to draw."));
    }
    if (show & (PANEL_TABLE | PANEL_FOLDED)) {
        add_table(view, model, table, show & PANEL_FOLDED ? PANEL_ROWS_FOLDED : PANEL_ROWS_MAX);
    }
    model_flag(model, "listed", answer->as_list);
    if (show & PANEL_FIELDS && answer->as_list) {
        add_list(view, model, table);
    } else if (show & PANEL_FIELDS) {
        add_fields(view, model, table);
    }
    table_release(&marked);
}

/* All names a template asks for, so that it need not care how a panel is shown. */
static struct model *begin(struct model *page, const struct panel *panel)
{
    static const char *const lists[] = {"numbers", "head",  "rows",
                                        "records", "notes", "exports"};
    static const char *const texts[] = {"picture", "chart",   "more", "command",
                                        "opens",   "failure", "empty"};
    struct model *model = model_add(page, "panels");
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        model_list(model, lists[i]);
    }
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        model_text(model, texts[i], (struct str){0});
    }
    model_text(model, "title", str_of(panel->title));
    model_flag(model, "table", panel->show & PANEL_TABLE);
    model_flag(model, "folded", panel->show & PANEL_FOLDED);
    model_flag(model, "wide", panel->show & PANEL_WIDE);
    model_flag(model, "listed", false);
    return model;
}

void panel_show(struct page_view *view, struct model *page, const struct panel *panel,
                const struct table *table)
{
    struct model *model = begin(page, panel);
    model_text(model, "empty", table->row_count ? (struct str){0} : STR("Nothing yet."));
    if (panel->show & PANEL_NUMBERS) {
        add_numbers(view, model, table);
    } else {
        add_table(view, model, table, PANEL_ROWS_MAX);
    }
}

/* Of a part of a listing: as many rows as there are up to its end, and one that says whether more follow. */
static size_t add_limit(const struct page_view *view, struct request_value *values,
                        size_t count)
{
    if (view->page_size) {
        values[count++] = (struct request_value){
            "limit",
            str_of(arena_printf(view->arena, "%zu", view->skip + view->page_size + 1))};
    }
    return count;
}

int panel_ask(struct page_view *view, struct model *page, const struct panel *panel,
              const struct request_value *values, size_t count, struct error *err)
{
    struct answer answer = {0};
    const struct request request = {
        .operation = operation_find(str_of(panel->operation)),
        .values = values,
        .count = count,
    };
    struct request_value *wanted = mem_alloc(count + 2, sizeof(*wanted));
    for (size_t i = 0; i < count; i++) {
        wanted[i] = values[i];
    }
    const struct request asked = {
        .operation = request.operation,
        .values = wanted,
        .count = add_limit(view, wanted, request_for_people(request.operation, wanted, count)),
    };
    const bool widen = view->service->caller->role == ROLE_ANYONE && view->request->totals &&
                       request_is_total(&request);
    const struct caller anyone = {.name = view->service->caller->name, CALLER_AS(STAFF)};
    struct service service = *view->service;
    service.caller = widen ? &anyone : service.caller;
    int failed = service_call(&service, widen ? &request : &asked, &answer, err);
    free(wanted);
    if (failed == ERROR_DENIED && view->service->caller->role == ROLE_ANYONE) {
        model_flag(view->model, "denied", true); /* said once, above: log in */
    } else if (failed || !(panel->show & PANEL_IF_ANY) || answer.table.row_count > 0) {
        struct model *model = begin(page, panel);
        if (failed) {
            model_text(model, "failure", str_of(err->text));
        } else {
            view->answered++;
            if (!(panel->show & PANEL_ALONE)) {
                add_links(view, model, panel, &request);
            }
            add_answer(view, model, panel, &request, &answer);
        }
    }
    answer_release(&answer);
    return failed;
}

static bool is_period(const char *name)
{
    return str_eq(str_of(name), STR("from")) || str_eq(str_of(name), STR("to"));
}

struct str view_pattern(const struct page_view *view, struct str name)
{
    struct buf pattern;
    buf_init(&pattern, TEXT_MAX);
    link_pattern(&pattern, name);
    const struct str copy = arena_copy(view->arena, buf_str(&pattern));
    buf_release(&pattern);
    return copy;
}

size_t panel_values(struct page_view *view, const struct panel *panel,
                    struct request_value values[PANEL_VALUES_MAX])
{
    struct str query = str_of(panel->query), name, text;
    struct error err;
    size_t count = 0;
    bool period = panel->show & PANEL_NOW, about = false;
    int failed = 0;
    while (count < PANEL_VALUES_MAX - 3 &&
           url_next(view->arena, &query, &name, &text, &failed, &err) && !failed) {
        if (str_eq(text, STR("{}"))) {
            text = view_pattern(view, view->thing);
            about = true;
        }
        values[count] = (struct request_value){arena_text(view->arena, name), text};
        period = period || is_period(values[count].name);
        count++;
    }
    if (about && view->cluster.ptr) {
        values[count++] = (struct request_value){"cluster", view_pattern(view, view->cluster)};
    }
    for (size_t i = 0; i < view->value_count && !period && count < PANEL_VALUES_MAX; i++) {
        if (is_period(view->values[i].name) && view->values[i].text.len > 0) {
            values[count++] = view->values[i];
        }
    }
    return count;
}

/* Whether it ranks what the page is about, of which there is one: the nodes of a node. */
static bool ranks_itself(const struct panel *panel, const struct request_value *values,
                         size_t count)
{
    struct str dimension = {0};
    bool found = false;
    for (size_t i = 0; i < count && str_eq(str_of(panel->operation), STR("top")); i++) {
        dimension =
            str_eq(str_of(values[i].name), STR("dimension")) ? values[i].text : dimension;
    }
    for (size_t i = 0; i < count && dimension.ptr; i++) {
        found = found || str_eq(str_of(values[i].name), dimension);
    }
    return found;
}

int panel_add(struct page_view *view, struct model *model, const struct panel *panel,
              struct error *err)
{
    struct request_value values[PANEL_VALUES_MAX];
    size_t count = panel_values(view, panel, values);
    if (ranks_itself(panel, values, count)) {
        return 0;
    }
    return panel_ask(view, model, panel, values, count, err);
}
