/* SPDX-License-Identifier: MIT */
#include "serve/pages/question_bar.h"

#include "base/attribute.h"
#include "base/bucket.h"
#include "base/limit.h"
#include "base/url.h"
#include "base/zone.h"
#include "report/catalog.h"
#include "serve/pages/topic.h"
#include "view/chart/chart.h"

bool bar_in_list(struct str list, const char *name)
{
    while (list.ptr) {
        if (str_eq(str_trim(str_cut(&list, ',')), str_of(name))) {
            return true;
        }
    }
    return false;
}

static struct model *add_choice(struct model *model, const char *list, const char *id,
                                const char *label, struct str chosen)
{
    struct model *choice = model_add(model, list);
    model_text(choice, "id", str_of(id));
    model_text(choice, "label", str_of(label));
    model_flag(choice, "chosen", bar_in_list(chosen, id));
    return choice;
}

static const char *const dimensions[] = {
    "cluster",    "user",      "group",       "metagroup", "account",     "project",
    "department", "partition", "qos",         "node",      "state",       "class",
    "gpu_type",   "name",      "reservation", "weekday",   "hour_of_day", "size",
};

const char *explore_dimension(size_t index)
{
    return index < COUNT_OF(dimensions) ? dimensions[index] : NULL;
}

/* --- the controls --- */

/*
 * The address with one value more or less: without those of this name, and with the new one, if
 * it is not empty.
 */
const char *bar_url_with(struct page_view *view, const char *name, struct str text)
{
    struct buf url;
    buf_init(&url, LIMIT_ARGUMENT);
    buf_addz(&url, view->request->prefix);
    buf_add(&url, view->request->path);
    for (size_t i = 0; i < view->value_count; i++) {
        const struct str own = str_of(view->values[i].name);
        if (!str_eq(own, str_of(name)) && !str_eq(own, STR("page"))) {
            url_add(&url, view->values[i].name, view->values[i].text);
        }
    }
    if (text.len > 0) {
        url_add(&url, name, text);
    }
    const char *copy = arena_text(view->arena, buf_str(&url));
    buf_release(&url);
    return copy;
}

/* The chosen measures without this one, as the path has them; empty: it is the only one. */
static const char *url_without_measure(struct page_view *view, struct str chosen, struct str id)
{
    struct buf url;
    bool any = false;
    buf_init(&url, LIMIT_ARGUMENT);
    buf_addf(&url, "%s/explore/", view->request->prefix);
    while (chosen.ptr) {
        const struct str one = str_trim(str_cut(&chosen, ','));
        if (!str_eq(one, id)) {
            buf_addz(&url, any ? "," : "");
            url_encode(&url, one);
            any = true;
        }
    }
    for (size_t i = 0; i < view->value_count; i++) {
        url_add(&url, view->values[i].name, view->values[i].text);
    }
    const char *copy = any ? arena_text(view->arena, buf_str(&url)) : "";
    buf_release(&url);
    return copy;
}

struct str bar_measure(struct str id)
{
    const struct measure *measure = measure_find(id);
    return measure ? str_of(measure->label) : id;
}

/*
 * All measures by what they are about, and those that are chosen: the first in a list, others
 * as pills.
 */
static void add_measures(struct page_view *view, struct str chosen)
{
    struct model *model = view->model;
    struct str rest = chosen;
    const struct str first = str_trim(str_cut(&rest, ','));
    model_text(model, "first_id", first);
    model_text(model, "first", bar_measure(first));
    model_list(model, "others");
    while (rest.ptr) {
        const struct str id = str_trim(str_cut(&rest, ','));
        struct model *other = model_add(model, "others");
        model_text(other, "id", id);
        model_text(other, "label", bar_measure(id));
        model_text(other, "url", str_of(url_without_measure(view, chosen, id)));
    }
    model_list(model, "topics");
    for (size_t topic = 0; topic_title(topic); topic++) {
        struct model *group = model_add(model, "topics");
        model_text(group, "title", str_of(topic_title(topic)));
        for (size_t i = 0; i < measure_count; i++) {
            if (topic_of(&measures[i]) == topic) {
                struct model *choice =
                    add_choice(group, "measures", measures[i].id, measures[i].label, first);
                model_text(choice, "about", str_of(measures[i].doc));
                model_flag(choice, "elsewhere",
                           bar_in_list(chosen, measures[i].id) &&
                               !str_eq(str_of(measures[i].id), first));
            }
        }
    }
}

/* A choice of what rows are by: the first and the second of the list in the address. */
static void add_split(struct page_view *view, const char *list, struct str chosen)
{
    bool found = chosen.len == 0;
    model_list(view->model, list);
    for (size_t i = 0; i < COUNT_OF(dimensions); i++) {
        if (dimension_find(str_of(dimensions[i]))) {
            add_choice(view->model, list, dimensions[i], topic_dimension(dimensions[i]),
                       chosen);
            found = found || str_eq(chosen, str_of(dimensions[i]));
        }
    }
    if (!found) { /* one that is not offered stays as it is */
        const char *id = arena_text(view->arena, chosen);
        add_choice(view->model, list, id, id, chosen);
    }
}

