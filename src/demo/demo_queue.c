/* SPDX-License-Identifier: MIT */
#include "demo/demo_queue.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

enum {
    OVERTAKE = 20,         /* how many from the front are looked at */
    PATIENCE_S = 3 * 3600, /* first this long: no more overtaking */
    FIRST_ROOM = 64,
};

#define NO_NODE UINT32_MAX

/* --- nodes -------------------------------------------------------------------------------- */

static void list_node(struct demo_pool *pool, uint32_t index)
{
    struct demo_node *node = &pool->nodes[index];
    uint32_t *list = pool->lists[node->free];
    node->before = list[1];
    node->after = NO_NODE;
    if (list[1] == NO_NODE) {
        list[0] = index;
        pool->filled[node->free / 64] |= UINT64_C(1) << node->free % 64;
    } else {
        pool->nodes[list[1]].after = index;
    }
    list[1] = index;
}

static void unlist_node(struct demo_pool *pool, uint32_t index)
{
    const struct demo_node *node = &pool->nodes[index];
    uint32_t *list = pool->lists[node->free];
    if (node->before == NO_NODE) {
        list[0] = node->after;
    } else {
        pool->nodes[node->before].after = node->after;
    }
    if (node->after == NO_NODE) {
        list[1] = node->before;
    } else {
        pool->nodes[node->after].before = node->before;
    }
    if (list[0] == NO_NODE) {
        pool->filled[node->free / 64] &= ~(UINT64_C(1) << node->free % 64);
    }
}

static void change_free(struct demo_pool *pool, uint32_t index, int change)
{
    struct demo_node *node = &pool->nodes[index];
    unlist_node(pool, index);
    assert(node->free + change >= 0 && node->free + change <= pool->slots);
    node->free = (uint16_t)(node->free + change);
    pool->free += change;
    list_node(pool, index);
}

/* The node with the fewest free slots that are enough, so that large holes stay; or NO_NODE. */
static uint32_t tightest(const struct demo_pool *pool, unsigned slots)
{
    unsigned word = slots / 64;
    uint64_t bits = pool->filled[word] & ~UINT64_C(0) << slots % 64;
    while (bits == 0 && ++word < sizeof(pool->filled) / sizeof(pool->filled[0])) {
        bits = pool->filled[word];
    }
    return bits ? pool->lists[word * 64 + (unsigned)__builtin_ctzll(bits)][0] : NO_NODE;
}

/* The node with the most free slots, or NO_NODE if all are full. */
static uint32_t emptiest(const struct demo_pool *pool)
{
    for (unsigned word = sizeof(pool->filled) / sizeof(pool->filled[0]); word-- > 0;) {
        uint64_t bits = pool->filled[word] & (word == 0 ? ~UINT64_C(1) : ~UINT64_C(0));
        if (bits) {
            return pool->lists[word * 64 + 63 - (unsigned)__builtin_clzll(bits)][0];
        }
    }
    return NO_NODE;
}

/* --- grants ------------------------------------------------------------------------------- */

static uint32_t new_grant(struct demo_pool *pool, uint32_t node, unsigned slots)
{
    if (pool->grant_free == DEMO_NO_GRANT) {
        uint32_t room = pool->grant_room ? 2 * pool->grant_room : FIRST_ROOM;
        pool->grants = mem_resize(pool->grants, room, sizeof(*pool->grants));
        for (uint32_t i = pool->grant_room; i < room; i++) {
            pool->grants[i] = (struct demo_grant){.next = pool->grant_free};
            pool->grant_free = i;
        }
        pool->grant_room = room;
    }
    uint32_t index = pool->grant_free;
    pool->grant_free = pool->grants[index].next;
    pool->grants[index] = (struct demo_grant){node, DEMO_NO_GRANT, (uint16_t)slots};
    change_free(pool, node, -(int)slots);
    return index;
}

void demo_queue_leave(struct demo_pool *pool, uint32_t grant)
{
    while (grant != DEMO_NO_GRANT) {
        struct demo_grant *held = &pool->grants[grant];
        uint32_t next = held->next;
        change_free(pool, held->node, held->slots);
        held->next = pool->grant_free;
        pool->grant_free = grant;
        grant = next;
    }
}

static uint32_t place_on_one(struct demo_pool *pool, unsigned slots)
{
    uint32_t node = tightest(pool, slots);
    return node == NO_NODE ? DEMO_NO_GRANT : new_grant(pool, node, slots);
}

/* All or nothing, on DEMO_PARTS_MAX nodes at most. */
static uint32_t place_on_many(struct demo_pool *pool, unsigned slots)
{
    if (pool->free < slots) {
        return DEMO_NO_GRANT;
    }
    uint32_t first = DEMO_NO_GRANT;
    uint32_t last = DEMO_NO_GRANT;
    for (int hosts = 0; slots > 0 && hosts < DEMO_PARTS_MAX; hosts++) {
        uint32_t node = emptiest(pool);
        if (node == NO_NODE) {
            break;
        }
        unsigned share = pool->nodes[node].free < slots ? pool->nodes[node].free : slots;
        uint32_t grant = new_grant(pool, node, share);
        if (first == DEMO_NO_GRANT) {
            first = grant;
        } else {
            pool->grants[last].next = grant;
        }
        last = grant;
        slots -= share;
    }
    if (slots > 0) {
        demo_queue_leave(pool, first);
        return DEMO_NO_GRANT;
    }
    return first;
}

