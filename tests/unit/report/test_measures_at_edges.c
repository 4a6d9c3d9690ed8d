/* SPDX-License-Identifier: MIT */

/*
 * Every measure of the catalogue at every edge of a period, worked out by hand. One run, of which all is
 * known: 2 cpus, 1 GPU, 3 nodes, 5 billing units, 4 bytes of memory and 2 of disk. Of the time L that it took it used L cpu
 * hours (half of what it was given), three quarters of them in user mode, L / 2 GPU hours and 10 L joules; its peak is
 * 1 byte, its limit is 4 L. The cluster has 8 cpus and 4 GPUs. A measure without a row fails the test.
 */
#include <stdio.h>

#include "unit/report/hand.h"

#define HELD                                                                                   \
    "cluster=c user=ann account=x node=n1 cpus=2 gpus=1 node_count=3 billing=5 mem=4 disk=2 "  \
    "mem_peak=1 "

/* What is told of runs that ended: nothing, if none did. */
#define ENDED_VALUES                                                                           \
    "success_rate,wall_min,wall_max,wall_avg,wall_median,mem_peak_avg,mem_peak_max,cpus_avg,"  \
    "cpus_max,cpus_min,cpu_efficiency,cpu_coverage,mem_efficiency,mem_coverage,"               \
    "gpu_efficiency,gpu_coverage,time_efficiency,time_coverage,system_ratio"
#define WAIT_VALUES "wait_avg,wait_median,wait_p90,wait_p99,wait_max"
#define ALLOWED_VALUES                                                                         \
    "wait_eligible_avg,wait_eligible_median,wait_eligible_p90,wait_eligible_p99,"              \
    "wait_eligible_max"
#define WALLS     "wall_min,wall_max,wall_avg,wall_median"
#define BAD_ENDS  "jobs_failed,jobs_cancelled,jobs_timeout,jobs_oom,jobs_node_fail,jobs_requeued"
#define DIFFERENT "users,people,accounts,nodes"
#define HALVES    "cpu_efficiency,gpu_efficiency"
#define QUARTERS  "mem_efficiency,time_efficiency,system_ratio"
#define COVERAGES "cpu_coverage,mem_coverage,gpu_coverage,time_coverage"
#define AMOUNTS                                                                                \
    "cpu_hours,gpu_hours,node_hours,wall_hours,mem_gib_hours,disk_gib_hours,billing_hours"
#define USES   "cpu_used_hours,cpu_user_hours,cpu_system_hours,gpu_used_hours"
#define LEVELS "utilization,gpu_utilization,running_avg,cpus_running_avg"
#define LOOKED                                                                                 \
    "cpu_hours_down,cpu_hours_planned,cpu_hours_reserved,cpu_hours_unknown,cpu_hours_idle,"    \
    "gpu_hours_down,gpu_hours_planned,gpu_hours_reserved,gpu_hours_unknown,gpu_hours_idle"

/* 8 cpus and 4 GPUs for so long; nobody looked at the nodes, so what became of the rest is unknown. */
#define SIZES(cpu_hours, gpu_hours)                                                            \
    {cpu_hours, "cpu_hours_capacity"}, {gpu_hours, "gpu_hours_capacity"},                      \
    {                                                                                          \
        "---", LOOKED                                                                          \
    }

enum { SAID_MAX = 40 };

struct edge_row {
    const char *name;
    const char *run;
    const char *zone, *from, *to; /* NULL: UTC and the day */
    int64_t now;                  /* hours from the day's beginning; 0: long after */

    struct {
        const char *value, *measures;
    } said[SAID_MAX];
};

