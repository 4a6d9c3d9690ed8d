/* SPDX-License-Identifier: MIT */
#include "report/coverage.h"

#include "base/attribute.h"
#include "base/mem.h"
#include "support/expect.h"

/* Two clusters: alder from 10 to 20 and from 30 to 40, birch from 15 to 35. */
static void fill(struct coverage *coverage)
{
    static const struct coverage_stretch rows[] = {
        {{"alder", 5}, {10, 20}}, {{"alder", 5}, {30, 40}}, {{"birch", 5}, {15, 35}}};
    *coverage = (struct coverage){.count = COUNT_OF(rows), .room = COUNT_OF(rows)};
    coverage->rows = mem_alloc(COUNT_OF(rows), sizeof(rows[0]));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        coverage->rows[i] = rows[i];
    }
}

struct covered_row {
    const char *name;
    const char *cluster; /* NULL: any */
    struct period period;
    enum covered want;
};

static const struct covered_row covered_rows[] = {
    {"before all", NULL, {0, 10}, COVERED_NOT},
    {"after all", NULL, {40, 50}, COVERED_NOT},
    {"the beginning", NULL, {5, 15}, COVERED_PARTLY},
    {"the end", NULL, {35, 45}, COVERED_PARTLY},
    {"what clusters cover together", NULL, {10, 40}, COVERED_WHOLLY},
    {"a cluster's gap", "alder", {20, 30}, COVERED_NOT},
    {"around a cluster's gap", "alder", {15, 35}, COVERED_PARTLY},
    {"within a stretch", "alder", {12, 18}, COVERED_WHOLLY},
    {"of the other", "birch", {15, 35}, COVERED_WHOLLY},
    {"before the other", "birch", {10, 15}, COVERED_NOT},
    {"a name that no run counts under", "cedar", {10, 40}, COVERED_NOT},
};

static void a_time_is_covered_where_there_are_data_of_it(void **state)
{
    const struct covered_row *row = *state;
    struct coverage coverage;
    const struct str cluster = str_of(row->cluster);
    fill(&coverage);
    expect_int(coverage_of(&coverage, row->cluster ? &cluster : NULL, row->period), row->want);
    coverage_release(&coverage);
}

static void a_known_gap_is_not_covered(void **state)
{
    (void)state;
    struct coverage coverage;
    fill(&coverage);
    coverage_except(&coverage, STR("birch"), (struct period){18, 32});
    expect_int(coverage_of(&coverage, NULL, (struct period){20, 30}), COVERED_NOT);
    expect_int(coverage_of(&coverage, NULL, (struct period){10, 20}), COVERED_WHOLLY);
    coverage_except(&coverage, (struct str){0}, (struct period){0, 12});
    expect_int(coverage_of(&coverage, NULL, (struct period){10, 20}), COVERED_PARTLY);
    const struct period span = coverage_span(&coverage, NULL);
    expect_int(span.from * 100 + span.to, 1240);
    coverage_release(&coverage);
}

/* Of runs in partition gpu* of alder nothing is known from 12 to 18. */
struct some_row {
    const char *name;
    const char *cluster, *partition; /* what the row is about; NULL: it does not say */
    bool by_user;                    /* the row is about a user */
    struct period period;
    enum covered want;
    bool whole;
};

static const struct some_row some_rows[] = {
    {"all together, before", NULL, NULL, false, {10, 12}, COVERED_WHOLLY, false},
    {"all together, in it", NULL, NULL, false, {15, 18}, COVERED_PARTLY, false},
    {"its cluster, before", "alder", NULL, false, {10, 12}, COVERED_WHOLLY, true},
    {"its cluster, in it", "alder", NULL, false, {12, 18}, COVERED_PARTLY, false},
    {"another cluster", "birch", NULL, false, {15, 18}, COVERED_WHOLLY, true},
    {"somebody, whose runs may be of it", "alder", NULL, true, {12, 18}, COVERED_PARTLY, false},
    {"a partition that it is of", "alder", "gpu2", false, {12, 18}, COVERED_NOT, false},
    {"a part of that", "alder", "gpu2", false, {10, 14}, COVERED_PARTLY, false},
    {"another partition", "alder", "cpu", false, {12, 18}, COVERED_WHOLLY, true},
    {"the same partition elsewhere", "birch", "gpu2", false, {15, 18}, COVERED_WHOLLY, true},
    {"no partition recorded", "alder", "", false, {12, 18}, COVERED_WHOLLY, true},
};

/* What a row says of a dimension; "" where that is not recorded. */
static const char *value_of(const struct some_row *row, const struct field *dimension)
{
    return dimension == &run_fields[RUN_user]        ? "ann"
           : dimension == &run_fields[RUN_partition] ? row->partition
                                                     : row->cluster;
}

static void describe(const struct some_row *row, const struct coverage_row *about,
                     struct table *table)
{
    for (size_t i = 0; i < about->count; i++) {
        const struct field *field = about->dimensions[i];
        table_column(table, field->id, field->label, CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    }
    table_row(table);
    for (size_t i = 0; i < about->count; i++) {
        const char *value = value_of(row, about->dimensions[i]);
        if (value[0]) {
            table_set_text(table, i, 0, str_of(value));
        }
    }
}

static void a_gap_of_some_runs_is_one_of_rows_about_them(void **state)
{
    const struct some_row *row = *state;
    const struct coverage_gap gap = {
        STR("alder"), {12, 18}, &run_fields[RUN_partition], STR("gpu*")};
    const struct field *dimensions[3];
    struct coverage_row about = {dimensions, 0, NULL, 0};
    struct table table = {0};
    struct coverage coverage;
    fill(&coverage);
    coverage_except_some(&coverage, &gap);
    if (row->by_user) {
        dimensions[about.count++] = &run_fields[RUN_user];
    }
    if (row->partition) {
        dimensions[about.count++] = &run_fields[RUN_partition];
    }
    if (row->cluster) {
        dimensions[about.count++] = &run_fields[RUN_cluster];
    }
    describe(row, &about, &table);
    about.table = &table;
    expect_int(coverage_of_row(&coverage, &about, row->period), row->want);
    expect_int(coverage_is_whole(&coverage, &about, row->period), row->whole);
    table_release(&table);
    coverage_release(&coverage);
}

static void nothing_imported_covers_nothing(void **state)
{
    (void)state;
    const struct coverage none = {0};
    expect_int(coverage_of(&none, NULL, (struct period){0, 1}), COVERED_NOT);
    expect_int(coverage_span(&none, NULL).to, 0);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_time_is_covered_where_there_are_data_of_it, covered_rows);
    SUITE_TEST(&suite, a_known_gap_is_not_covered);
    SUITE_ROWS(&suite, a_gap_of_some_runs_is_one_of_rows_about_them, some_rows);
    SUITE_TEST(&suite, nothing_imported_covers_nothing);
    return suite_run(&suite, "coverage");
}
