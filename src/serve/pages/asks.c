/* SPDX-License-Identifier: MIT */
#include "serve/pages/asks.h"

#include "base/attribute.h"
#include "base/limit.h"
#include "base/url.h"
#include "report/catalog.h"
#include "serve/pages/question_bar.h"
#include "serve/pages/topic.h"

enum { ASK_CHOICES = 3, ASK_VALUES_MAX = 256 };

#define DRAWN (PANEL_PICTURE | PANEL_TABLE)

static const struct ask {
    const char *path, *operation;
    const char *title; /* of the answer */
    unsigned show;
    enum bar_spans spans;
    const char *choices[ASK_CHOICES]; /* its parameters that have a list on the page */
} asks[] = {
    {"/waste", "waste", "Hours held and not used", DRAWN, BAR_PAST, {"by"}},
    {"/forecast", "forecast", "So far and at the end", DRAWN, BAR_RUNNING, {"measure"}},
    {"/history", "history", "Month by month, year by year", DRAWN, BAR_NONE, {"measure"}},
    {"/when",
     "when",
     "By hour of the week",
     PANEL_PICTURE | PANEL_FOLDED, /* whose rows are digits for a terminal */
     BAR_PAST,
     {"measure"}},
    {"/sizes", "sizes", "Jobs by size", DRAWN, BAR_PAST, {"of"}},
    {"/rightsize", "rightsize", "What to request next time", PANEL_TABLE, BAR_PAST, {NULL}},
    {"/energy", "energy", "Energy and its carbon", DRAWN, BAR_PAST, {"by"}},
    {"/compare", "compare", "Change", DRAWN, BAR_PAST, {"measure", "by", "with"}},
};

static const struct ask *ask_of(const struct page_view *view)
{
    for (size_t i = 0; i < COUNT_OF(asks); i++) {
        if (str_eq(view->request->path, str_of(asks[i].path))) {
            return &asks[i];
        }
    }
    return &asks[0];
}

/* --- choices --- */

/*
 * What a list is called in the line of controls, and what is chosen where the address does not
 * say.
 */
static const struct {
    const char *name, *word, *label;
} words[] = {
    {"measure", "", "Measure"},
    {"by", "by", "By"},
    {"of", "by", "By"},
    {"with", "against", "Against"},
};

static const char *fallback_of(const struct ask *ask, const char *name)
{
    const struct operation *operation = operation_find(str_of(ask->operation));
    struct param param;
    for (size_t i = 0; operation_param(operation, i, &param); i++) {
        if (str_eq(str_of(param.name), str_of(name))) {
            return param.fallback ? param.fallback : "";
        }
    }
    return "";
}

static bool add_option(struct model *list, const char *id, const char *label, struct str chosen)
{
    struct model *option = model_add(list, "options");
    const bool is_chosen = str_eq(str_of(id), chosen);
    model_text(option, "id", str_of(id));
    model_text(option, "label", str_of(label));
    model_flag(option, "chosen", is_chosen);
    return is_chosen;
}

/* What can be chosen; whether what is chosen is among it. */
static bool add_options(const struct ask *ask, const char *name, struct model *list,
                        struct str chosen)
{
    static const struct {
        const char *name, *id, *label;
    } fixed[] = {
        {"of", "shape", "serial or parallel"},
        {"of", "cpus", "number of cpus"},
        {"of", "nodes", "number of nodes"},
        {"of", "wall", "run time"},
        {"of", "wait", "wait"},
        {"of", "mem", "peak memory"},
        {"with", "previous", "the period before"},
        {"with", "last-year", "a year before"},
    };

    const bool sums = str_eq(str_of(ask->operation), STR("forecast"));
    bool found = false;
    for (size_t i = 0; i < measure_count && str_eq(str_of(name), STR("measure")); i++) {
        if (!sums || measures[i].additive) {
            found = add_option(list, measures[i].id, measures[i].label, chosen) || found;
        }
    }
    for (size_t i = 0; explore_dimension(i) && str_eq(str_of(name), STR("by")); i++) {
        const char *id = explore_dimension(i);
        found = add_option(list, id, topic_dimension(id), chosen) || found;
    }
    for (size_t i = 0; i < COUNT_OF(fixed); i++) {
        if (str_eq(str_of(name), str_of(fixed[i].name))) {
            found = add_option(list, fixed[i].id, fixed[i].label, chosen) || found;
        }
    }
    return found;
}

