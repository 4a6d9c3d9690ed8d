/* SPDX-License-Identifier: MIT */
#include "demo/demo_queue.h"

#include "demo/demo_random.h"
#include "support/expect.h"

static struct demo_request job_of(uint32_t number, unsigned slots, bool mpi)
{
    return (struct demo_request){.job = number,
                                 .slots = (uint16_t)slots,
                                 .hold = (uint16_t)slots,
                                 .mpi = mpi,
                                 .typical_s = 600};
}

static int64_t start(struct demo_pool *pool, int64_t now_s, uint32_t *grant)
{
    struct demo_request job;
    return demo_queue_next(pool, now_s, &job, grant) ? (int64_t)job.job : -1;
}

/* What the chains hold on each node and what the node has free are the node's slots. */
static void expect_balanced(const struct demo_pool *pool, const uint32_t *grants, size_t count)
{
    int held[64] = {0};
    expect_true(pool->all <= 64);
    for (size_t i = 0; i < count; i++) {
        for (uint32_t g = grants[i]; g != DEMO_NO_GRANT; g = pool->grants[g].next) {
            expect_true(pool->grants[g].node < pool->count);
            held[pool->grants[g].node] += pool->grants[g].slots;
        }
    }
    int64_t free_slots = 0;
    for (uint32_t i = 0; i < pool->count; i++) {
        expect_int(held[i] + pool->nodes[i].free, pool->slots);
        free_slots += pool->nodes[i].free;
    }
    expect_int(pool->free, free_slots);
}

static void no_slot_is_given_twice(void **state)
{
    (void)state;
    struct demo_pool pool;
    demo_queue_init(&pool, 16, 10, 24);
    struct demo_random random;
    demo_random_init(&random, 3, 1);
    uint32_t grants[512];
    size_t count = 0;
    for (uint32_t step = 0; step < 20000; step++) {
        bool mpi = demo_random_chance(&random, 200);
        struct demo_request job =
            job_of(step, 1 + demo_random_below(&random, mpi ? 64 : 16), mpi);
        if (demo_random_chance(&random, 300)) {
            demo_queue_join(&pool, &job, demo_random_chance(&random, 300), step * 60);
        }
        struct demo_request started;
        while (count < 512 && demo_queue_next(&pool, step * 60, &started, &grants[count])) {
            int64_t slots = 0;
            int nodes = 0;
            for (uint32_t g = grants[count]; g != DEMO_NO_GRANT; g = pool.grants[g].next) {
                slots += pool.grants[g].slots;
                nodes++;
            }
            expect_int(slots, started.hold);
            expect_true(nodes == 1 || started.mpi);
            count++;
        }
        while (count > 0 && demo_random_chance(&random, 280)) {
            size_t which = demo_random_below(&random, (uint32_t)count);
            demo_queue_leave(&pool, grants[which]);
            grants[which] = grants[--count];
        }
        if (step == 10000) {
            demo_queue_grow(&pool);
            expect_int(pool.count, 24);
        }
        if (step % 64 == 0) {
            expect_balanced(&pool, grants, count);
        }
    }
    demo_queue_release(&pool);
}

static void first_come_first_served_but_express_before(void **state)
{
    (void)state;
    struct demo_pool pool;
    demo_queue_init(&pool, 4, 1, 1);
    struct demo_request a = job_of(1, 2, false);
    struct demo_request b = job_of(2, 2, false);
    struct demo_request c = job_of(3, 1, false);
    demo_queue_join(&pool, &a, false, 0);
    demo_queue_join(&pool, &b, false, 0);
    demo_queue_join(&pool, &c, true, 0);
    uint32_t grants[3];
    expect_int((int64_t)pool.waiting, 3);
    expect_int(start(&pool, 0, &grants[0]), 3);
    expect_int(start(&pool, 0, &grants[1]), 1);
    expect_int(start(&pool, 0, &grants[2]), -1);
    demo_queue_leave(&pool, grants[0]);
    expect_int(start(&pool, 60, &grants[2]), 2);
    expect_int((int64_t)pool.waiting, 0);
    expect_int(pool.backlog_slot_s, 0);
    demo_queue_release(&pool);
}

