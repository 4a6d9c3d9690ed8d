/* SPDX-License-Identifier: MIT */
#include "serve/pages/timelines.h"

#include <inttypes.h>

#include "base/attribute.h"
#include "base/zone.h"

/* What is shown of a run over time, where it was sampled. */
static const struct run_panel {
    const char *of, *by;
    struct panel panel;
} run_panels[] = {
    {"job_cpus",
     "node",
     {"CPUs at work, by node", "timeline", "", PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY,
      "line", NULL}},
    {"job_memory",
     "node",
     {"Memory, by node", "timeline", "", PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY, "line",
      NULL}},
    {"gpu",
     "card",
     {"GPUs, one by one", "timeline", "",
      PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY | PANEL_WIDE, "heat", NULL}},
    {"gpu_memory",
     "node",
     {"Memory of GPUs, by node", "timeline", "", PANEL_PICTURE | PANEL_FOLDED | PANEL_IF_ANY,
      "line", NULL}},
};

enum { RUN_VALUES_MAX = 8 };

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
    end = read_number(runs, "end", row, &end) ? end + SECOND_US : view->service->now();
    pick(run, "cluster", cluster->cells[row].text);
    pick(run, "job", str_of(arena_printf(view->arena, "%" PRId64, job)));
    if (read_number(runs, "task", row, &task)) {
        pick(run, "task", str_of(arena_printf(view->arena, "%" PRId64 ",---", task)));
    }
    pick_period(view, run, start, end);
    return end > start;
}

void timelines_of_run(struct page_view *view, const struct table *runs)
{
    struct run_pick run = {0};
    if (runs->row_count == 0 || !pick_run(view, runs, &run)) {
        return;
    }
    for (size_t i = 0; i < COUNT_OF(run_panels); i++) {
        struct run_pick asked = run;
        struct error ignored = {0}; /* said in the panel */
        pick(&asked, "of", str_of(run_panels[i].of));
        pick(&asked, "by", str_of(run_panels[i].by));
        (void)!panel_ask(view, view->model, &run_panels[i].panel, asked.values, asked.count,
                         &ignored);
    }
}
