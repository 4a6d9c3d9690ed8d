/* SPDX-License-Identifier: MIT */
#include "serve/pages/run_timelines.h"

#include <inttypes.h>

#include "base/attribute.h"
#include "base/limit.h"
#include "base/zone.h"
#include "serve/pages/words.h"
#include "view/chart/chart.h"

#define LINES PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY

/*
 * What is shown of a run over time, where it was sampled: all of it against what it was given,
 * and where it has several nodes, each of them.
 */
static const struct run_panel {
    const char *of, *by;
    const char *given; /* field with what there is at most; NULL: it has no limit */
    bool each;         /* by node, which one node has no need of */
    struct panel panel;
} run_panels[] = {
    {"job_cpus", "all", "cpus", false, {"CPUs at work", "timeline", "", LINES, "line", NULL}},
    {"job_memory", "all", "mem", false, {"Memory", "timeline", "", LINES, "line", NULL}},
    {"job_cpus",
     "node",
     NULL,
     true,
     {"CPUs at work, by node", "timeline", "", LINES, "line", NULL}},
    {"job_memory",
     "node",
     NULL,
     true,
     {"Memory, by node", "timeline", "", LINES, "line", NULL}},
    {"gpu",
     "card",
     NULL,
     false,
     {"GPUs, one by one", "timeline", "",
      PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY | PANEL_WIDE, "heat", NULL}},
    {"gpu_memory",
     "all",
     NULL,
     false,
     {"Memory of its GPUs", "timeline", "", LINES, "line", NULL}},
    {"job_io",
     "all",
     NULL,
     false,
     {"Read from and written to disks", "timeline", "", LINES, "line", NULL}},
};

enum { RUN_VALUES_MAX = 8, LINES_MAX = 8 };

/* Which samples are of a run, in the words of the operation. */
struct run_pick {
    struct request_value values[RUN_VALUES_MAX];
    size_t count;
};

static const struct column *find_column(const struct table *table, const char *id)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (str_eq(str_of(table->columns[i].id), str_of(id))) {
            return &table->columns[i];
        }
    }
    return NULL;
}

static bool read_number(const struct table *table, const char *id, size_t row, int64_t *out)
{
    const struct column *column = find_column(table, id);
    const bool has = column && column->type == CELL_INT && column->present[row];
    *out = has ? column->cells[row].integer : 0;
    return has;
}

static void pick(struct run_pick *run, const char *name, struct str text)
{
    run->values[run->count++] = (struct request_value){name, text};
}

static struct str text_of_instant(const struct page_view *view, int64_t instant)
{
    char text[INSTANT_TEXT_MAX];
    return arena_copy(view->arena, str_of(zone_print(view->service->zone, instant, text)));
}

/* The address may have a stretch of the run; without it, all of it. */
static void pick_period(const struct page_view *view, struct run_pick *run, int64_t start,
                        int64_t end)
{
    const struct str from = view_value(view, "from"), to = view_value(view, "to");
    pick(run, "from", from.len > 0 ? from : text_of_instant(view, start));
    pick(run, "to", to.len > 0 ? to : text_of_instant(view, end));
}

/*
 * Of a run without an end, up to when it is known to have run: later there is nothing to show.
 */
static int64_t last_known(const struct page_view *view, const struct table *runs, size_t row,
                          int64_t start)
{
    int64_t wall, suspended;
    const bool known = read_number(runs, "wall", row, &wall) && wall > 0;
    (void)read_number(runs, "suspended", row, &suspended);
    return known ? start + wall + suspended + SECOND_US : view->service->now();
}

/* The last run of an answer; false if it has not begun, or has no number. */
static bool pick_run(const struct page_view *view, const struct table *runs,
                     struct run_pick *run)
{
    const size_t row = runs->row_count - 1;
    const struct column *cluster = find_column(runs, "cluster");
    int64_t job, start, end, task;
    if (!cluster || !cluster->present[row] || !read_number(runs, "start", row, &start) ||
        (!read_number(runs, "job_raw", row, &job) && !read_number(runs, "job", row, &job))) {
        return false;
    }
    end = read_number(runs, "end", row, &end) ? end + SECOND_US
                                              : last_known(view, runs, row, start);
    pick(run, "cluster", cluster->cells[row].text);
    pick(run, "job", str_of(arena_printf(view->arena, "%" PRId64, job)));
    if (read_number(runs, "task", row, &task)) {
        pick(run, "task", str_of(arena_printf(view->arena, "%" PRId64 ",---", task)));
    }
    pick_period(view, run, start, end);
    return end > start;
}

/* What a run was given of something, as a line across; false where that is not known. */
static bool given_to_run(const struct page_view *view, const struct table *runs, const char *id,
                         struct chart_target *limit)
{
    const size_t column = id ? table_find(runs, id) : runs->column_count;
    const size_t row = runs->row_count - 1;
    struct buf text;
    if (column == runs->column_count || !table_has(runs, column, row) ||
        table_real(runs, column, row) <= 0) {
        return false;
    }
    buf_init(&text, LIMIT_ARGUMENT);
    words_cell(&text, runs, column, row, view->service->zone, view->service->now());
    *limit = (struct chart_target){
        .label = arena_printf(view->arena, "%.*s given", STR_ARG(buf_str(&text))),
        .value = table_real(runs, column, row),
        .limit = true};
    buf_release(&text);
    return true;
}

void timelines_of_run(struct page_view *view, struct model *model, const struct table *runs)
{
    struct run_pick run = {0};
    if (runs->row_count == 0 || !pick_run(view, runs, &run)) {
        return;
    }
    int64_t nodes;
    const bool many =
        read_number(runs, "node_count", runs->row_count - 1, &nodes) && nodes > LINES_MAX;
    const bool several = nodes > 1;
    for (size_t i = 0; i < COUNT_OF(run_panels); i++) {
        struct run_pick asked = run;
        struct panel panel = run_panels[i].panel;
        struct chart_target limit;
        if (run_panels[i].each && !several) {
            continue;
        }
        if (many && run_panels[i].each) { /* of lines only the highest would be drawn */
            panel.chart = "heat";
            panel.show |= PANEL_WIDE;
        }
        struct error ignored = {0}; /* said in the panel */
        pick(&asked, "of", str_of(run_panels[i].of));
        pick(&asked, "by", str_of(run_panels[i].by));
        view->limit = given_to_run(view, runs, run_panels[i].given, &limit) ? &limit : NULL;
        (void)!panel_ask(view, model, &panel, asked.values, asked.count, &ignored);
        view->limit = NULL;
    }
}
