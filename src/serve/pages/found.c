/* SPDX-License-Identifier: MIT */
#include "serve/pages/found.h"

#include "base/attribute.h"
#include "base/limit.h"
#include "base/url.h"
#include "report/catalog.h"
#include "report/filter.h"
#include "serve/pages/link.h"
#include "serve/pages/navigation.h"
#include "serve/pages/pages.h"
#include "view/number.h"

enum {
    FOUND_TEXT_MAX = 200, /* bytes of what is looked for */
    FOUND_FEW = 5,        /* of each kind, while somebody types */
    FOUND_MANY = 25,      /* on the page */
};

/*
 * Where names are looked for, and since when: while somebody types, and on the page. Sums by
 * node come from the runs themselves: of all years they would take the longest.
 */
static const struct found_names {
    const char *dimension, *title, *quick, *all;
    bool asked; /* questions about the first of them are offered */
} found_names[] = {
    {"user", "People", "1970-01-01", "1970-01-01", true},
    {"group", "Groups", "1970-01-01", "1970-01-01", true},
    {"metagroup", "Metagroups", "1970-01-01", "1970-01-01", true},
    {"account", "Accounts", "1970-01-01", "1970-01-01", true},
    {"project", "Projects", "1970-01-01", "1970-01-01", true},
    {"cluster", "Clusters", "1970-01-01", "1970-01-01", false},
    {"partition", "Queues", "1970-01-01", "1970-01-01", false},
    {"node", "Nodes", "30d", "365d", false},
    {"name", "Job names", "7d", "90d", false},
};

struct finding {
    struct page_view *view;
    struct str wanted;
    struct str pattern; /* it anywhere in a name, in capitals or not */
    enum found_depth depth;
    size_t most;           /* rows of a kind */
    struct model *group;   /* that rows are added to; NULL: the first row begins it */
    const char *title;     /* of that group */
    const char *asked;     /* dimension of the first name; NULL: none was found */
    struct str asked_name; /* ... and that name */
};

static bool same_letter(char a, char b)
{
    return str_eq_nocase((struct str){&a, 1}, (struct str){&b, 1});
}

/* Where the text stands in a name, whatever its capitals; its length: nowhere. */
static size_t place_in(struct str name, struct str wanted)
{
    for (size_t at = 0; wanted.len > 0 && at + wanted.len <= name.len; at++) {
        if (same_letter(name.ptr[at], wanted.ptr[0]) &&
            str_eq_nocase((struct str){name.ptr + at, wanted.len}, wanted)) {
            return at;
        }
    }
    return name.len;
}

static bool is_in(const char *name, struct str wanted)
{
    const struct str text = str_of(name);
    return place_in(text, wanted) < text.len;
}

/* Whether a word of a sentence begins with it: two letters are in every sentence. */
static bool begins_word(const char *sentence, struct str wanted)
{
    struct str rest = str_of(sentence);
    while (rest.len >= wanted.len && wanted.len > 2) {
        if (str_eq_nocase((struct str){rest.ptr, wanted.len}, wanted)) {
            return true;
        }
        str_cut(&rest, ' ');
    }
    return false;
}

/* As much of the text as is looked for, without a part of a character at its end. */
static struct str bounded(struct str text)
{
    size_t len = text.len < FOUND_TEXT_MAX ? text.len : FOUND_TEXT_MAX;
    while (len < text.len && len > 0 && ((unsigned char)text.ptr[len] & 0xc0) == 0x80) {
        len--;
    }
    return (struct str){text.ptr, len};
}

/* In a glob, so that it may stand anywhere, a letter as a set of both of its forms. */
static struct str make_pattern(struct page_view *view, struct str wanted)
{
    struct buf pattern;
    buf_init(&pattern, LIMIT_ARGUMENT);
    buf_addc(&pattern, '*');
    for (size_t i = 0; i < wanted.len; i++) {
        const char c = wanted.ptr[i];
        const char lower = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        if (lower >= 'a' && lower <= 'z') {
            buf_addf(&pattern, "[%c%c]", lower, lower - 'a' + 'A');
        } else if (c == ',') {
            buf_addc(&pattern, '?');
        } else {
            buf_addz(&pattern, memchr("*?[\\", c, 4) ? "\\" : "");
            buf_addc(&pattern, c);
        }
    }
    buf_addc(&pattern, '*');
    const struct str text = arena_copy(view->arena, buf_str(&pattern));
    buf_release(&pattern);
    return text;
}

static void begin_group(struct finding *finding, const char *title)
{
    finding->title = title;
    finding->group = NULL;
}

