/* SPDX-License-Identifier: MIT */
#include "base/buf.h"
#include "base/file.h"
#include "unit/source/slurm_reader.h"

/*
 * Jobs as the controller lists them (squeue --json, slurmrestd's /slurm/.../jobs) must be the same runs as the
 * database tells of. $STINT_DATA names the folder with real answers; without it those tests are skipped.
 */

#define AT(seconds) (INT64_C(1000000) * (seconds))

static void read_one(struct slurm_reading *r, const char *members)
{
    struct buf text;
    const struct source_options options = {.seen = AT(2000)};
    buf_init(&text, 1 << 16);
    buf_addf(&text, "{\"jobs\":[{\"job_id\":12,\"array_job_id\":0,%s}]}", members);
    slurm_read_with(r, buf_str(&text), &options);
    buf_release(&text);
    expect_false(r->failed);
    expect_uint(r->count, 1);
}

/* --- states ----------------------------------------------------------------------------------- */

struct state_row {
    const char *name;
    const char *json, *state, *class;
};

static const struct state_row state_rows[] = {
    {"a word", "\"RUNNING\"", "RUNNING", "running"},
    {"a list", "[\"PENDING\"]", "PENDING", "pending"},
    {"flags after the base", "[\"RUNNING\",\"CONFIGURING\"]", "RUNNING", "running"},
    {"flags before the base", "[\"COMPLETING\",\"COMPLETED\"]", "COMPLETED", "completed"},
    {"ended, being cleared away", "[\"FAILED\",\"COMPLETING\"]", "FAILED", "failed"},
    {"a flag that hides its base", "\"COMPLETING\"", "COMPLETING", "running"},
    {"requeued, so waiting", "\"REQUEUED\"", "PENDING", "pending"},
    {"requeued, as a list", "[\"PENDING\",\"REQUEUED\"]", "PENDING", "pending"},
    {"held after an odd exit", "\"SPECIAL_EXIT\"", "PENDING", "pending"},
    {"its nodes boot", "\"CONFIGURING\"", "RUNNING", "running"},
    {"being resized", "\"RESIZING\"", "RUNNING", "running"},
    {"stopped by a signal", "\"STOPPED\"", "SUSPENDED", "suspended"},
    {"suspended", "[\"SUSPENDED\"]", "SUSPENDED", "suspended"},
    {"nobody knows it", "[\"MELTING\"]", "MELTING", "other"},
};

static void state_is_the_base(void **state)
{
    const struct state_row *row = *state;
    struct slurm_reading r;
    char members[256];
    (void)snprintf(members, sizeof(members), "\"submit_time\":1000,\"job_state\":%s",
                   row->json);
    read_one(&r, members);
    expect_run_text(slurm_run_at(&r, 0), state, row->state);
    expect_run_text(slurm_run_at(&r, 0), class, row->class);
    expect_run(slurm_run_at(&r, 0), seen, AT(2000));
    slurm_reading_release(&r);
}

/* --- numbers and ids ---------------------------------------------------------------------------- */

#define RUNNING                                                                                \
    "\"job_state\":\"RUNNING\",\"submit_time\":1000,\"start_time\":1100,\"end_time\":9000,"    \
    "\"nodes\":\"c[1-2]\",\"cpus\":4,\"node_count\":2,"                                        \
    "\"tres_req_str\":\"cpu=4,mem=62.50G,node=1,billing=4,gres/gpu=2\","                       \
    "\"tres_alloc_str\":\"cpu=4,mem=62.50G,node=2,billing=4,gres/gpu=2,gres/gpu:a100=2\""

