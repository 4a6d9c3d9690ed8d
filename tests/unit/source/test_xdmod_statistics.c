/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "base/mem.h"
#include "base/zone.h"
#include "source/slurm/slurm.h"
#include "support/facts_at.h"
#include "support/runs.h"
#include "unit/source/calls.h"
#include "unit/source/peer.h"

/*
 * Every statistic that Open XDMoD publishes of phillips.log, to its fourth decimal: in all, by day and
 * by month. Most are measures of a report, or one over another. Sizes of jobs are of those that
 * were active, where ours are of those that ended: these are computed here, over the runs, and
 * compared with the report where both are the same. docs/sources/slurm.md has what cannot be compared.
 */

enum { RUNS_MAX = 5000 };

#define COLUMNS                                                                                \
    "JobID,JobIDRaw,Cluster,Partition,QOS,Account,Group,GID,User,UID,Submit,Eligible,Start,"   \
    "End,Elapsed,ExitCode,State,NNodes,NCPUS,ReqCPUS,ReqMem,ReqTRES,AllocTRES,Timelimit,"      \
    "NodeList,JobName"
#define FROM     "2016-12-22"
#define TO       "2017-01-01" /* its last day */
#define FROM_US  (INT64_C(1482364800) * SECOND_US)
#define DAYS     11
#define DAYS_OLD 10 /* of these, those of 2016 */

#define HOUR_OF_US 3600e6
#define DECIMALS   0.000051

static struct runs_store store;
static struct zone *utc;

static void import_phillips(void)
{
    char file[4 * PEER_PATH_LEN];
    struct answer answer;
    struct error err;
    (void)snprintf(file, sizeof(file), "file=%s/slurm/xdmod/phillips.log", peer_folder());
    if (utc) {
        return;
    }
    expect_int(zone_open("UTC", &utc, &err), 0);
    runs_open(&store);
    facts_leave(store.facts);
    store.facts = NULL;
    call(store.folder, utc, "import",
         (const char *[]){"source=slurm", file, "columns=" COLUMNS, NULL}, &answer);
    expect_int(answer.status, 0);
    answer_release(&answer);
    call(store.folder, utc, "capacity",
         (const char *[]){"action=add", "cluster=phillips", "cpus=4000", NULL}, &answer);
    answer_release(&answer);
}

/* --- theirs ----------------------------------------------------------------------------------- */

static json_t *read_theirs(const char *statistic)
{
    struct buf text;
    peer_file("slurm/xdmod/phillips.expected.json", &text);
    json_t *all = json_loadb(text.ptr, text.len, 0, NULL);
    buf_release(&text);
    json_t *want = json_object_get(json_object_get(all, "statistics"), statistic);
    if (!want) {
        expect_fail("they have no %s", statistic);
    }
    json_incref(want);
    json_decref(all);
    return want;
}

static void expect_same(double got, const json_t *want, const char *when)
{
    if (!(fabs(got - json_number_value(want)) <= DECIMALS)) {
        expect_fail("%s: ours is %.6f, theirs %.6f", when, got, json_number_value(want));
    }
}

/* --- measures --------------------------------------------------------------------------------- */

struct statistic {
    const char *name; /* theirs */
    const char *measure;
    const char *over; /* another one it is divided by, or NULL */
    double unit;      /* what a cell counts in theirs */
};

static const struct statistic statistics[] = {
    {"job_count", "jobs", NULL, 1},
    {"started_job_count", "jobs_started", NULL, 1},
    {"running_job_count", "jobs_active", NULL, 1},
    {"total_cpu_hours", "cpu_hours", NULL, HOUR_OF_US},
    {"total_wallduration_hours", "wall_hours", NULL, HOUR_OF_US},
    {"total_waitduration_hours", "wait_hours", NULL, HOUR_OF_US},
    {"total_node_hours", "node_hours", NULL, HOUR_OF_US},
    {"total_gpu_hours", "gpu_hours", NULL, HOUR_OF_US},
    {"avg_cpu_hours", "cpu_hours", "jobs_active", HOUR_OF_US},
    {"avg_wallduration_hours", "wall_hours", "jobs_active", HOUR_OF_US},
    {"avg_waitduration_hours", "wait_hours", "jobs_started", HOUR_OF_US},
    {"active_person_count", "users", NULL, 1},
    {"active_pi_count", "accounts", NULL, 1},
};

