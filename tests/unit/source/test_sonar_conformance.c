/* SPDX-License-Identifier: MIT */
#include "base/calendar.h"
#include "unit/source/peer.h"
#include "unit/source/slurm_reader.h"

/*
 * The driver against what sonar made of the same table of sacct: each job, field by field, and the
 * sums over all. Its clock was two hours east of Greenwich.
 */

#define COLUMNS                                                                                \
    "JobID,JobIDRaw,User,Account,State,Start,End,AveCPU,AveDiskRead,AveDiskWrite,AveRSS,"      \
    "AveVMSize,ElapsedRaw,ExitCode,Layout,MaxRSS,MaxVMSize,MinCPU,ReqCPUS,ReqMem,ReqNodes,"    \
    "Reservation,Submit,Suspended,SystemCPU,TimelimitRaw,UserCPU,NodeList,Partition,"          \
    "AllocTRES,Priority,JobName"

enum { CLOCK_LEN = 19, JOBS = 122 };

static struct zone *east;

/* --- theirs ----------------------------------------------------------------------------------- */

static json_t *read_theirs(void)
{
    struct buf text;
    peer_file("sonar/tests/testdata/sonar_sacct_output.txt", &text);
    json_t *all = json_loadb(text.ptr, text.len, 0, NULL);
    buf_release(&text);
    json_t *data = json_object_get(json_object_get(all, "data"), "attributes");
    json_t *jobs = json_incref(json_object_get(data, "slurm_jobs"));
    json_decref(all);
    expect_true(json_is_array(jobs));
    return jobs;
}

static int64_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static void expect_their_text(const struct run *run, enum run_field field, const json_t *job,
                              const char *key)
{
    const char *want = json_string_value(json_object_get(job, key));
    struct str got = {0};
    if (run_has(run, field)) {
        memcpy(&got, (const char *)run + run_fields[field].offset, sizeof(got));
    }
    if (!str_eq(got, str_of(want ? want : ""))) {
        expect_fail("job %lld: %s is '%.*s', theirs '%s'", (long long)run->job,
                    run_fields[field].id, STR_ARG(got), want ? want : "");
    }
}

/* "2025-09-07T22:16:06+02:00": the clock is in our zone, too. */
static void expect_their_time(const struct run *run, enum run_field field, const json_t *job,
                              const char *key)
{
    const char *text = json_string_value(json_object_get(job, key));
    struct period want = {0};
    struct error err = {0};
    int64_t got = 0;
    expect_int(run_has(run, field), text != NULL);
    if (text) {
        memcpy(&got, (const char *)run + run_fields[field].offset, sizeof(got));
        expect_text(text + CLOCK_LEN, "+02:00");
        expect_int(calendar_span((struct str){text, CLOCK_LEN}, east, 0, &want, &err), 0);
        expect_int(got, want.from);
    }
}

/* --- one job ---------------------------------------------------------------------------------- */

/* Theirs of limit and priority are two more, 0 and 1 having meanings of their own. */
static int64_t less_two(const json_t *job, const char *key)
{
    const json_t *value = json_object_get(job, key);
    return value ? json_integer_value(value) - 2 : -1;
}

/* What a list of TRES says of one, which has its = in `key`; 0 if nothing. */
static int64_t tres_of(const char *list, const char *key)
{
    struct str rest = str_of(list ? list : "");
    int64_t count = 0;
    while (rest.ptr) {
        struct str item = str_cut(&rest, ',');
        if (str_starts(item, str_of(key))) {
            struct str number = {item.ptr + strlen(key), item.len - strlen(key)};
            expect_true(scan_int(number, &count));
        }
    }
    return count;
}

static void expect_given(const struct run *run, const json_t *job)
{
    const char *list = json_string_value(json_object_get(job, "allocated_resources"));
    const json_t *nodes = json_object_get(job, "nodes");
    struct str rest = run->nodes;
    if (!RUN_HAS(run, start)) {
        expect_false(RUN_HAS(run, cpus) || RUN_HAS(run, nodes));
        return;
    }
    expect_int(run->cpus, tres_of(list, "cpu="));
    expect_int(run->gpus, tres_of(list, "gres/gpu="));
    for (size_t i = 0; i < json_array_size(nodes); i++) { /* parted where there is no bracket */
        struct str part = str_of(json_string_value(json_array_get(nodes, i)));
        expect_true(str_starts(rest, part));
        rest = (struct str){rest.ptr + part.len, rest.len - part.len};
        expect_true(rest.len == 0 || rest.ptr[0] == ',');
        (void)str_cut(&rest, ',');
    }
    expect_uint(rest.len, 0);
}

