/* SPDX-License-Identifier: MIT */

/*
 * The one description of what a run carries, and the rules that hold for runs of every source.
 */
#include "record/run.h"

#include <stdlib.h>

#include "base/zone.h"
#include "facts/facts.h"
#include "support/expect.h"
#include "support/runs.h"

/* --- the table of fields ------------------------------------------------------------------- */

static void fields_are_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        const struct field *field = &run_fields[i];
        expect_true(strlen(field->id) > 0 && strlen(field->label) > 0 &&
                    strlen(field->doc) > 0);
        expect_true(strchr(field->doc, '\n') == NULL);
        expect_uint(strspn(field->id, "abcdefghijklmnopqrstuvwxyz0123456789_"),
                    strlen(field->id));
        expect_true(run_field_find(str_of(field->id)) == field);
    }
    expect_true(run_field_find(STR("nothing")) == NULL);
    expect_true(run_field_find(STR("")) == NULL);
}

/* Text is no number, and only a number has a unit. */
static void units_suit_their_types(void **state)
{
    (void)state;
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        expect_true(run_fields[i].type == FIELD_INT || run_fields[i].unit == UNIT_NONE);
    }
}

static void bits_are_set_and_cleared_one_by_one(void **state)
{
    (void)state;
    struct run run = {0};
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        expect_false(run_has(&run, (enum run_field)i));
    }
    RUN_SET(&run, cluster, STR("toy"));
    RUN_SET(&run, digest, 7);
    expect_true(RUN_HAS(&run, cluster) && RUN_HAS(&run, digest));
    size_t set = 0;
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        set += run_has(&run, (enum run_field)i);
    }
    expect_uint(set, 2);
    RUN_CLEAR(&run, cluster);
    expect_false(RUN_HAS(&run, cluster));
    expect_true(RUN_HAS(&run, digest));
    expect_int(run.digest, 7);
}

static void classes_have_names_of_their_own(void **state)
{
    (void)state;
    for (int a = 0; a < CLASS_COUNT; a++) {
        struct str name = run_class_name((enum run_class)a);
        expect_true(name.len > 0);
        for (int b = 0; b < a; b++) {
            expect_false(str_eq(name, run_class_name((enum run_class)b)));
        }
    }
}

static void flags_have_names(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < RUN_FLAG_BITS; bit++) {
        expect_true(run_flag_name(bit) && strlen(run_flag_name(bit)) > 0);
    }
    expect_true(run_flag_name(RUN_FLAG_BITS) == NULL);
    expect_text(run_flag_name(0), "end-before-start");
    expect_int(RUN_FLAG_SEEN_RECORDED, 1 << (RUN_FLAG_BITS - 1));
}