static void ask(const char *measure, const char *every, struct answer *answer)
{
    char what[64], bucket[32];
    (void)snprintf(what, sizeof(what), "measure=%s", measure);
    (void)snprintf(bucket, sizeof(bucket), "every=%s", every ? every : "");
    call(store.folder, utc, "report",
         (const char *[]){what, "from=" FROM, "to=" TO, every ? bucket : NULL, NULL}, answer);
}

/* One value for each of their buckets; `every` is NULL for the whole. */
static void ask_values(const char *measure, const char *every, double *values, size_t count)
{
    struct answer answer;
    ask(measure, every, &answer);
    expect_uint(answer.table.row_count, count);
    for (size_t i = 0; i < count; i++) {
        values[i] = call_cell(&answer.table, every ? 1 : 0, i);
    }
    answer_release(&answer);
}

static void compare_measure(const struct statistic *row, const char *every, json_t *want)
{
    double ours[DAYS], over[DAYS];
    size_t count = every ? json_object_size(want) : 1;
    expect_true(count > 0 && count <= DAYS);
    ask_values(row->measure, every, ours, count);
    if (row->over) {
        ask_values(row->over, every, over, count);
    }
    const char *key = "total";
    json_t *value = want;
    size_t i = 0;
    if (!every) {
        expect_same(ours[0] / row->unit / (row->over ? over[0] : 1), want, key);
        return;
    }
    json_object_foreach(want, key, value) /* both are in the order of time */
    {
        double divided = row->over && over[i] > 0 ? over[i] : 1;
        expect_same(ours[i] / row->unit / divided, value, key);
        i++;
    }
}

static void statistic_agrees(void **state)
{
    const struct statistic *row = *state;
    import_phillips();
    json_t *want = read_theirs(row->name);
    compare_measure(row, NULL, json_object_get(want, "total"));
    compare_measure(row, "day", json_object_get(want, "by_day"));
    compare_measure(row, "month", json_object_get(want, "by_month"));
    json_decref(want);
}

/* --- sizes ------------------------------------------------------------------------------------ */

/* What the jobs that were active in some time are like. */
struct sizes {
    double jobs, cpus, min, max, cpu_us, weighted;
};

static struct sizes compute_sizes(const struct run *runs, size_t count, struct period bucket)
{
    struct sizes sizes = {.min = (double)INFINITY};
    for (size_t i = 0; i < count; i++) {
        const struct run *run = &runs[i];
        int64_t from = run->start > bucket.from ? run->start : bucket.from;
        int64_t to = run->end < bucket.to ? run->end : bucket.to;
        bool instant = run->start == run->end && run->start >= bucket.from;
        if (run->start >= bucket.to || (to <= from && !instant)) {
            continue;
        }
        double cpus = (double)run->cpus, cpu_us = cpus * (double)(to - from);
        sizes.jobs += 1;
        sizes.cpus += cpus;
        sizes.min = fmin(sizes.min, cpus);
        sizes.max = fmax(sizes.max, cpus);
        sizes.cpu_us += cpu_us;
        sizes.weighted += cpus * cpu_us;
    }
    return sizes;
}

/* All that started, in the order of the file. */
static size_t read_runs(struct run *runs)
{
    const struct source_options options = {.columns = STR(COLUMNS)};
    struct source_cursor cursor = {.next_line = 1};
    struct arena arena = {0};
    struct error err = {0};
    struct buf text;
    void *format = NULL;
    size_t count = 0;
    peer_file("slurm/xdmod/phillips.log", &text);
    expect_int(slurm_driver.open(buf_str(&text), &options, &format, &err), 0);
    cursor.rest = buf_str(&text);
    cursor.arena = &arena;
    for (enum source_step step = SOURCE_SKIP; step != SOURCE_END;) {
        struct run run = {0};
        step = slurm_driver.next(format, &cursor, &run, &err);
        expect_true(step != SOURCE_REJECT && count < RUNS_MAX);
        if (step == SOURCE_RECORD && RUN_HAS(&run, start)) {
            runs[count++] = run; /* numbers only: the texts go with the file */
        }
    }
    slurm_driver.close(format);
    arena_release(&arena);
    buf_release(&text);
    return count;
}

