/* SPDX-License-Identifier: MIT */
#include <jansson.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/scan.h"
#include "base/zone.h"
#include "service/service.h"
#include "support/runs.h"
#include "unit/source/slurm_reader.h"

/*
 * Against what others have made of the same files: Open XDMoD, APEL, hpc-cost-simulator, slurm2sql,
 * reportseff, Slurm's own sreport and controller; and sacct's text against its JSON. $STINT_DATA names
 * the folder that has them; without it these tests skip. Where we differ on purpose, the tables
 * below say so; docs/sources/slurm.md says why.
 */

enum { FILE_MAX = 8 << 20, PATH_LEN = 1024, WORDS_MAX = 8 };

#define XDMOD_COLUMNS                                                                          \
    "JobID,JobIDRaw,Cluster,Partition,QOS,Account,Group,GID,User,UID,Submit,Eligible,Start,"   \
    "End,Elapsed,ExitCode,State,NNodes,NCPUS,ReqCPUS,ReqMem,ReqTRES,AllocTRES,Timelimit,"      \
    "NodeList,JobName"

static void data_path(const char *name, char path[PATH_LEN])
{
    const char *folder = getenv("STINT_DATA");
    if (!folder) {
        print_message("# STINT_DATA is not set: nothing to compare with\n");
        skip();
    }
    (void)snprintf(path, PATH_LEN, "%s/%s", folder, name);
}

static void read_data(const char *name, struct buf *out)
{
    char path[PATH_LEN];
    struct error err = {0};
    data_path(name, path);
    buf_init(out, FILE_MAX);
    if (file_read(path, out, &err)) {
        expect_fail("%s", err.text);
    }
}

static json_t *read_json(const char *name)
{
    struct buf text;
    json_error_t where;
    read_data(name, &text);
    json_t *json = json_loadb(text.ptr, text.len, 0, &where);
    if (!json) {
        expect_fail("%s: %s", name, where.text);
    }
    buf_release(&text);
    return json;
}

static void read_runs(struct slurm_reading *reading, const char *name, const char *columns,
                      const struct zone *zone)
{
    struct buf text;
    const struct source_options options = {.columns = str_of(columns), .zone = zone};
    read_data(name, &text);
    slurm_read_with(reading, buf_str(&text), &options);
    buf_release(&text);
    if (reading->failed) {
        expect_fail("%s: %s", name, reading->err.text);
    }
}

/* A JSON value as an integer, from a number or digits; -1 for null and empty. */
static int64_t int_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    int64_t number = -1;
    if (json_is_integer(value)) {
        return json_integer_value(value);
    }
    if (json_is_string(value) && json_string_length(value) > 0) {
        expect_true(scan_int(str_of(json_string_value(value)), &number));
    }
    return number;
}

static void expect_same_text(struct str got, bool has, const json_t *want)
{
    struct str text = str_of(json_is_string(want) ? json_string_value(want) : "");
    expect_int(has, text.len > 0);
    if (has) {
        expect_text_n(got.ptr, got.len, text.ptr);
    }
}

#define SECONDS_OF(run, member) (RUN_HAS((run), member) ? (run)->member / SECOND_US : -1)
#define NUMBER_OF(run, member)  (RUN_HAS((run), member) ? (run)->member : -1)

/* --- Open XDMoD's statistics ------------------------------------------------------------------ */

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
    struct service service = {.store = store.folder, .zone = utc, .now = now};
    struct error err = {0};
    char names[WORDS_MAX][32];
    for (; words[request.count]; request.count++) {
        struct str rest = str_of(words[request.count]);
        struct str name = str_cut(&rest, '=');
        (void)snprintf(names[request.count], sizeof(names[0]), "%.*s", STR_ARG(name));
        values[request.count] = (struct request_value){names[request.count], rest};
    }
    *answer = (struct answer){0};
    if (request.operation->run(&service, &request, answer, &err)) {
        expect_fail("%s", err.text);
    }
}

