/* SPDX-License-Identifier: MIT */
#include "demo/demo_arrival.h"

#include <stdlib.h>

#include "base/mem.h"

/* An hour weighs less than 2^20, so that runs (less than 2^27) x weight x 2^16 fit 64 bits. */
enum { WEIGHT_ONE = 1 << 10, WEEK_HOURS = 168 };

/* Activity of everybody in an hour, with the cluster's trend; never 0, so that time passes. */
static uint32_t weigh_hour(const struct demo_arrival *arrival,
                           const struct demo_cluster_kind *kind, size_t hour)
{
    const struct demo_clock *clock = arrival->clock;
    uint64_t sum = 0;
    for (size_t i = 0; i < DEMO_RHYTHM_COUNT; i++) {
        sum += arrival->weights[i] * clock->hours[hour].activity[i] / 1000;
    }
    int64_t trend = kind->trend_from + ((int64_t)kind->trend_to - kind->trend_from) *
                                           (int64_t)hour / (int64_t)clock->count;
    int64_t start_s = clock->from_s + (int64_t)hour * DEMO_HOUR_S;
    int64_t length_s =
        clock->to_s - start_s < DEMO_HOUR_S ? clock->to_s - start_s : DEMO_HOUR_S;
    return (uint32_t)(sum * 100 * (uint64_t)trend / 1000 * (uint64_t)length_s / DEMO_HOUR_S) +
           1;
}

void demo_arrival_init(struct demo_arrival *arrival, const struct demo_clock *clock,
                       const struct demo_people *people, size_t cluster)
{
    *arrival = (struct demo_arrival){.clock = clock, .mean_runs = 256};
    uint64_t sum = 0;
    for (size_t i = 0; i < DEMO_RHYTHM_COUNT; i++) {
        demo_people_crowd(people, cluster, (enum demo_rhythm)i, &arrival->crowds[i]);
        sum += demo_people_crowd_weight(&arrival->crowds[i]);
    }
    for (size_t i = 0; i < DEMO_RHYTHM_COUNT; i++) {
        arrival->weights[i] = demo_people_crowd_weight(&arrival->crowds[i]) * WEIGHT_ONE / sum;
    }
    arrival->hours = mem_alloc(clock->count, sizeof(*arrival->hours));
    for (size_t i = 0; i < clock->count; i++) {
        arrival->hours[i] = weigh_hour(arrival, &demo_site_clusters[cluster], i);
        arrival->all += arrival->hours[i];
    }
    arrival->left = arrival->all;
}

void demo_arrival_release(struct demo_arrival *arrival)
{
    for (size_t i = 0; i < DEMO_RHYTHM_COUNT; i++) {
        demo_people_crowd_release(&arrival->crowds[i]);
    }
    free(arrival->hours);
    *arrival = (struct demo_arrival){0};
}

/* When the next submission comes, if it comes in this hour. */
static void settle(struct demo_arrival *arrival)
{
    arrival->next_s = INT64_MAX;
    if (arrival->due < arrival->expected) {
        int64_t start_s = arrival->clock->from_s + (int64_t)arrival->hour * DEMO_HOUR_S;
        uint64_t length_s = (uint64_t)(arrival->hour_end_s - start_s);
        arrival->next_s = start_s + (int64_t)(arrival->due * length_s / arrival->expected);
    }
}

/* What this hour should bring of what is still to come. */
static void expect_hour(struct demo_arrival *arrival, int64_t to_come, uint32_t mood)
{
    const struct demo_clock *clock = arrival->clock;
    uint64_t runs = to_come > 0 ? (uint64_t)to_come : 0;
    uint64_t in_hour = (runs * arrival->hours[arrival->hour] << 16) / arrival->left;
    arrival->expected = in_hour * 256 / arrival->mean_runs * mood / 1000;
    int64_t end_s = clock->from_s + ((int64_t)arrival->hour + 1) * DEMO_HOUR_S;
    arrival->hour_end_s = end_s < clock->to_s ? end_s : clock->to_s;
    settle(arrival);
}

void demo_arrival_begin(struct demo_arrival *arrival, int64_t to_come,
                        struct demo_random *random)
{
    arrival->due = (uint64_t)demo_random_wait(random);
    expect_hour(arrival, to_come, 1000);
}

void demo_arrival_turn(struct demo_arrival *arrival, int64_t to_come, uint32_t mood)
{
    arrival->due -= arrival->expected; /* it was due later, or it would have been made */
    arrival->left -= arrival->hours[arrival->hour];
    arrival->next_s = INT64_MAX;
    if (++arrival->hour < arrival->clock->count) {
        expect_hour(arrival, to_come, mood);
    }
}

void demo_arrival_made(struct demo_arrival *arrival, struct demo_random *random)
{
    arrival->due += (uint64_t)demo_random_wait(random);
    settle(arrival);
}

uint32_t demo_arrival_person(const struct demo_arrival *arrival,
                             const struct demo_people *people, size_t hour,
                             struct demo_random *random)
{
    const struct demo_clock *clock = arrival->clock;
    uint64_t parts[DEMO_RHYTHM_COUNT];
    uint64_t sum = 0;
    for (size_t i = 0; i < DEMO_RHYTHM_COUNT; i++) {
        /* + 1: in the dead of night there may be no activity, but somebody it must be */
        parts[i] = arrival->crowds[i].count > 0
                       ? arrival->weights[i] * clock->hours[hour].activity[i] + 1
                       : 0;
        sum += parts[i];
    }
    uint64_t at = demo_random_next(random) % sum;
    size_t rhythm = 0;
    while (at >= parts[rhythm]) {
        at -= parts[rhythm++];
    }
    uint32_t when = (uint32_t)(hour * 1000 / clock->count);
    return demo_people_draw(people, &arrival->crowds[rhythm], random, when,
                            (int64_t)(hour / WEEK_HOURS));
}