static const struct edge_row edge_rows[] = {
    /* 0 to 8, L = 8: 2 x 8, 1 x 8, 3 x 8, 8, 4 x 8, 2 x 8, 5 x 8 hours; used 8, 6, 2, 4. Of 8 x 24 and 4 x 24: 16 / 192,
     * 8 / 96; 8 / 24 and 16 / 24 on average. It waited for nothing. */
    {.name = "starts at midnight",
     .run = HELD "submit=0 eligible=0 start=0 end=8 class=completed cpu_used=8 cpu_user=6 "
                 "cpu_system=2 gpu_used=4 energy=80 time_limit=32",
     .said = {SIZES("192h", "96h"),
              {"1", "jobs,jobs_submitted,jobs_started,jobs_active,jobs_completed," DIFFERENT
                    ",running_peak"},
              {"0", "jobs_never_started," BAD_ENDS},
              {"1.000000", "success_rate," COVERAGES},
              {"16h", "cpu_hours,disk_gib_hours"},
              {"8h", "gpu_hours,wall_hours,cpu_used_hours," WALLS},
              {"24h", "node_hours"},
              {"32h", "mem_gib_hours"},
              {"40h", "billing_hours"},
              {"6h", "cpu_user_hours"},
              {"2h", "cpu_system_hours"},
              {"4h", "gpu_used_hours"},
              {"80", "energy"},
              {"0h", "wait_hours,wait_eligible_hours," WAIT_VALUES "," ALLOWED_VALUES},
              {"1", "mem_peak_avg,mem_peak_max"},
              {"2.000000", "cpus_avg"},
              {"2", "cpus_max,cpus_min,cpus_running_peak"},
              {"0.500000", HALVES},
              {"0.250000", QUARTERS},
              {"0.083333", "utilization,gpu_utilization"},
              {"0.333333", "running_avg"},
              {"0.666667", "cpus_running_avg"}}},
    /* 16 to 24: midnight is the next day's, so nothing has ended, while all of the time is in the day. Waited from 14,
     * and from 15 when it could have started. */
    {.name = "ends at midnight",
     .run = HELD "submit=14 eligible=15 start=16 end=24 class=completed cpu_used=8 cpu_user=6 "
                 "cpu_system=2 gpu_used=4 energy=80 time_limit=32",
     .said = {SIZES("192h", "96h"),
              {"1", "jobs_submitted,jobs_started,jobs_active," DIFFERENT ",running_peak"},
              {"0", "jobs,jobs_never_started,jobs_completed," BAD_ENDS},
              {"---", ENDED_VALUES},
              {"16h", "cpu_hours,disk_gib_hours"},
              {"8h", "gpu_hours,wall_hours,cpu_used_hours"},
              {"24h", "node_hours"},
              {"32h", "mem_gib_hours"},
              {"40h", "billing_hours"},
              {"6h", "cpu_user_hours"},
              {"2h", "cpu_system_hours,wait_hours," WAIT_VALUES},
              {"4h", "gpu_used_hours"},
              {"80", "energy"},
              {"1h", "wait_eligible_hours," ALLOWED_VALUES},
              {"2", "cpus_running_peak"},
              {"0.083333", "utilization,gpu_utilization"},
              {"0.333333", "running_avg"},
              {"0.666667", "cpus_running_avg"}}},
    /* -8 to 0: it ended in the day, at its first instant, and had nothing of it. */
    {.name = "ends as the period begins",
     .run = HELD "submit=-10 eligible=-9 start=-8 end=0 class=completed cpu_used=8 cpu_user=6 "
                 "cpu_system=2 gpu_used=4 energy=80 time_limit=32",
     .said = {SIZES("192h", "96h"),
              {"1", "jobs,jobs_completed,mem_peak_avg,mem_peak_max"},
              {"0", "jobs_submitted,jobs_started,jobs_active,jobs_never_started," BAD_ENDS
                    "," DIFFERENT ",running_peak,cpus_running_peak,energy"},
              {"0h", AMOUNTS "," USES ",wait_hours,wait_eligible_hours"},
              {"---", WAIT_VALUES "," ALLOWED_VALUES},
              {"1.000000", "success_rate," COVERAGES},
              {"8h", WALLS},
              {"2.000000", "cpus_avg"},
              {"2", "cpus_max,cpus_min"},
              {"0.500000", HALVES},
              {"0.250000", QUARTERS},
              {"0.000000", LEVELS}}},
    /* -12 to 36, L = 48: half of it is the day. 2 x 24 and so on; half of 48, 36, 12, 24 and of 480. Full all day: of 8
     * cpus 2, of 4 GPUs 1. It neither began nor ended here. */
    {.name = "spans the period",
     .run = HELD "submit=-14 eligible=-13 start=-12 end=36 class=completed cpu_used=48 "
                 "cpu_user=36 cpu_system=12 gpu_used=24 energy=480 time_limit=192",
     .said = {SIZES("192h", "96h"),
              {"1", "jobs_active," DIFFERENT ",running_peak"},
              {"0", "jobs,jobs_submitted,jobs_started,jobs_never_started,jobs_completed,"
                    "" BAD_ENDS},
              {"---", ENDED_VALUES "," WAIT_VALUES "," ALLOWED_VALUES},
              {"0h", "wait_hours,wait_eligible_hours"},
              {"48h", "cpu_hours,disk_gib_hours"},
              {"24h", "gpu_hours,wall_hours,cpu_used_hours"},
              {"72h", "node_hours"},
              {"96h", "mem_gib_hours"},
              {"120h", "billing_hours"},
              {"18h", "cpu_user_hours"},
              {"6h", "cpu_system_hours"},
              {"12h", "gpu_used_hours"},
              {"240", "energy"},
              {"2", "cpus_running_peak"},
              {"0.250000", "utilization,gpu_utilization"},
              {"1.000000", "running_avg"},
              {"2.000000", "cpus_running_avg"}}},
    /* At 6: it is one run of its instant, holds nothing for any time, and what it used is all there. Shares of no time are
     * unknown; 0 of a limit of 4 hours is not. */
    {.name = "takes no time",
     .run = HELD "submit=4 eligible=5 start=6 end=6 class=completed cpu_used=4 cpu_user=3 "
                 "cpu_system=1 gpu_used=2 energy=40 time_limit=4",
     .said = {SIZES("192h", "96h"),
              {"1", "jobs,jobs_submitted,jobs_started,jobs_active,jobs_completed," DIFFERENT
                    ",mem_peak_avg,mem_peak_max"},
              {"0", "jobs_never_started," BAD_ENDS ",running_peak,cpus_running_peak"},
              {"1.000000", "success_rate,mem_coverage"},
              {"0h", AMOUNTS "," WALLS},
              {"4h", "cpu_used_hours"},
              {"3h", "cpu_user_hours"},
              {"1h", "cpu_system_hours,wait_eligible_hours," ALLOWED_VALUES},
              {"2h", "gpu_used_hours,wait_hours," WAIT_VALUES},
              {"40", "energy"},
              {"2.000000", "cpus_avg"},
              {"2", "cpus_max,cpus_min"},
              {"---", HALVES ",cpu_coverage,gpu_coverage,time_coverage"},
              {"0.250000", "mem_efficiency,system_ratio"},
              {"0.000000", "time_efficiency," LEVELS}}},
    /* From 16, and it is 20: L = 4 so far. 2 x 4 of 8 x 20 cpu hours, 4 of 4 x 20 GPU hours; 4 / 20 and 8 / 20. */
    {.name = "is still running",
     .run = HELD "submit=14 eligible=15 start=16 class=running cpu_used=4 cpu_user=3 "
                 "cpu_system=1 gpu_used=2 energy=40 time_limit=16 seen=20",
     .now = 20,
     .said = {SIZES("160h", "80h"),
              {"1", "jobs_submitted,jobs_started,jobs_active," DIFFERENT ",running_peak"},
              {"0", "jobs,jobs_never_started,jobs_completed," BAD_ENDS},
              {"---", ENDED_VALUES},
              {"8h", "cpu_hours,disk_gib_hours"},
              {"4h", "gpu_hours,wall_hours,cpu_used_hours"},
              {"12h", "node_hours"},
              {"16h", "mem_gib_hours"},
              {"20h", "billing_hours"},
              {"3h", "cpu_user_hours"},
              {"1h", "cpu_system_hours,wait_eligible_hours," ALLOWED_VALUES},
              {"2h", "gpu_used_hours,wait_hours," WAIT_VALUES},
              {"40", "energy"},
              {"2", "cpus_running_peak"},
              {"0.050000", "utilization,gpu_utilization"},
              {"0.200000", "running_avg"},
              {"0.400000", "cpus_running_avg"}}},
    /* 1 to 17 with 4 hours suspended: L = 12 of 16. Cpus are free meanwhile, GPUs, nodes, memory and disk are not: 2 x 12,
     * but 16, 3 x 16, 4 x 16, 2 x 16, 5 x 16. 24 / 192 and 16 / 96; 12 / 24 and 24 / 24; 6 / 16. */
    {.name = "was suspended",
     .run = HELD "submit=-1 eligible=0 start=1 end=17 suspended=4 class=completed cpu_used=12 "
                 "cpu_user=9 cpu_system=3 gpu_used=6 energy=120 time_limit=48",
     .said = {SIZES("192h", "96h"),
              {"1", "jobs,jobs_started,jobs_active,jobs_completed," DIFFERENT
                    ",running_peak,mem_peak_avg,mem_peak_max"},
              {"0", "jobs_submitted,jobs_never_started," BAD_ENDS},
              {"1.000000", "success_rate," COVERAGES ",cpus_running_avg"},
              {"24h", "cpu_hours"},
              {"16h", "gpu_hours"},
              {"48h", "node_hours"},
              {"12h", "wall_hours,cpu_used_hours," WALLS},
              {"64h", "mem_gib_hours"},
              {"32h", "disk_gib_hours"},
              {"80h", "billing_hours"},
              {"9h", "cpu_user_hours"},
              {"3h", "cpu_system_hours"},
              {"6h", "gpu_used_hours"},
              {"120", "energy"},
              {"2h", "wait_hours," WAIT_VALUES},
              {"1h", "wait_eligible_hours," ALLOWED_VALUES},
              {"2.000000", "cpus_avg"},
              {"2", "cpus_max,cpus_min,cpus_running_peak"},
              {"0.500000", "cpu_efficiency,running_avg"},
              {"0.375000", "gpu_efficiency"},
              {"0.250000", QUARTERS},
              {"0.125000", "utilization"},
              {"0.166667", "gpu_utilization"}}},
    /* 30 March in Oslo goes from hour 479 to 502, 23 of them, and skips one at 481. The run is from 480 to 484: L = 4, at
     * whatever the clock shows. Of 8 x 23 and 4 x 23: 8 / 184, 4 / 92; 4 / 23 and 8 / 23. Submitted the day before. */
    {.name = "crosses a change of the clock",
     .run = HELD "submit=478 eligible=479 start=480 end=484 class=completed cpu_used=4 "
                 "cpu_user=3 cpu_system=1 gpu_used=2 energy=40 time_limit=16",
     .zone = "Europe/Oslo",
     .from = "2025-03-30",
     .to = "2025-03-30",
     .said = {SIZES("184h", "92h"),
              {"1", "jobs,jobs_started,jobs_active,jobs_completed," DIFFERENT
                    ",running_peak,mem_peak_avg,mem_peak_max"},
              {"0", "jobs_submitted,jobs_never_started," BAD_ENDS},
              {"1.000000", "success_rate," COVERAGES},
              {"8h", "cpu_hours,disk_gib_hours"},
              {"4h", "gpu_hours,wall_hours,cpu_used_hours," WALLS},
              {"12h", "node_hours"},
              {"16h", "mem_gib_hours"},
              {"20h", "billing_hours"},
              {"3h", "cpu_user_hours"},
              {"1h", "cpu_system_hours,wait_eligible_hours," ALLOWED_VALUES},
              {"2h", "gpu_used_hours,wait_hours," WAIT_VALUES},
              {"40", "energy"},
              {"2.000000", "cpus_avg"},
              {"2", "cpus_max,cpus_min,cpus_running_peak"},
              {"0.500000", HALVES},
              {"0.250000", QUARTERS},
              {"0.043478", "utilization,gpu_utilization"},
              {"0.173913", "running_avg"},
              {"0.347826", "cpus_running_avg"}}},
    /* 2025 ends at hour 7128. From 7122 to 7130, L = 8: 6 of 8 hours, three quarters of all it used, are in 2025. Of 8 x
     * 8760 and 4 x 8760 hours: 12 / 70080, 6 / 35040; 6 / 8760 and 12 / 8760. It ended in 2026. */
    {.name = "crosses a year",
     .run = HELD "submit=7120 eligible=7121 start=7122 end=7130 class=completed cpu_used=8 "
                 "cpu_user=6 cpu_system=2 gpu_used=4 energy=80 time_limit=32",
     .from = "2025",
     .to = "2025",
     .now = 9000,
     .said = {SIZES("70080h", "35040h"),
              {"1", "jobs_submitted,jobs_started,jobs_active," DIFFERENT ",running_peak"},
              {"0", "jobs,jobs_never_started,jobs_completed," BAD_ENDS},
              {"---", ENDED_VALUES},
              {"12h", "cpu_hours,disk_gib_hours"},
              {"6h", "gpu_hours,wall_hours,cpu_used_hours"},
              {"18h", "node_hours"},
              {"24h", "mem_gib_hours"},
              {"30h", "billing_hours"},
              {"4.5h", "cpu_user_hours"},
              {"1.5h", "cpu_system_hours"},
              {"3h", "gpu_used_hours"},
              {"60", "energy"},
              {"2h", "wait_hours," WAIT_VALUES},
              {"1h", "wait_eligible_hours," ALLOWED_VALUES},
              {"2", "cpus_running_peak"},
              {"0.000171", "utilization,gpu_utilization"},
              {"0.000685", "running_avg"},
              {"0.001370", "cpus_running_avg"}}},
    /* Submitted the day before, given up at the first instant: nothing but that. */
    {.name = "is given up as the period begins",
     .run = "cluster=c user=ann account=x submit=-3 end=0 class=cancelled",
     .said = {SIZES("192h", "96h"),
              {"1", "jobs_never_started"},
              {"0", "jobs,jobs_submitted,jobs_started,jobs_active,jobs_completed," BAD_ENDS
                    "," DIFFERENT ",running_peak,cpus_running_peak,energy"},
              {"---", ENDED_VALUES "," WAIT_VALUES "," ALLOWED_VALUES},
              {"0h", AMOUNTS "," USES ",wait_hours,wait_eligible_hours"},
              {"0.000000", LEVELS}}},
    /* Submitted at the first instant, given up at the end, which is the next day's. */
    {.name = "is given up as the period ends",
     .run = "cluster=c user=ann account=x submit=0 end=24 class=cancelled",
     .said = {SIZES("192h", "96h"),
              {"1", "jobs_submitted"},
              {"0", "jobs,jobs_never_started,jobs_started,jobs_active,jobs_completed," BAD_ENDS
                    "," DIFFERENT ",running_peak,cpus_running_peak,energy"},
              {"---", ENDED_VALUES "," WAIT_VALUES "," ALLOWED_VALUES},
              {"0h", AMOUNTS "," USES ",wait_hours,wait_eligible_hours"},
              {"0.000000", LEVELS}}},
};

