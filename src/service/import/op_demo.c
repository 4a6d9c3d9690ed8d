/* SPDX-License-Identifier: MIT */

/*
 * stint demo: a believable site to try things on.
 */

#include "demo/demo.h"
#include "demo/demo_format.h"
#include "service/core/operations.h"
#include "service/core/params.h"

static bool on_progress(void *watcher, int64_t done, int64_t total)
{
    const struct service *service = watcher;
    if (service->progress) {
        service->progress(service->watcher, "runs", (uint64_t)done, (uint64_t)total, done);
    }
    return !stop_is_set(service->stop);
}

static void fill_answer(const struct demo_summary *summary, struct table *table)
{
    enum { CLUSTER, PATH, RUNS, ROWS, BYTES, SLOT_HOURS, USED };

    static const struct heading headings[] = {
        [CLUSTER] = {"cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        [PATH] = {"file", "File", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
        [RUNS] = {"runs", "Runs", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
        [ROWS] = {"rows", "Rows", CELL_INT, UNIT_COUNT, COLUMN_MEASURE},
        [BYTES] = {"bytes", "Size", CELL_INT, UNIT_BYTES, COLUMN_MEASURE},
        [SLOT_HOURS] = {"cpu_hours", "CPU hours", CELL_INT, UNIT_HOURS, COLUMN_MEASURE},
        [USED] = {"cpu_used", "CPU used", CELL_INT, UNIT_HOURS, COLUMN_MEASURE},
    };

    table_columns(table, headings, COUNT_OF(headings));
    for (size_t i = 0; i < summary->count; i++) {
        const struct demo_cluster_summary *c = &summary->clusters[i];
        size_t row = table_row(table);
        table_set_text(table, CLUSTER, row, str_of(c->name));
        table_set_text(table, PATH, row, str_of(c->path));
        table_set_int(table, RUNS, row, c->runs);
        table_set_int(table, ROWS, row, c->rows);
        table_set_int(table, BYTES, row, c->bytes);
        table_set_int(table, SLOT_HOURS, row, c->slot_wall_us);
        table_set_int(table, USED, row, c->cpu_used_us);
    }
}

static int run_demo(struct service *service, const struct request *request,
                    struct answer *answer, struct error *err)
{
    struct demo_plan plan = demo_plan_default(service->now());
    struct demo_summary summary = {0};
    int64_t seed = 0, users = 0;
    int failed;
    (void)((failed = request_number(request, "runs", plan.runs, &plan.runs, err)) ||
           (failed = request_number(request, "users", plan.users, &users, err)) ||
           (failed = request_number(request, "seed", (int64_t)plan.seed, &seed, err)));
    if (!failed && (request_has(request, "from") || request_has(request, "to"))) {
        failed = params_period(service, request, &plan.period, err);
    }
    if (failed) {
        return failed;
    }
    plan.users = users > DEMO_USERS_MAX ? DEMO_USERS_MAX + 1 : (int)users;
    plan.seed = (uint64_t)seed;
    plan.zone = service->zone;
    plan.folder = arena_text(&answer->table.arena, request_text(request, "out"));
    plan.format = arena_text(&answer->table.arena, request_text(request, "as"));
    failed = demo_write(&plan, on_progress, service, &summary, err);
    if (!failed) {
        fill_answer(&summary, &answer->table);
        for (size_t i = 0; i < summary.count; i++) {
            answer_note(answer, NOTE_RESULT, "%s stint import %s --cluster %s %s",
                        i ? "                 " : "import them with:", plan.format,
                        summary.clusters[i].name, summary.clusters[i].path);
        }
    }
    demo_summary_release(&summary);
    return failed;
}

static const char *format_at(size_t index)
{
    size_t i = 0;
    while (i < index && demo_formats[i]) {
        i++;
    }
    return demo_formats[i] ? demo_formats[i]->name : NULL;
}

static const struct param params[] = {
    {.name = "out",
     .type = PARAM_TEXT,
     .value = "FOLDER",
     .fallback = "stint-demo",
     .help = "where to write the files"},
    {.name = "as",
     .type = PARAM_CHOICE,
     .value = "SOURCE",
     .name_at = format_at,
     .fallback = "sge",
     .help = "format of which scheduler"},
    {.name = "runs",
     .type = PARAM_NUMBER,
     .value = "N",
     .fallback = "100000",
     .help = "number of runs on all clusters together"},
    {.name = "users",
     .type = PARAM_NUMBER,
     .value = "N",
     .fallback = "120",
     .help = "number of people, 10 to 10000"},
    {.name = "seed",
     .type = PARAM_NUMBER,
     .value = "N",
     .help = "seed of the random numbers; another number gives another site"},
};

const struct operation operation_demo = {
    .name = "demo",
    .summary = "write accounting files of a made-up site",
    .description = "Writes realistic accounting files of a made-up site: several clusters, "
                   "users with different habits, working hours, weekends and holidays, arrays, "
                   "failures, a cluster that grows. The same options give the same files.",
    .examples = "stint demo --out /tmp/site --runs 200000 # a year of a small site",
    .rights = RIGHT_PUBLIC,
    .local = true,
    .stoppable = true,
    .sets = PARAMS_PERIOD,
    .from_help = PARAM_FROM_HELP "365 days ago",
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_demo,
};
