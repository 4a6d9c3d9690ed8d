/* SPDX-License-Identifier: MIT */

/*
 * What every measure of the catalogue does with a run of which a field is not recorded. Two runs on a day: one of which all
 * is known, and the same without a field. Beside the answer stands how many of the two could not enter it, which is
 * what reports say below their numbers. A measure without a row fails the test.
 */
#include <math.h>

#include "report/queries/missing_fields.h"
#include "report/rollup/rollup.h"
#include "unit/report/hand.h"

/* One of which all is known, and one of which all but a field is. */
#define FIRST                                                                                  \
    "cluster=c user=ann account=x node=n1 cpus=2 gpus=1 node_count=3 billing=5 "               \
    "mem=4 "                                                                                   \
    "req_mem=4 disk=2 mem_peak=1 submit=0 eligible=1 start=2 end=6 class=completed "           \
    "cpu_used=4 "                                                                              \
    "cpu_user=3 cpu_system=1 gpu_used=2 energy=40 time_limit=8"
#define SECOND                                                                                 \
    "cluster=c user=bob account=y node=n2 cpus=4 gpus=2 node_count=1 billing=3 "               \
    "mem=8 "                                                                                   \
    "req_mem=8 disk=4 mem_peak=7 submit=0 eligible=1 start=5 end=7 class=completed "           \
    "cpu_used=7 "                                                                              \
    "cpu_user=2 cpu_system=5 gpu_used=1 energy=11 time_limit=3"

/* What becomes of a run of which a field is not recorded. */
enum becomes {
    COUNTED,  /* as if nothing were missing */
    LEFT_OUT, /* the number is that of the other run, and it is said how many were left out */
    NOT_LOOKED_AT, /* no instant puts it into the period, or no class among the others */
    HALF,          /* one of two: it counts, as one of another class */
    LESS_KNOWN,    /* the ratio is that of the other run, and its coverage below 1 says so */
};

struct audit_row {
    const char *measures;
    const char *field;
    enum becomes becomes;
};

#define STARTED_AMOUNTS "wait_hours,wait_avg,wait_median,wait_p90,wait_p99,wait_max"
#define ELIGIBLE_AMOUNTS                                                                       \
    "wait_eligible_hours,wait_eligible_avg,wait_eligible_median,wait_eligible_p90,"            \
    "wait_eligible_p99,wait_eligible_max"
#define CPU_AMOUNTS "cpu_hours,utilization,cpus_running_avg,cpus_running_peak,cpu_hours_idle"
#define GPU_AMOUNTS "gpu_hours,gpu_utilization,gpu_hours_idle"
#define AMOUNTS                                                                                \
    CPU_AMOUNTS                                                                                \
    "," GPU_AMOUNTS ",node_hours,wall_hours,mem_gib_hours,disk_gib_hours,billing_hours,"       \
    "running_avg,running_peak"
#define USES         "cpu_used_hours,cpu_user_hours,cpu_system_hours,gpu_used_hours,energy"
#define PRICES       "su,cost"
#define ENDED_COUNTS "jobs,success_rate"
#define ENDED                                                                                  \
    "jobs_completed,wall_min,wall_max,wall_avg,wall_median,mem_peak_avg,"                      \
    "mem_peak_max,cpus_avg,cpus_max,cpus_min,cpu_efficiency,cpu_coverage,mem_efficiency,"      \
    "mem_coverage,gpu_efficiency,gpu_coverage,time_efficiency,time_coverage,system_ratio"
#define OTHER_CLASSES                                                                          \
    "jobs_failed,jobs_cancelled,jobs_timeout,jobs_oom,jobs_node_fail,jobs_requeued"
#define DIFFERENT "users,people,accounts,nodes"