/* A row, with what was looked for marked in its label. The caller sets "url". */
static struct model *add_row(struct finding *finding, struct str label, const char *about)
{
    if (!finding->group) {
        finding->group = model_add(finding->view->model, "found");
        model_text(finding->group, "title", str_of(finding->title));
        model_text(finding->group, "more", (struct str){0});
        model_text(finding->group, "more_url", (struct str){0});
        model_list(finding->group, "hits");
    }
    struct model *row = model_add(finding->group, "hits");
    const size_t at = place_in(label, finding->wanted);
    const size_t marked = at < label.len ? finding->wanted.len : 0;
    model_text(row, "before", (struct str){label.ptr, at});
    model_text(row, "marked", (struct str){label.ptr + at, marked});
    model_text(row, "after", (struct str){label.ptr + at + marked, label.len - at - marked});
    model_text(row, "about", str_of(about));
    model_text(row, "end", (struct str){0});
    return row;
}

/* --- names --- */

static void add_name(struct finding *finding, const struct found_names *names,
                     const struct table *table, size_t row)
{
    const struct str name = table->columns[table_find(table, names->dimension)].cells[row].text;
    const size_t cluster = table_find(table, "cluster"); /* that a node is of */
    const bool of_cluster = cluster < table->column_count && table_has(table, cluster, row);
    const struct str place =
        of_cluster ? table->columns[cluster].cells[row].text : (struct str){0};
    const size_t jobs = table_find(table, "jobs");
    struct model *hit = add_row(finding, name, "");
    if (!str_eq(place, name)) {
        model_text(hit, "about", place);
    }
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    link_of_value(&url, finding->view->request->prefix, place, names->dimension, name);
    model_text(hit, "url", buf_str(&url));
    buf_release(&url);
    if (jobs < table->column_count && table_has(table, jobs, row)) {
        struct buf text;
        buf_init(&text, LIMIT_ARGUMENT);
        number_human(&text, table, jobs, row, finding->view->service->zone);
        buf_addz(&text, str_eq(buf_str(&text), STR("1")) ? " job" : " jobs");
        model_text(hit, "end", buf_str(&text));
        buf_release(&text);
    }
    if (names->asked && !finding->asked) {
        finding->asked = names->dimension;
        finding->asked_name = arena_copy(finding->view->arena, name);
    }
}

/*
 * Those that begin with it come first; each part in the order of the answer, those with most
 * jobs first.
 */
static void add_names_of(struct finding *finding, const struct found_names *names,
                         const struct table *table)
{
    const size_t name = table_find(table, names->dimension);
    size_t found = 0;
    for (int part = 0; part < 2; part++) {
        for (size_t row = 0; row < table->row_count; row++) {
            const struct column *column = &table->columns[name];
            if (!column->present[row] || row + table->footer_count >= table->row_count) {
                continue;
            }
            const size_t at = place_in(column->cells[row].text, finding->wanted);
            const bool begins = at == 0;
            if (at == column->cells[row].text.len || begins != (part == 0)) {
                continue;
            }
            if (found++ < finding->most) {
                add_name(finding, names, table, row);
            }
        }
    }
    if (found > finding->most) {
        const char *path = arena_printf(finding->view->arena, "%s/explore/jobs,cpu_hours",
                                        finding->view->request->prefix);
        struct buf url;
        buf_init(&url, LIMIT_ARGUMENT);
        buf_addz(&url, path);
        url_add(&url, "by", str_of(names->dimension));
        url_add(&url, names->dimension, finding->pattern);
        url_add(&url, "from", str_of(names->all));
        model_format(finding->group, "more", "%zu more", found - finding->most);
        model_text(finding->group, "more_url", buf_str(&url));
        buf_release(&url);
    }
}

/* What the caller may not ask about is not there for them. */
static void find_names(struct finding *finding, const struct found_names *names)
{
    const struct request_value values[] = {
        {"measure", STR("jobs")},
        {"by", str_of(names->dimension)},
        {names->dimension, finding->pattern},
        {"from", str_of(finding->depth == FOUND_QUICK ? names->quick : names->all)},
        {"to", STR("now")},
        {"sort", STR("jobs")},
    };
    const struct request request = {.operation = operation_find(STR("report")),
                                    .values = values,
                                    .count = COUNT_OF(values)};
    struct answer answer = {.bare = true, .noteless = true};
    struct error why = {0};
    const int failed = service_call(finding->view->service, &request, &answer, &why);
    begin_group(finding, names->title);
    if (!failed && table_find(&answer.table, names->dimension) < answer.table.column_count) {
        add_names_of(finding, names, &answer.table);
    } else if (failed && failed != ERROR_DENIED) {
        struct model *row = add_row(finding, STR("could not be searched"), why.text);
        model_format(row, "url", "%s/quality", finding->view->request->prefix);
    }
    answer_release(&answer);
}

/* --- jobs --- */

bool found_is_job(struct str wanted)
{
    struct job_id job;
    return filter_job_id(wanted, &job) || (str_byte(wanted, ':') && str_byte(wanted, '@'));
}

void found_job_url(const struct page_view *view, struct str wanted, struct buf *url)
{
    buf_addf(url, "%s/job/", view->request->prefix);
    url_encode(url, wanted);
}

