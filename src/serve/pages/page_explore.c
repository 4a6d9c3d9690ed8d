/* SPDX-License-Identifier: MIT */

/*
 * Any measures by anything: the question as a bar of controls, and below it the answer, as a
 * picture and as a table. The form sends names and values; the address people keep has the
 * measures in its path, so a form's address is answered by the way to that.
 */
#include "base/attribute.h"
#include "base/limit.h"
#include "base/url.h"
#include "report/catalog.h"
#include "serve/pages/link.h"
#include "serve/pages/pages.h"
#include "serve/pages/pivot.h"
#include "serve/pages/question_bar.h"
#include "serve/pages/topic.h"

enum { EXPLORE_VALUES_MAX = 256, EXPLORE_ROWS = 50 };

/* Adds the values of that name as one list, each once. */
static size_t add_list(struct page_view *view, struct buf *list, const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < view->value_count; i++) {
        struct str rest = view->values[i].text;
        while (str_eq(str_of(view->values[i].name), str_of(name)) && rest.ptr) {
            const struct str one = str_trim(str_cut(&rest, ','));
            if (one.len > 0 && !bar_in_list(buf_str(list), arena_text(view->arena, one))) {
                buf_addz(list, count++ ? "," : "");
                buf_add(list, one);
            }
        }
    }
    return count;
}

/*
 * Where a form that was sent leads: measures in the path, filter and pattern as name and value.
 */
static void readable(struct page_view *view)
{
    struct buf url, list;
    const struct str filter = view_value(view, "filter"), pattern = view_value(view, "pattern");
    buf_init(&url, LIMIT_ARGUMENT);
    buf_init(&list, LIMIT_ARGUMENT);
    buf_addf(&url, "%s/explore/", view->request->prefix);
    if (add_list(view, &list, "measure") == 0) {
        buf_addz(&list, "cpu_hours");
    }
    struct str measures_left = buf_str(&list);
    for (bool first = true; measures_left.ptr; first = false) {
        buf_addz(&url, first ? "" : ",");
        url_encode(&url, str_cut(&measures_left, ','));
    }
    buf_clear(&list);
    if (add_list(view, &list, "by") > 0) {
        url_add(&url, "by", buf_str(&list));
    }
    for (size_t i = 0; i < view->value_count; i++) {
        const struct str name = str_of(view->values[i].name);
        const bool kept = str_eq(name, STR("chart")) || str_eq(name, STR("with"));
        /* intervals are not ranked */
        const bool void_top = str_eq(name, STR("top")) && view_value(view, "every").len > 0;
        if ((kept || !bar_is_aside(view->values[i].name)) && !str_eq(name, STR("by")) &&
            !void_top) {
            url_add(&url, view->values[i].name, view->values[i].text);
        }
    }
    if (filter.len > 0 && pattern.len > 0) {
        url_add(&url, arena_text(view->arena, filter), pattern);
    }
    view->redirect = arena_text(view->arena, buf_str(&url));
    buf_release(&url);
    buf_release(&list);
}

/* Questions that were kept under a name, and what this one would be kept as. */
static void add_views(struct page_view *view)
{
    const struct request_value list = {"action", STR("list")};
    const struct request request = {
        .operation = operation_find(STR("view")), .values = &list, .count = 1};
    struct answer answer = {0};
    struct error ignored = {0}; /* nobody in particular has none */

    enum { NAME = 1, QUESTION, OWNER };

    model_list(view->model, "views");
    model_format(view->model, "question", "%.*s%s%.*s", STR_ARG(view->request->path),
                 view->request->query.len ? "?" : "", STR_ARG(view->request->query));
    if (view->service->caller->role > ROLE_ANYONE &&
        service_call(view->service, &request, &answer, &ignored) == 0) {
        for (size_t row = 0; row < answer.table.row_count; row++) {
            const struct column *columns = answer.table.columns;
            struct model *one = model_add(view->model, "views");
            model_text(one, "name", columns[NAME].cells[row].text);
            model_format(one, "url", "%s%.*s", view->request->prefix,
                         STR_ARG(columns[QUESTION].cells[row].text));
            model_text(one, "owner", columns[OWNER].cells[row].text);
        }
    }
    answer_release(&answer);
}

