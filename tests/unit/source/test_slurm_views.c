/* SPDX-License-Identifier: MIT */
#include "unit/source/peer.h"
#include "unit/source/slurm_reader.h"

/*
 * One job seen in several ways: by the database and by the controller, through sacct and through
 * slurmrestd, with units and without. All that is told twice has to be the same.
 */

/* --- reading ---------------------------------------------------------------------------------- */

static void read_runs(struct slurm_reading *reading, const char *name, const char *columns)
{
    struct buf text;
    const struct source_options options = {.columns = str_of(columns)};
    peer_file(name, &text);
    slurm_read_with(reading, buf_str(&text), &options);
    buf_release(&text);
    if (reading->failed) {
        expect_fail("%s: %s", name, reading->err.text);
    }
    expect_uint(reading->rejects, 0);
}

/* The run of `all` that is the same as `run`, or NULL. */
static const struct run *find_same(const struct slurm_reading *all, const struct run *run)
{
    for (size_t i = 0; i < all->count; i++) {
        const struct run *other = slurm_run_at(all, i);
        if (other->job == run->job && other->attempt == run->attempt &&
            other->task == run->task && other->het == run->het &&
            RUN_HAS(other, task) == RUN_HAS(run, task)) {
            return other;
        }
    }
    return NULL;
}

static bool same_field(const struct run *a, const struct run *b, enum run_field field)
{
    const char *at_a = (const char *)a + run_fields[field].offset;
    const char *at_b = (const char *)b + run_fields[field].offset;
    if (run_has(a, field) != run_has(b, field)) {
        return false;
    }
    if (!run_has(a, field)) {
        return true;
    }
    return run_fields[field].type == FIELD_INT
               ? memcmp(at_a, at_b, sizeof(int64_t)) == 0
               : str_eq(*(const struct str *)(const void *)at_a,
                        *(const struct str *)(const void *)at_b);
}

/* --- the database and the controller ---------------------------------------------------------- */

struct version_row {
    const char *name;
    int jobs;    /* that both have */
    int settled; /* of which they also agree in what state they are in */
};

static const struct version_row version_rows[] = {
    {"slurm/slurmrestd/24.05/0.0.41", 14, 7},
    {"slurm/slurmrestd/24.11/0.0.41", 15, 15},
    {"slurm/slurmrestd/24.11/0.0.42", 15, 15},
};

static const char *const kinds[] = {
    "archived",       "completed",     "failed",           "gpus-archived",
    "gpus-completed", "gpus-gres",     "gpus-multi-nodes", "gpus-multi-types",
    "gpus-pending",   "gpus-per-node", "gpus-per-socket",  "gpus-per-task",
    "gpus-running",   "gpus-type",     "pending",          "running",
    "timeout",        "unfound",
};

static json_t *read_view(const char *folder, const char *kind)
{
    char name[PEER_PATH_LEN];
    struct buf text;
    (void)snprintf(name, sizeof(name), "%s/slurm-job-%s.json", folder, kind);
    peer_file(name, &text);
    json_t *view = json_loadb(text.ptr, text.len, 0, NULL);
    buf_release(&text);
    expect_true(view != NULL);
    return view;
}

static int64_t view_number(const json_t *job, const char *key)
{
    const json_t *value = json_object_get(job, key);
    return json_is_object(value) ? json_integer_value(json_object_get(value, "number"))
                                 : json_integer_value(value);
}

static void expect_view_text(struct str got, const json_t *job, const char *key)
{
    const char *want = json_string_value(json_object_get(job, key));
    if (!str_eq(got, str_of(want ? want : ""))) {
        expect_fail("%s is '%.*s', the controller says '%s'", key, STR_ARG(got), want);
    }
}

/* What a job is from the beginning; a row that is only being written may lack some of it. */
static void expect_same_job(const struct run *run, const json_t *job, bool settled)
{
    expect_int(run->submit / SECOND_US, view_number(job, "submit_time"));
    expect_view_text(run->user, job, "user_name");
    expect_view_text(run->account, job, "account");
    if (settled || RUN_HAS(run, partition)) {
        expect_int(run->req_wall_us / SECOND_US, 60 * view_number(job, "time_limit"));
        expect_view_text(run->partition, job, "partition");
        expect_view_text(run->name, job, "name");
        expect_view_text(run->qos, job, "qos");
    }
}

