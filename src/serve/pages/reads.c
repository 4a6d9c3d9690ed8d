/* SPDX-License-Identifier: MIT */
#include "serve/pages/reads.h"

#include "base/attribute.h"
#include "base/limit.h"
#include "base/url.h"
#include "report/catalog.h"
#include "serve/pages/shape.h"
#include "serve/pages/topic.h"
#include "serve/pages/words.h"

/* What is shared out, what matters first before the rest. */
static const char *const resources[] = {"gpu_hours", "cpu_hours"};

enum { READINGS_MAX = 1 + COUNT_OF(resources) }; /* a share, and targets */

/* What is asked besides the numbers themselves, and what is made of it. */
struct reads {
    struct page_view *view;
    const struct reads_ask *ask;
    struct answer own, over_time, site, ranked;
    struct reading readings[READINGS_MAX];
    size_t reading_count;
};

enum whose { WHOSE_OWN, WHOSE_EVERYBODY };

/* A query of several parts, of which some may be empty. */
static const char *query_of(const struct page_view *view, const char *const *parts,
                            size_t count)
{
    struct buf query;
    buf_init(&query, LIMIT_ARGUMENT);
    for (size_t i = 0; i < count; i++) {
        buf_addf(&query, "%s%s", query.len > 0 && *parts[i] ? "&" : "", parts[i]);
    }
    const char *copy = arena_text(view->arena, buf_str(&query));
    buf_release(&query);
    return copy;
}

/*
 * Sums over everybody are asked for by whom the site lets see them, which may be anyone. What
 * cannot be asked is not shown.
 */
static void ask_report(const struct reads *reads, const char *list, const char *more,
                       enum whose whose, struct answer *answer)
{
    struct page_view *view = reads->view;
    struct service service = *view->service, *const usual = view->service;
    struct error ignored = {0};
    if (whose == WHOSE_EVERYBODY && !caller_may(usual->caller, RIGHT_ALL)) {
        if (!view->request->public_caller) {
            return;
        }
        service.caller = view->request->public_caller;
    }
    struct str rest = str_of(list);
    struct buf wanted;
    buf_init(&wanted, LIMIT_ARGUMENT);
    while (rest.ptr) {
        url_add(&wanted, "measure", str_cut(&rest, ','));
    }
    const char *const parts[] = {
        arena_text(view->arena, (struct str){wanted.ptr + 1, wanted.len - 1}), more,
        whose == WHOSE_OWN ? reads->ask->filter : "", reads->ask->period};
    view->service = &service;
    (void)!view_ask(view, "report", query_of(view, parts, COUNT_OF(parts)), answer, &ignored);
    view->service = usual;
    buf_release(&wanted);
}

/* The resource that matters first, of those the page asks for. */
static const char *resource_of(const struct reads *reads)
{
    for (size_t i = 0; i < COUNT_OF(resources); i++) {
        if (cell_number(&reads->own.table, resources[i], 0, 0) > 0) {
            return resources[i];
        }
    }
    return NULL;
}

static struct str words_of(const struct page_view *view, const struct table *table,
                           const char *id)
{
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    const size_t column = table_find(table, id);
    if (column < table->column_count && table->row_count > 0) {
        words_cell(&text, table, column, 0, view->service->zone, view->service->now());
    }
    const struct str copy = view_text(view, &text);
    buf_release(&text);
    return copy;
}

/* "the largest of 20 groups", "number 3 of 20 groups"; nothing where others are not seen. */
static struct str rank_of(const struct reads *reads, const char *resource, double own)
{
    const struct table *table = &reads->ranked.table;
    size_t count = 0, larger = 0;
    for (size_t row = 0; row + table->footer_count < table->row_count; row++) {
        const double value = cell_number(table, resource, row, 0);
        count += value > 0;
        larger += value > own;
    }
    if (count < 2) {
        return (struct str){0};
    }
    return larger == 0 ? view_printf(reads->view, "the largest of %zu %s", count,
                                     topic_dimensions(reads->ask->dimension))
                       : view_printf(reads->view, "number %zu of %zu %s", larger + 1, count,
                                     topic_dimensions(reads->ask->dimension));
}