static void add_choices(struct page_view *view, const struct ask *ask)
{
    model_list(view->model, "selects");
    for (size_t i = 0; i < ASK_CHOICES && ask->choices[i]; i++) {
        const char *name = ask->choices[i];
        struct model *list = model_add(view->model, "selects");
        struct str chosen = view_value(view, name);
        chosen = chosen.len ? chosen : str_of(fallback_of(ask, name));
        model_text(list, "name", str_of(name));
        for (size_t w = 0; w < COUNT_OF(words); w++) {
            if (str_eq(str_of(name), str_of(words[w].name))) {
                model_text(list, "word", str_of(words[w].word));
                model_text(list, "about", str_of(words[w].label));
            }
        }
        model_list(list, "options");
        if (!add_options(ask, name, list, chosen) && chosen.len > 0) {
            const char *own = arena_text(view->arena, chosen); /* it stays as it is */
            add_option(list, own, own, chosen);
        }
    }
}

/* --- the address --- */

/* The pages of this kind beside each other. */
static void add_kin(struct page_view *view, const struct ask *here)
{
    model_list(view->model, "kin");
    for (size_t i = 0; i < COUNT_OF(asks); i++) {
        for (size_t row = 0; row < page_row_count; row++) {
            if (str_eq(str_of(page_rows[row].path), str_of(asks[i].path))) {
                struct model *one = model_add(view->model, "kin");
                model_text(one, "label", str_of(page_rows[row].title));
                model_format(one, "url", "%s%s", view->request->prefix, asks[i].path);
                model_flag(one, "here", here == &asks[i]);
            }
        }
    }
}

/* A filter that a form sent as two fields is a value of its own in the address. */
static void take_filter(struct page_view *view)
{
    const struct str filter = view_value(view, "filter"), pattern = view_value(view, "pattern");
    struct buf url;
    if (filter.len == 0 && pattern.len == 0) {
        return;
    }
    buf_init(&url, LIMIT_ARGUMENT);
    buf_addz(&url, view->request->prefix);
    buf_add(&url, view->request->path);
    for (size_t i = 0; i < view->value_count; i++) {
        if (!bar_is_asked_by_form(view->values[i].name)) {
            url_add(&url, view->values[i].name, view->values[i].text);
        }
    }
    if (filter.len > 0 && pattern.len > 0) {
        url_add(&url, arena_text(view->arena, filter), pattern);
    }
    view->redirect = arena_text(view->arena, buf_str(&url));
    buf_release(&url);
}

void asks_begin(struct page_view *view)
{
    const struct ask *ask = ask_of(view);
    add_choices(view, ask);
    bar_add_period(view, ask->spans);
    add_kin(view, ask);
    take_filter(view);
}

/* --- the page --- */

int page_asks(struct page_view *view, struct error *err)
{
    const struct ask *ask = ask_of(view);
    const struct panel panel = {
        ask->title, ask->operation, "", ask->show | PANEL_NOTES | PANEL_WIDE, NULL, NULL,
    };
    struct request_value values[ASK_VALUES_MAX];
    size_t count = 0;
    asks_begin(view);
    if (view->redirect) {
        return 0;
    }
    for (size_t i = 0; i < view->value_count && count < ASK_VALUES_MAX; i++) {
        if (!bar_is_asked_by_form(view->values[i].name) &&
            !str_eq(str_of(view->values[i].name), STR("chart"))) {
            values[count++] = view->values[i];
        }
    }
    const int failed = panel_ask(view, view->model, &panel, values, count, err);
    /* what makes no sense is said below the form, where it can be mended */
    return failed == ERROR_USAGE ? 0 : failed;
}