static const struct audit_row audit_rows[] = {
    /* the instants */
    {"jobs_submitted", "submit", NOT_LOOKED_AT},
    {"jobs_started," STARTED_AMOUNTS "," ELIGIBLE_AMOUNTS, "start", NOT_LOOKED_AT},
    {ENDED_COUNTS, "end", LEFT_OUT},
    {ENDED "," OTHER_CLASSES, "end", NOT_LOOKED_AT},
    {ENDED_COUNTS "," ENDED "," OTHER_CLASSES, "start", NOT_LOOKED_AT},
    {"jobs_active," DIFFERENT, "start", NOT_LOOKED_AT},
    {"jobs_active," DIFFERENT, "end", COUNTED},
    {AMOUNTS, "start", NOT_LOOKED_AT},
    {AMOUNTS, "end", LEFT_OUT},
    {USES, "start", NOT_LOOKED_AT},
    {USES, "end", COUNTED},
    {PRICES, "start", NOT_LOOKED_AT},
    {PRICES, "end", LEFT_OUT},
    {PRICES, "billing", LEFT_OUT},
    {STARTED_AMOUNTS, "submit", LEFT_OUT},
    {ELIGIBLE_AMOUNTS, "eligible", LEFT_OUT},
    /* what runs had */
    {CPU_AMOUNTS, "cpus", LEFT_OUT},
    {GPU_AMOUNTS, "gpus", LEFT_OUT},
    {"node_hours", "node_count", LEFT_OUT},
    {"mem_gib_hours", "mem", LEFT_OUT},
    {"disk_gib_hours", "disk", LEFT_OUT},
    {"billing_hours", "billing", LEFT_OUT},
    {"wall_hours,running_avg,running_peak", "cpus", COUNTED},
    {"wall_hours,wall_avg,cpu_hours", "suspended", COUNTED}, /* nobody says so: it was not */
    /* what they used */
    {"cpu_used_hours", "cpu_used", LEFT_OUT},
    {"cpu_user_hours", "cpu_user", LEFT_OUT},
    {"cpu_system_hours", "cpu_system", LEFT_OUT},
    {"gpu_used_hours", "gpu_used", LEFT_OUT},
    {"energy", "energy", LEFT_OUT},
    {"mem_peak_avg,mem_peak_max", "mem_peak", LEFT_OUT},
    {"cpus_avg,cpus_max,cpus_min", "cpus", LEFT_OUT},
    /* ratios: of the runs that tell both; the coverage beside them tells of the use, and of the rest a line does */
    {"cpu_efficiency,cpu_coverage", "cpus", LEFT_OUT},
    {"gpu_efficiency,gpu_coverage", "gpus", LEFT_OUT},
    {"system_ratio", "cpu_user", LEFT_OUT},
    {"system_ratio", "cpu_system", LEFT_OUT},
    {"mem_efficiency,mem_coverage", "req_mem", COUNTED},
    {"mem_efficiency,mem_coverage", "mem", COUNTED}, /* what was asked for is there */
    {"cpu_efficiency", "cpu_used", LESS_KNOWN},
    {"mem_efficiency", "mem_peak", LESS_KNOWN},
    {"gpu_efficiency", "gpu_used", LESS_KNOWN},
    {"time_efficiency", "time_limit", LESS_KNOWN},
    {"cpu_coverage", "cpu_used", LESS_KNOWN},
    {"mem_coverage", "mem_peak", LESS_KNOWN},
    {"gpu_coverage", "gpu_used", LESS_KNOWN},
    {"time_coverage", "time_limit", LESS_KNOWN},
    /* whose, where, how */
    {"users,people", "user", LEFT_OUT},
    {"accounts", "account", LEFT_OUT},
    {"nodes", "node", LEFT_OUT},
    {"jobs_completed", "class", NOT_LOOKED_AT},
    {"success_rate", "class", HALF},
    {"jobs", "class", COUNTED},
    {"jobs_never_started", "end", COUNTED}, /* it is none of these */
};

static struct runs_store store;

static struct capacity capacity = {.cluster = {"c", 1},
                                   .period = {0, INSTANT_MAX},
                                   .cpus_micro = 8000000,
                                   .gpus_micro = 4000000};
static const struct capacity_list capacities = {.rows = &capacity, .count = 1};

/* An hour of a billing unit is an SU, and a euro. */
#define RECORDED(unit_, length_)                                                               \
    {                                                                                          \
        .unit = {unit_, length_}, .period = {0, INSTANT_MAX}, .first_hour = -1,                \
        .how = RATE_RECORDED, .weights = {-1, -1, -1, -1}, .factor = 1000000                   \
    }
static struct rate rates[] = {RECORDED("SU", 2), RECORDED("EUR", 3)};
static const struct rate_list rate_list = {.rows = rates, .count = COUNT_OF(rates)};

/* Runs of these lines, the last without a field. */
static void stage(const char *const *lines, size_t count, const char *without)
{
    struct run runs[2] = {0};
    for (size_t i = 0; i < count; i++) {
        hand_run(lines[i], &runs[i]);
    }
    if (without) {
        const size_t index = (size_t)(run_field_find(str_of(without)) - run_fields);
        runs[count - 1].has[index / 64] &= ~(UINT64_C(1) << index % 64);
    }
    runs_clear(&store);
    runs_add(&store, runs, count);
}

static struct question question_of(const struct zone *zone, const char *ids)
{
    struct question question = {.zone = zone,
                                .capacities = &capacities,
                                .rates = &rate_list,
                                .period = ask_period(zone, "2025-03-10", "2025-03-10"),
                                .now = hand_at(1000)};
    ask_measures(&question, ids);
    return question;
}

/* The numbers of the measures; NAN where one is unknown. */
static void read_values(const struct question *question, double *out)
{
    struct table table;
    ask(store.facts, question, &table);
    for (size_t i = 0; i < question->measure_count; i++) {
        out[i] = table_has(&table, i, 0) ? table_real(&table, i, 0) : (double)NAN;
    }
    table_release(&table);
}

