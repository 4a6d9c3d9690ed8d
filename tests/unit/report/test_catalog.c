/* SPDX-License-Identifier: MIT */

/*
 * The catalogue: what its rows promise, so that a new row is a good one.
 */
#include "report/catalog.h"

#include <stdio.h>

#include "report/sql/column.h"
#include "support/expect.h"

/* Ids are typed by people and are columns in files: lower case, digits, underscores. */
static void expect_id(const char *id)
{
    expect_true(id[0] >= 'a' && id[0] <= 'z');
    expect_uint(strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(id));
}

/* One line for a list: there, no full stop, no capital unless it is an acronym's. */
static void expect_doc(const char *doc)
{
    expect_true(doc && strlen(doc) > 3 && strlen(doc) < 120);
    expect_true(strchr(doc, '\n') == NULL);
    expect_true(doc[strlen(doc) - 1] != '.');
}

static void measures_are_described(void **state)
{
    (void)state;
    expect_true(measure_count > 0);
    for (size_t i = 0; i < measure_count; i++) {
        const struct measure *m = &measures[i];
        expect_id(m->id);
        expect_doc(m->doc);
        expect_true(m->label && strlen(m->label) <= 16); /* heads a column */
        expect_true(m->kind < MEASURE_KINDS);
        expect_true(m->quantity || m->aggregate || m->value || m->kind == MEASURE_ACTIVE ||
                    m->kind == MEASURE_SIZE);
        expect_true(measure_find(str_of(m->id)) == m);
        expect_true(dimension_find(str_of(m->detail)) != NULL);
    }
}

/* What comes from where: the detail of a few kinds that must not be left to chance. */
static void details_say_where_it_comes_from(void **state)
{
    (void)state;
    for (size_t i = 0; i < measure_count; i++) {
        const struct measure *m = &measures[i];
        if (strncmp(m->id, "wait", 4) == 0) {
            expect_text(m->detail, "partition");
        } else if (m->per != PER_NOTHING || m->kind == MEASURE_PEAK) {
            expect_text(m->detail, "cluster");
        }
    }
}

static void distinct_counts_are_never_summed(void **state)
{
    (void)state;
    for (size_t i = 0; i < measure_count; i++) {
        if (measures[i].kind == MEASURE_DISTINCT || measures[i].kind == MEASURE_ACTIVE) {
            expect_false(measures[i].additive);
        }
    }
}

static void unknown_ids_are_not_found(void **state)
{
    (void)state;
    static const char *const ids[] = {"",           "cpu",        "CPU_HOURS",
                                      "cpu_hours ", "jobs,users", "\"user\""};
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        expect_true(measure_find(str_of(ids[i])) == NULL);
        expect_true(dimension_find(str_of(ids[i])) == NULL);
        expect_true(column_find(str_of(ids[i])) == NULL);
    }
}

/* The SQL of a column, until the next call. */
static const char *column_text(const struct field *field)
{
    static char text[512];
    struct statement sql;
    statement_init(&sql);
    column_add(&sql, field);
    (void)snprintf(text, sizeof text, "%s", sql.text.ptr);
    statement_release(&sql);
    return text;
}

static void derived_columns_are_described(void **state)
{
    (void)state;
    for (size_t i = 0; i < derived_field_count; i++) {
        const struct field *field = &derived_fields[i];
        expect_id(field->id);
        expect_doc(field->doc);
        expect_true(field->member == NULL);
        expect_true(column_find(str_of(field->id)) == field);
        expect_true(run_field_find(str_of(field->id)) == NULL);
        expect_true(dimension_find(str_of(field->id)) == NULL);
        expect_true(column_text(field)[0] == '(');
    }
}

static void every_field_is_a_column(void **state)
{
    (void)state;
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        const struct field *field = &run_fields[i];
        char want[64];
        (void)snprintf(want, sizeof want, "\"%s\"", field->member);
        expect_true(column_find(str_of(field->id)) == field);
        expect_text(column_text(field), want);
    }
}

static void bookkeeping_is_no_dimension(void **state)
{
    (void)state;
    expect_true(dimension_find(STR("user")) == &run_fields[RUN_user]);
    expect_true(dimension_find(STR("cpus")) == &run_fields[RUN_cpus]);
    expect_true(dimension_find(STR("digest")) == NULL);
    expect_true(dimension_find(STR("batch")) == NULL);
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        bool internal = run_fields[i].flags & FIELD_INTERNAL;
        expect_true(dimension_is(&run_fields[i]) == !internal);
    }
}

/* A list that was forgotten is all zeros, which is the cluster, and has no end. */
static void every_quantity_says_which_fields_it_needs(void **state)
{
    (void)state;
    for (size_t i = 0; i < QUANTITY_COUNT; i++) {
        if (quantity_fields((enum quantity)i)[0] == RUN_cluster) {
            expect_fail("quantity %zu has no row in fields_of_quantity", i);
        }
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, measures_are_described);
    SUITE_TEST(&suite, details_say_where_it_comes_from);
    SUITE_TEST(&suite, distinct_counts_are_never_summed);
    SUITE_TEST(&suite, unknown_ids_are_not_found);
    SUITE_TEST(&suite, derived_columns_are_described);
    SUITE_TEST(&suite, every_field_is_a_column);
    SUITE_TEST(&suite, bookkeeping_is_no_dimension);
    SUITE_TEST(&suite, every_quantity_says_which_fields_it_needs);
    return suite_run(&suite, "catalog");
}