static void expect_asked(const struct run *run, const json_t *job)
{
    expect_int(run->req_cpus, number_of(job, "requested_cpus"));
    expect_int(RUN_HAS(run, req_nodes) ? run->req_nodes : 0,
               number_of(job, "requested_node_count"));
    expect_int(RUN_HAS(run, req_mem_bytes) ? run->req_mem_bytes >> 10 : 0,
               number_of(job, "requested_memory_per_node"));
    expect_int(RUN_HAS(run, req_wall_us) ? run->req_wall_us / SECOND_US : -1,
               less_two(job, "time_limit"));
    expect_int(RUN_HAS(run, priority) ? run->priority : -1, less_two(job, "priority"));
}

/* "CANCELLED by 1001" is a state and a reason here. */
static void expect_state(const struct run *run, const json_t *job)
{
    struct str rest = str_of(json_string_value(json_object_get(job, "job_state")));
    struct str state = str_cut(&rest, ' ');
    expect_true(str_eq(run->state, state));
    expect_true(!rest.ptr || (RUN_HAS(run, reason) && str_eq(run->reason, rest)));
}

static void expect_took(const struct run *run, const json_t *job)
{
    const json_t *sacct = json_object_get(job, "sacct");
    if (RUN_HAS(run, start) && RUN_HAS(run, end)) {
        expect_int((run->end - run->start - run->suspended_us) / SECOND_US,
                   number_of(sacct, "ElapsedRaw"));
    }
}

static void expect_job(const struct run *run, const json_t *job)
{
    expect_int(RUN_HAS(run, job_raw) ? run->job_raw : run->job, number_of(job, "job_id"));
    expect_their_text(run, RUN_name, job, "job_name");
    expect_their_text(run, RUN_user, job, "user_name");
    expect_their_text(run, RUN_account, job, "account");
    expect_their_text(run, RUN_partition, job, "partition");
    expect_their_text(run, RUN_reservation, job, "reservation");
    expect_their_time(run, RUN_submit, job, "submit_time");
    expect_their_time(run, RUN_start, job, "start_time");
    expect_their_time(run, RUN_end, job, "end_time");
    expect_state(run, job);
    expect_took(run, job);
    expect_asked(run, job);
    expect_given(run, job);
}

struct state_row {
    const char *state;
    int jobs;
};

static const struct state_row state_rows[] = {
    {"COMPLETED", 49}, {"RUNNING", 32}, {"PENDING", 31},
    {"CANCELLED", 5},  {"TIMEOUT", 3},  {"FAILED", 2},
};

static void expect_states(const struct slurm_reading *r)
{
    for (size_t i = 0; i < COUNT_OF(state_rows); i++) {
        int jobs = 0;
        for (size_t k = 0; k < r->count; k++) {
            jobs += str_eq(slurm_run_at(r, k)->state, str_of(state_rows[i].state));
        }
        expect_int(jobs, state_rows[i].jobs);
    }
}

/* Each of ours beside theirs, in the order of the table; steps are part of their job here. */
static void jobs_agree_with_sonar(void **state)
{
    (void)state;
    struct buf text;
    struct slurm_reading r;
    struct error err = {0};
    (void)peer_folder();
    expect_int(zone_open("Etc/GMT-2", &east, &err), 0);
    const struct source_options options = {.columns = STR(COLUMNS), .zone = east};
    peer_file("sonar/tests/testdata/sacct_output.txt", &text);
    slurm_read_with(&r, buf_str(&text), &options);
    buf_release(&text);
    expect_uint(r.records, JOBS);
    expect_uint(r.rejects, 0);
    json_t *theirs = read_theirs();
    json_t *job = NULL;
    size_t index = 0, at = 0;
    json_array_foreach(theirs, index, job)
    {
        if (!json_object_get(job, "job_step")) {
            expect_job(slurm_run_at(&r, at++), job);
        }
    }
    expect_uint(at, JOBS);
    expect_states(&r);
    json_decref(theirs);
    slurm_reading_release(&r);
    zone_close(east);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, jobs_agree_with_sonar);
    return suite_run(&suite, "sonar_conformance");
}