static void a_running_job_has_no_end_and_what_it_was_given(void **state)
{
    (void)state;
    struct slurm_reading r;
    read_one(&r, RUNNING ",\"time_limit\":10,\"suspend_time\":0,\"pre_sus_time\":0");
    const struct run *run = slurm_run_at(&r, 0);
    expect_run(run, attempt, AT(1000));
    expect_run(run, start, AT(1100));
    expect_run_absent(run, end);
    expect_run(run, cpus, 4);
    expect_run(run, node_count, 2);
    expect_run(run, req_nodes, 1);
    expect_run(run, mem_bytes, INT64_C(64000) << 20);
    expect_run(run, gpus, 2);
    expect_run_text(run, gpu_type, "a100");
    expect_run_text(run, node, "c1");
    expect_run(run, req_wall_us, AT(600));
    expect_run(run, suspended_us, 0);
    expect_run_text(run, request, "billing=4,cpu=4,gres/gpu=2,mem=64000M,node=1");
    slurm_reading_release(&r);
}

struct suspension_row {
    const char *name;
    const char *members;
    int64_t suspended_us; /* -1: unknown */
};

static const struct suspension_row suspension_rows[] = {
    {"never", ",\"suspend_time\":0,\"pre_sus_time\":0", 0},
    {"ran 50 s, stood 30, runs again", ",\"suspend_time\":1180,\"pre_sus_time\":50", AT(30)},
    {"stands now for the first time", ",\"suspend_time\":1150,\"pre_sus_time\":50", 0},
    {"as objects",
     ",\"suspend_time\":{\"set\":true,\"infinite\":false,\"number\":1180},"
     "\"pre_sus_time\":{\"set\":true,\"infinite\":false,\"number\":50}",
     AT(30)},
    {"not told", "", -1},
    {"impossible", ",\"suspend_time\":1110,\"pre_sus_time\":500", -1},
};

static void suspension_follows_from_the_last(void **state)
{
    const struct suspension_row *row = *state;
    struct slurm_reading r;
    char members[1024];
    (void)snprintf(members, sizeof(members), "%s%s", RUNNING, row->members);
    read_one(&r, members);
    const struct run *run = slurm_run_at(&r, 0);
    expect_int(RUN_HAS(run, suspended_us) ? run->suspended_us : -1, row->suspended_us);
    slurm_reading_release(&r);
}

struct id_row {
    const char *name;
    const char *json;
    int64_t job, task, task_count, het, raw; /* -1: has none */
};

static const struct id_row id_rows[] = {
    {"plain", "\"job_id\":7,\"array_job_id\":0,\"array_task_id\":null", 7, -1, -1, -1, -1},
    {"plain, of newer versions",
     "\"job_id\":7,\"array_job_id\":{\"set\":true,\"number\":0},\"array_task_id\":{\"set\":"
     "false,\"number\":0},\"het_job_id\":{\"set\":true,\"number\":0},\"het_job_offset\":{"
     "\"set\":true,\"number\":0}",
     7, -1, -1, -1, -1},
    {"a task", "\"job_id\":9,\"array_job_id\":7,\"array_task_id\":3", 7, 3, -1, -1, 9},
    {"task 0",
     "\"job_id\":9,\"array_job_id\":{\"set\":true,\"number\":7},\"array_task_id\":{"
     "\"set\":true,\"infinite\":false,\"number\":0},\"array_task_string\":\"\"",
     7, 0, -1, -1, 9},
    {"tasks that wait",
     "\"job_id\":7,\"array_job_id\":7,\"array_task_id\":null,\"array_task_string\":\"4-10%2\"",
     7, -1, 7, -1, 7},
    {"every seventh",
     "\"job_id\":7,\"array_job_id\":7,\"array_task_id\":4294967294,"
     "\"array_task_string\":\"1-498:7,600\"",
     7, -1, 73, -1, 7},
    {"a list cut short",
     "\"job_id\":7,\"array_job_id\":7,\"array_task_id\":null,\"array_task_string\":\"1,3,...\"",
     7, -1, -1, -1, 7},
    {"a component", "\"job_id\":8,\"array_job_id\":0,\"het_job_id\":7,\"het_job_offset\":1", 7,
     -1, -1, 1, 8},
    {"the leader", "\"job_id\":7,\"array_job_id\":0,\"het_job_id\":7,\"het_job_offset\":0", 7,
     -1, -1, 0, 7},
};

#define NUMBER_OF(run, member) (RUN_HAS((run), member) ? (run)->member : -1)