static void add_share(struct reads *reads, const char *resource)
{
    const double own = cell_number(&reads->own.table, resource, 0, 0);
    const double all = cell_number(&reads->site.table, resource, 0, 0);
    if (all <= 0 || own > all) {
        return;
    }
    const struct measure *measure = measure_find(str_of(resource));
    const double share = own / all, tenth = 0.1;
    reads->readings[reads->reading_count++] = (struct reading){
        .label = view_printf(reads->view, "Share of all %s", measure->label),
        .value = view_printf(reads->view, share < tenth ? "%.1f" : "%.0f", 100 * share),
        .unit = STR("%"),
        .context = rank_of(reads, resource, own),
        .known = true,
        .share = share,
        .mark = -1,
        .tone = str_eq(str_of(resource), STR("gpu_hours")) ? TONE_GPU : TONE_CPU};
}

/* How much of its target it reached; a target is in a table for people only. */
static void add_target(struct reads *reads, const char *resource)
{
    const struct table *table = &reads->own.table;
    char *of = arena_printf(reads->view->arena, "%s_of_target", resource);
    char *target = arena_printf(reads->view->arena, "%s_target", resource);
    const double share = cell_number(table, of, 0, -1);
    if (share < 0) {
        return;
    }
    reads->readings[reads->reading_count++] = (struct reading){
        .label =
            view_printf(reads->view, "Target of %s", measure_find(str_of(resource))->label),
        .value = view_printf(reads->view, "%.0f", 100 * share),
        .unit = STR("%"),
        .context = view_printf(reads->view, "%.*s of %.*s",
                               STR_ARG(words_of(reads->view, table, resource)),
                               STR_ARG(words_of(reads->view, table, target))),
        .known = true,
        .share = share > 1 ? 1 : share,
        .mark = share > 1 ? 1 / share : 1,
        .tone = str_eq(str_of(resource), STR("gpu_hours")) ? TONE_GPU : TONE_CPU};
}

/* Of one of many: its share, and its rank where all are seen. */
static void ask_others(struct reads *reads, const char *resource)
{
    ask_report(reads, "gpu_hours,cpu_hours,gpu_efficiency,cpu_efficiency,success_rate", "",
               WHOSE_EVERYBODY, &reads->site);
    if (caller_may(reads->view->service->caller, RIGHT_ALL)) {
        ask_report(reads, resource,
                   arena_printf(reads->view->arena, "by=%s", reads->ask->dimension),
                   WHOSE_EVERYBODY, &reads->ranked);
    }
    if (reads->ask->whole && reads->site.table.row_count > 0) {
        add_share(reads, resource);
    }
}

/* How each measure went over the period. */
static size_t ask_over_time(struct reads *reads, struct period period)
{
    const char *bucket = panel_bucket(period);
    if (!bucket) {
        return 0;
    }
    ask_report(reads, reads->ask->measures,
               arena_printf(reads->view->arena, "every=%s", bucket), WHOSE_OWN,
               &reads->over_time);
    return period.to + DAY_US > reads->view->service->now() ? 1 : 0;
}

int reads_add(struct page_view *view, struct model *list, const struct reads_ask *ask,
              struct error *err)
{
    struct reads reads = {.view = view, .ask = ask};
    const char *const parts[] = {arena_printf(view->arena, "measure=%s&by=none", ask->measures),
                                 ask->filter, ask->period};
    const struct panel panel = {.title = *ask->period ? "The last 30 days" : "In this period",
                                .operation = "compare",
                                .query = query_of(view, parts, COUNT_OF(parts)),
                                .show = PANEL_READS | PANEL_NOTES | PANEL_WIDE,
                                .opens = "compare"};
    model_list(list, "panels"); /* there may be none */
    ask_report(&reads, "gpu_hours,cpu_hours", "targets=", WHOSE_OWN, &reads.own);
    const char *resource = resource_of(&reads);
    if (resource && ask->dimension) {
        ask_others(&reads, resource);
    }
    for (size_t i = 0; ask->whole && i < COUNT_OF(resources); i++) {
        add_target(&reads, resources[i]);
    }
    const size_t unsettled = ask_over_time(&reads, reads.own.period);
    view->beside = &(struct reads_beside){
        .over_time = reads.over_time.table.row_count ? &reads.over_time.table : NULL,
        .unsettled = unsettled,
        .site = reads.site.table.row_count == 1 ? &reads.site.table : NULL,
        .readings = reads.readings,
        .reading_count = reads.reading_count};
    const int failed = panel_add(view, list, &panel, err);
    view->beside = NULL;
    answer_release(&reads.own);
    answer_release(&reads.over_time);
    answer_release(&reads.site);
    answer_release(&reads.ranked);
    return failed;
}