static void import_phillips(void)
{
    char path[PATH_LEN], file[PATH_LEN + 8];
    struct answer answer;
    struct error err;
    data_path("slurm/xdmod/phillips.log", path);
    (void)snprintf(file, sizeof(file), "file=%s", path);
    if (!utc) {
        expect_int(zone_open("UTC", &utc, &err), 0);
        runs_open(&store);
        facts_close(store.facts);
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
    json_t *expected = read_json("slurm/xdmod/phillips.expected.json");
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
    read_runs(&r, "slurm/xdmod/phillips.log", XDMOD_COLUMNS, NULL);
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

/* --- Open XDMoD, line by line ----------------------------------------------------------------- */

static void expect_xdmod_record(const struct run *run, const json_t *want)
{
    expect_int(run->job, int_of(want, "job_id"));
    expect_same_text(run->partition, RUN_HAS(run, partition),
                     json_object_get(want, "partition_name"));
    expect_same_text(run->qos, RUN_HAS(run, qos), json_object_get(want, "qos_name"));
    expect_same_text(run->account, RUN_HAS(run, account),
                     json_object_get(want, "account_name"));
    expect_same_text(run->group, RUN_HAS(run, group), json_object_get(want, "group_name"));
    expect_same_text(run->user, RUN_HAS(run, user), json_object_get(want, "user_name"));
    expect_same_text(run->name, RUN_HAS(run, name), json_object_get(want, "job_name"));
    expect_same_text(run->nodes, RUN_HAS(run, nodes), json_object_get(want, "node_list"));
    expect_int(run->gid, int_of(want, "gid_number"));
    expect_int(run->uid, int_of(want, "uid_number"));
    expect_int(SECONDS_OF(run, submit), int_of(want, "submit_time"));
    expect_int(SECONDS_OF(run, eligible), int_of(want, "eligible_time"));
    expect_int(SECONDS_OF(run, start), int_of(want, "start_time"));
    expect_int(SECONDS_OF(run, end), int_of(want, "end_time"));
    expect_int((run->end - run->start) / SECOND_US, int_of(want, "elapsed"));
    expect_int(SECONDS_OF(run, req_wall_us), int_of(want, "timelimit"));
    expect_int(NUMBER_OF(run, node_count), int_of(want, "nnodes"));
    expect_int(NUMBER_OF(run, cpus), int_of(want, "ncpus"));
    expect_int(NUMBER_OF(run, req_cpus), int_of(want, "req_cpus"));
    expect_int(NUMBER_OF(run, gpus), int_of(want, "ngpus"));
}

static void records_agree_with_xdmod(void **state)
{
    (void)state;
    struct slurm_reading r;
    read_runs(&r, "line-to-record-xdmod/shredder/slurm/input/accounting-logs.log",
              XDMOD_COLUMNS, NULL);
    json_t *want = read_json("line-to-record-xdmod/shredder/slurm/output/accounting-logs.json");
    expect_uint(r.count, json_array_size(want));
    for (size_t i = 0; i < r.count; i++) {
        expect_xdmod_record(slurm_run_at(&r, i), json_array_get(want, i));
    }
    json_decref(want);
    slurm_reading_release(&r);
}

/* XDMoD makes a record of each task; we count them. */
static void array_sizes_agree_with_xdmod(void **state)
{
    (void)state;
    struct slurm_reading r;
    read_runs(&r,
              "line-to-record-xdmod/shredder/slurm/input/accounting-logs-with-job-arrays.log",
              XDMOD_COLUMNS, NULL);
    json_t *want = read_json(
        "line-to-record-xdmod/shredder/slurm/output/accounting-logs-with-job-arrays.json");
    expect_uint(r.count, json_array_size(want));
    for (size_t i = 0; i < r.count; i++) {
        const struct run *run = slurm_run_at(&r, i);
        const json_t *tasks = json_array_get(want, i);
        if (RUN_HAS(run, task)) {
            expect_int(run->task, json_integer_value(json_array_get(tasks, 0)));
        }
        expect_uint(RUN_HAS(run, task) ? 1 : (uint64_t)run->task_count, json_array_size(tasks));
    }
    json_decref(want);
    slurm_reading_release(&r);
}

/* XDMoD skips states it does not know and jobs that have not ended; we keep both. */
static void states_xdmod_skips_are_kept(void **state)
{
    (void)state;
    struct slurm_reading r;
    read_runs(&r, "line-to-record-xdmod/shredder/slurm/input/unknown-job-state.log",
              XDMOD_COLUMNS, NULL);
    expect_run_text(slurm_run_at(&r, 0), state, "FOO");
    expect_run_text(slurm_run_at(&r, 1), class, "other");
    slurm_reading_release(&r);
    read_runs(&r, "line-to-record-xdmod/shredder/slurm/input/non-ended-job-state.log",
              XDMOD_COLUMNS, NULL);
    expect_run_text(slurm_run_at(&r, 0), class, "running");
    expect_run_absent(slurm_run_at(&r, 0), end);
    expect_run_text(slurm_run_at(&r, 1), class, "pending");
    slurm_reading_release(&r);
    read_runs(&r, "line-to-record-xdmod/shredder/slurm/input/utf8-multibyte-chars.log",
              XDMOD_COLUMNS, NULL);
    expect_run_text(slurm_run_at(&r, 0), name,
                    "a\xc3\xa0"
                    "b");
    slurm_reading_release(&r);
}

static void gpu_counts_agree_with_xdmod(void **state)
{
    (void)state;
    json_t *cases = read_json("line-to-record-xdmod/slurm-resource-parser/"
                              "alloc-tres-gpu-count.json");
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i);
        char text[512];
        struct slurm_reading r;
        (void)snprintf(text, sizeof(text),
                       "JobID|Start|State|AllocTRES\n1|1700000000|RUNNING|%s\n",
                       json_string_value(json_array_get(one, 0)));
        slurm_read(&r, text);
        const struct run *run = slurm_run_at(&r, 0);
        /* Without a list nothing is known; they have 0. */
        expect_int(RUN_HAS(run, gpus) ? run->gpus : 0,
                   json_integer_value(json_array_get(one, 1)));
        slurm_reading_release(&r);
    }
    json_decref(cases);
}