static void ids_are_those_of_sacct(void **state)
{
    const struct id_row *row = *state;
    struct slurm_reading r;
    char text[1024];
    (void)snprintf(text, sizeof(text),
                   "{\"jobs\":[{%s,\"job_state\":\"PENDING\",\"submit_time\":1000}]}",
                   row->json);
    slurm_read(&r, text);
    const struct run *run = slurm_run_at(&r, 0);
    expect_int(run->job, row->job);
    expect_int(NUMBER_OF(run, task), row->task);
    expect_int(NUMBER_OF(run, task_count), row->task_count);
    expect_int(NUMBER_OF(run, het), row->het);
    expect_int(NUMBER_OF(run, job_raw), row->raw);
    expect_run_absent(run, seen);
    slurm_reading_release(&r);
}

struct exit_row {
    const char *name;
    const char *json;
    int64_t exit_code, signal;
};

static const struct exit_row exit_rows[] = {
    {"as wait has it: status", "768", 3, -1},
    {"as wait has it: signal", "9", 0, 9},
    {"as an object: status",
     "{\"status\":[\"ERROR\"],\"return_code\":{\"set\":true,\"number\":3},"
     "\"signal\":{\"id\":{\"set\":false,\"number\":0},\"name\":\"\"}}",
     3, -1},
    {"as an object: signal",
     "{\"status\":[\"SIGNALED\"],\"return_code\":{\"set\":false,\"number\":0},"
     "\"signal\":{\"id\":{\"set\":true,\"number\":9},\"name\":\"KILL\"}}",
     0, 9},
};

static void exit_is_status_and_signal(void **state)
{
    const struct exit_row *row = *state;
    struct slurm_reading r;
    char members[1024];
    (void)snprintf(members, sizeof(members),
                   "\"job_state\":[\"FAILED\"],\"submit_time\":1000,\"start_time\":1100,"
                   "\"end_time\":1200,\"nodes\":\"c1\",\"exit_code\":%s",
                   row->json);
    read_one(&r, members);
    const struct run *run = slurm_run_at(&r, 0);
    expect_run(run, end, AT(1200));
    expect_int(NUMBER_OF(run, exit_code), row->exit_code);
    expect_int(NUMBER_OF(run, signal), row->signal);
    slurm_reading_release(&r);
}

static void a_job_that_never_got_nodes_never_started(void **state)
{
    (void)state;
    struct slurm_reading r;
    read_one(&r, "\"job_state\":\"DEADLINE\",\"submit_time\":1000,\"start_time\":1100,"
                 "\"end_time\":1100,\"nodes\":\"\",\"cpus\":1");
    const struct run *run = slurm_run_at(&r, 0);
    expect_run_absent(run, start);
    expect_run_absent(run, cpus);
    expect_run(run, end, AT(1100));
    slurm_reading_release(&r);
}

static void a_job_that_slurmdbd_made_up_is_waited_for(void **state)
{
    static const char text[] = "JobID|Submit|Start|End|State|Partition|JobName\n"
                               "9|1000|1000|1100|COMPLETED|Unknown|allocation\n"
                               "10|1000|1000|1100|COMPLETED|cpu|allocation\n";

    static const struct {
        int64_t seen;
        size_t records;
    } rows[] = {{0, 2}, {AT(1200), 1}, {AT(9000), 2}}; /* not asked; at once; hours later */

    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct source_options options = {.seen = rows[i].seen};
        struct slurm_reading r;
        slurm_read_with(&r, str_of(text), &options);
        expect_uint(r.records, rows[i].records);
        expect_uint(r.rejects, 0);
        slurm_reading_release(&r);
    }
}

/* --- real ones against the database's ------------------------------------------------------------ */

static bool read_data(struct slurm_reading *r, const char *name)
{
    const char *data = getenv("STINT_DATA");
    struct buf text;
    struct error err = {0};
    const struct source_options options = {0};
    char path[512];
    if (!data) {
        return false;
    }
    (void)snprintf(path, sizeof(path), "%s/%s", data, name);
    buf_init(&text, 64 << 20);
    if (file_read(path, &text, &err)) {
        expect_fail("%s", err.text);
    }
    slurm_read_with(r, buf_str(&text), &options);
    buf_release(&text);
    expect_false(r->failed);
    return true;
}

