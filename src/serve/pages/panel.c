/* SPDX-License-Identifier: MIT */
#include "serve/pages/panel.h"

#include <stdlib.h>

#include "base/calendar.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/url.h"
#include "report/catalog.h"
#include "serve/pages/earlier.h"
#include "serve/pages/link.h"
#include "serve/pages/panel_cells.h"
#include "serve/pages/shape.h"
#include "serve/pages/words.h"
#include "view/chart/choose.h"
#include "view/partial_marks.h"
#include "view/web/chart_data.h"

enum {
    PANEL_ROWS_FOLDED = 100, /* of a table that few open, below a picture of all of it */
    TEXT_MAX = 64 << 10,
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

/*
 * The question as an address that the script of the page can change: for what `report` answers,
 * and over time.
 */
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
        .covers = answer->covers,
        .cover_count = answer->cover_count,
        .now = answer->as_of,
    };
    struct chart chart = {0};
    struct table seen = {0};
    struct error ignored = {0};
    struct buf svg;
    buf_init(&svg, LIMIT_OUTPUT);
    table_seen(answer->drawn.row_count > 0 ? &answer->drawn : &answer->table, COLUMN_FOR_PEOPLE,
               &seen);
    if (answer->table.row_count > 0 && chart_choose(&seen, &wish, &chart, &ignored) == 0 &&
        chart_has_data(&chart)) {
        if (view->limit && chart.target_count < CHART_TARGETS_MAX) {
            chart.targets[chart.target_count++] = *view->limit;
        }
        earlier_add(view, &chart, request, answer->period,
                    panel->show & PANEL_EARLIER && chart.bucket >= BUCKET_MONTH
                        ? STR("last-year")
                        : view_value(view, "with"));
        chart.width = panel->show & PANEL_WIDE ? CHART_WIDTH : CHART_NARROW;
        chart_page(&svg, &chart);
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

struct str view_note(const struct page_view *view, struct str note)
{
    struct buf text;
    buf_init(&text, TEXT_MAX);
    words_note(&text, note, view->service->zone, view->service->now());
    const struct str copy = view_text(view, &text);
    buf_release(&text);
    return copy;
}

/*
 * A page has the moment below it, unless a panel is of an earlier one, and its parts are links,
 * where a terminal needs a note.
 */
static unsigned notes_hidden(const struct page_view *view, const struct answer *answer,
                             unsigned show, bool opens)
{
    const bool is_now = answer->as_of + SECOND_US > view->service->now();
    return NOTE_BIT(NOTE_LAYOUT) | (is_now ? NOTE_BIT(NOTE_MOMENT) : 0) |
           (view->page_size || opens ? NOTE_BIT(NOTE_MORE) : 0) |
           (show & PANEL_NOTES ? 0 : NOTE_BIT(NOTE_PERIOD) | NOTE_BIT(NOTE_READING));
}

/* Of a measure, how much of what it needs is measured; nothing of GPUs where there are none. */
static struct str measured_of(const struct page_view *view, const struct note *note,
                              const struct table *table)
{
    const struct measure *measure = note->about ? measure_find(str_of(note->about)) : NULL;
    const struct str text = str_of(note->text), mark = STR(": recorded for ");
    const char *at = memmem(text.ptr, text.len, mark.ptr, mark.len);
    const char *percent = at ? memchr(at, '%', text.len - (size_t)(at - text.ptr)) : NULL;
    if (!measure || !percent) {
        return view_note(view, text);
    }
    if (str_starts(str_of(measure->id), STR("gpu"))) {
        const size_t column = table_find(table, measure->id);
        bool any = false;
        for (size_t row = 0; column < table->column_count && row < table->row_count; row++) {
            any = any || table_has(table, column, row);
        }
        if (!any) {
            return (struct str){0};
        }
    }
    return view_printf(view, "%s: %.*s of it measured", measure->label,
                       (int)(percent + 1 - (at + mark.len)), at + mark.len);
}

static struct str note_of(const struct page_view *view, const struct note *note,
                          const struct table *table)
{
    return note->kind == NOTE_COVERAGE ? measured_of(view, note, table)
                                       : view_note(view, str_of(note->text));
}

/* Returns which kinds there are now. */
static unsigned add_notes(struct page_view *view, struct model *model,
                          const struct answer *answer, unsigned show, bool opens)
{
    const unsigned hidden = notes_hidden(view, answer, show, opens);
    unsigned written = 0;
    model_list(model, "notes");
    for (size_t i = 0; i < answer->notes.count; i++) {
        const struct note *note = &answer->notes.rows[i];
        const bool unsaid = note->kind == NOTE_SCOPE || !was_said(view, str_of(note->text));
        if (NOTE_BIT(note->kind) & hidden || !unsaid) {
            continue;
        }
        const struct str text = note_of(view, note, &answer->table);
        if (text.len > 0) {
            model_text(model_add(model, "notes"), "text", text);
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
    const unsigned fitting = answer->drawn.row_count > 0 ? PANEL_PICTURE | PANEL_FIELDS
                             : answer->as_list || answer->as_records
                                 ? PANEL_FIELDS
                                 : PANEL_PICTURE | PANEL_TABLE;
    return panel->show & PANEL_FITTING ? panel->show | fitting : panel->show;
}

/*
 * Whether all that a report measures is zero or not recorded: GPU hours of those who use none.
 * A list of things has its rows.
 */
static bool has_nothing(const struct request *request, const struct table *table)
{
    static const char *const reports[] = {"report", "top", "sizes", "compare"};
    bool measured = false, reports_it = false;
    for (size_t i = 0; i < COUNT_OF(reports); i++) {
        reports_it = reports_it || str_eq(str_of(request->operation->name), str_of(reports[i]));
    }
    if (!reports_it) {
        return false;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].role != COLUMN_MEASURE || table->columns[i].type == CELL_TEXT) {
            continue;
        }
        measured = true;
        for (size_t row = 0; row < table->row_count; row++) {
            if (table_has(table, i, row) && table_real(table, i, row) != 0) {
                return false;
            }
        }
    }
    return measured;
}

/* Bins of sizes, in words. */
static void say_bins(struct table *table)
{
    for (size_t row = 0; table->column_count > 0 && row < table->row_count; row++) {
        struct buf text;
        if (table->columns[0].type != CELL_TEXT || !table_has(table, 0, row)) {
            continue;
        }
        buf_init(&text, TEXT_MAX);
        words_bin(&text, table->columns[0].cells[row].text);
        table_set_text(table, 0, row, buf_str(&text));
        buf_release(&text);
    }
}

static void add_answer(struct page_view *view, struct model *model, const struct panel *panel,
                       const struct request *request, const struct answer *answer)
{
    struct table marked = {0};
    const struct table *table = answer->shown.column_count ? &answer->shown : &answer->table;
    if (partial_marks_is(table)) {
        partial_marks_table(table, &marked);
        table = &marked;
    }
    const unsigned show = show_of(panel, answer);
    if (panel->show & PANEL_IF_ANY && has_nothing(request, table)) {
        model_flag(model, "hidden", true);
        table_release(&marked);
        return;
    }
    view->more = view->page_size && table->row_count > view->skip + view->page_size;
    model_flag(model, "table", show & PANEL_TABLE);
    const unsigned noted = add_notes(view, model, answer, show, panel->opens != NULL);
    if (table->row_count == 0 && !(noted & NOTE_BIT(NOTE_EMPTY))) {
        model_text(model, "empty", empty_sentence(request, answer));
    }
    (void)shape_answer(view, model, show, answer);
    if (show & PANEL_NUMBERS) {
        cells_numbers(view, model, table);
    }
    if (show & PANEL_PICTURE && !add_picture(view, model, answer, panel, request) &&
        table->row_count > 0 && !(show & PANEL_TABLE)) {
        model_text(model, "empty", STR("Not recorded, so there is nothing to draw."));
    }
    if (show & (PANEL_TABLE | PANEL_FOLDED)) {
        cells_table(view, model, table,
                    show & PANEL_FOLDED ? PANEL_ROWS_FOLDED : PANEL_ROWS_MAX);
    }
    model_flag(model, "listed", answer->as_list);
    if (show & PANEL_FIELDS && answer->as_list) {
        cells_list(view, model, table);
    } else if (show & PANEL_FIELDS) {
        cells_fields(view, model, table);
    }
    table_release(&marked);
}

/* All names a template asks for, so that it need not care how a panel is shown. */
struct model *panel_begin(struct model *page, const struct panel *panel)
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
    model_flag(model, "hidden", false);
    model_text(model, "span",
               str_of(panel->show & PANEL_WIDE    ? "w12"
                      : panel->show & PANEL_BROAD ? "w8"
                      : panel->show & PANEL_THIRD ? "w4"
                                                  : "w6"));
    shape_begin(model);
    return model;
}