/* --- APEL ------------------------------------------------------------------------------------- */

#define APEL_HEADER                                                                            \
    "JobID|JobName|User|Group|Start|End|Elapsed|TotalCPU|Partition|NCPUS|NNodes|NodeList|"     \
    "MaxRSS|MaxVMSize|State\n"

/* APEL takes a step's row for a job. Here a job comes before it, with nothing measured. */
static void apel_read(struct slurm_reading *r, struct str line)
{
    struct buf text;
    struct str rest = line;
    struct str id = str_cut(&rest, '|');
    buf_init(&text, FILE_MAX);
    buf_addz(&text, APEL_HEADER);
    if (str_ends(id, STR(".batch"))) {
        struct str job = str_cut(&id, '.');
        buf_addf(&text, "%.*s|job|||||||||||||COMPLETED\n", STR_ARG(job));
    }
    buf_add(&text, line);
    buf_addc(&text, '\n');
    slurm_read(r, text.ptr);
    buf_release(&text);
}

static void expect_apel_record(const struct run *run, const json_t *want)
{
    const bool is_step = !RUN_HAS(run, start);
    const int64_t rss = int_of(want, "MemoryReal"), vmem = int_of(want, "MemoryVirtual");
    if (!is_step) {
        expect_same_text(run->user, RUN_HAS(run, user), json_object_get(want, "LocalUserID"));
        expect_same_text(run->group, RUN_HAS(run, group),
                         json_object_get(want, "LocalUserGroup"));
        expect_same_text(run->partition, RUN_HAS(run, partition),
                         json_object_get(want, "Queue"));
        expect_int(run->start / SECOND_US, int_of(want, "StartTime"));
        expect_int(run->end / SECOND_US, int_of(want, "StopTime"));
        expect_int((run->end - run->start) / SECOND_US, int_of(want, "WallDuration"));
        expect_int(run->cpus, int_of(want, "Processors"));
        expect_int(run->node_count, int_of(want, "NodeCount"));
    }
    expect_int((run->cpu_used_us + SECOND_US / 2) / SECOND_US, int_of(want, "CpuDuration"));
    expect_int(RUN_HAS(run, mem_peak_bytes) ? run->mem_peak_bytes >> 10 : -1, rss);
    expect_int(RUN_HAS(run, vmem_peak_bytes) ? run->vmem_peak_bytes >> 10 : -1, vmem);
}