static void expect_same_course(const struct run *run, const json_t *job)
{
    if (!RUN_HAS(run, start)) {
        return;
    }
    expect_int(run->start / SECOND_US, view_number(job, "start_time"));
    expect_int(run->cpus, view_number(job, "cpus"));
    expect_int(run->node_count, view_number(job, "node_count"));
    expect_view_text(run->nodes, job, "nodes");
    if (RUN_HAS(run, end)) {
        expect_int(run->end / SECOND_US, view_number(job, "end_time"));
    }
}

static void database_and_controller_agree(void **state)
{
    const struct version_row *row = *state;
    int jobs = 0, settled = 0;
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        char name[PEER_PATH_LEN];
        struct slurm_reading r;
        (void)snprintf(name, sizeof(name), "%s/slurmdb-job-%s.json", row->name, kinds[i]);
        read_runs(&r, name, "");
        json_t *view = read_view(row->name, kinds[i]);
        const json_t *job = json_array_get(json_object_get(view, "jobs"), 0);
        if (job && r.count > 0) {
            const struct run *run = slurm_run_at(&r, 0);
            const char *now =
                json_string_value(json_array_get(json_object_get(job, "job_state"), 0));
            expect_int(run->job, view_number(job, "job_id"));
            bool same_state = str_eq(run->state, str_of(now));
            expect_same_job(run, job, same_state);
            if (same_state) {
                expect_same_course(run, job);
            }
            settled += same_state;
            jobs++;
        }
        json_decref(view);
        slurm_reading_release(&r);
    }
    expect_int(jobs, row->jobs);
    expect_int(settled, row->settled);
}

/* --- sacct and slurmrestd --------------------------------------------------------------------- */

/* slurmrestd has the last run of each job only. */
static void slurmrestd_tells_what_sacct_does(void **state)
{
    (void)state;
    struct slurm_reading sacct, rest;
    read_runs(&sacct, "slurm/live-22.05/sacct.json", "");
    read_runs(&rest, "slurm/live-22.05/rest-slurmdb-jobs.json", "");
    for (size_t i = 0; i < rest.count; i++) {
        const struct run *run = slurm_run_at(&rest, i);
        const struct run *same = find_same(&sacct, run);
        if (!same) {
            expect_fail("sacct has no job %lld", (long long)run->job);
        }
        for (unsigned field = 0; field < RUN_FIELD_COUNT; field++) {
            if (!same_field(run, same, field)) {
                expect_fail("job %lld: %s differs", (long long)run->job, run_fields[field].id);
            }
        }
    }
    expect_uint(rest.count, 45);
    slurm_reading_release(&sacct);
    slurm_reading_release(&rest);
}

/* --- with steps and without, with units and without ------------------------------------------- */

/* What is measured in steps, which -X leaves out. */
static bool of_steps(enum run_field field)
{
    return (run_fields[field].flags & (FIELD_MEASURED | FIELD_PEAK)) || field == RUN_mem_basis;
}

static void expect_allocation(const struct run *run, const struct slurm_reading *all)
{
    const struct run *same = find_same(all, run);
    if (!same) {
        expect_fail("there is no job %lld with steps", (long long)run->job);
    }
    for (unsigned field = 0; field < RUN_FIELD_COUNT; field++) {
        if (!of_steps(field) && field != RUN_request && !same_field(run, same, field)) {
            expect_fail("job %lld: %s differs", (long long)run->job, run_fields[field].id);
        }
    }
}

static void allocations_are_the_same_with_steps_and_without(void **state)
{
    (void)state;
    struct slurm_reading steps, plain, raw;
    struct buf fields;
    peer_file("slurm/live-22.05/sacct.fields", &fields);
    struct str rest = buf_str(&fields);
    char columns[PEER_PATH_LEN];
    struct str names = str_cut(&rest, '\n');
    (void)snprintf(columns, sizeof(columns), "%.*s", STR_ARG(names));
    buf_release(&fields);
    read_runs(&steps, "slurm/live-22.05/sacct-D-steps.psv", "");
    read_runs(&plain, "slurm/live-22.05/sacct-X.psv", "");
    read_runs(&raw, "slurm/live-22.05/sacct-X-noconvert.psv", columns);
    expect_uint(plain.count, 46);
    expect_uint(raw.count, plain.count);
    for (size_t i = 0; i < plain.count; i++) {
        expect_allocation(slurm_run_at(&plain, i), &steps);
        expect_allocation(slurm_run_at(&raw, i), &steps);
    }
    slurm_reading_release(&steps);
    slurm_reading_release(&plain);
    slurm_reading_release(&raw);
}

/* --- sreport ---------------------------------------------------------------------------------- */

/* Of two people sreport has a second more of a small job, which neither sacct nor sshare have. */
struct second_row {
    const char *user, *account;
};

