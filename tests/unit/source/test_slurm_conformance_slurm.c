/* SPDX-License-Identifier: MIT */
#include "unit/source/slurm_data.h"

/*
 * The driver against Slurm's own: documents of several versions, the controller's view and the
 * database's, sreport and sshare; and sacct's text against its JSON.
 */

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
    slurm_read_data(&r, row->name, "", NULL);
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
    char name[PEER_PATH_LEN];
    struct slurm_reading r;
    (void)snprintf(name, sizeof(name), "%s/slurmdb-job-%s.json", row->name, row->kind);
    slurm_read_data(&r, name, "", NULL);
    expect_uint(r.count, 1);
    const struct run *run = slurm_run_at(&r, 0);
    (void)snprintf(name, sizeof(name), "%s/slurm-job-%s.json", row->name, row->kind);
    json_t *view = peer_json(name);
    const json_t *job = json_array_get(json_object_get(view, "jobs"), 0);
    if (!job || view_number(job, "job_id") != run->job) {
        print_message("# %s: the controller's view is of another job\n", name);
    } else {
        const char *state_word =
            json_string_value(json_array_get(json_object_get(job, "job_state"), 0));
        bool races = !str_eq(run->state, str_of(state_word)); /* two snapshots may */
        expect_int(SECONDS_OF(run, submit), view_number(job, "submit_time"));
        expect_peer_text(run->user, true, json_object_get(job, "user_name"));
        expect_peer_text(run->account, true, json_object_get(job, "account"));
        expect_peer_text(run->partition, true, json_object_get(job, "partition"));
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
        slurm_read_data(&r, files[f], "", NULL);
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
    slurm_read_data(&text, "slurm/live-22.05/sacct-D-steps.psv", "", NULL);
    slurm_read_data(&json, "slurm/live-22.05/sacct.json", "", NULL);
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

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, document_has_one_job, document_rows);
    SUITE_ROWS(&suite, database_and_controller_agree, view_rows);
    SUITE_ROWS(&suite, cpu_seconds_agree_with_sreport, sreport_rows);
    SUITE_TEST(&suite, text_and_json_tell_the_same);
    return suite_run(&suite, "slurm_conformance_slurm");
}
