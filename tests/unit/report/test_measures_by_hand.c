/* SPDX-License-Identifier: MIT */

/*
 * Every kind of measure, worked out by hand. The period is Monday, 10 March 2025, in UTC, unless a row says
 * otherwise; times of runs are hours from its beginning, durations are hours, the rest is as it is.
 * Answers are in hours where a measure is, else in microseconds, bytes or plain numbers.
 */
#include <stdlib.h>

#include "unit/report/hand.h"

enum { RUNS_MAX = 6, HOURS = 24 };

struct hand_row {
    const char *name;
    const char *runs[RUNS_MAX]; /* "start=2 end=5 cpus=4" */
    const char *measures, *by;
    const char *zone, *from, *to; /* NULL: UTC and the day */
    enum bucket bucket;
    int64_t now; /* hours from the day's beginning; 0: ten days later */
    const char *want;
};

#define DAY "2025-03-10"

static const struct hand_row hand_rows[] = {
    /* Nothing: counts and amounts are 0, what is worked out from values is unknown. */
    {.name = "counts and amounts of nothing",
     .measures = "jobs,jobs_submitted,jobs_active,jobs_never_started,cpu_hours,energy,"
                 "wait_hours,users,running_peak,running_avg",
     .want = "0 0 0 0 0h 0 0h 0 0 0.0000\n"},
    {.name = "means, quantiles and ratios of nothing",
     .measures = "wait_avg,wait_p90,wall_min,wall_median,mem_peak_max,cpus_avg,success_rate,"
                 "cpu_efficiency,cpu_coverage,system_ratio,utilization",
     .want = "--- --- --- --- --- --- --- --- --- --- ---\n"},

    /* 1 + 2 + 6 = 9 hours, of which the mean is 3. The second of three is the median: half of 3 is 1.5,
     * so two. Nine in ten of three are all three. A submission nobody knows is no wait of 0. */
    {.name = "waits",
     .runs = {"submit=1 start=2 end=3", "submit=1 start=3 end=4", "submit=1 start=7 end=8",
              "start=9 end=10"},
     .measures = "wait_hours,wait_avg,wait_median,wait_p90,wait_p99,wait_max,jobs_started",
     .want = "9h 10800000000 7200000000 21600000000 21600000000 21600000000 4\n"},
    {.name = "waits nobody knows",
     .runs = {"start=9 end=10"},
     .measures = "wait_hours,wait_avg,wait_median,wait_p90,wait_p99,wait_max",
     .want = "--- --- --- --- --- ---\n"},
    /* Two of 0 and 4: the median is the first. The third could start after it started: 0. */
    {.name = "waits since it could have started",
     .runs = {"submit=0 eligible=2 start=2 end=3", "submit=0 eligible=3 start=7 end=8",
              "submit=0 start=9 end=10", "eligible=12 start=10 end=11"},
     .measures = "wait_eligible_hours,wait_eligible_avg,wait_eligible_median,"
                 "wait_eligible_p90,wait_eligible_p99,wait_eligible_max",
     .want = "4h 4800000000 0 14400000000 14400000000 14400000000\n"},

    /* 1, 2 and 4 less 1 suspended: 1, 2, 3. One that ends before it starts took 0; four in all: the second
     * is the median, the mean is 6 / 4. The one still running is none of them. */
    {.name = "times of jobs",
     .runs = {"start=1 end=2", "start=1 end=3", "start=1 end=5 suspended=1", "start=9 end=8",
              "start=3"},
     .measures = "wall_min,wall_max,wall_avg,wall_median,jobs",
     .want = "0 10800000000 5400000000 3600000000 4\n"},
    /* Ended at midnight: of the day that begins then. */
    {.name = "memory and cpus of jobs",
     .runs = {"start=1 end=2 cpus=1 mem_peak=10", "start=-9 end=0 cpus=8 mem_peak=21",
              "start=1 end=2", "start=1 end=24 cpus=99 mem_peak=99"},
     .measures = "mem_peak_avg,mem_peak_max,cpus_avg,cpus_max,cpus_min",
     .want = "15.5 21 4.5000 8 1\n"},

    {.name = "what became of them",
     .runs = {"start=1 end=2 class=completed", "start=1 end=2 class=completed",
              "start=1 end=2 class=failed", "start=1 end=2 class=timeout",
              "start=1 end=2 class=oom", "start=1 end=24 class=completed"},
     .measures = "jobs,jobs_completed,jobs_failed,jobs_cancelled,jobs_timeout,jobs_oom,"
                 "jobs_node_fail,jobs_requeued,success_rate",
     .want = "5 2 1 0 1 1 0 0 0.4000\n"},
    /* Given up at 5; given up nobody knows when, so at its submission; given up the day after; waiting
     * still; it ran. */
    {.name = "never started",
     .runs = {"submit=-3 end=5 class=cancelled", "submit=4 class=cancelled",
              "submit=4 end=24 class=cancelled", "submit=4 class=pending",
              "submit=4 start=5 end=6 class=cancelled"},
     .measures = "jobs_never_started,jobs_submitted,jobs_cancelled,jobs,wall_hours",
     .want = "2 4 1 1 1h\n"},

    /* 3 hours of it are in the day. 2 GPUs, 3 nodes, 5 billing units; bytes x hours, of which a GiB is 2^30:
     * 3 x 3600e6 x 4 and x 2. */
    {.name = "all that is allotted",
     .runs = {"start=21 end=30 gpus=2 node_count=3 billing=5 mem=4 disk=2"},
     .measures = "gpu_hours,node_hours,billing_hours,wall_hours,mem_gib_hours,disk_gib_hours",
     .want = "6h 9h 15h 3h 43200000000 21600000000\n"},
    {.name = "all that is allotted, unknown",
     .runs = {"start=21 end=30"},
     .measures = "cpu_hours,gpu_hours,node_hours,billing_hours,mem_gib_hours,disk_gib_hours",
     .want = "--- --- --- --- --- ---\n"},
    /* 10 hours less 4, on 2 cpus. */
    {.name = "suspended within",
     .runs = {"start=1 end=11 cpus=2 suspended=4"},
     .measures = "cpu_hours,wall_hours,running_avg",
     .want = "12h 6h 0.2500\n"},
    /* From -12 to 12, suspended for 6: half of these are in the day, so 12 - 3. */
    {.name = "suspended across the edge",
     .runs = {"start=-12 end=12 cpus=2 suspended=6"},
     .measures = "cpu_hours,wall_hours,wall_max",
     .want = "18h 9h 64800000000\n"},
    {.name = "suspended for longer than it took",
     .runs = {"start=1 end=3 cpus=2 suspended=6"},
     .measures = "cpu_hours,wall_hours,wall_max",
     .want = "0h 0h 0\n"},
    {.name = "suspended, and nobody knows when it ended",
     .runs = {"start=1 cpus=2 suspended=6 class=failed"},
     .measures = "cpu_hours,wall_hours,jobs_active",
     .want = "--- --- 1\n"},
    /* Started at the first instant, too: cpu_hours alone sees it as well. */
    {.name = "started as the period began, and nobody knows when it ended",
     .runs = {"start=0 cpus=2 class=failed"},
     .measures = "cpu_hours",
     .want = "---\n"},

    /* Half of 12 hours of use; all of a run within; all of one that took no time; nothing of unknown. */
    {.name = "used",
     .runs = {"start=-6 end=6 cpu_used=12 cpu_user=8 cpu_system=4 gpu_used=2 energy=100",
              "start=7 end=8 cpu_used=1", "start=9 end=9 cpu_used=1", "start=9 end=10"},
     .measures = "cpu_used_hours,cpu_user_hours,cpu_system_hours,gpu_used_hours,energy",
     .want = "8h 4h 2h 1h 50\n"},
    /* 10 joules over 3 hours, of which 1 is before: 10 x 1/3, rounded down to thousandths, and the rest. */
    {.name = "used, to the last thousandth of a joule",
     .runs = {"start=-1 end=2 energy=10"},
     .measures = "energy",
     .from = "2025-03-09",
     .bucket = BUCKET_DAY,
     .want = "2025-03-09 3.333\n2025-03-10 6.667\n"},
    {.name = "used by a run that goes on",
     .runs = {"start=-4 cpu_used=8 class=running seen=4"},
     .measures = "cpu_used_hours,wall_hours",
     .now = 4,
     .want = "4h 4h\n"},

    /* 2 of 4 x 1 cpu hours; of 8 given in all. 1 of 4 bytes, of 4 + 4 asked for. A quarter of the limit, of 1
     * hour out of 2. 1 of 1 + 3 in system mode. */
    {.name = "how well",
     .runs = {"start=1 end=2 cpus=4 cpu_used=2 mem=4 mem_peak=1 time_limit=4 cpu_user=3 "
              "cpu_system=1 gpus=2 gpu_used=1",
              "start=1 end=2 cpus=4 req_mem=4 gpus=6"},
     .measures = "cpu_efficiency,cpu_coverage,mem_efficiency,mem_coverage,gpu_efficiency,"
                 "gpu_coverage,time_efficiency,time_coverage,system_ratio",
     .want = "0.5000 0.5000 0.2500 0.5000 0.5000 0.2500 0.2500 0.5000 0.2500\n"},

    /* Suspended for 3 of 4 hours: all of its cpus' hour was used, and a quarter of the 4 hours that it held its GPU. The other
     * held 3 GPUs for an hour. */
    {.name = "suspended",
     .runs = {"start=1 end=5 suspended=3 cpus=1 cpu_used=1 gpus=1 gpu_used=1",
              "start=1 end=2 cpus=1 cpu_used=1 gpus=3"},
     .measures = "cpu_efficiency,cpu_coverage,gpu_efficiency,gpu_coverage",
     .want = "1.0000 1.0000 0.2500 0.5714\n"},

    {.name = "different ones",
     .runs = {"start=1 end=2 user=ann account=x node=n1", "start=1 end=2 user=bob node=n1",
              "start=-2 end=0 user=cyd account=y node=n2"},
     .measures = "users,people,accounts,nodes",
     .want = "2 2 1 1\n"},
    {.name = "different ones nobody knows",
     .runs = {"start=1 end=2"},
     .measures = "users,accounts,nodes",
     .want = "--- --- ---\n"},

    /* 12 and 6 hours of 24. */
    {.name = "means over time",
     .runs = {"start=-3 end=12 cpus=2", "start=18 end=30 cpus=4"},
     .measures = "running_avg,cpus_running_avg",
     .want = "0.7500 2.0000\n"},
    /* At noon 12 hours have passed, and one run took all of them. */
    {.name = "means over the time that has passed",
     .runs = {"start=-3 cpus=2 class=running seen=12"},
     .measures = "running_avg,cpus_running_avg",
     .now = 12,
     .want = "1.0000 2.0000\n"},
    /* Seen until 3, 6 hours after it started: nobody knows what it did later. */
    {.name = "a run that was last seen a while ago",
     .runs = {"start=-3 cpus=2 class=running seen=3"},
     .measures = "cpu_hours,wall_hours,jobs_active,running_avg",
     .now = 12,
     .want = "6h 3h 1 0.2500\n"},
    {.name = "a run that was last seen before",
     .runs = {"start=-3 cpus=2 class=running seen=-1"},
     .measures = "cpu_hours,wall_hours,jobs_active,running_peak",
     .now = 12,
     .want = "0h 0h 0 0\n"},
    /* Whether they ended, and when, is not recorded: two have started, and how much they took is unknown. */
    {.name = "runs of which nobody knows whether they ended",
     .runs = {"start=1 cpus=2 class=other", "start=2 cpus=2", "submit=1 class=other"},
     .measures = "cpu_hours,wall_hours,jobs_active,jobs_started,jobs_never_started,jobs",
     .now = 12,
     .want = "--- --- 2 2 1 0\n"},
    {.name = "a run in a state nobody knows that was listed",
     .runs = {"start=1 cpus=2 class=other seen=5"},
     .measures = "cpu_hours,jobs_active",
     .now = 12,
     .want = "8h 1\n"},
    {.name = "means over time that is to come",
     .runs = {"start=-3 cpus=2 class=running seen=-1"},
     .measures = "running_avg,cpus_running_avg,running_peak,cpu_hours,jobs_active",
     .now = -1,
     .want = "--- --- 0 0h 0\n"},

    /* One ends as the next starts: not at once. The two before the period are there when it begins. */
    {.name = "peaks",
     .runs = {"start=1 end=6 cpus=2", "start=6 end=9 cpus=3", "start=9 end=9 cpus=100",
              "start=8 end=20 cpus=1", "start=12 cpus=1 class=failed"},
     .measures = "running_peak,cpus_running_peak",
     .want = "2 4\n"},
    {.name = "peaks of what began before",
     .runs = {"start=-2 end=1 cpus=2", "start=-1 end=48 cpus=3", "start=5 end=6"},
     .measures = "running_peak,cpus_running_peak",
     .bucket = BUCKET_DAY,
     .to = "2025-03-12",
     .want = "2025-03-10 2 5\n2025-03-11 1 3\n2025-03-12 0 0\n"},
    {.name = "peaks of unknown cpus",
     .runs = {"start=1 end=6", "start=2 end=7"},
     .measures = "running_peak,cpus_running_peak",
     .want = "2 ---\n"},
    {.name = "peaks of no cpus",
     .runs = {"start=1 end=6 cpus=0"},
     .measures = "running_peak,cpus_running_peak",
     .want = "1 0\n"},

    /* By a dimension: unknown cpus are a size of their own, not the largest. */
    {.name = "by size",
     .runs = {"start=1 end=2 cpus=1", "start=1 end=3 cpus=3", "start=1 end=4 cpus=16384",
              "start=1 end=5", "start=1 end=6 cpus=4", "start=1 end=7 cpus=7"},
     .measures = "wall_hours",
     .by = "size",
     .want = "4-7 11h\n--- 4h\n16k and more 3h\n2-3 2h\n1 1h\n"},
    {.name = "by shape",
     .runs = {"start=1 end=2 cpus=1 node_count=1", "start=1 end=3 cpus=3 node_count=1",
              "start=1 end=4 cpus=8 node_count=2", "start=1 end=5 cpus=8", "start=1 end=6"},
     .measures = "wall_hours",
     .by = "shape",
     .want = "--- 5h\nparallel, nodes unknown 4h\nseveral nodes 3h\none node 2h\nserial 1h\n"},

    /* From Monday noon for 36 hours. Three Mondays and two Tuesdays: 12 of 72 hours, 24 of 48. */
    {.name = "by weekday",
     .runs = {"start=12 end=48 class=completed cpus=2 cpu_used=9"},
     .measures = "running_avg,wall_hours,cpu_used_hours,jobs_active,jobs_started,"
                 "jobs,cpu_efficiency,running_peak",
     .by = "weekday",
     .to = "2025-03-24",
     .want = "Tue 0.5000 24h 6h 1 0 0 --- 1\nMon 0.1667 12h 3h 1 1 0 --- 1\n"
             "Wed 0.0000 0h 0h 0 0 1 0.1250 0\n"
             "Thu 0.0000 0h 0h 0 0 0 --- 0\nFri 0.0000 0h 0h 0 0 0 --- 0\n"
             "Sat 0.0000 0h 0h 0 0 0 --- 0\nSun 0.0000 0h 0h 0 0 0 --- 0\n"},
    /* Two days from 22 to 1: the hour from 22 twice, and one run is one run in both. */
    {.name = "by hour of the day",
     .runs = {"start=-2 end=1 user=ann", "start=22 end=49 user=ann"},
     .measures = "wall_hours,jobs_active,users,running_peak",
     .by = "hour_of_day",
     .from = "2025-03-09T22:00",
     .to = "2025-03-11T01:00",
     .want = "0 2h 2 1 1\n22 2h 2 1 1\n23 2h 2 1 1\n"
             "1 0h 0 0 0\n2 0h 0 0 0\n3 0h 0 0 0\n4 0h 0 0 0\n5 0h 0 0 0\n6 0h 0 0 0\n"
             "7 0h 0 0 0\n8 0h 0 0 0\n9 0h 0 0 0\n10 0h 0 0 0\n11 0h 0 0 0\n12 0h 0 0 0\n"
             "13 0h 0 0 0\n14 0h 0 0 0\n15 0h 0 0 0\n16 0h 0 0 0\n17 0h 0 0 0\n"
             "18 0h 0 0 0\n19 0h 0 0 0\n20 0h 0 0 0\n21 0h 0 0 0\n"},
    /* 30 March has no hour from 2 to 3 in Oslo, and 26 October has two. */
    {.name = "by hour of a day of 23 hours",
     .runs = {"start=400 end=600"},
     .measures = "wall_hours,running_avg",
     .by = "hour_of_day",
     .zone = "Europe/Oslo",
     .from = "2025-03-30T00:00",
     .to = "2025-03-30T04:00",
     .want = "0 1h 1.0000\n1 1h 1.0000\n3 1h 1.0000\n"},
    {.name = "by hour of a day of 25 hours",
     .runs = {"start=5400 end=5700"},
     .measures = "wall_hours,running_avg",
     .by = "hour_of_day",
     .zone = "Europe/Oslo",
     .from = "2025-10-26T00:00",
     .to = "2025-10-26T04:00",
     .now = 9000,
     .want = "2 2h 1.0000\n0 1h 1.0000\n1 1h 1.0000\n3 1h 1.0000\n"},
    /* 297 days, 7128 hours, are left of the year: two hours before, six after, half of them suspended. */
    {.name = "across the year",
     .runs = {"start=7126 end=7134 cpu_used=8 suspended=4"},
     .measures = "wall_hours,cpu_used_hours,jobs_active,jobs",
     .from = "2025",
     .to = "2026",
     .bucket = BUCKET_YEAR,
     .now = 9000,
     .want = "2025 1h 2h 1 0\n2026 3h 6h 1 1\n"},
};

