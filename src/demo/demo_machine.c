/* SPDX-License-Identifier: MIT */
#include "demo/demo_machine.h"

#include <assert.h>

enum {
    SAMPLES = 20000,  /* submissions looked at */
    SAMPLE_TASKS = 4, /* of an array; the others are like them */
    NODES_MIN = 4,
    PARALLEL_MAX = 512, /* largest job of any habit */
    ARRAY_MAX = 10000,
    LONGEST_S = 10 * 86400,
};

struct demand {
    int64_t runs, submissions;
    int64_t slot_s[DEMO_POOLS_MAX];
};

/* An hour, busy ones more often. */
static size_t draw_hour(const struct demo_arrival *arrival, uint32_t busiest,
                        struct demo_random *random)
{
    for (;;) {
        uint32_t hour = demo_random_below(random, (uint32_t)arrival->clock->count);
        if (demo_random_below(random, busiest) < arrival->hours[hour]) {
            return hour;
        }
    }
}

static struct demand sample(const struct demo_cluster_kind *kind,
                            const struct demo_bounds *bounds, uint64_t seed,
                            const struct demo_people *people,
                            const struct demo_arrival *arrival)
{
    struct demo_random random;
    demo_random_init(&random, seed, UINT64_C(0x6d616368696e65));
    uint32_t busiest = 1;
    for (size_t i = 0; i < arrival->clock->count; i++) {
        busiest = arrival->hours[i] > busiest ? arrival->hours[i] : busiest;
    }
    struct demand demand = {.submissions = SAMPLES};
    for (int i = 0; i < SAMPLES; i++) {
        size_t hour = draw_hour(arrival, busiest, &random);
        const struct demo_person *person =
            &people->persons[demo_arrival_person(arrival, people, hour, &random)];
        struct demo_request request;
        demo_job_request(kind, person, bounds, &random, &request);
        int64_t runs = demo_job_runs(&request);
        int64_t tasks = runs < SAMPLE_TASKS ? runs : SAMPLE_TASKS;
        assert(tasks > 0);
        int64_t wall_s = 0;
        for (int64_t k = 0; k < tasks; k++) {
            wall_s += demo_job_fate(&request, &demo_site_habits[person->habit], &random).wall_s;
        }
        demand.runs += runs;
        demand.slot_s[request.pool] += wall_s * runs / tasks * request.hold;
    }
    return demand;
}

/* Nodes of a pool, now and in the end, so that it is as full as it is meant to be. */
static void size_pool(const struct demo_cluster_kind *kind, size_t pool, int64_t slot_s,
                      int64_t length_s, struct demo_machine *machine)
{
    int64_t before = kind->grown_at > 0 ? kind->before : 1000;
    int64_t average =
        (before * kind->grown_at + INT64_C(1000) * (1000 - kind->grown_at)) / 1000;
    int64_t full_s = length_s * kind->load / 1000 * average / 1000 * kind->pools[pool].slots;
    int64_t least = pool == 0 ? NODES_MIN : 1;
    int64_t nodes = slot_s / full_s + 1;
    nodes = nodes > least ? nodes : least;
    int64_t first = pool == 0 ? (nodes * before + 999) / 1000 : nodes;
    machine->nodes[pool] = (uint32_t)nodes;
    machine->before[pool] = (uint32_t)first;
}

struct demo_machine demo_machine_plan(size_t cluster, int64_t runs, uint64_t seed,
                                      const struct demo_people *people,
                                      const struct demo_arrival *arrival)
{
    const struct demo_cluster_kind *kind = &demo_site_clusters[cluster];
    int64_t length_s = arrival->clock->to_s - arrival->clock->from_s;
    struct demo_machine machine = {.bounds = {.slots = {PARALLEL_MAX, PARALLEL_MAX}}};
    struct demo_bounds *bounds = &machine.bounds;
    bounds->wall_s = length_s / 8 < LONGEST_S ? length_s / 8 : LONGEST_S;
    bounds->tasks = (uint32_t)(runs / 100 < ARRAY_MAX ? runs / 100 : ARRAY_MAX);
    for (int round = 0; round < 2; round++) { /* the second with what the first has bounded */
        struct demand demand = sample(kind, bounds, seed + cluster, people, arrival);
        for (size_t i = 0; i < DEMO_POOLS_MAX && kind->pools[i].slots > 0; i++) {
            /* Scaled down first: sums of slot seconds of all runs may not fit. */
            int64_t slot_s = demand.slot_s[i] / demand.runs * runs +
                             demand.slot_s[i] % demand.runs * runs / demand.runs;
            size_pool(kind, i, slot_s, length_s, &machine);
            uint32_t node = kind->pools[i].slots;
            uint32_t part = machine.before[i] * node / 4;
            bounds->slots[i] = part > node && i == 0 ? part : node;
        }
        machine.mean_runs = (uint32_t)(demand.runs * 256 / demand.submissions);
    }
    return machine;
}