struct str bar_by(const struct page_view *view)
{
    struct buf list;
    buf_init(&list, LIMIT_ARGUMENT);
    for (size_t i = 0; i < view->value_count; i++) {
        if (str_eq(str_of(view->values[i].name), STR("by"))) {
            buf_addz(&list, list.len ? "," : "");
            buf_add(&list, view->values[i].text);
        }
    }
    const struct str copy = arena_copy(view->arena, buf_str(&list));
    buf_release(&list);
    return copy;
}

static const struct {
    const char *id, *label;
} looks[] = {{"stacked", "Stacked"}, {"bar", "Bars"},  {"line", "Lines"},
             {"area", "Area"},       {"heat", "Heat"}, {"none", "Table only"}};

static void add_looks(struct page_view *view)
{
    const struct str chosen = view_value(view, "chart");
    bool found = chosen.len == 0;
    add_choice(view->model, "looks", "", "What suits", STR(""));
    for (size_t i = 0; i < COUNT_OF(looks); i++) {
        add_choice(view->model, "looks", looks[i].id, looks[i].label, chosen);
        found = found || str_eq(chosen, str_of(looks[i].id));
    }
    for (size_t i = 0; !found && chart_kind_name(i); i++) {
        if (str_eq(chosen, str_of(chart_kind_name(i)))) {
            add_choice(view->model, "looks", chart_kind_name(i), chart_kind_name(i), chosen);
        }
    }
}

static void add_form(struct page_view *view, struct str chosen)
{
    struct model *model = view->model;
    struct str by = bar_by(view);
    const struct str first = str_cut(&by, ',');
    add_measures(view, chosen);
    add_split(view, "dimensions", first);
    add_split(view, "seconds", by);
    model_flag(model, "split", first.len > 0);
    for (enum bucket b = BUCKET_NONE + 1; b <= BUCKET_YEAR; b++) {
        add_choice(model, "buckets", bucket_name(b), bucket_name(b), view_value(view, "every"));
    }
    add_looks(view);
    model_text(model, "top", view_value(view, "top"));
    model_flag(model, "ranks", view_value(view, "every").len == 0 && first.len > 0);
    add_choice(model, "againsts", "previous", "the period before", view_value(view, "with"));
    add_choice(model, "againsts", "last-year", "a year before", view_value(view, "with"));
}

/* --- the period --- */

enum { BUCKETS_FEW = 4, BUCKETS_MANY = 62 };

static const struct span {
    enum bar_spans of;
    const char *label, *from;
    int days;
} spans[] = {
    {BAR_PAST, "7 days", "7d", 7},
    {BAR_PAST, "30 days", "30d", 30},
    {BAR_PAST, "90 days", "90d", 90},
    {BAR_PAST, "12 months", "365d", 365},
    {BAR_PAST, "3 years", "1095d", 1095},
    {BAR_PAST, "This year", "this-year", 365},
    {BAR_PAST, "Last year", "last-year", 365},
    {BAR_RUNNING, "This month", "this-month", 30},
    {BAR_RUNNING, "This quarter", "this-quarter", 91},
    {BAR_RUNNING, "This year", "this-year", 365},
};

/*
 * The intervals as they are, if that makes as many of them as a picture shows well; else those
 * that do.
 */
static struct str fitting_bucket(struct str every, int days)
{
    static const int lengths[] = {
        [BUCKET_HOUR] = 0,   [BUCKET_DAY] = 1,      [BUCKET_WEEK] = 7,
        [BUCKET_MONTH] = 30, [BUCKET_QUARTER] = 91, [BUCKET_YEAR] = 365};
    enum bucket bucket = BUCKET_NONE;
    struct error ignored = {0};
    if (every.len == 0 || bucket_parse(every, &bucket, &ignored) != 0 ||
        bucket == BUCKET_NONE) {
        return every;
    }
    const int count = lengths[bucket] ? days / lengths[bucket] : days * 24;
    const bool fits = count >= BUCKETS_FEW && count <= BUCKETS_MANY;
    return fits ? every : days <= 62 ? STR("day") : days < 180 ? STR("week") : STR("month");
}