/* What the controller does not know, or says in its own words. */
static bool may_differ(enum run_field field)
{
    static const enum run_field may[] = {
        RUN_reason,  /* the controller's word for a failure; sacct has who cancelled it */
        RUN_command, /* told by none of these versions */
        RUN_wckey,   /* "" or "*" */
        RUN_cpu_user_us, RUN_cpu_system_us,   RUN_cpu_used_us, RUN_mem_peak_bytes,
        RUN_mem_basis,   RUN_vmem_peak_bytes, RUN_io_bytes,    RUN_energy_mj, /* measured */
        RUN_priority, /* goes on changing while it waits */
        RUN_flags,       RUN_origin,
    };

    for (size_t i = 0; i < COUNT_OF(may); i++) {
        if (may[i] == field) {
            return true;
        }
    }
    return false;
}

static bool same_value(const struct run *a, const struct run *b, unsigned i)
{
    const char *at_a = (const char *)a + run_fields[i].offset;
    const char *at_b = (const char *)b + run_fields[i].offset;
    if (run_has(a, i) != run_has(b, i)) {
        return false;
    }
    return !run_has(a, i) ||
           (run_fields[i].type == FIELD_INT ? memcmp(at_a, at_b, sizeof(int64_t)) == 0
                                            : str_eq(*(const struct str *)(const void *)at_a,
                                                     *(const struct str *)(const void *)at_b));
}

static bool same_identity(const struct run *a, const struct run *b)
{
    return a->job == b->job && a->attempt == b->attempt &&
           NUMBER_OF(a, task) == NUMBER_OF(b, task) && NUMBER_OF(a, het) == NUMBER_OF(b, het);
}

struct pair_row {
    const char *name;
    const char *listed, *recorded;
    size_t both;      /* runs that are in both */
    unsigned also[8]; /* fields that may differ besides, ended by 0 (cluster) */
};

static const struct pair_row pair_rows[] = {
    {"22.05, text",
     "slurm/live-22.05/squeue.json",
     "slurm/live-22.05/sacct-D-steps.psv",
     46,
     {RUN_gid, RUN_request}}, /* no such column; memory was converted */
    {"22.05, JSON",
     "slurm/live-22.05/squeue.json",
     "slurm/live-22.05/sacct.json",
     46,
     {RUN_request, RUN_uid, RUN_gid, RUN_exit_code}},
    {"22.05, slurmrestd",
     "slurm/live-22.05/rest-slurm-jobs.json",
     "slurm/live-22.05/rest-slurmdb-jobs.json",
     45,
     {RUN_request, RUN_uid, RUN_gid, RUN_exit_code}},
};

static void expect_same_fields(const struct pair_row *row, const struct run *a,
                               const struct run *b)
{
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        bool may = may_differ(i);
        for (size_t k = 0; row->also[k]; k++) {
            may |= row->also[k] == i;
        }
        if (!may && !same_value(a, b, i)) {
            expect_fail("job %lld: %s differs", (long long)a->job, run_fields[i].id);
        }
    }
}

static void listed_jobs_are_the_recorded_ones(void **state)
{
    const struct pair_row *row = *state;
    struct slurm_reading listed, recorded;
    size_t both = 0;
    if (!read_data(&listed, row->listed)) {
        skip();
    }
    expect_uint(listed.rejects, 0);
    expect_true(read_data(&recorded, row->recorded));
    for (size_t i = 0; i < listed.count; i++) {
        const struct run *run = slurm_run_at(&listed, i);
        for (size_t k = 0; k < recorded.count; k++) {
            if (same_identity(run, slurm_run_at(&recorded, k))) {
                expect_same_fields(row, run, slurm_run_at(&recorded, k));
                both++;
            }
        }
    }
    expect_uint(both, row->both);
    slurm_reading_release(&listed);
    slurm_reading_release(&recorded);
}

