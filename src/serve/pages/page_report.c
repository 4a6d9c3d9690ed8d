/* SPDX-License-Identifier: MIT */

/*
 * A report for paper: the panels that are ticked, of a period and of what the filters leave,
 * in the order of the table below. What is printed is the page without its form.
 */
#include "base/attribute.h"
#include "base/limit.h"
#include "base/url.h"
#include "serve/pages/pages.h"
#include "serve/pages/question_bar.h"
#include "serve/pages/reads.h"
#include "serve/pages/shape.h"

static const struct report_part {
    const char *id;
    bool usual;         /* ticked until somebody chooses */
    struct panel panel; /* without an operation: the large numbers */
} parts[] = {
    {"numbers", true, {.title = "In this period"}},
    {"gpu",
     true,
     {"GPU hours over time", "report", "measure=gpu_hours&every=auto&by=cluster",
      PANEL_PICTURE | PANEL_IF_ANY, "stacked", "explore"}},
    {"cpu",
     true,
     {"CPU hours over time", "report", "measure=cpu_hours&every=auto&by=cluster", PANEL_PICTURE,
      "stacked", "explore"}},
    {"groups",
     true,
     {"Who used most, by group", "report",
      "measure=gpu_hours&measure=cpu_hours&measure=jobs&measure=cpu_efficiency&by=group&top=12"
      "&sort=cpu_hours",
      PANEL_TABLE | PANEL_IF_ANY, NULL, "explore"}},
    {"users",
     false,
     {"Who used most, by user", "report",
      "measure=gpu_hours&measure=cpu_hours&measure=jobs&measure=cpu_efficiency&by=user&top=12"
      "&sort=cpu_hours",
      PANEL_TABLE | PANEL_IF_ANY, NULL, "explore"}},
    {"capacity",
     false,
     {"Use of capacity over time", "report", "measure=utilization&every=auto&by=cluster",
      PANEL_PICTURE | PANEL_IF_ANY, NULL, "explore"}},
    {"ends",
     true,
     {"How jobs ended", "report", "measure=jobs&by=class", PANEL_PICTURE | PANEL_IF_ANY, NULL,
      "explore"}},
    {"waits",
     true,
     {"How long jobs waited", "report",
      "measure=wait_median&measure=wait_p90&measure=jobs_started&by=partition&sort=wait_p90"
      "&top=12",
      PANEL_TABLE | PANEL_IF_ANY, NULL, "explore"}},
    {"efficiency",
     false,
     {"Efficiency over time", "report",
      "measure=cpu_efficiency&measure=mem_efficiency&measure=gpu_efficiency&every=auto",
      PANEL_PICTURE | PANEL_IF_ANY, NULL, "explore"}},
};

/* What a report can be about. */
static const struct {
    const char *id, *label;
} filters[] = {
    {"cluster", "Cluster"}, {"group", "Group"},     {"account", "Account"},
    {"user", "User"},       {"project", "Project"}, {"partition", "Queue"},
};

static bool is_shown(const struct page_view *view, const struct report_part *part)
{
    bool any = false;
    for (size_t i = 0; i < view->value_count; i++) {
        if (str_eq(str_of(view->values[i].name), STR("show"))) {
            any = true;
            if (bar_in_list(view->values[i].text, part->id)) {
                return true;
            }
        }
    }
    return !any && part->usual;
}

static void add_form(struct page_view *view)
{
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        struct model *part = model_add(view->model, "parts");
        model_text(part, "id", str_of(parts[i].id));
        model_text(part, "label", str_of(parts[i].panel.title));
        model_flag(part, "chosen", is_shown(view, &parts[i]));
    }
    model_list(view->model, "abouts");
    for (size_t i = 0; i < COUNT_OF(filters); i++) {
        const struct str value = view_value(view, filters[i].id);
        struct model *field = model_add(view->model, "fields");
        model_text(field, "id", str_of(filters[i].id));
        model_text(field, "label", str_of(filters[i].label));
        model_text(field, "value", value);
        if (value.len > 0) {
            struct model *about = model_add(view->model, "abouts");
            model_text(about, "label", str_of(filters[i].label));
            model_text(about, "value", value);
        }
    }
}

/* The filters as a query: "group=chem&cluster=birch". */
static const char *filter_query(const struct page_view *view)
{
    struct buf query;
    buf_init(&query, LIMIT_ARGUMENT);
    for (size_t i = 0; i < COUNT_OF(filters); i++) {
        const struct str value = view_value(view, filters[i].id);
        if (value.len > 0) {
            url_add(&query, filters[i].id, value);
        }
    }
    const char *copy = query.len > 0
                           ? arena_text(view->arena, (struct str){query.ptr + 1, query.len - 1})
                           : "";
    buf_release(&query);
    return copy;
}

static void add_part(struct page_view *view, const struct report_part *part)
{
    struct request_value values[PANEL_VALUES_MAX + COUNT_OF(filters)];
    struct error ignored = {0}; /* said in the panel */
    if (!part->panel.operation) {
        const struct reads_ask ask = {
            .measures = "gpu_hours,cpu_hours,jobs,success_rate,wait_median,cpu_efficiency",
            .filter = filter_query(view),
            .period = "",
            .whole = caller_may(view->service->caller, RIGHT_ALL)};
        (void)!reads_add(view, view->model, &ask, &ignored);
        return;
    }
    size_t count = panel_values(view, &part->panel, values);
    for (size_t i = 0; i < COUNT_OF(filters); i++) {
        const struct str value = view_value(view, filters[i].id);
        if (value.len > 0) {
            values[count++] = (struct request_value){filters[i].id, value};
        }
    }
    (void)!panel_ask(view, view->model, &part->panel, values, count, &ignored);
}

int page_report(struct page_view *view, struct error *err)
{
    (void)err;
    model_format(view->model, "form", "%s/report", view->request->prefix);
    add_form(view);
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (is_shown(view, &parts[i])) {
            add_part(view, &parts[i]);
        }
    }
    return 0;
}