/* Lines APEL refuses: what cannot be read, and what we keep since the time was spent. */
static void expect_apel_refusal(const struct slurm_reading *r, struct str line)
{
    const struct run *run = slurm_run_at(r, 0);
    bool unreadable =
        memmem(line.ptr, line.len, "20H", 3) || memmem(line.ptr, line.len, "|-16|", 5);
    expect_int((run->flags & RUN_FLAG_STEP_UNREADABLE) != 0, unreadable);
    expect_run_absent(run, mem_peak_bytes);
}

/* States APEL passes over, in our classes. */
static const char *const unfinished[] = {"CONFIGURING", "COMPLETING", "PENDING", "RUNNING",
                                         "SUSPENDED"};

static void expect_apel_state(const struct run *run)
{
    bool goes_on = false;
    for (size_t i = 0; i < COUNT_OF(unfinished); i++) {
        goes_on |= str_eq(run->state, str_of(unfinished[i]));
    }
    expect_int(RUN_HAS(run, end), !goes_on);
}

static void expect_apel_case(const json_t *one)
{
    struct slurm_reading r;
    const char *text = json_string_value(json_object_get(one, "line"));
    const json_t *want = json_object_get(one, "expect");
    apel_read(&r, str_of(text));
    if (json_is_object(want)) {
        expect_apel_record(slurm_run_at(&r, 0), want);
    } else if (str_starts(str_of(json_string_value(want)), STR("reject"))) {
        /* An end before the start is kept, flagged and clamped, of jobs and of steps. */
        if (!strstr(text, "04:28:33|2013-10-28T04:28:30")) {
            expect_apel_refusal(&r, str_of(text));
        }
    } else {
        expect_apel_state(slurm_run_at(&r, 0));
    }
    slurm_reading_release(&r);
}

static void records_agree_with_apel(void **state)
{
    (void)state;
    struct buf text;
    size_t cases = 0;
    read_data("line-to-record-apel/cases.jsonl", &text);
    for (struct str rest = buf_str(&text); rest.len > 0;) {
        struct str line = str_cut(&rest, '\n');
        json_t *one = json_loadb(line.ptr, line.len, 0, NULL);
        const char *format = json_string_value(json_object_get(one, "format"));
        if (format && strcmp(format, "slurm") == 0) {
            expect_apel_case(one);
            cases++;
        }
        json_decref(one);
    }
    expect_true(cases > 20);
    buf_release(&text);
}

/* --- hpc-cost-simulator ----------------------------------------------------------------------- */

#define SIMULATOR_COLUMNS                                                                      \
    "State,JobID,ReqCPUS,ReqMem,ReqNodes,Constraints,Submit,Eligible,Start,Elapsed,Suspended," \
    "End,ExitCode,DerivedExitCode,AllocNodes,NCPUS,MaxDiskRead,MaxDiskWrite,MaxPages,MaxRSS,"  \
    "MaxVMSize,CPUTime,UserCPU,SystemCPU,TotalCPU"

enum simulator_column {
    SIM_ID = 0,
    SIM_CORES = 1,
    SIM_MEM_GB = 2,
    SIM_HOSTS = 3,
    SIM_SUBMIT = 4,
    SIM_START = 5,
    SIM_FINISH = 6,
    SIM_MAXRSS = 16,
    SIM_STIME = 22,
    SIM_UTIME = 23,
    SIM_COUNT = 24,
};

static const struct run *find_run(const struct slurm_reading *r, struct str id)
{
    int64_t job = 0, task = -1;
    struct str rest = id;
    expect_true(scan_int(str_cut(&rest, '_'), &job));
    if (rest.ptr) {
        expect_true(scan_int(rest, &task));
    }
    for (size_t i = 0; i < r->count; i++) {
        const struct run *run = &r->items[i].run;
        if (r->items[i].step == SOURCE_RECORD && run->job == job &&
            NUMBER_OF(run, task) == task) {
            return run;
        }
    }
    expect_fail("no run of %.*s", STR_ARG(id));
}

static void expect_instant(int64_t us, struct str text)
{
    char got[INSTANT_TEXT_MAX];
    zone_print(utc, us, got);
    expect_text_n(got, text.len, text.ptr ? strndupa(text.ptr, text.len) : "");
}