static const struct second_row second_rows[] = {{"bob", "phys"}, {"carol", "chem"}};

/* A resource by sreport's name: how many of a run's it has, and how many the small job had. */
struct resource_row {
    const char *name;
    enum run_field field;
    int64_t unit; /* ours in one of theirs */
    int64_t small;
};

static const struct resource_row resource_rows[] = {
    {"cpu", RUN_cpus, 1, 1},
    {"mem", RUN_mem_bytes, INT64_C(1) << 20, 100},
    {"gres/gpu", RUN_gpus, 1, 0},
    {"billing", RUN_billing, 1, 1},
};

static int64_t resource_seconds(const struct slurm_reading *r, const struct resource_row *row,
                                struct str user, struct str account)
{
    int64_t sum_us = 0;
    for (size_t i = 0; i < r->count; i++) {
        const struct run *run = slurm_run_at(r, i);
        int64_t amount = 0;
        if (RUN_HAS(run, start) && RUN_HAS(run, end) && run_has(run, row->field) &&
            str_eq(run->user, user) && str_eq(run->account, account)) {
            memcpy(&amount, (const char *)run + run_fields[row->field].offset, sizeof(amount));
            sum_us += (run->end - run->start) * (amount / row->unit);
        }
    }
    return sum_us / SECOND_US;
}

/* tb|chem|carol||mem|264444 */
static bool compare_sreport_line(const struct slurm_reading *r, const struct resource_row *row,
                                 struct str line)
{
    struct str cells[6];
    int64_t want = 0, more = 0;
    for (size_t i = 0; i < COUNT_OF(cells); i++) {
        cells[i] = str_cut(&line, '|');
    }
    if (!str_eq(cells[4], str_of(row->name)) || cells[2].len == 0 ||
        str_eq(cells[2], STR("root"))) {
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(second_rows); i++) {
        if (str_eq(cells[2], str_of(second_rows[i].user)) &&
            str_eq(cells[1], str_of(second_rows[i].account))) {
            more = row->small;
        }
    }
    expect_true(scan_int(cells[5], &want));
    expect_int(resource_seconds(r, row, cells[2], cells[1]) + more, want);
    return true;
}

static void resource_seconds_agree_with_sreport(void **state)
{
    const struct resource_row *row = *state;
    struct slurm_reading r;
    struct buf text;
    int compared = 0;
    peer_file("slurm/live-22.05/sreport-acct-shifted.psv", &text);
    read_runs(&r, "slurm/live-22.05/sacct-D-steps.psv", "");
    for (struct str rest = buf_str(&text); rest.ptr;) {
        compared += compare_sreport_line(&r, row, str_cut(&rest, '\n'));
    }
    expect_int(compared, 5);
    buf_release(&text);
    slurm_reading_release(&r);
}

/* --- reportseff's texts ----------------------------------------------------------------------- */

/* The grammar of its durations, to the second it keeps; and what is none. */
static void durations_agree_with_reportseff(void **state)
{
    (void)state;
    struct buf text;
    int seen = 0;
    peer_file("slurm/reportseff-cases.json", &text);
    json_t *cases = json_loadb(text.ptr, text.len, 0, NULL);
    buf_release(&text);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        const json_t *one = json_array_get(cases, i);
        const json_t *expect = json_object_get(one, "expect");
        const json_t *rows = json_object_get(one, "rows");
        const json_t *seconds = json_object_get(expect, "seconds");
        for (size_t k = 0; k < json_array_size(seconds); k++, seen++) {
            int64_t us = 0;
            const char *word = json_string_value(json_array_get(json_array_get(rows, k), 0));
            expect_true(scan_duration(str_of(word), &us));
            expect_int(us / SECOND_US, json_integer_value(json_array_get(seconds, k)));
        }
        const json_t *step = json_object_get(expect, "StepMemBytes");
        if (step) {
            int64_t bytes = 0;
            const char *word = json_string_value(json_array_get(json_array_get(rows, 0), 0));
            expect_true(scan_size(str_of(word), 1, &bytes));
            expect_int(bytes, json_integer_value(step));
            seen++;
        }
    }
    expect_int(seen, 4);
    json_decref(cases);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, database_and_controller_agree, version_rows);
    SUITE_TEST(&suite, slurmrestd_tells_what_sacct_does);
    SUITE_TEST(&suite, allocations_are_the_same_with_steps_and_without);
    SUITE_ROWS(&suite, resource_seconds_agree_with_sreport, resource_rows);
    SUITE_TEST(&suite, durations_agree_with_reportseff);
    return suite_run(&suite, "slurm_views");
}