static struct runs_store store;

/* What a row says of a measure; a measure must be there once. */
static const char *said_of(const struct edge_row *row, const char *id)
{
    const char *found = NULL;
    for (size_t i = 0; i < SAID_MAX && row->said[i].value; i++) {
        for (struct str rest = str_of(row->said[i].measures); rest.ptr;) {
            struct str name = str_cut(&rest, ',');
            if (str_eq(name, str_of(id))) {
                if (found) {
                    expect_fail("%s: '%s' is there twice", row->name, id);
                }
                found = row->said[i].value;
            } else if (!measure_find(name)) {
                expect_fail("%s: no measure '%.*s'", row->name, STR_ARG(name));
            }
        }
    }
    return found;
}

/* In hours what is time, or anything x time. */
static void print(const struct table *table, size_t column, struct buf *out)
{
    const enum unit unit = table->columns[column].unit;
    if (!table_has(table, column, 0)) {
        buf_addz(out, "---");
    } else if (table->columns[column].type == CELL_REAL && unit != UNIT_SECONDS &&
               unit != UNIT_BYTES) {
        buf_addf(out, "%.6f", table_real(table, column, 0));
    } else if (unit == UNIT_HOURS || unit == UNIT_SECONDS || unit == UNIT_GIB_HOURS) {
        buf_addf(out, "%.12gh", table_real(table, column, 0) / (double)HOUR_US);
    } else if (unit == UNIT_MILLIJOULES) {
        buf_addf(out, "%.12g", table_real(table, column, 0) / 1000);
    } else {
        buf_addf(out, "%.0f", table_real(table, column, 0));
    }
}