static void expect_simulated(const struct slurm_reading *r, struct str line)
{
    struct str cells[SIM_COUNT];
    int64_t number = 0;
    for (size_t i = 0; i < SIM_COUNT; i++) {
        cells[i] = str_trim(str_cut(&line, ','));
    }
    const struct run *run = find_run(r, cells[SIM_ID]);
    expect_true(scan_int(cells[SIM_CORES], &number));
    expect_int(run->req_cpus, number);
    if (!RUN_HAS(run, start)) { /* cancelled while it waited: they have a start at its end */
        expect_int(RUN_HAS(run, cpus), false);
        expect_text_n(cells[SIM_START].ptr, cells[SIM_START].len,
                      strndupa(cells[SIM_FINISH].ptr, cells[SIM_FINISH].len));
        return;
    }
    expect_int(run->cpus, number);
    expect_true(scan_int(cells[SIM_HOSTS], &number));
    expect_int(run->node_count, number);
    expect_true(scan_size(cells[SIM_MEM_GB], INT64_C(1) << 30, &number));
    expect_int(run->req_mem_bytes, number);
    expect_instant(run->submit, cells[SIM_SUBMIT]);
    expect_instant(run->start, cells[SIM_START]);
    expect_instant(run->end, cells[SIM_FINISH]);
    if (cells[SIM_MAXRSS].len > 0) {
        expect_true(scan_int(cells[SIM_MAXRSS], &number));
        expect_int(RUN_HAS(run, mem_peak_bytes) ? run->mem_peak_bytes : 0, number);
    }
    if (RUN_HAS(run, cpu_used_us)) {
        expect_true(scan_duration(cells[SIM_UTIME], &number));
        expect_int(run->cpu_user_us, number);
        expect_true(scan_duration(cells[SIM_STIME], &number));
        expect_int(run->cpu_system_us, number);
    }
}

struct simulator_row {
    const char *name;
    size_t jobs;
};

static const struct simulator_row simulator_rows[] = {
    {"slurm/cost-simulator", 483},
    {"slurm/cost-simulator/array", 8},
    {"slurm/cost-simulator/multi-node", 1},
};

static void jobs_agree_with_the_cost_simulator(void **state)
{
    const struct simulator_row *row = *state;
    char name[PATH_LEN];
    struct slurm_reading r;
    struct buf expected;
    struct error err;
    size_t jobs = 0;
    data_path("", name);
    if (!utc) {
        expect_int(zone_open("UTC", &utc, &err), 0);
    }
    (void)snprintf(name, sizeof(name), "%s/sacct-output.txt", row->name);
    read_runs(&r, name, SIMULATOR_COLUMNS, NULL);
    expect_uint(r.rejects, 0);
    (void)snprintf(name, sizeof(name), "%s/exp_jobs.csv", row->name);
    read_data(name, &expected);
    struct str rest = buf_str(&expected);
    (void)str_cut(&rest, '\n');
    while (rest.len > 0) {
        expect_simulated(&r, str_cut(&rest, '\n'));
        jobs++;
    }
    expect_uint(jobs, row->jobs);
    buf_release(&expected);
    slurm_reading_release(&r);
}

/* --- slurm2sql -------------------------------------------------------------------------------- */

static void times_agree_with_slurm2sql(void **state)
{
    (void)state;
    struct zone *helsinki = NULL;
    struct error err;
    struct slurm_reading r;
    char path[PATH_LEN];
    data_path("", path); /* or skip, before there is anything to release */
    expect_int(zone_open("Europe/Helsinki", &helsinki, &err), 0);
    read_runs(&r, "slurm/slurm2sql/test-data1.csv", "", helsinki);
    const struct run *run = slurm_run_at(&r, 0);
    expect_run(run, start, INT64_C(1564601354) * SECOND_US);
    expect_int(run->start - run->submit, SECOND_US);
    expect_run(run, mem_peak_bytes, INT64_C(231092) << 10);
    expect_run(run, energy_j, 54156);
    /* No end was recorded; the time it took was. */
    const struct run *lost = slurm_run_at(&r, 1);
    expect_int(lost->end - lost->start, 17 * SECOND_US);
    slurm_reading_release(&r);
    zone_close(helsinki);
}

/* --- reportseff ------------------------------------------------------------------------------- */