static struct runs_store store;

static void add_runs(const struct hand_row *row)
{
    struct run runs[RUNS_MAX] = {0};
    size_t count = 0;
    for (; count < RUNS_MAX && row->runs[count]; count++) {
        hand_run(row->runs[count], &runs[count]);
    }
    runs_clear(&store);
    if (count > 0) {
        runs_add(&store, runs, count);
    }
}

static void measures_by_hand(void **state)
{
    const struct hand_row *row = *state;
    struct zone *zone = ask_zone(row->zone ? row->zone : "UTC");
    struct question question = {
        .zone = zone,
        .period = ask_period(zone, row->from ? row->from : DAY, row->to ? row->to : DAY),
        .bucket = row->bucket,
        .now = hand_at(row->now ? row->now : (int64_t)10 * HOURS * 10),
    };
    add_runs(row);
    ask_measures(&question, row->measures);
    if (row->by) {
        ask_by(&question, row->by);
    }
    expect_answer(store.facts, &question, row->want);
    zone_close(zone);
}

/* One record of absurd numbers may not keep reports from being made. */
static void absurd_numbers_overflow_nothing(void **state)
{
    (void)state;
    static const struct hand_row row = {.runs = {"start=-12 end=12 cpus=2"}};
    struct zone *zone = ask_zone("UTC");
    struct question question = {
        .zone = zone, .period = ask_period(zone, DAY, DAY), .now = hand_at(240)};
    struct error err = {0};
    struct table table;
    add_runs(&row);
    if (facts_execute(
            store.facts,
            "UPDATE runs SET mem_bytes = 9223372036854775807, disk_bytes = "
            "9223372036854775807, suspended_us = 3, cpu_user_us = 9223372036854775807, "
            "cpu_system_us = 9223372036854775807, cpu_used_us = 9223372036854775807",
            (struct facts_values){0}, NULL, &err) != 0) {
        expect_fail("%s", err.text);
    }
    for (size_t i = 0; i < measure_count; i++) {
        question.measures[question.measure_count++] = &measures[i];
    }
    for (question.bucket = BUCKET_NONE; question.bucket <= BUCKET_DAY; question.bucket++) {
        ask(store.facts, &question, &table);
        table_release(&table);
    }
    question.bucket = BUCKET_NONE;
    ask_measures(&question, "system_ratio,cpu_used_hours,mem_gib_hours,wall_hours");
    ask(store.facts, &question, &table);
    expect_double(table.columns[0].cells[0].real, 0.5, 0);
    /* 12 hours; those of the run itself less 3 - 1 microseconds */
    expect_true(table_wide(&table, 2, 0) == (wide_int)INT64_MAX * 12 * HOUR_US);
    expect_true(table_wide(&table, 3, 0) == 12 * HOUR_US - 2);
    table_release(&table);
    zone_close(zone);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, measures_by_hand, hand_rows);
    SUITE_TEST(&suite, absurd_numbers_overflow_nothing);
    return runs_suite(&suite, &store, "measures_by_hand");
}
