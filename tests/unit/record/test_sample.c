/* SPDX-License-Identifier: MIT */

/*
 * The one description of what a sample carries, and the rules that hold for samples of every source.
 */
#include "record/sample.h"

#include "base/limit.h"
#include "base/zone.h"
#include "facts/facts.h"
#include "support/expect.h"
#include "support/runs.h"

/* --- the table of fields ------------------------------------------------------------------- */

static void fields_are_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        const struct field *field = &sample_fields[i];
        expect_true(strlen(field->label) > 0 && strlen(field->doc) > 0);
        expect_true(strchr(field->doc, '\n') == NULL);
        expect_uint(strspn(field->id, "abcdefghijklmnopqrstuvwxyz0123456789_"),
                    strlen(field->id));
        expect_true(sample_field_find(str_of(field->id)) == field);
        expect_true(field->type == FIELD_INT || field->unit == UNIT_NONE);
        expect_int(strstr(field->member, "_ppm") != NULL, field->unit == UNIT_RATIO);
    }
    expect_true(sample_field_find(STR("nothing")) == NULL);
}

static void values_are_set_by_name_and_by_number(void **state)
{
    (void)state;
    struct sample sample = {0};
    SAMPLE_SET(&sample, node, STR("n1"));
    sample_set_int(&sample, SAMPLE_cpu_time_us, 7);
    sample_set_text(&sample, SAMPLE_version, STR("0.18.0"));
    expect_true(SAMPLE_HAS(&sample, node) && SAMPLE_HAS(&sample, cpu_time_us));
    expect_int(sample.cpu_time_us, 7);
    expect_int(sample_int(&sample, SAMPLE_cpu_time_us), 7);
    expect_true(str_eq(sample_text(&sample, SAMPLE_node), STR("n1")));
    expect_true(str_eq(sample.version, STR("0.18.0")));
    SAMPLE_CLEAR(&sample, node);
    expect_false(SAMPLE_HAS(&sample, node));
    expect_true(sample_any(&sample));
    SAMPLE_CLEAR(&sample, cpu_time_us);
    SAMPLE_CLEAR(&sample, version);
    expect_false(sample_any(&sample));
}

static void each_field_is_absent_by_itself(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        struct sample sample = {0};
        if (sample_fields[i].type == FIELD_INT) {
            sample_set_int(&sample, i, 7);
        } else {
            sample_set_text(&sample, i, STR("seven"));
        }
        expect_true(sample_any(&sample));
        for (unsigned other = 0; other < SAMPLE_FIELD_COUNT; other++) {
            expect_int(sample_has(&sample, other), other == i);
        }
    }
}

static void the_schema_has_a_column_for_each_field(void **state)
{
    (void)state;
    struct runs_store store;
    struct table table = {0};
    struct error err = {0};
    runs_open(&store);
    if (facts_query(store.facts,
                    "SELECT column_name, data_type FROM duckdb_columns() "
                    "WHERE table_name = 'samples' ORDER BY column_index",
                    (struct facts_values){0}, &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_uint(table.row_count, SAMPLE_FIELD_COUNT);
    for (size_t i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        struct str column = table.columns[0].cells[i].text;
        struct str type = table.columns[1].cells[i].text;
        expect_text_n(column.ptr, column.len, sample_fields[i].member);
        expect_text_n(type.ptr, type.len,
                      sample_fields[i].type == FIELD_TEXT ? "VARCHAR" : "BIGINT");
    }
    table_release(&table);
    runs_close(&store);
}

/* --- the rules ----------------------------------------------------------------------------- */

static struct sample good_sample(void)
{
    struct sample sample = {0};
    SAMPLE_SET(&sample, cluster, STR("toy"));
    SAMPLE_SET(&sample, node, STR("n1"));
    SAMPLE_SET(&sample, time, 100 * SECOND_US);
    SAMPLE_SET(&sample, command, STR("python"));
    SAMPLE_SET(&sample, pid, 7);
    SAMPLE_SET(&sample, job, 8);
    return sample;
}

static void a_good_sample_is_left_alone(void **state)
{
    (void)state;
    struct error err = {0};
    struct sample sample = good_sample(), before = sample;
    expect_int(sample_check(&sample, &err), 0);
    expect_true(memcmp(&sample, &before, sizeof(sample)) == 0);
}

static void number_0_is_no_process_and_no_job(void **state)
{
    (void)state;
    struct error err = {0};
    struct sample sample = good_sample();
    sample.pid = sample.job = 0;
    expect_int(sample_check(&sample, &err), 0);
    expect_false(SAMPLE_HAS(&sample, pid) || SAMPLE_HAS(&sample, job));
}

static void what_must_be_told_is_missed(void **state)
{
    (void)state;

    static const enum sample_field needed[] = {SAMPLE_cluster, SAMPLE_node, SAMPLE_time,
                                               SAMPLE_command};

    for (size_t i = 0; i < COUNT_OF(needed); i++) {
        struct error err = {0};
        struct sample sample = good_sample();
        sample.has[needed[i] / 64] &= ~(UINT64_C(1) << needed[i] % 64);
        expect_int(sample_check(&sample, &err), ERROR_INPUT);
        expect_contains(err.text, sample_fields[needed[i]].id);
    }
    struct error err = {0};
    struct sample sample = good_sample();
    SAMPLE_SET(&sample, command, STR(""));
    expect_int(sample_check(&sample, &err), ERROR_INPUT);
}

static void what_nothing_can_have_is_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; i < SAMPLE_FIELD_COUNT; i++) {
        if (sample_fields[i].type != FIELD_INT) {
            continue;
        }
        struct error err = {0};
        struct sample sample = good_sample();
        sample_set_int(&sample, i, -1);
        expect_int(sample_check(&sample, &err), ERROR_INPUT);
        expect_contains(err.text, sample_fields[i].id);
        sample_set_int(&sample, i, INT64_MAX);
        if (sample_fields[i].unit != UNIT_NONE) {
            expect_int(sample_check(&sample, &err), ERROR_INPUT);
        }
    }
}

static void a_text_has_its_limit(void **state)
{
    (void)state;
    static char text[LIMIT_TEXT_FIELD + 1];
    struct error err = {0};
    struct sample sample = good_sample();
    memset(text, 'x', sizeof(text));
    SAMPLE_SET(&sample, user, ((struct str){text, LIMIT_TEXT_FIELD}));
    expect_int(sample_check(&sample, &err), 0);
    sample.user.len++;
    expect_int(sample_check(&sample, &err), ERROR_LIMIT);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, fields_are_described);
    SUITE_TEST(&suite, values_are_set_by_name_and_by_number);
    SUITE_TEST(&suite, each_field_is_absent_by_itself);
    SUITE_TEST(&suite, the_schema_has_a_column_for_each_field);
    SUITE_TEST(&suite, a_good_sample_is_left_alone);
    SUITE_TEST(&suite, number_0_is_no_process_and_no_job);
    SUITE_TEST(&suite, what_must_be_told_is_missed);
    SUITE_TEST(&suite, what_nothing_can_have_is_refused);
    SUITE_TEST(&suite, a_text_has_its_limit);
    return suite_run(&suite, "sample");
}