static void add_cells(struct buf *text, const json_t *cells)
{
    for (size_t i = 0; i < json_array_size(cells); i++) {
        buf_addf(text, "%s%s", i ? "|" : "", json_string_value(json_array_get(cells, i)));
    }
    buf_addc(text, '\n');
}

static int64_t cell_seconds(const json_t *one, const char *column)
{
    const json_t *columns = json_object_get(one, "columns");
    const json_t *row = json_array_get(json_object_get(one, "rows"), 0);
    int64_t us = 0;
    for (size_t i = 0; i < json_array_size(columns); i++) {
        if (strcmp(json_string_value(json_array_get(columns, i)), column) == 0) {
            expect_true(scan_duration(str_of(json_string_value(json_array_get(row, i))), &us));
        }
    }
    return us;
}

/* reportseff divides by Elapsed, which has no place in a run without a start: it is in the case. */
static void expect_efficiency(const json_t *one, const struct run *run)
{
    const json_t *want = json_object_get(one, "expect");
    const json_t *cpu = json_object_get(want, "CPUEff"), *mem = json_object_get(want, "MemEff");
    double wall = (double)cell_seconds(one, "Elapsed");
    if (json_is_number(cpu)) {
        expect_double(100 * (double)run->cpu_used_us / wall / (double)run->req_cpus,
                      json_number_value(cpu), 0.0501);
    }
    if (json_is_number(mem)) {
        double peak = RUN_HAS(run, mem_peak_bytes) ? (double)run->mem_peak_bytes : 0;
        expect_double(100 * peak / (double)run->req_mem_bytes, json_number_value(mem), 0.0501);
    }
    if (json_object_get(want, "TotalMemBytes")) {
        expect_int(run->req_mem_bytes, int_of(want, "TotalMemBytes"));
    }
}

static void efficiency_agrees_with_reportseff(void **state)
{
    (void)state;
    json_t *cases = read_json("slurm/reportseff-cases.json");
    size_t compared = 0;
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i);
        const json_t *rows = json_object_get(one, "rows");
        struct slurm_reading r;
        struct buf text;
        if (!json_is_object(json_object_get(one, "expect")) ||
            !json_object_get(one, "columns") ||
            json_array_size(json_object_get(one, "columns")) < 3) {
            continue;
        }
        buf_init(&text, FILE_MAX);
        add_cells(&text, json_object_get(one, "columns"));
        for (size_t k = 0; k < json_array_size(rows); k++) {
            add_cells(&text, json_array_get(rows, k));
        }
        slurm_read(&r, text.ptr);
        expect_uint(r.count, 1);
        expect_efficiency(one, slurm_run_at(&r, 0));
        slurm_reading_release(&r);
        buf_release(&text);
        compared++;
    }
    expect_true(compared >= 5);
    json_decref(cases);
}

/* --- Slurm's own ------------------------------------------------------------------------------ */

struct document_row {
    const char *name;
    int64_t job;
    const char *state;
};

static const struct document_row document_rows[] = {
    {"slurm/sacct-json/slurm_21_8_8.json", 55978384, "REQUEUED"},
    {"slurm/sacct-json/slurm_22_5_9.json", 20247445, "FAILED"},
    {"slurm/sacct-json/slurm_23_2_6.json", 4, "RUNNING"},
    {"slurm/sacct-json/slurm_23_11_5.json", 4, "RUNNING"},
};

static void document_has_one_job(void **state)
{
    const struct document_row *row = *state;
    struct slurm_reading r;
    read_runs(&r, row->name, "", NULL);
    expect_uint(r.count, 1);
    const struct run *run = slurm_run_at(&r, 0);
    expect_run(run, job, row->job);
    expect_run_text(run, state, row->state);
    expect_true(RUN_HAS(run, start) && RUN_HAS(run, cpus) && RUN_HAS(run, gpus));
    expect_int(run->gpus > 0, true);
    slurm_reading_release(&r);
}

struct view_row {
    const char *name; /* of the files of slurmrestd */
    const char *kind;
};