void panel_show(struct page_view *view, struct model *page, const struct panel *panel,
                const struct table *table)
{
    struct model *model = panel_begin(page, panel);
    model_text(model, "empty", table->row_count ? (struct str){0} : STR("Nothing yet."));
    if (panel->show & PANEL_NUMBERS) {
        cells_numbers(view, model, table);
    } else {
        cells_table(view, model, table, PANEL_ROWS_MAX);
    }
}

/*
 * Of a part of a listing: as many rows as there are up to its end, and one that says whether
 * more follow.
 */
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
    const bool widen = view->service->caller->role == ROLE_ANYONE &&
                       view->request->public_caller && request_is_total(&request);
    struct service service = *view->service;
    service.caller = widen ? view->request->public_caller : service.caller;
    int failed = service_call(&service, widen ? &request : &asked, &answer, err);
    free(wanted);
    if (failed == ERROR_DENIED && view->service->caller->role == ROLE_ANYONE) {
        model_flag(view->model, "denied", true); /* said once, above: log in */
    } else if (failed || !(panel->show & PANEL_IF_ANY) || answer.table.row_count > 0) {
        struct model *model = panel_begin(page, panel);
        if (failed) {
            model_text(model, "failure", view_note(view, str_of(err->text)));
        } else {
            view->answered++;
            if (!(panel->show & PANEL_ALONE)) {
                add_links(view, model, panel, &request);
            }
            if (str_eq(str_of(request.operation->name), STR("sizes"))) {
                say_bins(&answer.table);
                say_bins(&answer.shown);
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

const char *panel_bucket(struct period period)
{
    const int64_t days = (period.to - period.from) / DAY_US;
    const int64_t months_from = 200, weeks_from = 60, days_from = 4;
    return days >= months_from  ? "month"
           : days >= weeks_from ? "week"
           : days >= days_from  ? "day"
                                : NULL;
}

/* "auto" becomes the intervals that fit what is asked for. */
static void choose_bucket(const struct page_view *view, struct request_value *values,
                          size_t count)
{
    struct str from = {0}, to = {0};
    struct period period;
    struct error ignored = {0}; /* said by the operation */
    for (size_t i = 0; i < count; i++) {
        from = str_eq(str_of(values[i].name), STR("from")) ? values[i].text : from;
        to = str_eq(str_of(values[i].name), STR("to")) ? values[i].text : to;
    }
    const bool known = calendar_period(from, to, view->service->zone, view->service->now(),
                                       &period, &ignored) == 0;
    const char *bucket = known ? panel_bucket(period) : "month";
    for (size_t i = 0; i < count; i++) {
        if (str_eq(str_of(values[i].name), STR("every")) &&
            str_eq(values[i].text, STR("auto"))) {
            values[i].text = str_of(bucket ? bucket : "hour");
        }
    }
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
    choose_bucket(view, values, count);
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
    if (panel->show & PANEL_ANYONE && view->service->caller->role != ROLE_ANYONE) {
        return 0;
    }
    struct request_value values[PANEL_VALUES_MAX];
    size_t count = panel_values(view, panel, values);
    if (ranks_itself(panel, values, count)) {
        return 0;
    }
    return panel_ask(view, model, panel, values, count, err);
}

int view_ask(struct page_view *view, const char *operation, const char *query,
             struct answer *answer, struct error *err)
{
    const struct panel panel = {.operation = operation, .query = query};
    struct request_value values[PANEL_VALUES_MAX];
    const struct request request = {
        .operation = operation_find(str_of(operation)),
        .values = values,
        .count = panel_values(view, &panel, values),
    };
    return service_call(view->service, &request, answer, err);
}
