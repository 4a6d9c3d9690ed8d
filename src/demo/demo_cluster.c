/* SPDX-License-Identifier: MIT */
#include "demo/demo_cluster.h"

#include <stdlib.h>

#include "base/mem.h"
#include "demo/demo_agenda.h"
#include "demo/demo_arrival.h"
#include "demo/demo_machine.h"
#include "demo/demo_queue.h"
#include "demo/demo_record.h"

/*
 * Time goes in steps of a scheduling interval: what has ended is written and its slots are
 * freed, what was submitted joins a line, and what fits is started. Steps in which nothing
 * happens are left out. A run that starts in a step ends in it or later, so rows come in order
 * of their ends.
 *
 * Exactly `runs` runs must end before the period does. Submissions are steered towards that
 * number plus those that will be unfinished at the end, of which there are about as many as
 * there were on average lately. When the number is reached nothing more is started; if it is
 * not, the rest is somebody's broken script in the last minutes (see `make_up`).
 */

enum {
    STEP_S = 15, /* schedule_interval */
    FINISH_LEAST_S = 1200,
    FINISH_MOST_S = 16 * 3600,
    JOB_LAST = 9999999, /* then 1 again */
    AGAIN = 350,        /* thousandths of submissions that the same person follows up */
    PROGRESS_EVERY = 1 << 15,
    MOOD_S = 8 * 3600, /* with that much waiting, people submit half of what they would */
};

#define NONE_FREE UINT32_MAX

struct cluster {
    const struct demo_cluster_plan *plan;
    const struct demo_cluster_kind *kind;
    struct demo_cluster_summary *summary;
    struct demo_record record;
    struct demo_random random;
    struct demo_arrival arrival;
    struct demo_machine machine;
    struct demo_pool pools[DEMO_POOLS_MAX];
    struct demo_running *running; /* by index in the agenda, or on the free list */
    uint32_t running_room, running_free;
    struct demo_agenda ends;
    int64_t now_s;
    int64_t finish_s; /* how long before the end people think of it */
    int64_t grow_s;   /* INT64_MAX when done or never */
    uint32_t next_job;
    uint32_t person;    /* who submitted last */
    int64_t submitted;  /* runs */
    int64_t promised;   /* runs written, and those running that will end in time */
    int64_t unfinished; /* average number of late, times 256 */
    int64_t patience;   /* average of late, in thousandths */
};

/* --- running ------------------------------------------------------------------------------ */

static uint32_t new_running(struct cluster *cluster)
{
    if (cluster->running_free == NONE_FREE) {
        uint32_t room = cluster->running_room ? 2 * cluster->running_room : 256;
        cluster->running = mem_resize(cluster->running, room, sizeof(*cluster->running));
        for (uint32_t i = cluster->running_room; i < room; i++) {
            cluster->running[i].next_free = cluster->running_free;
            cluster->running_free = i;
        }
        cluster->running_room = room;
    }
    uint32_t index = cluster->running_free;
    cluster->running_free = cluster->running[index].next_free;
    return index;
}

static int write_run(struct cluster *cluster, const struct demo_running *running,
                     struct error *err)
{
    const struct demo_cluster_plan *plan = cluster->plan;
    int64_t done = cluster->summary->runs;
    if (plan->progress && done % PROGRESS_EVERY == 0 &&
        !plan->progress(plan->context, plan->done + done, plan->total)) {
        return error_set(err, ERROR_STOPPED, "stopped while writing '%s'", plan->writer->path);
    }
    return demo_record_write(&cluster->record, running, &cluster->random, err);
}

/* Writes what ends up to `now_s`, in the order it ends, and frees its slots. */
static int end_runs(struct cluster *cluster, int64_t now_s, struct error *err)
{
    while (demo_agenda_first(&cluster->ends) <= now_s) {
        uint32_t index = demo_agenda_take(&cluster->ends).what;
        struct demo_running *running = &cluster->running[index];
        int rc = write_run(cluster, running, err);
        if (rc != 0) {
            return rc;
        }
        struct demo_pool *pool = &cluster->pools[running->job.pool];
        demo_queue_leave(pool, running->grant);
        if (running->fate.outcome == DEMO_RESTARTED) {
            running->job.attempt++;
            cluster->submitted++;
            demo_queue_again(pool, &running->job, now_s);
        }
        running->next_free = cluster->running_free;
        cluster->running_free = index;
    }
    return 0;
}

