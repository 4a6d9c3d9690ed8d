/* SPDX-License-Identifier: MIT */
#include "demo/demo_job.h"

#include <assert.h>

/* Run times and memory people ask for: nobody asks for 17 hours and 3.1 GB. */
static const uint32_t time_menu_s[] = {
    600,       1800,      3600,      2 * 3600,  4 * 3600,  8 * 3600,   12 * 3600,
    24 * 3600, 36 * 3600, 48 * 3600, 72 * 3600, 96 * 3600, 168 * 3600, 240 * 3600,
};

static const uint32_t memory_menu_mb[] = {
    500,      1 << 10,  1500,     2 << 10,  3 << 10,  4 << 10,  6 << 10,   8 << 10,
    12 << 10, 16 << 10, 24 << 10, 32 << 10, 48 << 10, 64 << 10, 128 << 10, 256 << 10,
};

static uint32_t at_least(const uint32_t *menu, size_t count, uint64_t value)
{
    size_t i = 0;
    while (i + 1 < count && menu[i] < value) {
        i++;
    }
    return menu[i];
}

static uint32_t draw_size(const struct demo_habit *habit, struct demo_random *random)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < DEMO_SIZES_MAX; i++) {
        sum += habit->sizes[i].weight;
    }
    uint32_t at = demo_random_below(random, sum);
    size_t i = 0;
    while (at >= habit->sizes[i].weight) {
        at -= habit->sizes[i++].weight;
    }
    return habit->sizes[i].slots;
}

static void draw_shape(const struct demo_cluster_kind *kind, const struct demo_habit *habit,
                       const struct demo_bounds *bounds, struct demo_random *random,
                       struct demo_request *request)
{
    const struct demo_pool_kind *pool = &kind->pools[0];
    uint32_t size = draw_size(habit, random);
    if (pool->gpus > 0) {
        uint32_t gpus = size <= pool->gpus ? size : 1 + demo_random_below(random, pool->gpus);
        uint32_t share = pool->slots / pool->gpus;
        request->gpus = (uint8_t)gpus;
        request->slots = (uint16_t)(gpus * (share >> demo_random_below(random, 3)));
        request->hold = (uint16_t)(gpus * share);
        return;
    }
    request->mpi =
        habit->mpi && size > 1 && (size > pool->slots || demo_random_chance(random, 750));
    if (!request->mpi && size > pool->slots) {
        size = pool->slots;
    }
    while (size > bounds->slots[0]) {
        size /= 2;
    }
    request->slots = (uint16_t)size;
    request->hold = request->slots;
}

/* The limit is a few times what they expect it to take, rounded up to a usual one. */
static void draw_times(const struct demo_habit *habit, const struct demo_bounds *bounds,
                       uint32_t longest_s, struct demo_random *random,
                       struct demo_request *request)
{
    static const uint8_t caution[] = {3, 3, 4, 6, 10};
    int64_t typical = demo_random_around(random, habit->wall_s, habit->spread);
    if (typical > longest_s * INT64_C(3) / 4) {
        typical = longest_s / 4 + demo_random_below(random, longest_s / 2);
    }
    if (typical > bounds->wall_s) {
        typical = bounds->wall_s / 4 + demo_random_below(random, (uint32_t)bounds->wall_s / 2);
    }
    uint64_t wish = (uint64_t)typical * caution[demo_random_below(random, sizeof(caution))];
    uint32_t limit = at_least(time_menu_s, sizeof(time_menu_s) / sizeof(time_menu_s[0]), wish);
    request->typical_s = typical > 0 ? (uint32_t)typical : 1;
    request->limit_s = limit < longest_s ? limit : longest_s;
}

/* What does not fit a common node goes to the pool with large memory, or is asked for less. */
static void draw_memory(const struct demo_cluster_kind *kind, const struct demo_habit *habit,
                        const struct demo_bounds *bounds, struct demo_random *random,
                        struct demo_request *request)
{
    uint32_t use = (uint32_t)demo_random_around(random, habit->mem_mb, 420);
    uint32_t limit =
        at_least(memory_menu_mb, sizeof(memory_menu_mb) / sizeof(memory_menu_mb[0]),
                 (uint64_t)use * habit->asks / 100);
    uint32_t on_node =
        request->slots < kind->pools[0].slots ? request->slots : kind->pools[0].slots;
    if (limit > kind->pools[0].mem_mb / on_node && !request->mpi && kind->pools[1].slots > 0 &&
        request->slots <= bounds->slots[1]) {
        request->pool = 1;
    }
    uint32_t most = kind->pools[request->pool].mem_mb / on_node;
    request->limit_mb = limit < most ? limit : most;
    bool guessed_wrong = demo_random_chance(random, 30);
    request->use_mb = use < request->limit_mb && !guessed_wrong ? use : request->limit_mb;
}

static bool takes(const struct demo_queue_kind *queue, const struct demo_request *request,
                  bool interactive)
{
    return queue->pool == request->pool && queue->limit_s >= request->limit_s &&
           queue->interactive == interactive && (!queue->parallel || request->mpi);
}

static bool has_interactive(const struct demo_cluster_kind *kind)
{
    return kind->queues[0].interactive;
}