static bool was_sent(const struct page_view *view)
{
    return view_value(view, "measure").len > 0 || view_value(view, "filter").len > 0;
}

/* --- the answer --- */

/* "GPU hours by month, split by group" */
static void add_title(struct page_view *view, struct str chosen)
{
    struct buf title;
    struct str by = bar_by(view);
    const struct str every = view_value(view, "every");
    buf_init(&title, LIMIT_ARGUMENT);
    for (bool first = true; chosen.ptr; first = false) {
        buf_addz(&title, first ? "" : ", ");
        buf_add(&title, bar_measure(str_trim(str_cut(&chosen, ','))));
    }
    if (every.len > 0) {
        buf_addf(&title, " by %.*s", STR_ARG(every));
    }
    for (bool first = true; by.len > 0; first = false) {
        const char *name = topic_dimension(arena_text(view->arena, str_cut(&by, ',')));
        buf_addf(&title, "%s%s",
                 !first          ? " and "
                 : every.len > 0 ? ", split by "
                                 : " by ",
                 name);
    }
    model_text(view->model, "asked", buf_str(&title));
    buf_release(&title);
}

/* The answer in one number. */
static void add_sum(struct page_view *view, const struct pivot_sum *sum)
{
    const struct str with = view_value(view, "with");
    model_text(view->model, "sum", str_of(sum->total));
    model_text(view->model, "sum_change", str_of(sum->change));
    model_flag(view->model, "sum_more", sum->more);
    model_text(view->model, "sum_before",
               str_eq(with, STR("last-year"))  ? STR("a year before")
               : str_eq(with, STR("previous")) ? STR("the period before")
                                               : with);
}

/* Parts of a long table: the rows of this one, and the way to the others. */
static void add_parts(struct page_view *view, size_t skip, size_t rows)
{
    struct model *model = view->model;
    const size_t last = skip + EXPLORE_ROWS < rows ? skip + EXPLORE_ROWS : rows;
    const size_t page = skip / EXPLORE_ROWS + 1;
    char *next = arena_printf(view->arena, "%zu", page + 1);
    char *previous = arena_printf(view->arena, "%zu", page - 1);
    if (rows > EXPLORE_ROWS) {
        model_format(model, "row_count", "Rows %zu to %zu of %zu", skip + 1, last, rows);
    } else if (rows > 1) {
        model_format(model, "row_count", "%zu rows", rows);
    }
    model_text(model, "older",
               last < rows ? str_of(bar_url_with(view, "page", str_of(next)))
                           : (struct str){0});
    model_text(model, "newer",
               page > 1 ? str_of(bar_url_with(view, "page", str_of(previous)))
                        : (struct str){0});
}

static size_t page_number(const struct page_view *view)
{
    const struct str text = view_value(view, "page");
    size_t page = 0;
    for (size_t i = 0; i < text.len && i < 6 && text.ptr[i] >= '0' && text.ptr[i] <= '9'; i++) {
        page = page * 10 + (size_t)(text.ptr[i] - '0');
    }
    return page > 1 ? page - 1 : 0;
}

/* The question as it is sent: measures, and what of the address belongs to it. */
static size_t question_values(const struct page_view *view, struct str chosen,
                              struct request_value *values)
{
    size_t count = 0;
    values[count++] = (struct request_value){"measure", chosen};
    for (size_t i = 0; i < view->value_count && count <= EXPLORE_VALUES_MAX; i++) {
        if (!bar_is_aside(view->values[i].name)) {
            values[count++] = view->values[i];
        }
    }
    return count;
}

/* The table as files: what people send on, and what they look at again. */
static void add_files(struct page_view *view, const struct request_value *values, size_t count)
{
    static const struct {
        const char *label, *suffix, *flag;
    } files[] = {{"CSV", "csv", "no-formulas"}, {"JSON", "json", NULL}, {"SVG", "svg", NULL}};
    const struct request request = {
        .operation = operation_find(STR("report")), .values = values, .count = count};
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct model *file = model_add(view->model, "files");
        buf_clear(&url);
        link_of_request(&url,
                        arena_printf(view->arena, "%s/api/v1/report.%s", view->request->prefix,
                                     files[i].suffix),
                        &request);
        if (files[i].flag) {
            url_add(&url, files[i].flag, STR("true"));
        }
        model_text(file, "label", str_of(files[i].label));
        model_text(file, "url", buf_str(&url));
    }
    buf_clear(&url);
    link_command(&url, &request);
    model_text(view->model, "as_command", buf_str(&url));
    buf_clear(&url);
    link_of_request(&url, arena_printf(view->arena, "%s/api/v1/report", view->request->prefix),
                    &request);
    model_text(view->model, "as_request", buf_str(&url));
    buf_release(&url);
}