static int start_run(struct cluster *cluster, const struct demo_request *job, uint32_t grant,
                     struct error *err)
{
    const struct demo_habit *habit =
        &demo_site_habits[cluster->plan->people->persons[job->person].habit];
    struct demo_running running = {.job = *job, .grant = grant};
    running.fate = demo_job_fate(job, habit, &cluster->random);
    if (running.fate.outcome == DEMO_NOT_STARTED) {
        cluster->promised++;
        int rc = write_run(cluster, &running, err);
        demo_queue_leave(&cluster->pools[job->pool], grant);
        return rc;
    }
    running.start_s = cluster->now_s + demo_random_below(&cluster->random, 3);
    int64_t end_s = running.start_s + running.fate.wall_s;
    if (end_s < cluster->plan->clock->to_s) {
        cluster->promised++;
    }
    uint32_t index = new_running(cluster);
    cluster->running[index] = running;
    demo_agenda_add(&cluster->ends, end_s, index);
    return 0;
}

static bool is_closed(const struct cluster *cluster)
{
    const struct demo_clock *clock = cluster->plan->clock;
    size_t hour = (size_t)((cluster->now_s - clock->from_s) / DEMO_HOUR_S);
    return hour < clock->count && clock->hours[hour].closed;
}

static int start_runs(struct cluster *cluster, struct error *err)
{
    if (is_closed(cluster)) {
        return 0;
    }
    for (size_t i = 0; i < DEMO_POOLS_MAX; i++) {
        struct demo_request job;
        uint32_t grant = DEMO_NO_GRANT;
        while (cluster->pools[i].waiting > 0 && cluster->promised < cluster->plan->runs &&
               demo_queue_next(&cluster->pools[i], cluster->now_s, &job, &grant)) {
            int rc = start_run(cluster, &job, grant, err);
            if (rc != 0) {
                return rc;
            }
        }
    }
    return 0;
}

/* --- submitting --------------------------------------------------------------------------- */

static uint64_t waiting(const struct cluster *cluster)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < DEMO_POOLS_MAX; i++) {
        sum += cluster->pools[i].waiting;
    }
    return sum;
}

/* The end is so near that what is submitted must be short to count. */
static bool is_late(const struct cluster *cluster)
{
    return cluster->plan->clock->to_s - cluster->now_s < cluster->finish_s;
}

/*
 * Runs that are still to be submitted. Near the end only what will have ended by then counts,
 * and what waits counts for less and less.
 */
static int64_t to_come(const struct cluster *cluster)
{
    int64_t left_s = cluster->plan->clock->to_s - cluster->now_s;
    if (is_late(cluster)) {
        int64_t hope = (int64_t)waiting(cluster) * left_s / cluster->finish_s;
        return cluster->plan->runs - cluster->promised - hope;
    }
    return cluster->plan->runs + cluster->unfinished / 256 - cluster->submitted;
}

/* People hold back when the line is longer than of late, and come back when it is not. */
static int64_t patience(const struct cluster *cluster)
{
    int64_t backlog_slot_s = 0;
    int64_t slots = 0;
    for (size_t i = 0; i < DEMO_POOLS_MAX; i++) {
        backlog_slot_s += cluster->pools[i].backlog_slot_s;
        slots += (int64_t)cluster->pools[i].count * cluster->pools[i].slots;
    }
    int64_t wait_s = backlog_slot_s / slots;
    int64_t thousandths = INT64_C(1000) * MOOD_S / (MOOD_S + wait_s);
    return thousandths > 0 ? thousandths : 1; /* never none, whatever waits */
}

static uint32_t mood(const struct cluster *cluster)
{
    int64_t now = patience(cluster) * 1000 / cluster->patience;
    if (is_late(cluster)) {
        return 1000;
    }
    return (uint32_t)(now < 1300 ? now : 1300);
}

/*
 * Who is behind submits shorter jobs: the number of runs is given, so when the machine could
 * not keep up for a while they must take less time. And near the end, what is to count must
 * end.
 */
static void shorten(const struct cluster *cluster, struct demo_request *job)
{
    const struct demo_arrival *arrival = &cluster->arrival;
    int64_t to_do = to_come(cluster) * (1 << 20) / cluster->plan->runs;
    int64_t time = (int64_t)((arrival->left << 20) / arrival->all);
    int64_t behind = 1024 * to_do / (time + 1); /* 1024 is on schedule */
    for (int64_t over = 1024 + 128; behind > over && job->typical_s > 8; behind -= behind / 4) {
        job->typical_s /= 2;
    }
    int64_t left_s = cluster->plan->clock->to_s - cluster->now_s;
    if (is_late(cluster) && job->typical_s > left_s / 4) {
        job->typical_s = (uint32_t)(left_s / 8) + 1;
    }
}

