/* SPDX-License-Identifier: MIT */
#include "serve/pages/earlier.h"

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/zone.h"
#include "view/chart/choose.h"

enum { EARLIER_VALUES_MAX = 128 };

/* Whether a category has one value, or values that add up, so that another can be compared. */
static bool can_have(const struct chart *chart)
{
    const bool summed = chart->kind == CHART_STACKED || chart->kind == CHART_AREA;
    const bool single = chart->kind == CHART_BAR || chart->kind == CHART_LINE;
    return chart->bucket > BUCKET_HOUR &&
           ((summed && chart->additive) || (single && chart->series_count == 1));
}

/* What the other question does not have: its own period, names, ranks. */
static bool is_left_out(const char *name)
{
    static const char *const names[] = {"from", "to",      "by",      "top",
                                        "sort", "reverse", "targets", "measure"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (str_eq(str_of(name), str_of(names[i]))) {
            return true;
        }
    }
    return false;
}

/* The same question about the other period: its first measure, all names together. */
static size_t other_values(const struct page_view *view, const struct request *request,
                           struct period period, struct request_value *values)
{
    char text[INSTANT_TEXT_MAX];
    struct str list = {0};
    size_t count = 0;
    (void)request_each(request, "measure", 0, &list);
    values[count++] = (struct request_value){"measure", str_trim(str_cut(&list, ','))};
    for (size_t i = 0; i < request->count && count < EARLIER_VALUES_MAX - 2; i++) {
        if (!is_left_out(request->values[i].name)) {
            values[count++] = request->values[i];
        }
    }
    values[count++] = (struct request_value){
        "from",
        arena_copy(view->arena, str_of(zone_print(view->service->zone, period.from, text)))};
    values[count++] = (struct request_value){
        "to",
        arena_copy(view->arena, str_of(zone_print(view->service->zone, period.to, text)))};
    return count;
}

void earlier_add(struct page_view *view, struct chart *chart, const struct request *request,
                 struct period period, struct str with)
{
    const bool year = str_eq(with, STR("last-year"));
    struct request_value values[EARLIER_VALUES_MAX];
    struct answer answer = {0};
    struct chart earlier = {0};
    struct table seen = {0};
    struct error ignored = {0}; /* then there are no ticks */
    if ((!year && !str_eq(with, STR("previous"))) || !can_have(chart) ||
        !str_eq(str_of(request->operation->name), STR("report"))) {
        return;
    }
    const struct period other = year ? calendar_year_before(period, view->service->zone)
                                     : calendar_before(period, view->service->zone);
    const struct request asked = {.operation = request->operation,
                                  .values = values,
                                  .count = other_values(view, request, other, values)};
    if (service_call(view->service, &asked, &answer, &ignored) == 0) {
        const struct chart_wish wish = {.kind = STR("bar"),
                                        .zone = view->service->zone,
                                        .period = answer.period,
                                        .covered = answer.covered,
                                        .covers = answer.covers,
                                        .cover_count = answer.cover_count,
                                        .now = answer.as_of};
        table_seen(&answer.table, COLUMN_FOR_PEOPLE, &seen);
        if (answer.table.row_count > 0 && chart_choose(&seen, &wish, &earlier, &ignored) == 0 &&
            chart_has_data(&earlier) && earlier.bucket == chart->bucket) {
            chart_earlier(chart, &earlier, year ? "a year before" : "the period before");
        }
    }
    chart_release(&earlier);
    table_seen_release(&seen);
    answer_release(&answer);
}