static void small_jobs_overtake_until_the_first_has_waited_long(void **state)
{
    (void)state;
    struct demo_pool pool;
    demo_queue_init(&pool, 4, 2, 2);
    struct demo_request small = job_of(1, 1, false);
    struct demo_request large = job_of(2, 8, true);
    uint32_t grant;
    uint32_t first;
    demo_queue_join(&pool, &small, false, 0);
    expect_int(start(&pool, 0, &first), 1);
    demo_queue_join(&pool, &large, false, 0);
    demo_queue_join(&pool, &small, false, 0);
    expect_int(start(&pool, 60, &grant), 1);
    demo_queue_leave(&pool, grant);
    demo_queue_join(&pool, &small, false, 60);
    expect_int(start(&pool, 4 * 3600, &grant), -1); /* it is kept free for the large one now */
    demo_queue_join(&pool, &small, true, 60);
    expect_int(start(&pool, 4 * 3600, &grant), 1); /* express still gets through */
    demo_queue_leave(&pool, grant);
    demo_queue_leave(&pool, first);
    expect_int(start(&pool, 9 * 3600, &grant), 2);
    demo_queue_release(&pool);
}

static void tasks_of_an_array_start_one_by_one(void **state)
{
    (void)state;
    struct demo_pool pool;
    demo_queue_init(&pool, 2, 1, 1);
    struct demo_request array = job_of(7, 1, false);
    array.task = 1;
    array.last_task = 3;
    demo_queue_join(&pool, &array, false, 0);
    expect_int((int64_t)pool.waiting, 3);
    struct demo_request job;
    uint32_t grants[3];
    expect_true(demo_queue_next(&pool, 0, &job, &grants[0]));
    expect_int(job.task, 1);
    expect_int(demo_job_runs(&job), 1);
    expect_true(demo_queue_next(&pool, 0, &job, &grants[1]));
    expect_int(job.task, 2);
    expect_false(demo_queue_next(&pool, 0, &job, &grants[2]));
    demo_queue_leave(&pool, grants[0]);
    expect_true(demo_queue_next(&pool, 0, &job, &grants[2]));
    expect_int(job.task, 3);
    expect_int((int64_t)pool.waiting, 0);
    demo_queue_release(&pool);
}

static void a_run_given_up_goes_to_the_front(void **state)
{
    (void)state;
    struct demo_pool pool;
    demo_queue_init(&pool, 1, 1, 1);
    for (uint32_t i = 1; i <= 64; i++) { /* fills the ring, so that it has to grow */
        struct demo_request job = job_of(i, 1, false);
        demo_queue_join(&pool, &job, false, 0);
    }
    struct demo_request again = job_of(100, 1, false);
    demo_queue_again(&pool, &again, 0);
    uint32_t grant;
    expect_int(start(&pool, 0, &grant), 100);
    for (int i = 1; i <= 64; i++) {
        demo_queue_leave(&pool, grant);
        expect_int(start(&pool, 0, &grant), i);
    }
    demo_queue_release(&pool);
}

static void full_and_empty_nodes_of_the_largest_kind_are_found(void **state)
{
    (void)state;
    struct demo_pool pool;
    demo_queue_init(&pool, DEMO_NODE_SLOTS_MAX, 2, 2);
    struct demo_request whole = job_of(1, DEMO_NODE_SLOTS_MAX, false);
    uint32_t grants[3];
    demo_queue_join(&pool, &whole, false, 0);
    demo_queue_join(&pool, &whole, false, 0);
    demo_queue_join(&pool, &whole, false, 0);
    expect_int(start(&pool, 0, &grants[0]), 1);
    expect_int(start(&pool, 0, &grants[1]), 1);
    expect_int(start(&pool, 0, &grants[2]), -1);
    demo_queue_leave(&pool, grants[1]);
    expect_int(start(&pool, 0, &grants[2]), 1);
    demo_queue_release(&pool);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, no_slot_is_given_twice);
    SUITE_TEST(&suite, first_come_first_served_but_express_before);
    SUITE_TEST(&suite, small_jobs_overtake_until_the_first_has_waited_long);
    SUITE_TEST(&suite, tasks_of_an_array_start_one_by_one);
    SUITE_TEST(&suite, a_run_given_up_goes_to_the_front);
    SUITE_TEST(&suite, full_and_empty_nodes_of_the_largest_kind_are_found);
    return suite_run(&suite, "demo_queue");
}