static void give_number(struct cluster *cluster, struct demo_request *job)
{
    job->job = cluster->next_job;
    cluster->next_job = cluster->next_job < JOB_LAST ? cluster->next_job + 1 : 1;
    cluster->summary->jobs++;
}

static void submit(struct cluster *cluster)
{
    const struct demo_people *people = cluster->plan->people;
    const struct demo_arrival *arrival = &cluster->arrival;
    if (cluster->summary->jobs == 0 || !demo_random_chance(&cluster->random, AGAIN)) {
        cluster->person = demo_arrival_person(arrival, people, arrival->hour, &cluster->random);
    }
    struct demo_bounds bounds = cluster->machine.bounds;
    int64_t most = to_come(cluster) / 4; /* so that no array comes too late to be finished */
    if (bounds.tasks > most) {
        bounds.tasks = most > 0 ? (uint32_t)most : 0;
    }
    struct demo_request job;
    demo_job_request(cluster->kind, &people->persons[cluster->person], &bounds,
                     &cluster->random, &job);
    shorten(cluster, &job);
    job.person = cluster->person;
    job.submit_s = arrival->next_s;
    give_number(cluster, &job);
    cluster->submitted += demo_job_runs(&job);
    bool express = cluster->kind->queues[job.queue].express || (is_late(cluster) && !job.mpi);
    demo_queue_join(&cluster->pools[job.pool], &job, express, job.submit_s);
}

/* Keeps averages over the last days, or over a part of a short period. */
static void look_back(struct cluster *cluster)
{
    int64_t memory = (int64_t)cluster->plan->clock->count / 20;
    memory = memory < 6 ? 6 : memory > 72 ? 72 : memory;
    int64_t now = (int64_t)(waiting(cluster) + cluster->ends.count) * 256;
    cluster->unfinished += (now - cluster->unfinished) / memory;
    cluster->patience += (patience(cluster) - cluster->patience) / (5 * memory);
}

/* All that was submitted up to now, hour by hour. */
static void submit_all(struct cluster *cluster)
{
    struct demo_arrival *arrival = &cluster->arrival;
    while (arrival->hour < arrival->clock->count) {
        if (arrival->next_s <= cluster->now_s) {
            submit(cluster);
            demo_arrival_made(arrival, &cluster->random);
        } else if (arrival->hour_end_s <= cluster->now_s) {
            look_back(cluster);
            demo_arrival_turn(arrival, to_come(cluster), mood(cluster));
        } else {
            return;
        }
    }
}

/*
 * Runs that are missing at the end: a script that fails at once, over and over. They take no
 * time, and so no slots.
 */
static void make_up(struct cluster *cluster)
{
    static const int exits[] = {127, 126, 1};
    const struct demo_people *people = cluster->plan->people;
    uint32_t left_s = (uint32_t)(cluster->plan->clock->to_s - cluster->now_s);
    struct demo_request job = {0};
    for (int64_t i = cluster->promised; i < cluster->plan->runs; i++) {
        if (i == cluster->promised || demo_random_chance(&cluster->random, 100)) {
            cluster->person = demo_arrival_person(
                &cluster->arrival, people, cluster->plan->clock->count - 1, &cluster->random);
            demo_job_request(cluster->kind, &people->persons[cluster->person],
                             &cluster->machine.bounds, &cluster->random, &job);
        }
        job.person = cluster->person;
        job.task = job.last_task = 0;
        job.submit_s = cluster->now_s;
        give_number(cluster, &job);
        uint32_t index = new_running(cluster);
        cluster->running[index] = (struct demo_running){.job = job, .grant = DEMO_NO_GRANT};
        struct demo_running *running = &cluster->running[index];
        running->fate = (struct demo_fate){DEMO_EXITED, exits[job.job % 3], 0};
        running->start_s = cluster->now_s + demo_random_below(&cluster->random, left_s);
        demo_agenda_add(&cluster->ends, running->start_s, index);
    }
    cluster->promised = cluster->plan->runs;
}

/* --- life --------------------------------------------------------------------------------- */