static const struct view_row view_rows[] = {
    {"slurm/slurmrestd/24.05/0.0.41", "completed"},
    {"slurm/slurmrestd/24.05/0.0.41", "failed"},
    {"slurm/slurmrestd/24.11/0.0.41", "completed"},
    {"slurm/slurmrestd/24.11/0.0.41", "failed"},
    {"slurm/slurmrestd/24.11/0.0.42", "completed"},
    {"slurm/slurmrestd/24.11/0.0.42", "failed"},
    {"slurm/slurmrestd/24.11/0.0.42", "timeout"},
    {"slurm/slurmrestd/24.11/0.0.42", "gpus-completed"},
    {"slurm/slurmrestd/24.11/0.0.42", "gpus-multi-nodes"},
    {"slurm/slurmrestd/24.11/0.0.42", "gpus-multi-types"},
};

static int64_t view_number(const json_t *job, const char *key)
{
    const json_t *value = json_object_get(job, key);
    return json_is_object(value) ? json_integer_value(json_object_get(value, "number"))
                                 : json_integer_value(value);
}

/* One job as the database tells it, read by us, and as the controller does. */
static void database_and_controller_agree(void **state)
{
    const struct view_row *row = *state;
    char name[PATH_LEN];
    struct slurm_reading r;
    (void)snprintf(name, sizeof(name), "%s/slurmdb-job-%s.json", row->name, row->kind);
    read_runs(&r, name, "", NULL);
    expect_uint(r.count, 1);
    const struct run *run = slurm_run_at(&r, 0);
    (void)snprintf(name, sizeof(name), "%s/slurm-job-%s.json", row->name, row->kind);
    json_t *view = read_json(name);
    const json_t *job = json_array_get(json_object_get(view, "jobs"), 0);
    if (!job || view_number(job, "job_id") != run->job) {
        print_message("# %s: the controller's view is of another job\n", name);
    } else {
        const char *state_word =
            json_string_value(json_array_get(json_object_get(job, "job_state"), 0));
        bool races = !str_eq(run->state, str_of(state_word)); /* two snapshots may */
        expect_int(SECONDS_OF(run, submit), view_number(job, "submit_time"));
        expect_same_text(run->user, true, json_object_get(job, "user_name"));
        expect_same_text(run->account, true, json_object_get(job, "account"));
        expect_same_text(run->partition, true, json_object_get(job, "partition"));
        if (!races && RUN_HAS(run, start)) {
            expect_int(run->start / SECOND_US, view_number(job, "start_time"));
            expect_int(run->cpus, view_number(job, "cpus"));
            expect_int(run->node_count, view_number(job, "node_count"));
        }
        if (!races && RUN_HAS(run, end)) {
            expect_int(run->end / SECOND_US, view_number(job, "end_time"));
        }
    }
    json_decref(view);
    slurm_reading_release(&r);
}

/*
 * What sreport and sshare printed of the same jobs, by user and account. For sreport the jobs were
 * moved into the past, their suspensions not: bob's 5 s count there. It also has a second more for two of
 * the five, which neither sacct nor sshare have.
 */
struct sreport_row {
    const char *name;
    const char *user, *account;
    int64_t sreport_cpu_s;
    int64_t more_s;         /* of these, what is not in sacct */
    int64_t sshare_billing; /* -1: their jobs had a QOS with a factor, or ran after it */
};

static const struct sreport_row sreport_rows[] = {
    {"dave of chem", "dave", "chem", 97, 0, -1},
    {"bob of phys", "bob", "phys", 82, 6, -1},
    {"alice of phys-theory", "alice", "phys-theory", 48, 0, -1},
    {"carol of chem", "carol", "chem", 48, 1, 271},
    {"bob of chem", "bob", "chem", 16, 0, 16},
};

static void cpu_seconds_agree_with_sreport(void **state)
{
    const struct sreport_row *row = *state;
    static const char *const files[] = {"slurm/live-22.05/sacct-D-steps.psv",
                                        "slurm/live-22.05/sacct.json"};
    for (size_t f = 0; f < COUNT_OF(files); f++) {
        struct slurm_reading r;
        int64_t sum_us = 0, billing_us = 0;
        read_runs(&r, files[f], "", NULL);
        for (size_t i = 0; i < r.count; i++) {
            const struct run *run = slurm_run_at(&r, i);
            if (str_eq(run->user, str_of(row->user)) &&
                str_eq(run->account, str_of(row->account)) && RUN_HAS(run, start) &&
                RUN_HAS(run, end)) {
                sum_us += (run->end - run->start - run->suspended_us) * run->cpus;
                billing_us += (run->end - run->start) * run->billing;
            }
        }
        expect_int(sum_us / SECOND_US, row->sreport_cpu_s - row->more_s);
        if (row->sshare_billing >= 0) {
            expect_int(billing_us / SECOND_US, row->sshare_billing);
        }
        slurm_reading_release(&r);
    }
}

