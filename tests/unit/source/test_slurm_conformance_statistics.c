/* SPDX-License-Identifier: MIT */
#include "command/offer.h"
#include "service/core/service.h"
#include "support/facts_at.h"
#include "support/runs.h"
#include "unit/source/slurm_data.h"

/*
 * Reports of a whole file against the statistics that Open XDMoD makes of it.
 */

enum { WORDS_MAX = 8 };

/* To compare another measure, add its row. */
struct statistic {
    const char *name; /* the measure */
    const char *theirs;
    double unit; /* what a cell counts in theirs */
};

#define HOUR_OF_US 3600e6

static const struct statistic statistics[] = {
    {"jobs", "job_count", 1},
    {"jobs_started", "started_job_count", 1},
    {"jobs_active", "running_job_count", 1},
    {"cpu_hours", "total_cpu_hours", HOUR_OF_US},
    {"wall_hours", "total_wallduration_hours", HOUR_OF_US},
    {"wait_hours", "total_waitduration_hours", HOUR_OF_US},
    {"users", "active_person_count", 1},
};

static struct runs_store store;
static struct zone *utc;

static int64_t now(void)
{
    return INT64_C(1742472000) * SECOND_US;
}

/* Runs an operation with "name=value" words. */
static void call(const char *operation, const char *const *words, struct answer *answer)
{
    struct request_value values[WORDS_MAX];
    struct request request = {.operation = operation_find(str_of(operation)), .values = values};
    const struct caller admin = {.name = "root", CALLER_AS(ADMIN)};
    struct session session = {.folder = store.folder};
    struct service service = {
        .store = store.folder, .session = &session, .caller = &admin, .zone = utc, .now = now};
    struct error err = {0};
    char names[WORDS_MAX][32];
    for (; words[request.count]; request.count++) {
        struct str rest = str_of(words[request.count]);
        struct str name = str_cut(&rest, '=');
        (void)snprintf(names[request.count], sizeof(names[0]), "%.*s", STR_ARG(name));
        values[request.count] = (struct request_value){names[request.count], rest};
    }
    struct offer offer;
    offer_init(&offer, values, request.count, &service);
    request.inputs = &offer.inputs;
    *answer = (struct answer){0};
    if (service_call(&service, &request, answer, &err)) {
        expect_fail("%s", err.text);
    }
    offer_release(&offer);
}

static void import_phillips(void)
{
    char path[PEER_PATH_LEN], file[PEER_PATH_LEN + 8];
    struct answer answer;
    struct error err;
    peer_path("slurm/xdmod/phillips.log", path);
    (void)snprintf(file, sizeof(file), "file=%s", path);
    if (!utc) {
        expect_int(zone_open("UTC", &utc, &err), 0);
        runs_open(&store);
        facts_leave(store.facts);
        store.facts = NULL;
        call("import", (const char *[]){"source=slurm", file, "columns=" XDMOD_COLUMNS, NULL},
             &answer);
        expect_int(answer.status, 0);
        answer_release(&answer);
    }
}

static double cell_of(const struct table *table, size_t column, size_t row)
{
    if (!table_has(table, column, row)) {
        return 0;
    }
    return table->columns[column].type == CELL_REAL ? table->columns[column].cells[row].real
                                                    : (double)table_wide(table, column, row);
}

static void expect_buckets(const struct statistic *row, const char *every, const json_t *want)
{
    struct answer answer;
    char measure[64], bucket[32];
    (void)snprintf(measure, sizeof(measure), "measure=%s", row->name);
    (void)snprintf(bucket, sizeof(bucket), "every=%s", every);
    call("report", (const char *[]){measure, bucket, "from=2016-12-22", "to=2017-01-01", NULL},
         &answer);
    expect_uint(answer.table.row_count, json_object_size(want));
    size_t at = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)want, key, value)
    {
        (void)key; /* both are in the order of time */
        expect_double(cell_of(&answer.table, 1, at++) / row->unit, json_number_value(value),
                      0.000051);
    }
    answer_release(&answer);
}

static void report_agrees_with_xdmod(void **state)
{
    const struct statistic *row = *state;
    char measure[64];
    struct answer answer;
    import_phillips();
    json_t *expected = peer_json("slurm/xdmod/phillips.expected.json");
    const json_t *want = json_object_get(json_object_get(expected, "statistics"), row->theirs);
    (void)snprintf(measure, sizeof(measure), "measure=%s", row->name);
    call("report", (const char *[]){measure, "from=2016-12-22", "to=2017-01-01", NULL},
         &answer);
    expect_double(cell_of(&answer.table, 0, 0) / row->unit,
                  json_number_value(json_object_get(want, "total")), 0.000051);
    answer_release(&answer);
    expect_buckets(row, "day", json_object_get(want, "by_day"));
    expect_buckets(row, "month", json_object_get(want, "by_month"));
    json_decref(expected);
}

/* What the report has no measure for yet, summed here over the runs. */
static void gpu_and_node_hours_agree_with_xdmod(void **state)
{
    (void)state;
    struct slurm_reading r;
    double gpu_us = 0, node_us = 0;
    slurm_read_data(&r, "slurm/xdmod/phillips.log", XDMOD_COLUMNS, NULL);
    expect_uint(r.records, 4285);
    for (size_t i = 0; i < r.count; i++) {
        const struct run *run = slurm_run_at(&r, i);
        if (RUN_HAS(run, start)) {
            gpu_us += (double)(run->end - run->start) * (double)run->gpus;
            node_us += (double)(run->end - run->start) * (double)run->node_count;
        }
    }
    expect_double(gpu_us / HOUR_OF_US, 506.9128, 0.000051);
    expect_double(node_us / HOUR_OF_US, 1344.8686, 0.000051);
    slurm_reading_release(&r);
}

static void forget_store(void **state)
{
    (void)state;
    if (store.folder[0]) {
        runs_remove_folder(store.folder);
    }
    zone_close(utc);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, report_agrees_with_xdmod, statistics);
    SUITE_TEST(&suite, gpu_and_node_hours_agree_with_xdmod);
    SUITE_TEST(&suite, forget_store);
    return suite_run(&suite, "slurm_conformance_statistics");
}
