/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "demo/demo_format.h"
#include "support/expect.h"

static const struct demo_run sample = {
    .cluster = {"birch", 5},
    .queue = {"long.q", 6},
    .host = {"birch07", 7},
    .user = {"bob", 3},
    .group = {"chem", 4},
    .name = {"relax", 5},
    .job = 1234,
    .submit_s = 1700000000,
    .start_s = 1700000600,
    .end_s = 1700007800,
    .slots = 4,
    .limit_s = 90061,
    .limit_vmem_mb = 1500,
    .outcome = DEMO_DONE,
    .use = {.user_us = 6900500000, .system_us = 120200001, .rss_kb = 204800},
};

static void expect_rows(const struct demo_run *run, const char *want)
{
    char text[8 * DEMO_ROW_MAX];
    const char *end = demo_as_slurm.append(text, run);
    expect_text_n(text, (size_t)(end - text), want);
    int64_t rows = 0;
    for (const char *at = text; at < end; at++) {
        rows += *at == '\n';
    }
    expect_int(demo_as_slurm.rows(run), rows);
}

static void a_run_is_a_job_and_its_batch_step(void **state)
{
    (void)state;
    expect_rows(&sample,
                "1234|birch|long|normal|chem|chem|bob|1700000000|1700000000|1700000600|"
                "1700007800|7200|COMPLETED|0:0|1|4||6000M|billing=4,cpu=4,mem=6000M,node=1|"
                "billing=4,cpu=4,mem=6000M,node=1|1-01:01:01|01:57:00|01:55:00|02:00.200|||"
                "birch07|relax\n"
                "1234.batch|birch|||chem|||1700000600|1700000600|1700000600|1700007800|7200|"
                "COMPLETED|0:0|1|4|1|||||01:57:00|01:55:00|02:00.200|204800K|204800K|birch07|"
                "batch\n");
}

static void a_run_that_never_began_has_no_steps_and_no_resources(void **state)
{
    (void)state;
    struct demo_run run = sample;
    run.outcome = DEMO_NOT_STARTED;
    run.start_s = run.end_s = 0;
    run.use = (struct demo_use){0};
    expect_rows(&run, "1234|birch|long|normal|chem|chem|bob|1700000000|1700000000|None|"
                      "1700000000|0|CANCELLED by 10093|0:0|1|4||6000M|"
                      "billing=4,cpu=4,mem=6000M,node=1||1-01:01:01|00:00.000|00:00.000|"
                      "00:00.000|||None assigned|relax\n");
}

static void a_split_run_has_a_step_on_its_other_nodes(void **state)
{
    (void)state;
    const struct demo_part parts[] = {
        {.host = {"birch08", 7}, .slots = 2, .use = {.user_us = 1000000, .rss_kb = 9}}};
    struct demo_run run = sample;
    char text[8 * DEMO_ROW_MAX];
    run.split = true;
    run.parts = parts;
    run.part_count = 1;
    run.task = 7;
    run.attempt = 1;
    run.outcome = DEMO_CRASHED;
    run.exit_status = 139;
    char *end = demo_as_slurm.append(text, &run);
    *end = '\0';
    expect_contains(text, "1234_7|birch|long|normal|chem|chem|bob|1700000480|");
    expect_contains(text, "|FAILED|0:11|2|4||");
    expect_contains(text, "|birch07,birch08|relax\n");
    expect_contains(text, "\n1234_7.0|birch|||chem|||");
    expect_int(demo_as_slurm.rows(&run), 3);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, a_run_is_a_job_and_its_batch_step);
    SUITE_TEST(&suite, a_run_that_never_began_has_no_steps_and_no_resources);
    SUITE_TEST(&suite, a_split_run_has_a_step_on_its_other_nodes);
    return suite_run(&suite, "demo_as_slurm");
}