struct size_row {
    const char *name;    /* theirs */
    const char *measure; /* ours, of the jobs that ended; NULL: there is none */
};

static const struct size_row size_rows[] = {
    {"avg_processors", "cpus_avg"},
    {"min_processors", "cpus_min"},
    {"max_processors", "cpus_max"},
    {"avg_job_size_weighted_by_cpu_hours", NULL},
};

static double size_of(const struct size_row *row, const struct sizes *sizes)
{
    const double values[] = {sizes->cpus / sizes->jobs, sizes->min, sizes->max,
                             sizes->weighted / sizes->cpu_us};
    return values[row - size_rows];
}

static struct period days(int first, int count)
{
    return (struct period){FROM_US + first * DAY_US, FROM_US + (first + count) * DAY_US};
}

/* In the period all jobs that were active ended: here both are of the same jobs. */
static void expect_measure(const char *measure, const json_t *want)
{
    double ours[1];
    ask_values(measure, NULL, ours, 1);
    expect_same(ours[0], want, measure);
}

static void size_agrees(void **state)
{
    const struct size_row *row = *state;
    const struct period months[] = {days(0, DAYS_OLD), days(DAYS_OLD, DAYS - DAYS_OLD)};
    import_phillips();
    json_t *want = read_theirs(row->name);
    struct run *runs = mem_alloc(RUNS_MAX, sizeof(*runs));
    size_t count = read_runs(runs);
    struct sizes all = compute_sizes(runs, count, days(0, DAYS));
    const char *key = NULL;
    json_t *value = NULL;
    int day = 0, month = 0;
    expect_same(size_of(row, &all), json_object_get(want, "total"), "total");
    json_object_foreach(json_object_get(want, "by_day"), key, value)
    {
        struct sizes sizes = compute_sizes(runs, count, days(day++, 1));
        expect_same(size_of(row, &sizes), value, key);
    }
    json_object_foreach(json_object_get(want, "by_month"), key, value)
    {
        struct sizes sizes = compute_sizes(runs, count, months[month++]);
        expect_same(size_of(row, &sizes), value, key);
    }
    expect_int(day, DAYS);
    expect_int(month, 2);
    if (row->measure) {
        expect_measure(row->measure, json_object_get(want, "total"));
    }
    free(runs);
    json_decref(want);
}

/* --- utilization ------------------------------------------------------------------------------ */

/*
 * Of 4000 cpus, in percent. They take January for whole, of which the period has one day; there only
 * the hours can be compared.
 */
static void utilization_agrees(void **state)
{
    (void)state;
    double total[1], day[DAYS], month[2];
    const char *key = NULL;
    json_t *value = NULL;
    size_t i = 0;
    import_phillips();
    json_t *want = read_theirs("utilization");
    ask_values("utilization", NULL, total, 1);
    ask_values("utilization", "day", day, DAYS);
    ask_values("utilization", "month", month, 2);
    expect_same(100 * total[0], json_object_get(want, "total"), "total");
    json_object_foreach(json_object_get(want, "by_day"), key, value)
    {
        expect_same(100 * day[i++], value, key);
    }
    const json_t *months = json_object_get(want, "by_month");
    expect_same(100 * month[0], json_object_get(months, "2016-12"), "2016-12");
    expect_same(100 * month[1] / 31, json_object_get(months, "2017-01"), "2017-01");
    json_decref(want);
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
    SUITE_ROWS(&suite, statistic_agrees, statistics);
    SUITE_ROWS(&suite, size_agrees, size_rows);
    SUITE_TEST(&suite, utilization_agrees);
    SUITE_TEST(&suite, forget_store);
    return suite_run(&suite, "xdmod_statistics");
}