/* When something happens next, moved up to the next step. */
static int64_t next_step(const struct cluster *cluster)
{
    const struct demo_clock *clock = cluster->plan->clock;
    int64_t next_s = demo_agenda_first(&cluster->ends);
    if (cluster->arrival.next_s < next_s) {
        next_s = cluster->arrival.next_s;
    }
    if (cluster->arrival.hour_end_s < next_s) {
        next_s = cluster->arrival.hour_end_s;
    }
    if (cluster->grow_s < next_s) {
        next_s = cluster->grow_s;
    }
    if (next_s >= clock->to_s) {
        return clock->to_s;
    }
    return clock->from_s + (next_s - clock->from_s + STEP_S - 1) / STEP_S * STEP_S;
}

static int live(struct cluster *cluster, struct error *err)
{
    int64_t to_s = cluster->plan->clock->to_s;
    demo_arrival_begin(&cluster->arrival, to_come(cluster), &cluster->random);
    while (cluster->promised < cluster->plan->runs) {
        int64_t now_s = next_step(cluster);
        if (now_s >= to_s) {
            break;
        }
        cluster->now_s = now_s;
        int rc = end_runs(cluster, now_s, err);
        if (rc != 0) {
            return rc;
        }
        submit_all(cluster);
        if (now_s >= cluster->grow_s) {
            demo_queue_grow(&cluster->pools[0]);
            cluster->grow_s = INT64_MAX;
        }
        rc = start_runs(cluster, err);
        if (rc != 0) {
            return rc;
        }
    }
    make_up(cluster);
    return end_runs(cluster, to_s - 1, err);
}

static void build(struct cluster *cluster)
{
    const struct demo_cluster_plan *plan = cluster->plan;
    const struct demo_clock *clock = plan->clock;
    demo_random_init(&cluster->random, plan->seed, plan->cluster + 1);
    demo_arrival_init(&cluster->arrival, clock, plan->people, plan->cluster);
    cluster->machine = demo_machine_plan(plan->cluster, plan->runs, plan->seed, plan->people,
                                         &cluster->arrival);
    cluster->arrival.mean_runs = cluster->machine.mean_runs;
    struct demo_cluster_summary *summary = cluster->summary;
    for (size_t i = 0; i < DEMO_POOLS_MAX && cluster->machine.nodes[i] > 0; i++) {
        uint16_t slots = cluster->kind->pools[i].slots;
        uint32_t before = cluster->machine.before[i];
        uint32_t nodes = cluster->machine.nodes[i];
        demo_queue_init(&cluster->pools[i], slots, before, nodes);
        demo_record_hosts(&cluster->record, i, nodes);
        summary->nodes_before += before;
        summary->slots_before += (int64_t)before * slots;
        summary->nodes += nodes;
        summary->slots += (int64_t)nodes * slots;
    }
    cluster->now_s = clock->from_s;
    int64_t part_s = (clock->to_s - clock->from_s) / 50;
    cluster->finish_s = part_s < FINISH_LEAST_S  ? FINISH_LEAST_S
                        : part_s > FINISH_MOST_S ? FINISH_MOST_S
                                                 : part_s;
    cluster->grow_s = INT64_MAX;
    if (summary->nodes > summary->nodes_before) {
        int64_t part = (clock->to_s - clock->from_s) * cluster->kind->grown_at / 1000;
        cluster->grow_s = clock->from_s + part / STEP_S * STEP_S;
        summary->grown_at = cluster->grow_s * SECOND_US;
    }
}

static void release(struct cluster *cluster)
{
    for (size_t i = 0; i < DEMO_POOLS_MAX; i++) {
        demo_queue_release(&cluster->pools[i]);
    }
    demo_record_release(&cluster->record);
    demo_arrival_release(&cluster->arrival);
    demo_agenda_release(&cluster->ends);
    free(cluster->running);
}

int demo_cluster_live(const struct demo_cluster_plan *plan,
                      struct demo_cluster_summary *summary, struct error *err)
{
    const struct demo_cluster_kind *kind = &demo_site_clusters[plan->cluster];
    struct cluster *cluster = mem_alloc(1, sizeof(*cluster));
    *summary = (struct demo_cluster_summary){.name = kind->name};
    cluster->plan = plan;
    cluster->kind = kind;
    cluster->summary = summary;
    cluster->record = (struct demo_record){
        .people = plan->people,
        .kind = kind,
        .pools = cluster->pools,
        .writer = plan->writer,
        .summary = summary,
    };
    cluster->running_free = NONE_FREE;
    cluster->next_job = kind->first_job;
    cluster->patience = 1000;
    build(cluster);
    int rc = live(cluster, err);
    release(cluster);
    free(cluster);
    return rc;
}