/* The columns of the facts are the fields, in their order, with their types. */
static void the_schema_has_a_column_for_each_field(void **state)
{
    (void)state;
    struct runs_store store;
    struct table table = {0};
    struct error err = {0};
    runs_open(&store);
    if (facts_query(store.facts,
                    "SELECT column_name, data_type FROM duckdb_columns() "
                    "WHERE table_name = 'runs' ORDER BY column_index",
                    (struct facts_values){0}, &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_uint(table.row_count, RUN_FIELD_COUNT);
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        struct str column = table.columns[0].cells[i].text;
        struct str type = table.columns[1].cells[i].text;
        expect_text_n(column.ptr, column.len, run_fields[i].member);
        expect_text_n(type.ptr, type.len,
                      run_fields[i].type == FIELD_TEXT ? "VARCHAR" : "BIGINT");
    }
    table_release(&table);
    runs_close(&store);
}

/* --- the rules ----------------------------------------------------------------------------- */

static struct run good_run(void)
{
    struct run run = {0};
    RUN_SET(&run, cluster, STR("toy"));
    RUN_SET(&run, job, 1);
    RUN_SET(&run, submit, 100 * SECOND_US);
    RUN_SET(&run, start, 200 * SECOND_US);
    RUN_SET(&run, end, 300 * SECOND_US);
    RUN_SET(&run, cpus, 4);
    return run;
}

static void expect_flags(struct run *run, int64_t flags)
{
    struct error err = {0};
    if (run_check(run, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_true(RUN_HAS(run, flags));
    expect_int(run->flags, flags);
}

static void a_good_run_stays_as_it_is(void **state)
{
    (void)state;
    struct run run = good_run();
    expect_flags(&run, 0);
    expect_int(run.start, 200 * SECOND_US);
    expect_true(RUN_HAS(&run, end));
}

static void flags_of_the_driver_are_kept(void **state)
{
    (void)state;
    struct run run = good_run();
    RUN_SET(&run, flags, RUN_FLAG_RECODED);
    RUN_SET(&run, end, 150 * SECOND_US);
    expect_flags(&run, RUN_FLAG_RECODED | RUN_FLAG_END_BEFORE_START);
    expect_int(run.end, 150 * SECOND_US); /* as the source has it */
}

static void times_out_of_order_are_flagged(void **state)
{
    (void)state;
    struct run run = good_run();
    RUN_SET(&run, submit, 250 * SECOND_US);
    expect_flags(&run, RUN_FLAG_START_BEFORE_SUBMIT);
    run = good_run();
    RUN_SET(&run, submit, 200 * SECOND_US);
    RUN_SET(&run, end, 200 * SECOND_US);
    expect_flags(&run, 0); /* at the same moment is in order */
    run = good_run();
    RUN_CLEAR(&run, start);
    RUN_SET(&run, end, 1);
    expect_flags(&run, 0); /* never started: nothing to be before */
}

/* Amounts that nothing can have had, by field; the last good one stays. */
struct bound_row {
    const char *name;
    int64_t last;
};

static const struct bound_row bound_rows[] = {
    {"req_mem", RUN_AMOUNT_MAX},   {"mem", RUN_AMOUNT_MAX},
    {"disk", RUN_AMOUNT_MAX},      {"mem_peak", RUN_AMOUNT_MAX},
    {"vmem_peak", RUN_AMOUNT_MAX}, {"io", RUN_AMOUNT_MAX},
    {"io_ops", RUN_AMOUNT_MAX},    {"mem_integral", RUN_INTEGRAL_MAX},
    {"cpu_user", RUN_USE_US_MAX},  {"cpu_system", RUN_USE_US_MAX},
    {"gpu_used", RUN_USE_US_MAX},  {"io_wait", RUN_USE_US_MAX},
    {"time_limit", INSTANT_MAX},   {"energy", RUN_ENERGY_MAX *RUN_MILLIJOULE},
    {"billing", RUN_AMOUNT_MAX},   {"task_count", UINT32_MAX},
};

static void set_field(struct run *run, const struct field *field, int64_t value)
{
    size_t index = (size_t)(field - run_fields);
    memcpy((char *)run + field->offset, &value, sizeof(value));
    run->has[index / 64] |= UINT64_C(1) << index % 64;
}

static void impossible_amounts_are_absent_and_flagged(void **state)
{
    const struct bound_row *row = *state;
    const struct field *field = run_field_find(str_of(row->name));
    const int64_t bad[] = {-1, INT64_MIN, row->last + 1, INT64_MAX};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct run run = good_run();
        RUN_SET(&run, mem_basis, STR("job-rss"));
        set_field(&run, field, bad[i]);
        expect_flags(&run, RUN_FLAG_AMOUNT_IMPOSSIBLE);
        expect_false(run_has(&run, (enum run_field)(field - run_fields)));
        expect_false(RUN_HAS(&run, mem_basis)); /* of nothing */
        expect_true(RUN_HAS(&run, start) && RUN_HAS(&run, cpus));
    }
    struct run run = good_run();
    set_field(&run, field, row->last);
    expect_flags(&run, 0);
    expect_true(run_has(&run, (enum run_field)(field - run_fields)));
}

/* 4 cpus for 100 s: 400 s, 60 s of slack for each cpu, and a fifth. */
static void more_use_than_there_was_is_flagged_and_kept(void **state)
{
    (void)state;
    struct run run = good_run();
    RUN_SET(&run, cpu_used_us, 768 * SECOND_US);
    expect_flags(&run, 0);
    RUN_SET(&run, cpu_used_us, 768 * SECOND_US + 1);
    expect_flags(&run, RUN_FLAG_USE_TOO_LARGE);
    expect_int(run.cpu_used_us, 768 * SECOND_US + 1);
    run = good_run();
    RUN_SET(&run, cpu_used_us, 9000 * SECOND_US);
    RUN_CLEAR(&run, end);
    expect_flags(&run, 0); /* goes on: nobody knows how long */
    run = good_run();
    RUN_SET(&run, suspended_us, 160 * SECOND_US);
    expect_flags(&run, 0);
    RUN_SET(&run, suspended_us, 161 * SECOND_US);
    expect_flags(&run, RUN_FLAG_USE_TOO_LARGE);
    expect_int(run.suspended_us, 161 * SECOND_US);
    run = good_run();
    RUN_SET(&run, suspended_us, -1);
    expect_flags(&run, RUN_FLAG_AMOUNT_IMPOSSIBLE);
    expect_false(RUN_HAS(&run, suspended_us));
    run = good_run();
    RUN_SET(&run, cpu_used_us, RUN_USE_US_MAX + 1);
    expect_flags(&run, RUN_FLAG_AMOUNT_IMPOSSIBLE);
}

/* What sums over time go by; times in seconds, 0 is absent. */
static void until_is_told_for_every_run(void **state)
{
    (void)state;

    static const struct {
        int64_t start, end;
        enum run_class class;
        int64_t until;
    } rows[] = {
        {200, 300, CLASS_COMPLETED, 300 * SECOND_US},
        {200, 150, CLASS_COMPLETED, 200 * SECOND_US}, /* never before the start */
        {0, 300, CLASS_CANCELLED, 300 * SECOND_US},   /* gave up waiting */
        {200, 0, CLASS_RUNNING, RUN_NOT_ENDED},
        {0, 0, CLASS_PENDING, RUN_NOT_ENDED},
        {200, 0, CLASS_OTHER, 200 * SECOND_US - 1}, /* nobody knows whether it is over */
        {0, 0, CLASS_OTHER, 0},
        {200, 0, CLASS_FAILED, 200 * SECOND_US - 1}, /* over, nobody knows since when */
        {0, 0, CLASS_FAILED, 0},                     /* nothing is known */
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct run run = {0};
        RUN_SET(&run, cluster, STR("toy"));
        RUN_SET(&run, job, 1);
        RUN_SET(&run, class, run_class_name(rows[i].class));
        if (rows[i].start) {
            RUN_SET(&run, start, rows[i].start * SECOND_US);
        }
        if (rows[i].end) {
            RUN_SET(&run, end, rows[i].end * SECOND_US);
        }
        struct error err = {0};
        expect_int(run_check(&run, &err), 0);
        expect_int(RUN_HAS(&run, until), rows[i].until != 0);
        expect_int(RUN_HAS(&run, until) ? run.until : 0, rows[i].until);
    }
}

static void impossible_instants_are_absent(void **state)
{
    (void)state;
    static const int64_t bad[] = {-1, INT64_MIN, INSTANT_MAX, INT64_MAX};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct run run = good_run();
        RUN_SET(&run, end, bad[i]);
        expect_flags(&run, RUN_FLAG_TIME_IMPOSSIBLE);
        expect_false(RUN_HAS(&run, end));
        expect_true(RUN_HAS(&run, start));
    }
    struct run run = good_run();
    RUN_SET(&run, submit, 0);
    RUN_SET(&run, end, INSTANT_MAX - 1);
    RUN_SET(&run, cpus, 1);
    expect_flags(&run, 0);
    expect_true(RUN_HAS(&run, submit) && RUN_HAS(&run, end));
}

/* One microsecond more than fits: 2^24 cpus may run 2^39 - 1 microseconds, 6 days and a bit. */
static void the_largest_amount_is_kept(void **state)
{
    (void)state;
    struct run run = good_run();
    struct error err = {0};
    RUN_SET(&run, cpus, RUN_CPUS_MAX);
    RUN_SET(&run, end, run.start + (INT64_C(1) << 39) - 1);
    expect_flags(&run, 0);
    RUN_SET(&run, end, run.start + (INT64_C(1) << 39));
    expect_int(run_check(&run, &err), ERROR_INPUT);
    expect_contains(err.text, "impossible amount: 16777216 cpus for 6 days");
    RUN_CLEAR(&run, end);
    expect_flags(&run, 0); /* it goes on: reports allow for that */
}

struct refused_row {
    const char *name;
    void (*spoil)(struct run *run);
    const char *want;
};

static void no_cluster(struct run *run)
{
    RUN_CLEAR(run, cluster);
}

static void empty_cluster(struct run *run)
{
    RUN_SET(run, cluster, STR(""));
}

static void no_job(struct run *run)
{
    RUN_CLEAR(run, job);
}

static void negative_cpus(struct run *run)
{
    RUN_SET(run, cpus, -1);
}

static void absurd_cpus(struct run *run)
{
    RUN_SET(run, cpus, RUN_CPUS_MAX + 1);
}

static void absurd_gpus(struct run *run)
{
    RUN_SET(run, gpus, INT64_MAX);
}

static void negative_nodes(struct run *run)
{
    RUN_SET(run, req_nodes, INT64_MIN);
}

static const struct refused_row refused_rows[] = {
    {"no cluster", no_cluster, "no cluster"},
    {"an empty cluster", empty_cluster, "no cluster"},
    {"no job", no_job, "no job id"},
    {"negative cpus", negative_cpus, "impossible number of cpus: -1"},
    {"too many cpus", absurd_cpus, "impossible number of cpus: 16777217"},
    {"too many gpus", absurd_gpus, "impossible number of gpus: 9223372036854775807"},
    {"negative nodes", negative_nodes, "impossible number of req_nodes: -9223372036854775808"},
};

static void refuses(void **state)
{
    const struct refused_row *row = *state;
    struct run run = good_run();
    struct error err = {0};
    row->spoil(&run);
    expect_int(run_check(&run, &err), ERROR_INPUT);
    expect_text(err.text, row->want);
}

static void a_key_will_do_for_a_number(void **state)
{
    (void)state;
    struct run run = good_run();
    RUN_CLEAR(&run, job);
    RUN_SET(&run, job_key, STR("3f2a-77"));
    expect_flags(&run, 0);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, fields_are_described);
    SUITE_TEST(&suite, units_suit_their_types);
    SUITE_TEST(&suite, bits_are_set_and_cleared_one_by_one);
    SUITE_TEST(&suite, classes_have_names_of_their_own);
    SUITE_TEST(&suite, flags_have_names);
    SUITE_TEST(&suite, the_schema_has_a_column_for_each_field);
    SUITE_TEST(&suite, a_good_run_stays_as_it_is);
    SUITE_TEST(&suite, flags_of_the_driver_are_kept);
    SUITE_TEST(&suite, times_out_of_order_are_flagged);
    SUITE_ROWS(&suite, impossible_amounts_are_absent_and_flagged, bound_rows);
    SUITE_TEST(&suite, more_use_than_there_was_is_flagged_and_kept);
    SUITE_TEST(&suite, until_is_told_for_every_run);
    SUITE_TEST(&suite, impossible_instants_are_absent);
    SUITE_TEST(&suite, the_largest_amount_is_kept);
    SUITE_ROWS(&suite, refuses, refused_rows);
    SUITE_TEST(&suite, a_key_will_do_for_a_number);
    return suite_run(&suite, "run");
}