/* --- lines -------------------------------------------------------------------------------- */

/* So many more runs of the job wait, or fewer. */
static void count_waiting(struct demo_pool *pool, const struct demo_request *job, int64_t runs)
{
    pool->waiting += (uint64_t)runs;
    pool->backlog_slot_s += runs * job->hold * job->typical_s;
}

static struct demo_request *line_at(const struct demo_line *line, size_t index)
{
    return &line->jobs[(line->first + index) & (line->room - 1)];
}

static void line_reserve(struct demo_line *line)
{
    if (line->count < line->room) {
        return;
    }
    struct demo_line larger = {.count = line->count,
                               .room = line->room ? 2 * line->room : FIRST_ROOM};
    larger.since_s = line->since_s;
    larger.jobs = mem_alloc(larger.room, sizeof(*larger.jobs));
    for (size_t i = 0; i < line->count; i++) {
        larger.jobs[i] = *line_at(line, i);
    }
    free(line->jobs);
    *line = larger;
}

static void line_remove(struct demo_line *line, size_t index, int64_t now_s)
{
    for (size_t i = index; i > 0; i--) {
        *line_at(line, i) = *line_at(line, i - 1);
    }
    line->first = (line->first + 1) & (line->room - 1);
    line->count--;
    if (index == 0) {
        line->since_s = now_s;
    }
}

/* The first job within reach that fits, started; or false. */
static bool line_next(struct demo_pool *pool, struct demo_line *line, int64_t now_s,
                      struct demo_request *job, uint32_t *grant)
{
    size_t reach = line->count < OVERTAKE ? line->count : OVERTAKE;
    if (line == &pool->common && reach > 1 && now_s - line->since_s > PATIENCE_S) {
        reach = 1;
    }
    for (size_t i = 0; i < reach; i++) {
        struct demo_request *waiting = line_at(line, i);
        *grant = waiting->mpi ? place_on_many(pool, waiting->hold)
                              : place_on_one(pool, waiting->hold);
        if (*grant == DEMO_NO_GRANT) {
            continue;
        }
        *job = *waiting;
        job->last_task = job->task;
        if (waiting->task < waiting->last_task) {
            waiting->task++;
            line->since_s = i == 0 ? now_s : line->since_s;
        } else {
            line_remove(line, i, now_s);
        }
        count_waiting(pool, job, -1);
        return true;
    }
    return false;
}

void demo_queue_join(struct demo_pool *pool, const struct demo_request *job, bool express,
                     int64_t now_s)
{
    struct demo_line *line = express ? &pool->express : &pool->common;
    line_reserve(line);
    if (line->count == 0) {
        line->since_s = now_s;
    }
    *line_at(line, line->count++) = *job;
    count_waiting(pool, job, demo_job_runs(job));
}

void demo_queue_again(struct demo_pool *pool, const struct demo_request *job, int64_t now_s)
{
    struct demo_line *line = &pool->common;
    line_reserve(line);
    line->first = (line->first - 1) & (line->room - 1);
    line->count++;
    line->since_s = now_s;
    *line_at(line, 0) = *job;
    count_waiting(pool, job, demo_job_runs(job));
}

bool demo_queue_next(struct demo_pool *pool, int64_t now_s, struct demo_request *job,
                     uint32_t *grant)
{
    if (line_next(pool, &pool->express, now_s, job, grant)) {
        return true;
    }
    return line_next(pool, &pool->common, now_s, job, grant);
}

/* --- life --------------------------------------------------------------------------------- */

void demo_queue_init(struct demo_pool *pool, uint16_t slots, uint32_t count, uint32_t all)
{
    assert(slots > 0 && slots <= DEMO_NODE_SLOTS_MAX && count <= all);
    *pool = (struct demo_pool){.slots = slots, .all = count, .grant_free = DEMO_NO_GRANT};
    for (size_t i = 0; i <= DEMO_NODE_SLOTS_MAX; i++) {
        pool->lists[i][0] = pool->lists[i][1] = NO_NODE;
    }
    pool->nodes = mem_alloc(all > 0 ? all : 1, sizeof(*pool->nodes));
    demo_queue_grow(pool);
    pool->all = all;
}

void demo_queue_grow(struct demo_pool *pool)
{
    for (; pool->count < pool->all; pool->count++) {
        pool->nodes[pool->count].free = pool->slots;
        pool->free += pool->slots;
        list_node(pool, pool->count);
    }
}

void demo_queue_release(struct demo_pool *pool)
{
    free(pool->nodes);
    free(pool->grants);
    free(pool->express.jobs);
    free(pool->common.jobs);
    *pool = (struct demo_pool){0};
}