static void expect_said(const struct edge_row *row, const struct table *table, size_t column,
                        const char *want)
{
    struct buf got;
    buf_init(&got, 4096);
    print(table, column, &got);
    if (!str_eq(buf_str(&got), str_of(want))) {
        expect_fail("a run that %s: %s is %s, not %s", row->name, table->columns[column].id,
                    got.ptr, want);
    }
    buf_release(&got);
}

static struct capacity capacity = {.cluster = {"c", 1},
                                   .period = {0, INSTANT_MAX},
                                   .cpus_micro = 8000000,
                                   .gpus_micro = 4000000};
static const struct capacity_list capacities = {.rows = &capacity, .count = 1};

static struct question question_of(const struct edge_row *row, const struct zone *zone)
{
    struct question question = {.zone = zone, .capacities = &capacities};
    question.period = row->from ? ask_period(zone, row->from, row->to)
                                : ask_period(zone, "2025-03-10", "2025-03-10");
    question.now = hand_at(row->now ? row->now : 1000);
    return question;
}

static void add(const struct edge_row *row, const char *class)
{
    struct run run = {0};
    hand_run(row->run, &run);
    if (class) {
        hand_set(&run, STR("class"), str_of(class));
    }
    runs_clear(&store);
    runs_add(&store, &run, 1);
}

