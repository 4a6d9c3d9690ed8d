/* SPDX-License-Identifier: MIT */
#include "demo/demo_job.h"

#include "demo/demo_use.h"
#include "support/expect.h"

struct habit_row {
    const char *name;
    uint8_t habit;
};

/* Built in main from the site's table. */
static struct habit_row habit_rows[DEMO_HABITS];

static void expect_within(const struct demo_cluster_kind *kind,
                          const struct demo_bounds *bounds, const struct demo_request *job)
{
    const struct demo_queue_kind *queue = &kind->queues[job->queue];
    const struct demo_pool_kind *pool = &kind->pools[job->pool];
    expect_true(queue->name != NULL);
    expect_int(queue->pool, job->pool);
    expect_true(job->limit_s > 0 && job->limit_s <= queue->limit_s);
    expect_true(job->typical_s > 0);
    expect_true(job->slots >= 1 && job->hold >= job->slots);
    expect_true(job->slots <= bounds->slots[job->pool]);
    expect_true(job->mpi || job->hold <= pool->slots);
    expect_true(job->gpus <= pool->gpus);
    expect_true(pool->gpus == 0 || job->hold >= job->gpus * (pool->slots / pool->gpus));
    expect_true(job->use_mb > 0 && job->use_mb <= job->limit_mb);
    uint32_t on_node = job->slots < pool->slots ? job->slots : pool->slots;
    expect_true((uint64_t)job->limit_mb * on_node <= pool->mem_mb);
    expect_true(job->last_task <= bounds->tasks && job->project <= DEMO_GROUP_PROJECTS);
    expect_true(demo_job_runs(job) >= 1);
}

static void requests_fit_the_cluster(void **state)
{
    const struct habit_row *row = *state;
    struct demo_random random;
    demo_random_init(&random, 11, row->habit);
    struct demo_person person = {.habit = row->habit, .project = 500, .asks_queue = 500};
    for (size_t cluster = 0; cluster < DEMO_CLUSTERS; cluster++) {
        const struct demo_cluster_kind *kind = &demo_site_clusters[cluster];
        const struct demo_bounds bounds[] = {
            {.slots = {kind->pools[0].slots, kind->pools[1].slots}, .tasks = 0, .wall_s = 450},
            {.slots = {512, kind->pools[1].slots}, .tasks = 10000, .wall_s = 864000},
        };
        for (int i = 0; i < 4000; i++) {
            struct demo_request job;
            person.names = (uint8_t)(i % DEMO_NAMES_MAX);
            demo_job_request(kind, &person, &bounds[i % 2], &random, &job);
            expect_within(kind, &bounds[i % 2], &job);
            expect_true(demo_site_habits[row->habit].names[job.name] != NULL);
        }
    }
}

static void use_follows_from_slots_and_wall(void **state)
{
    const struct habit_row *row = *state;
    const struct demo_habit *habit = &demo_site_habits[row->habit];
    struct demo_random random;
    demo_random_init(&random, 12, row->habit);
    struct demo_request job = {.slots = 8, .use_mb = 1000, .limit_mb = 2048, .typical_s = 7200};
    struct demo_fate fate = {DEMO_DONE, 0, 7200};
    int64_t cpu_us = 0;
    for (int i = 0; i < 1000; i++) {
        struct demo_use use = demo_use_draw(&job, habit, &fate, 8, &random);
        int64_t own_us = use.user_us + use.system_us;
        expect_true(own_us > 0 && own_us <= INT64_C(8) * 7200 * 1000000 + 100000);
        expect_true(use.vmem_bytes <= INT64_C(8) * 2048 << 20);
        expect_true(use.rss_kb * 1024 <= use.vmem_bytes);
        expect_true(use.mem_micro_gb_s > 0 && use.io_micro_gb > 0 && use.wait_io_us >= 0);
        cpu_us += own_us / 1000;
    }
    expect_double((double)cpu_us * 1000 / 1000 / (8 * 7200e6), habit->efficiency / 1000.0,
                  0.02);
}

static void the_largest_run_does_not_overflow(void **state)
{
    (void)state;
    struct demo_random random;
    demo_random_init(&random, 13, 1);
    struct demo_request job = {.slots = 512, .use_mb = 16 << 10, .limit_mb = 16 << 10};
    struct demo_fate fate = {DEMO_OUT_OF_TIME, 137, 10 * 86400 + 3};
    for (size_t i = 0; i < DEMO_HABITS; i++) {
        struct demo_use use = demo_use_draw(&job, &demo_site_habits[i], &fate, 512, &random);
        expect_true(use.mem_micro_gb_s > 0 && use.io_micro_gb > 0 && use.faults > 0);
        expect_true(use.switches > 0 && use.forced_switches > 0 && use.blocks_in >= 0);
    }
}

static void a_run_that_never_started_used_nothing(void **state)
{
    (void)state;
    struct demo_random random;
    demo_random_init(&random, 14, 1);
    struct demo_request job = {.slots = 4, .use_mb = 100, .limit_mb = 200};
    struct demo_fate fate = {DEMO_NOT_STARTED, 0, 0};
    struct demo_use use = demo_use_draw(&job, &demo_site_habits[0], &fate, 4, &random);
    expect_int(use.user_us + use.system_us + use.vmem_bytes + use.rss_kb + use.faults, 0);
}

static void every_fate_happens_and_makes_sense(void **state)
{
    (void)state;
    struct demo_random random;
    demo_random_init(&random, 15, 1);
    struct demo_request job = {
        .slots = 1, .use_mb = 1000, .limit_mb = 1024, .typical_s = 600, .limit_s = 1800};
    int64_t seen[DEMO_OUTCOMES] = {0};
    for (int i = 0; i < 50000; i++) {
        struct demo_fate fate = demo_job_fate(&job, &demo_site_habits[10], &random);
        seen[fate.outcome]++;
        expect_true(fate.wall_s >= 0 && fate.wall_s < 1800 + 4);
        expect_true(fate.outcome != DEMO_DONE || fate.exit_status == 0);
        expect_true(fate.outcome != DEMO_CRASHED || fate.exit_status > 128);
        expect_true(fate.outcome != DEMO_OUT_OF_TIME || fate.wall_s >= 1800);
        expect_true(fate.outcome != DEMO_NOT_STARTED || fate.wall_s == 0);
    }
    for (int i = 0; i < DEMO_OUTCOMES; i++) {
        expect_true(seen[i] > 50);
    }
    expect_true(seen[DEMO_DONE] > 20000);
    job.attempt = 1;
    for (int i = 0; i < 10000; i++) {
        expect_true(demo_job_fate(&job, &demo_site_habits[10], &random).outcome !=
                    DEMO_RESTARTED);
    }
}

int main(void)
{
    for (uint8_t i = 0; i < DEMO_HABITS; i++) {
        habit_rows[i] = (struct habit_row){demo_site_habits[i].name, i};
    }
    struct suite suite = {0};
    SUITE_ROWS(&suite, requests_fit_the_cluster, habit_rows);
    SUITE_ROWS(&suite, use_follows_from_slots_and_wall, habit_rows);
    SUITE_TEST(&suite, the_largest_run_does_not_overflow);
    SUITE_TEST(&suite, a_run_that_never_started_used_nothing);
    SUITE_TEST(&suite, every_fate_happens_and_makes_sense);
    return suite_run(&suite, "demo_job");
}