static void cpus_of_nodes_are_kept_where_they_differ(void **state)
{
    (void)state;

    static const struct {
        const char *first, *second, *nodes;
        int64_t cpus;
    } rows[] = {
        {"61", "3", "n1*61,n2*3", 64},
        {"32", "32", "n[1-2]", 64},
        {"61", "4", "n[1-2]", 64},
        {"61", "null", "n[1-2]", 61},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct slurm_reading r;
        char members[512];
        (void)snprintf(
            members, sizeof(members),
            "\"submit_time\":1000,\"start_time\":1100,\"job_state\":\"RUNNING\",\"cpus\":%lld,"
            "\"node_count\":2,\"nodes\":\"n[1-2]\",\"job_resources\":{\"nodes\":{"
            "\"allocation\":["
            "{\"name\":\"n1\",\"cpus\":{\"count\":%s}},{\"name\":\"n2\",\"cpus\":{\"count\":%s}"
            "}]}}",
            (long long)rows[i].cpus, rows[i].first, rows[i].second);
        read_one(&r, members);
        expect_run_text(slurm_run_at(&r, 0), nodes, rows[i].nodes);
        expect_run_text(slurm_run_at(&r, 0), node, "n1");
        slurm_reading_release(&r);
    }
}

/* Files of other versions: every job is read, and what their own counts say is there. */
struct file_row {
    const char *name; /* of the file */
    size_t jobs, running, pending;
};

static const struct file_row file_rows[] = {
    {"slurm/exporter-rivosinc/fixtures/squeue_out.json", 2, 1, 1},
    {"slurm/slurmrestd/24.05/0.0.41/slurm-jobs.json", 14, 3, 1},
    {"slurm/slurmrestd/24.11/0.0.41/slurm-jobs.json", 15, 3, 1},
    {"slurm/slurmrestd/24.11/0.0.42/slurm-jobs.json", 16, 7, 2},
    {"slurm/telegraf/gather/responses/jobs.json", 3, 2, 0},
    {"slurm/firecrest/mocked_api_responses/slurm_get_allusers_jobs.json", 2, 1, 1},
};

static void other_versions_are_read(void **state)
{
    const struct file_row *row = *state;
    struct slurm_reading r;
    size_t running = 0, pending = 0;
    if (!read_data(&r, row->name)) {
        skip();
    }
    for (size_t i = 0; i < r.count; i++) {
        const struct run *run = slurm_run_at(&r, i);
        running += str_eq(run->class, STR("running"));
        pending += str_eq(run->class, STR("pending"));
        expect_true(RUN_HAS(run, submit) && RUN_HAS(run, user) && RUN_HAS(run, partition));
        expect_true(!str_eq(run->class, STR("running")) ||
                    (RUN_HAS(run, start) && RUN_HAS(run, cpus) && RUN_HAS(run, nodes)));
        expect_true(RUN_HAS(run, end) == run_class_is_over(run->class));
    }
    print_message("# %s: %zu jobs, %zu running, %zu pending\n", row->name, r.records, running,
                  pending);
    expect_uint(r.rejects, 0);
    expect_uint(r.records, row->jobs);
    expect_uint(running, row->running);
    expect_uint(pending, row->pending);
    slurm_reading_release(&r);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, state_is_the_base, state_rows);
    SUITE_TEST(&suite, a_running_job_has_no_end_and_what_it_was_given);
    SUITE_ROWS(&suite, suspension_follows_from_the_last, suspension_rows);
    SUITE_ROWS(&suite, ids_are_those_of_sacct, id_rows);
    SUITE_ROWS(&suite, exit_is_status_and_signal, exit_rows);
    SUITE_TEST(&suite, a_job_that_never_got_nodes_never_started);
    SUITE_TEST(&suite, a_job_that_slurmdbd_made_up_is_waited_for);
    SUITE_TEST(&suite, cpus_of_nodes_are_kept_where_they_differ);
    SUITE_ROWS(&suite, listed_jobs_are_the_recorded_ones, pair_rows);
    SUITE_ROWS(&suite, other_versions_are_read, file_rows);
    return suite_run(&suite, "slurm_listed");
}