static void every_measure_at_an_edge(void **state)
{
    const struct edge_row *row = *state;
    struct zone *zone = ask_zone(row->zone ? row->zone : "UTC");
    struct question question = question_of(row, zone);
    struct table table;
    add(row, NULL);
    for (size_t i = 0; i < measure_count; i++) { /* prices: unit/bank/test_price_sql.c */
        if (measures[i].quantity != QUANTITY_SU && measures[i].quantity != QUANTITY_COST) {
            question.measures[question.measure_count++] = &measures[i];
        }
    }
    ask(store.facts, &question, &table);
    expect_uint(table.row_count, 1);
    for (size_t i = 0; i < question.measure_count; i++) {
        const char *id = question.measures[i]->id;
        const char *want = said_of(row, id);
        if (!want) {
            expect_fail("nobody worked out '%s' for a run that %s", id, row->name);
        }
        expect_said(row, &table, i, want);
    }
    table_release(&table);
    zone_close(zone);
}

/* However it ends, a run is counted as such where it would be counted as a job. */
static void every_class_at_an_edge(void **state)
{
    static const char *const classes[] = {"failed", "cancelled", "timeout",
                                          "oom",    "node_fail", "requeued"};
    const struct edge_row *row = *state;
    struct zone *zone = ask_zone(row->zone ? row->zone : "UTC");
    struct question question = question_of(row, zone);
    for (size_t i = 0; i < COUNT_OF(classes); i++) {
        char ids[64];
        struct table table;
        (void)snprintf(ids, sizeof ids, "jobs_%s,jobs_completed", classes[i]);
        add(row, classes[i]);
        ask_measures(&question, ids);
        ask(store.facts, &question, &table);
        expect_said(row, &table, 0, said_of(row, "jobs"));
        expect_said(row, &table, 1, "0");
        table_release(&table);
    }
    zone_close(zone);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, every_measure_at_an_edge, edge_rows);
    SUITE_ROWS(&suite, every_class_at_an_edge, edge_rows);
    return runs_suite(&suite, &store, "measures_at_edges");
}
