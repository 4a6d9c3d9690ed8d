/* SPDX-License-Identifier: MIT */
#include "unit/source/slurm_data.h"

/*
 * The driver against what Open XDMoD makes of the same lines.
 */

static void expect_xdmod_record(const struct run *run, const json_t *want)
{
    expect_int(run->job, peer_int(want, "job_id"));
    expect_peer_text(run->partition, RUN_HAS(run, partition),
                     json_object_get(want, "partition_name"));
    expect_peer_text(run->qos, RUN_HAS(run, qos), json_object_get(want, "qos_name"));
    expect_peer_text(run->account, RUN_HAS(run, account),
                     json_object_get(want, "account_name"));
    expect_peer_text(run->group, RUN_HAS(run, group), json_object_get(want, "group_name"));
    expect_peer_text(run->user, RUN_HAS(run, user), json_object_get(want, "user_name"));
    expect_peer_text(run->name, RUN_HAS(run, name), json_object_get(want, "job_name"));
    expect_peer_text(run->nodes, RUN_HAS(run, nodes), json_object_get(want, "node_list"));
    expect_int(run->gid, peer_int(want, "gid_number"));
    expect_int(run->uid, peer_int(want, "uid_number"));
    expect_int(SECONDS_OF(run, submit), peer_int(want, "submit_time"));
    expect_int(SECONDS_OF(run, eligible), peer_int(want, "eligible_time"));
    expect_int(SECONDS_OF(run, start), peer_int(want, "start_time"));
    expect_int(SECONDS_OF(run, end), peer_int(want, "end_time"));
    expect_int((run->end - run->start) / SECOND_US, peer_int(want, "elapsed"));
    expect_int(SECONDS_OF(run, req_wall_us), peer_int(want, "timelimit"));
    expect_int(NUMBER_OF(run, node_count), peer_int(want, "nnodes"));
    expect_int(NUMBER_OF(run, cpus), peer_int(want, "ncpus"));
    /* XDMoD has 0 of a record that asked for none; nobody says here. */
    expect_int(RUN_HAS(run, req_cpus) ? run->req_cpus : 0, peer_int(want, "req_cpus"));
    expect_int(NUMBER_OF(run, gpus), peer_int(want, "ngpus"));
}

static void records_agree_with_xdmod(void **state)
{
    (void)state;
    struct slurm_reading r;
    slurm_read_data(&r, "line-to-record-xdmod/shredder/slurm/input/accounting-logs.log",
                    XDMOD_COLUMNS, NULL);
    json_t *want = peer_json("line-to-record-xdmod/shredder/slurm/output/accounting-logs.json");
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
    slurm_read_data(
        &r, "line-to-record-xdmod/shredder/slurm/input/accounting-logs-with-job-arrays.log",
        XDMOD_COLUMNS, NULL);
    json_t *want = peer_json(
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
    slurm_read_data(&r, "line-to-record-xdmod/shredder/slurm/input/unknown-job-state.log",
                    XDMOD_COLUMNS, NULL);
    expect_run_text(slurm_run_at(&r, 0), state, "FOO");
    expect_run_text(slurm_run_at(&r, 1), class, "other");
    slurm_reading_release(&r);
    slurm_read_data(&r, "line-to-record-xdmod/shredder/slurm/input/non-ended-job-state.log",
                    XDMOD_COLUMNS, NULL);
    expect_run_text(slurm_run_at(&r, 0), class, "running");
    expect_run_absent(slurm_run_at(&r, 0), end);
    expect_run_text(slurm_run_at(&r, 1), class, "pending");
    slurm_reading_release(&r);
    slurm_read_data(&r, "line-to-record-xdmod/shredder/slurm/input/utf8-multibyte-chars.log",
                    XDMOD_COLUMNS, NULL);
    expect_run_text(slurm_run_at(&r, 0), name,
                    "a\xc3\xa0"
                    "b");
    slurm_reading_release(&r);
}

static void gpu_counts_agree_with_xdmod(void **state)
{
    (void)state;
    json_t *cases = peer_json("line-to-record-xdmod/slurm-resource-parser/"
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

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, records_agree_with_xdmod);
    SUITE_TEST(&suite, array_sizes_agree_with_xdmod);
    SUITE_TEST(&suite, states_xdmod_skips_are_kept);
    SUITE_TEST(&suite, gpu_counts_agree_with_xdmod);
    return suite_run(&suite, "slurm_conformance_xdmod");
}