static void read_omitted(const struct question *question, struct missing_fields *out)
{
    struct error err = {0};
    if (missing_fields_ask(store.facts, question, out, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static bool is_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

/* A number with and without the run of which a field is missing, and as it is. */
struct seen {
    double alone, both, value;
    struct missing_fields omitted;
};

static void expect_becomes(const struct audit_row *row, const struct measure *m,
                           const struct seen *seen)
{
    static const struct {
        const char *text;
        int64_t omitted;
        bool counted;
    } said[] = {
        [COUNTED] = {"counted", 0, true},
        [LEFT_OUT] = {"left out", 1, false},
        [NOT_LOOKED_AT] = {"not looked at", 0, false},
        [HALF] = {"of another class", 0, true},
        [LESS_KNOWN] = {"known of less", 0, false},
    };

    if (seen->omitted.runs != said[row->becomes].omitted) {
        expect_fail("%s of a run without %s is %s: %" PRId64 " of %" PRId64 " are omitted",
                    m->id, row->field, said[row->becomes].text, seen->omitted.runs,
                    seen->omitted.of);
    }
    const double both = row->becomes == HALF ? 0.5 : seen->both;
    const bool coverage = m->aggregate == AGGREGATE_KNOWN && row->becomes == LESS_KNOWN;
    if (coverage ? !(seen->value < 1)
                 : !is_same(seen->value, said[row->becomes].counted ? both : seen->alone)) {
        expect_fail("%s of a run without %s is %s: it is %g, alone %g, with both %g", m->id,
                    row->field, said[row->becomes].text, seen->value, seen->alone, both);
    }
}

/* The same from roll-ups, which keep what is omitted apart. */
static void expect_same_rolled_up(const struct question *question,
                                  const struct missing_fields *before)
{
    struct missing_fields after[QUESTION_MEASURES_MAX];
    struct error err = {0};
    if (rollup_refresh(store.facts, question->zone, &err) != 0) {
        expect_fail("%s", err.text);
    }
    read_omitted(question, after);
    for (size_t i = 0; i < question->measure_count; i++) {
        expect_int(after[i].runs, before[i].runs);
        if (before[i].runs > 0 &&
            (after[i].of != before[i].of || after[i].time != before[i].time ||
             after[i].time_of != before[i].time_of)) {
            expect_fail("%s: roll-ups leave out %g of %g, runs %g of %g",
                        question->measures[i]->id, after[i].time, after[i].time_of,
                        before[i].time, before[i].time_of);
        }
    }
}

static void a_run_without_a_field(void **state)
{
    static const char *const lines[] = {FIRST, SECOND};
    const struct audit_row *row = *state;
    struct zone *zone = ask_zone("UTC");
    const struct question question = question_of(zone, row->measures);
    double alone[QUESTION_MEASURES_MAX], both[QUESTION_MEASURES_MAX],
        values[QUESTION_MEASURES_MAX];
    struct missing_fields omitted[QUESTION_MEASURES_MAX];
    stage(lines, 1, NULL);
    read_values(&question, alone);
    stage(lines, 2, NULL);
    read_values(&question, both);
    stage(lines, 2, row->field);
    read_values(&question, values);
    read_omitted(&question, omitted);
    for (size_t i = 0; i < question.measure_count; i++) {
        expect_becomes(row, question.measures[i],
                       &(struct seen){alone[i], both[i], values[i], omitted[i]});
    }
    expect_same_rolled_up(&question, omitted);
    zone_close(zone);
}

static bool has_row(const struct measure *measure, const char *field)
{
    for (size_t i = 0; i < COUNT_OF(audit_rows); i++) {
        for (struct str rest = str_of(audit_rows[i].measures); rest.ptr;) {
            if (str_eq(str_cut(&rest, ','), str_of(measure->id)) &&
                (!field || str_eq(str_of(field), str_of(audit_rows[i].field)))) {
                return true;
            }
        }
    }
    return false;
}

/* Of the quantities a measure is made of, each field. */
static void every_field_that_a_measure_reads_has_a_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < measure_count; i++) {
        const struct measure *m = &measures[i];

        const enum quantity quantities[] = {m->quantity, m->whole};

        if (m->kind != MEASURE_SIZE && !has_row(m, NULL)) {
            expect_fail("nobody says what '%s' does with what is not recorded", m->id);
        }
        for (size_t k = 0; m->kind != MEASURE_SIZE && k < COUNT_OF(quantities); k++) {
            for (const enum run_field *f = quantity_fields(quantities[k]);
                 *f != RUN_FIELD_COUNT; f++) {
                if (!has_row(m, run_fields[*f].id)) {
                    expect_fail("nobody says what '%s' does without %s", m->id,
                                run_fields[*f].id);
                }
            }
        }
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_run_without_a_field, audit_rows);
    SUITE_TEST(&suite, every_field_that_a_measure_reads_has_a_row);
    return runs_suite(&suite, &store, "audit");
}