/* Of a page that was opened without a question, one that is worth a look. */
static void ask_something(struct page_view *view)
{
    if (view->thing.len == 0 && view->request->query.len == 0) {
        view->values[view->value_count++] = (struct request_value){"by", STR("cluster")};
        view->values[view->value_count++] = (struct request_value){"every", STR("day")};
    }
}

static void begin(struct page_view *view)
{
    static const char *const texts[] = {"sum",        "sum_change", "sum_before", "row_count",
                                        "older",      "newer",      "uncompared", "as_command",
                                        "as_request", "definition"};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        model_text(view->model, texts[i], (struct str){0});
    }
    model_flag(view->model, "sum_more", false);
    model_list(view->model, "files");
    model_format(view->model, "form", "%s/explore", view->request->prefix);
    model_format(view->model, "all_measures", "%s/measures", view->request->prefix);
}

/* "Queue by month" */
static const char *title_of_table(struct page_view *view)
{
    const struct str every = view_value(view, "every");
    struct str by = bar_by(view);
    struct buf title;
    buf_init(&title, LIMIT_ARGUMENT);
    buf_addz(&title, by.len == 0 ? "All together" : "By ");
    for (bool first = true; by.len > 0; first = false) {
        buf_addz(&title, first ? "" : " and ");
        buf_addz(&title, topic_dimension(arena_text(view->arena, str_cut(&by, ','))));
    }
    if (every.len > 0) {
        buf_addf(&title, " and %.*s", STR_ARG(every));
    }
    const char *copy = arena_text(view->arena, buf_str(&title));
    buf_release(&title);
    return copy;
}

/*
 * The table has what the picture has, where it says more than the numbers of the picture's own.
 */
static int answer(struct page_view *view, struct str chosen, const struct request_value *values,
                  size_t count, struct error *err)
{
    const struct str chart = view_value(view, "chart");
    const bool drawn = !str_eq(chart, STR("none"));
    struct str list = chosen;
    const char *title = arena_text(view->arena, bar_measure(str_trim(str_cut(&list, ','))));
    const struct panel panel = {
        title, "report", "", PANEL_WIDE | PANEL_NOTES | (drawn ? PANEL_PICTURE : 0U),
        NULL,  NULL,
    };
    struct pivot_sum sum = {0};
    int failed = panel_ask(view, view->model, &panel, values, count, err);
    if (failed) {
        return failed;
    }
    const struct pivot_part part = {EXPLORE_ROWS * page_number(view), EXPLORE_ROWS};
    failed = pivot_show(view, title_of_table(view), values, count, view_value(view, "with"),
                        part, &sum, err);
    add_sum(view, &sum);
    add_parts(view, part.skip, sum.rows);
    return failed;
}

int page_explore(struct page_view *view, struct error *err)
{
    struct request_value values[EXPLORE_VALUES_MAX + 1];
    const struct str chosen = view->thing.len > 0 ? view->thing : STR("cpu_hours");
    begin(view);
    ask_something(view);
    bar_add(view, chosen);
    add_views(view);
    add_title(view, chosen);
    if (was_sent(view)) {
        readable(view);
        return 0;
    }
    const size_t count = question_values(view, chosen, values);
    add_files(view, values, count);
    struct str list = chosen;
    const struct measure *first = measure_find(str_trim(str_cut(&list, ',')));
    model_text(view->model, "definition", str_of(first ? first->doc : ""));
    const int failed = answer(view, chosen, values, count, err);
    /* a question that makes no sense is answered below the form, where it can be mended */
    return failed == ERROR_USAGE ? 0 : failed;
}