static void find_job(struct finding *finding)
{
    struct buf url;
    begin_group(finding, "Jobs");
    if (found_is_job(finding->wanted)) {
        buf_init(&url, LIMIT_ARGUMENT);
        found_job_url(finding->view, finding->wanted, &url);
        model_text(add_row(finding, finding->wanted, "the job of that number"), "url",
                   buf_str(&url));
        buf_release(&url);
    }
}

/* --- measures, pages, commands --- */

/*
 * Calls `add` for each of `count` things whose name begins with the text, then for those that
 * contain it.
 */
static void each_that_fits(struct finding *finding, size_t count,
                           const char *(*name_of)(size_t index, const char **other),
                           void (*add)(struct finding *finding, size_t index))
{
    size_t found = 0;
    for (int part = 0; part < 2; part++) {
        for (size_t i = 0; i < count && found < finding->most; i++) {
            const char *other = "", *name = name_of(i, &other);
            const bool begins = name && place_in(str_of(name), finding->wanted) == 0;
            const bool fits =
                name && (is_in(name, finding->wanted) || begins_word(other, finding->wanted));
            if (fits && begins == (part == 0)) {
                add(finding, i);
                found++;
            }
        }
    }
}

static const char *measure_name(size_t index, const char **other)
{
    *other = measures[index].id;
    return measures[index].label;
}

static void add_measure(struct finding *finding, size_t index)
{
    struct model *row = add_row(finding, str_of(measures[index].label), measures[index].doc);
    model_format(row, "url", "%s/explore/%s", finding->view->request->prefix,
                 measures[index].id);
}

static const char *page_name(size_t index, const char **other)
{
    const struct page_row *row = &page_rows[index];
    const size_t len = strlen(row->path);
    const bool stands = len == 1 || row->path[len - 1] != '/';
    *other = navigation_about(row->path);
    return stands && (row->menu || **other) ? row->title : NULL;
}

static void add_page(struct finding *finding, size_t index)
{
    const struct page_row *page = &page_rows[index];
    if (!page->menu || caller_may(finding->view->service->caller, page->menu)) {
        struct model *row = add_row(finding, str_of(page->title), navigation_about(page->path));
        model_format(row, "url", "%s%s", finding->view->request->prefix, page->path);
    }
}

static const char *command_name(size_t index, const char **other)
{
    *other = operations[index]->summary;
    return operations[index]->name;
}

/* Whether it can be asked as it is. */
static bool stands_alone(const struct operation *operation)
{
    struct param param;
    for (size_t i = 0; operation_param(operation, i, &param); i++) {
        if (param.required) {
            return false;
        }
    }
    return !operation->actions;
}

static void add_command(struct finding *finding, size_t index)
{
    const struct operation *operation = operations[index];
    const struct request request = {.operation = operation};
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    if (stands_alone(operation) &&
        caller_may(finding->view->service->caller, operation->rights) &&
        link_of_page(&url, finding->view->request->prefix, &request)) {
        model_text(add_row(finding, str_of(operation->name), operation->summary), "url",
                   buf_str(&url));
    }
    buf_release(&url);
}

/* --- questions about the first name --- */

static void add_question(struct finding *finding, const char *path, const char *name,
                         const char *value, const char *what)
{
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    buf_addf(&url, "%s%s", finding->view->request->prefix, path);
    url_add(&url, finding->asked, view_pattern(finding->view, finding->asked_name));
    url_add(&url, name, str_of(value));
    url_add(&url, "from", STR("365d"));
    model_text(add_row(finding, finding->asked_name, what), "url", buf_str(&url));
    buf_release(&url);
}

static void add_questions(struct finding *finding)
{
    begin_group(finding, "Ask");
    if (finding->asked) {
        add_question(finding, "/explore/gpu_hours", "every", "month", "GPU hours by month");
        add_question(finding, "/explore/cpu_hours", "every", "month", "CPU hours by month");
        add_question(finding, "/jobs", "sort", "end", "the jobs of 12 months");
    }
}

void found_add(struct page_view *view, struct str wanted, enum found_depth depth)
{
    struct finding finding = {
        .view = view,
        .wanted = bounded(wanted),
        .depth = depth,
        .most = depth == FOUND_QUICK ? FOUND_FEW : FOUND_MANY,
    };
    size_t operation_count = 0;
    while (operations[operation_count]) {
        operation_count++;
    }
    model_list(view->model, "found");
    if (wanted.len == 0) {
        return;
    }
    finding.pattern = make_pattern(view, finding.wanted);
    find_job(&finding);
    for (size_t i = 0; i < COUNT_OF(found_names); i++) {
        find_names(&finding, &found_names[i]);
    }
    begin_group(&finding, "Measures");
    each_that_fits(&finding, measure_count, measure_name, add_measure);
    begin_group(&finding, "Pages");
    each_that_fits(&finding, page_row_count, page_name, add_page);
    begin_group(&finding, "Commands");
    each_that_fits(&finding, operation_count, command_name, add_command);
    add_questions(&finding);
}