/* The longest time that any queue for such work allows. */
static uint32_t longest(const struct demo_cluster_kind *kind, bool interactive)
{
    uint32_t most = 0;
    for (size_t i = 0; i < DEMO_QUEUES_MAX && kind->queues[i].name; i++) {
        const struct demo_queue_kind *queue = &kind->queues[i];
        if (queue->interactive == interactive && queue->limit_s > most) {
            most = queue->limit_s;
        }
    }
    return most;
}

static uint8_t find_queue(const struct demo_cluster_kind *kind,
                          const struct demo_request *request, bool interactive)
{
    uint8_t i = 0;
    while (!takes(&kind->queues[i], request, interactive)) {
        i++; /* one is there: `longest` was heeded */
    }
    return i;
}

static void draw_text(const struct demo_habit *habit, const struct demo_person *person,
                      struct demo_random *random, struct demo_request *request)
{
    uint32_t count = 0;
    while (count < DEMO_NAMES_MAX && habit->names[count]) {
        count++;
    }
    assert(count > 0);
    request->name = (uint8_t)((person->names + demo_random_below(random, 3)) % count);
    if (!habit->interactive && demo_random_chance(random, 350)) {
        request->suffix = (uint16_t)(1 + demo_random_below(random, 400));
    }
    if (demo_random_chance(random, person->project)) {
        request->project = (uint8_t)(1 + demo_random_below(random, DEMO_GROUP_PROJECTS));
    }
    request->asks_queue = demo_random_chance(random, person->asks_queue);
}

void demo_job_request(const struct demo_cluster_kind *kind, const struct demo_person *person,
                      const struct demo_bounds *bounds, struct demo_random *random,
                      struct demo_request *request)
{
    const struct demo_habit *habit = &demo_site_habits[person->habit];
    bool interactive = habit->interactive && has_interactive(kind);
    *request = (struct demo_request){0};
    draw_shape(kind, habit, bounds, random, request);
    draw_times(habit, bounds, longest(kind, interactive), random, request);
    draw_memory(kind, habit, bounds, random, request);
    request->queue = find_queue(kind, request, interactive);
    draw_text(habit, person, random, request);
    if (demo_random_chance(random, habit->arrays) && bounds->tasks > 1) {
        int64_t tasks = 1 + demo_random_around(random, habit->tasks, 640);
        request->task = 1;
        request->last_task = tasks < bounds->tasks ? (uint32_t)tasks : bounds->tasks;
    }
}

uint32_t demo_job_runs(const struct demo_request *request)
{
    return request->last_task > 0 ? request->last_task - request->task + 1 : 1;
}

/* Some fail after hours, most at once. */
static int64_t cut_short(int64_t wall_s, struct demo_random *random)
{
    if (demo_random_chance(random, 600)) {
        return demo_random_below(random, wall_s < 90 ? (uint32_t)wall_s + 1 : 90);
    }
    return wall_s * demo_random_below(random, 1000) / 1000;
}

static struct demo_fate draw_failure(int64_t wall_s, struct demo_random *random)
{
    static const uint8_t exits[] = {1, 1, 1, 1, 1, 1, 2, 2, 127, 126, 255, 3, 64, 77};
    static const uint8_t signals[] = {11, 11, 11, 11, 6, 6, 7, 8, 15, 9};
    struct demo_fate fate = {.wall_s = cut_short(wall_s, random)};
    if (demo_random_chance(random, 720)) {
        fate.outcome = DEMO_EXITED;
        fate.exit_status = exits[demo_random_below(random, sizeof(exits))];
    } else {
        fate.outcome = DEMO_CRASHED;
        fate.exit_status = 128 + signals[demo_random_below(random, sizeof(signals))];
    }
    return fate;
}

struct demo_fate demo_job_fate(const struct demo_request *request,
                               const struct demo_habit *habit, struct demo_random *random)
{
    /* Thousandths of runs that end so; own failures are the habit's. */
    enum { NEVER = 4, RESTART = 4, DELETED = 16, STUCK = 10, TIGHT = 250 };

    int spread = request->task > 0 ? 190 : 300; /* tasks of an array are alike */
    int64_t wish = demo_random_around(random, request->typical_s, spread);
    int64_t wall = wish < request->limit_s ? wish : request->limit_s;
    uint32_t die = demo_random_below(random, 1000);
    if (die < NEVER) {
        return (struct demo_fate){DEMO_NOT_STARTED, 0, 0};
    }
    if (die < NEVER + RESTART && request->attempt == 0) {
        return (struct demo_fate){DEMO_RESTARTED, 0,
                                  wall * demo_random_below(random, 1000) / 1000};
    }
    if (die < NEVER + RESTART + DELETED) {
        return (struct demo_fate){DEMO_DELETED, 137,
                                  wall * demo_random_below(random, 1000) / 1000};
    }
    bool stuck = die < NEVER + RESTART + DELETED + STUCK &&
                 request->limit_s <= INT64_C(10) * request->typical_s;
    if (wish >= request->limit_s || stuck) {
        return (struct demo_fate){DEMO_OUT_OF_TIME, 137,
                                  request->limit_s + demo_random_below(random, 4)};
    }
    bool tight = request->use_mb > request->limit_mb - request->limit_mb / 8;
    if (tight && demo_random_chance(random, TIGHT)) {
        return (struct demo_fate){DEMO_OUT_OF_MEMORY, 137, cut_short(wall, random)};
    }
    if (demo_random_chance(random, habit->failures)) {
        return draw_failure(wall, random);
    }
    return (struct demo_fate){DEMO_DONE, 0, wall};
}