/* --- text against JSON ------------------------------------------------------------------------ */

/* What 22.05 has in one of them only, or not as exactly. */
static bool may_differ(enum run_field field)
{
    static const enum run_field may[] = {
        RUN_uid,         RUN_request,       RUN_command, /* JSON has none */
        RUN_exit_code,                                   /* JSON has 0 of all that exited */
        RUN_reason,                                      /* "by 1004" and "by dave" */
        RUN_flags,       RUN_io_bytes,                   /* the text had no TRESUsageOutTot */
        RUN_cpu_user_us, RUN_cpu_system_us, RUN_cpu_used_us, /* milliseconds in text */
    };

    for (size_t i = 0; i < COUNT_OF(may); i++) {
        if (may[i] == field) {
            return true;
        }
    }
    return false;
}

static void expect_same_run(const struct run *a, const struct run *b)
{
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        if (may_differ(i)) {
            continue;
        }
        const char *at_a = (const char *)a + run_fields[i].offset;
        const char *at_b = (const char *)b + run_fields[i].offset;
        bool same = run_has(a, i) == run_has(b, i);
        if (same && run_has(a, i)) {
            same = run_fields[i].type == FIELD_INT
                       ? memcmp(at_a, at_b, sizeof(int64_t)) == 0
                       : str_eq(*(const struct str *)(const void *)at_a,
                                *(const struct str *)(const void *)at_b);
        }
        if (!same) {
            expect_fail("job %lld: %s differs", (long long)a->job, run_fields[i].id);
        }
    }
    expect_true(!RUN_HAS(a, cpu_used_us) || llabs(a->cpu_used_us - b->cpu_used_us) < 8000);
}

static void text_and_json_tell_the_same(void **state)
{
    (void)state;
    struct slurm_reading text, json;
    read_runs(&text, "slurm/live-22.05/sacct-D-steps.psv", "", NULL);
    read_runs(&json, "slurm/live-22.05/sacct.json", "", NULL);
    expect_uint(text.records, 48);
    expect_uint(json.records, 48);
    expect_uint(text.rejects + json.rejects, 0);
    for (size_t i = 0; i < text.count; i++) {
        const struct run *run = slurm_run_at(&text, i);
        const struct run *found = NULL;
        for (size_t k = 0; k < json.count && !found; k++) {
            const struct run *other = slurm_run_at(&json, k);
            bool same = other->job == run->job && other->attempt == run->attempt &&
                        NUMBER_OF(other, task) == NUMBER_OF(run, task) &&
                        NUMBER_OF(other, het) == NUMBER_OF(run, het);
            found = same ? other : NULL;
        }
        expect_true(found != NULL);
        expect_same_run(run, found);
    }
    slurm_reading_release(&text);
    slurm_reading_release(&json);
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
    SUITE_TEST(&suite, records_agree_with_xdmod);
    SUITE_TEST(&suite, array_sizes_agree_with_xdmod);
    SUITE_TEST(&suite, states_xdmod_skips_are_kept);
    SUITE_TEST(&suite, gpu_counts_agree_with_xdmod);
    SUITE_TEST(&suite, records_agree_with_apel);
    SUITE_ROWS(&suite, jobs_agree_with_the_cost_simulator, simulator_rows);
    SUITE_TEST(&suite, times_agree_with_slurm2sql);
    SUITE_TEST(&suite, efficiency_agrees_with_reportseff);
    SUITE_ROWS(&suite, document_has_one_job, document_rows);
    SUITE_ROWS(&suite, database_and_controller_agree, view_rows);
    SUITE_ROWS(&suite, cpu_seconds_agree_with_sreport, sreport_rows);
    SUITE_TEST(&suite, text_and_json_tell_the_same);
    SUITE_TEST(&suite, forget_store);
    return suite_run(&suite, "slurm_conformance");
}