/* Presets keep the rest of the question. */
static void add_spans(struct page_view *view, enum bar_spans of)
{
    const struct str from = view_value(view, "from"), to = view_value(view, "to");
    const int fiscal = zone_fiscal_month(view->service->zone);
    const bool year_is_fiscal = fiscal > 1;
    model_list(view->model, "spans");
    model_text(view->model, "span", (struct str){0});
    for (size_t i = 0; i < COUNT_OF(spans); i++) {
        if (spans[i].of != of) {
            continue;
        }
        struct model *span = model_add(view->model, "spans");
        const bool here = to.len == 0 && str_eq(from, str_of(spans[i].from));
        const struct str every = fitting_bucket(view_value(view, "every"), spans[i].days);
        const char *label = spans[i].label;
        struct buf url;
        if (year_is_fiscal && str_eq(str_of(spans[i].from), STR("this-year"))) {
            label = "Fiscal year";
        } else if (year_is_fiscal && str_eq(str_of(spans[i].from), STR("last-year"))) {
            label = "Last fiscal year";
        }
        buf_init(&url, LIMIT_ARGUMENT);
        buf_addz(&url, view->request->prefix);
        buf_add(&url, view->request->path);
        for (size_t v = 0; v < view->value_count; v++) {
            const struct str name = str_of(view->values[v].name);
            if (str_eq(name, STR("every"))) {
                url_add(&url, "every", every);
            } else if (!str_eq(name, STR("from")) && !str_eq(name, STR("to")) &&
                       !str_eq(name, STR("page"))) {
                url_add(&url, view->values[v].name, view->values[v].text);
            }
        }
        url_add(&url, "from", str_of(spans[i].from));
        model_text(span, "label", str_of(label));
        model_text(span, "url", buf_str(&url));
        model_flag(span, "here", here);
        if (here) {
            model_text(view->model, "span", str_of(label));
        }
        buf_release(&url);
    }
}

/* --- filters --- */

/* Values of the address that are no part of the question. */
bool bar_is_aside(const char *name)
{
    static const char *const asides[] = {"chart",   "measure", "filter",
                                         "pattern", "with",    "page"};
    for (size_t i = 0; i < COUNT_OF(asides); i++) {
        if (str_eq(str_of(name), str_of(asides[i]))) {
            return true;
        }
    }
    return false;
}

static bool is_filter(const char *name)
{
    return column_find(str_of(name)) || dimension_find(str_of(name));
}

/* What stands between the name and the pattern, as one says it. */
static const char *word_of(struct str pattern)
{
    const bool takes_away = pattern.len > 0 && pattern.ptr[0] == '!';
    const bool several = str_byte(pattern, ',');
    return takes_away ? "is" : several ? "is one of" : "is";
}

/* "user an*, cluster cedar": for a narrow screen, where the controls are folded. */
static void add_filters_in_words(struct page_view *view)
{
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    for (size_t i = 0; i < view->value_count; i++) {
        if (is_filter(view->values[i].name)) {
            buf_addf(&text, "%s%s %.*s", text.len ? ", " : "",
                     topic_dimension(view->values[i].name), STR_ARG(view->values[i].text));
        }
    }
    model_text(view->model, "sum_filters", buf_str(&text));
    buf_release(&text);
}

/*
 * The filters in force, each with the address without it, and the trail: the question with
 * those up to each of them.
 */
static void add_filters(struct page_view *view)
{
    struct buf url, trail;
    buf_init(&url, LIMIT_ARGUMENT);
    buf_init(&trail, LIMIT_ARGUMENT);
    buf_addz(&trail, view->request->prefix);
    buf_add(&trail, view->request->path);
    model_list(view->model, "filters");
    for (size_t i = 0; i < view->value_count; i++) {
        if (!is_filter(view->values[i].name) &&
            !str_eq(str_of(view->values[i].name), STR("page"))) {
            url_add(&trail, view->values[i].name, view->values[i].text);
        }
    }
    model_text(view->model, "trail", buf_str(&trail));
    for (size_t i = 0; i < view->value_count; i++) {
        if (!is_filter(view->values[i].name)) {
            continue;
        }
        struct model *filter = model_add(view->model, "filters");
        buf_clear(&url);
        buf_addz(&url, view->request->prefix);
        buf_add(&url, view->request->path);
        for (size_t v = 0; v < view->value_count; v++) {
            if (v != i && !str_eq(str_of(view->values[v].name), STR("page"))) {
                url_add(&url, view->values[v].name, view->values[v].text);
            }
        }
        url_add(&trail, view->values[i].name, view->values[i].text);
        model_text(filter, "name", str_of(view->values[i].name));
        model_text(filter, "label", str_of(topic_dimension(view->values[i].name)));
        model_text(filter, "word", str_of(word_of(view->values[i].text)));
        model_text(filter, "value", view->values[i].text);
        model_text(filter, "url", buf_str(&url));
        model_text(filter, "up", buf_str(&trail));
        model_format(filter, "size", "%zu",
                     view->values[i].text.len < 6    ? (size_t)6
                     : view->values[i].text.len > 40 ? (size_t)40
                                                     : view->values[i].text.len + 1);
    }
    buf_release(&url);
    buf_release(&trail);
    add_filters_in_words(view);
}

bool bar_is_asked_by_form(const char *name)
{
    return str_eq(str_of(name), STR("filter")) || str_eq(str_of(name), STR("pattern"));
}

void bar_add_period(struct page_view *view, enum bar_spans spans_of)
{
    model_list(view->model, "filterable");
    for (size_t i = 0; i < COUNT_OF(dimensions); i++) {
        if (column_find(str_of(dimensions[i]))) {
            add_choice(view->model, "filterable", dimensions[i], topic_dimension(dimensions[i]),
                       (struct str){0});
        }
    }
    add_spans(view, spans_of);
    add_filters(view);
}

void bar_add(struct page_view *view, struct str chosen)
{
    add_form(view, chosen);
    bar_add_period(view, BAR_PAST);
}
