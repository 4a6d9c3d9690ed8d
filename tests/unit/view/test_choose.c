/* SPDX-License-Identifier: MIT */
#include "view/chart/choose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "support/expect.h"
#include "view/chart/scale.h"

static struct zone *utc;

/* An answer, written down: "user:alice,bob ..." is more than a test should read, so rows of words. */
struct answer_row {
    const char *name; /* dimension, or NULL */
    const char *other;
    const char *period;
    double value; /* NaN: absent */
    double second;
};

enum {
    DIM_NAME = 1,
    DIM_OTHER = 2,
    DIM_PERIOD = 4,
    TWO_MEASURES = 8,
    TWO_ALIKE = 16,
    MEANS = 32
};

/* Builds a table: which columns is told by bits. cpu_hours may be summed, users may not. */
static void build(struct table *table, unsigned bits, const struct answer_row *rows,
                  size_t count)
{
    *table = (struct table){0};
    size_t at[5] = {0};
    if (bits & DIM_NAME) {
        at[0] = table_column(table, "user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    }
    if (bits & DIM_OTHER) {
        at[1] = table_column(table, "queue", "Queue", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    }
    if (bits & DIM_PERIOD) {
        at[2] = table_column(table, "period", "Period", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    }
    bool mean = bits & MEANS;
    at[3] = table_column(table, mean ? "users" : "cpu_hours", mean ? "Users" : "CPU hours",
                         CELL_WIDE, mean ? UNIT_COUNT : UNIT_HOURS, COLUMN_MEASURE);
    if (bits & (TWO_MEASURES | TWO_ALIKE)) {
        bool alike = bits & TWO_ALIKE;
        at[4] =
            table_column(table, alike ? "wall_hours" : "jobs", alike ? "Wall hours" : "Jobs",
                         CELL_WIDE, alike ? UNIT_HOURS : UNIT_COUNT, COLUMN_MEASURE);
    }
    double hour = mean ? 1 : 3600e6;
    for (size_t i = 0; i < count; i++) {
        size_t row = table_row(table);
        if (bits & DIM_NAME && rows[i].name) {
            table_set_text(table, at[0], row, str_of(rows[i].name));
        }
        if (bits & DIM_OTHER) {
            table_set_text(table, at[1], row, str_of(rows[i].other));
        }
        if (bits & DIM_PERIOD) {
            table_set_text(table, at[2], row, str_of(rows[i].period));
        }
        if (isfinite(rows[i].value)) {
            table_set_wide(table, at[3], row, (wide_int)(rows[i].value * hour));
        }
        if (bits & (TWO_MEASURES | TWO_ALIKE)) {
            table_set_wide(table, at[4], row,
                           (wide_int)(rows[i].second * (bits & TWO_ALIKE ? 3600e6 : 1)));
        }
    }
}

static const struct answer_row rows[] = {
    {"alice", "all.q", "2025-01", 4, 40},
    {"alice", "gpu.q", "2025-02", 3, 30},
    {"bob", "all.q", "2025-02", 2, 20},
    {"bob", "gpu.q", "2025-04", 1, 10},
};

/* Rows for a question with those keys: no two have the same. */
static size_t rows_for(unsigned bits, struct answer_row out[4])
{
    memcpy(out, rows, sizeof rows);
    bool several = (bits & DIM_NAME) && (bits & (DIM_OTHER | DIM_PERIOD));
    if (several || bits & DIM_OTHER) {
        return 4;
    }
    static const char *const months[] = {"2025-01", "2025-02", "2025-03", "2025-04"};
    static const char *const names[] = {"alice", "bob", "carol", "dave"};
    for (size_t i = 0; i < 4; i++) {
        out[i].period = months[i];
        out[i].name = names[i];
    }
    return bits & (DIM_NAME | DIM_PERIOD) ? 4 : 1;
}

static int choose(const struct table *table, const char *kind, struct chart *chart,
                  struct error *err)
{
    const struct chart_wish wish = {.kind = str_of(kind), .zone = utc};
    *chart = (struct chart){0};
    return chart_choose(table, &wish, chart, err);
}

struct kind_row {
    const char *name;
    unsigned bits;
    const char *wish;
    enum chart_kind kind;
};

static const struct kind_row kind_rows[] = {
    {"nothing to tell apart", 0, NULL, CHART_BAR},
    {"one dimension", DIM_NAME, NULL, CHART_BAR},
    {"a few months", DIM_PERIOD, NULL, CHART_BAR},
    {"a few months that cannot be summed", DIM_PERIOD | MEANS, NULL, CHART_LINE},
    {"a few months of two measures", DIM_PERIOD | TWO_ALIKE, NULL, CHART_LINE},
    {"months by name", DIM_PERIOD | DIM_NAME, NULL, CHART_STACKED},
    {"months by name that cannot be summed", DIM_PERIOD | DIM_NAME | MEANS, NULL, CHART_LINE},
    {"two dimensions", DIM_NAME | DIM_OTHER, NULL, CHART_STACKED},
    {"two that cannot be summed", DIM_NAME | DIM_OTHER | MEANS, NULL, CHART_HEAT},
    {"pie on request", DIM_NAME, "pie", CHART_PIE},
    {"line on request", DIM_PERIOD, "line", CHART_LINE},
    {"area on request", DIM_PERIOD | DIM_NAME, "area", CHART_AREA},
    {"histogram on request", DIM_NAME, "histogram", CHART_HISTOGRAM},
    {"box on request", DIM_NAME | DIM_OTHER, "box", CHART_BOX},
    {"scatter on request", DIM_NAME | TWO_MEASURES, "scatter", CHART_SCATTER},
    {"heat on request", DIM_NAME | DIM_PERIOD, "heat", CHART_HEAT},
    {"bars of time by name", DIM_NAME | DIM_PERIOD, "bar", CHART_BAR},
};

static void kind_follows_from_the_question(void **state)
{
    const struct kind_row *row = *state;
    struct answer_row answer[4];
    struct table table;
    struct chart chart;
    struct error err = {0};
    build(&table, row->bits, answer, rows_for(row->bits, answer));
    if (choose(&table, row->wish, &chart, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_text(chart_forms[chart.kind].name, chart_forms[row->kind].name);
    expect_true(chart_has_data(&chart));
    chart_release(&chart);
    table_release(&table);
}

static void names_that_stand_once_are_bars(void **state)
{
    (void)state;
    static const struct answer_row once[] = {
        {"ann", "1", NULL, 1, 0}, {"ann", "2", NULL, 2, 0}, {"bob", "3", NULL, 3, 0}};
    struct table table;
    struct chart chart;
    struct error err = {0};
    build(&table, DIM_NAME | DIM_OTHER | MEANS, once, COUNT_OF(once));
    expect_int(choose(&table, NULL, &chart, &err), 0);
    expect_text(chart_forms[chart.kind].name, chart_forms[CHART_BAR].name);
    chart_release(&chart);
    table_release(&table);
}

struct refused_row {
    const char *name;
    unsigned bits;
    const char *wish;
    const char *says;
};

static const struct refused_row refused_rows[] = {
    {"a line without time", DIM_NAME, "line",
     "this answer cannot be drawn as 'line', which needs --every; what fits: bar, pie, "
     "histogram"},
    {"a pie of what cannot be summed", DIM_NAME | MEANS, "pie", "what fits: bar, histogram"},
    {"a scatter of one measure", DIM_NAME, "scatter",
     "which needs two measures, by a dimension"},
    {"a calendar of months", DIM_PERIOD, "calendar",
     "which needs --every day and no dimension"},
    {"a heat map of one dimension", DIM_NAME, "heat", "two dimensions, or one and --every"},
    {"a box of one row each", DIM_NAME, "box", "several rows for each name"},
    {"bands of what cannot be summed", DIM_PERIOD | MEANS, "area", "what fits: bar, line"},
};

static void what_does_not_fit_is_refused(void **state)
{
    const struct refused_row *row = *state;
    struct answer_row answer[4];
    struct table table;
    struct chart chart;
    struct error err = {0};
    build(&table, row->bits, answer, rows_for(row->bits, answer));
    expect_int(choose(&table, row->wish, &chart, &err), ERROR_USAGE);
    expect_contains(err.text, row->says);
    chart_release(&chart);
    table_release(&table);
}

static void answer_without_numbers_is_refused(void **state)
{
    (void)state;
    struct table table = {0};
    struct chart chart;
    struct error err = {0};
    table_column(&table, "check", "Check", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    expect_int(choose(&table, NULL, &chart, &err), ERROR_USAGE);
    expect_contains(err.text, "no numbers to draw");
    chart_release(&chart);
    table_release(&table);
}

static void answer_without_rows_is_a_chart_without_data(void **state)
{
    (void)state;
    for (size_t i = 0; i < CHART_KINDS; i++) {
        struct table table;
        struct chart chart;
        struct error err = {0};
        build(&table, DIM_NAME | DIM_PERIOD | TWO_MEASURES, NULL, 0);
        if (choose(&table, chart_kind_name(i), &chart, &err) != 0) {
            expect_fail("%s", err.text);
        }
        expect_false(chart_has_data(&chart));
        chart_release(&chart);
        table_release(&table);
    }
}

static double value_of(const struct chart *chart, const char *series, const char *category)
{
    for (size_t s = 0; s < chart->series_count; s++) {
        for (size_t c = 0; c < chart->category_count; c++) {
            if ((!series || str_eq(chart->series[s].name, str_of(series))) &&
                str_eq(chart->categories[c].name, str_of(category))) {
                return chart->series[s].present[c] ? chart->series[s].values[c] : (double)NAN;
            }
        }
    }
    expect_fail("no %s, %s", series ? series : "series", category);
}

/* A group that did nothing did zero; a mean of nothing is unknown; a month nobody used is there. */
static void missing_rows_are_zero_where_that_is_known(void **state)
{
    (void)state;
    struct table table;
    struct chart chart;
    struct error err = {0};
    build(&table, DIM_NAME | DIM_PERIOD, rows, 4);
    expect_int(choose(&table, NULL, &chart, &err), 0);
    expect_uint(chart.category_count, 4);
    expect_double(value_of(&chart, "alice", "2025-01"), 4, 1e-9);
    expect_double(value_of(&chart, "bob", "2025-01"), 0, 0);
    expect_double(value_of(&chart, "bob", "2025-03"), 0, 0);
    chart_release(&chart);
    table_release(&table);
    build(&table, DIM_NAME | DIM_PERIOD | MEANS, rows, 4);
    expect_int(choose(&table, NULL, &chart, &err), 0);
    expect_uint(chart.category_count, 4);
    expect_double(value_of(&chart, "alice", "2025-01"), 4, 1e-9);
    expect_double(value_of(&chart, "bob", "2025-01"), (double)NAN, 0);
    chart_release(&chart);
    table_release(&table);
}

static void absent_cells_are_gaps(void **state)
{
    (void)state;
    struct answer_row answer[] = {{"a", "q", "2025-01", 1, 0},
                                  {"a", "q", "2025-02", (double)NAN, 0},
                                  {NULL, "q", "2025-03", 3, 0}};
    struct table table;
    struct chart chart;
    struct error err = {0};
    build(&table, DIM_PERIOD, answer, 3);
    expect_int(choose(&table, NULL, &chart, &err), 0);
    expect_double(value_of(&chart, NULL, "2025-02"), (double)NAN, 0);
    chart_release(&chart);
    table_release(&table);
    build(&table, DIM_NAME, answer + 1, 2);
    expect_int(choose(&table, NULL, &chart, &err), 0);
    expect_double(value_of(&chart, NULL, "a"), (double)NAN, 0);
    expect_double(value_of(&chart, NULL, "---"), 3, 1e-9);
    chart_release(&chart);
    table_release(&table);
}

struct bucket_row {
    const char *name;
    const char *first, *last;
    enum bucket bucket;
    size_t count;
};

static const struct bucket_row bucket_rows[] = {
    {"hours", "2025-03-01T22:00", "2025-03-02T01:00", BUCKET_HOUR, 4},
    {"days", "2025-02-27", "2025-03-02", BUCKET_DAY, 4},
    {"weeks", "2024-W52", "2025-W02", BUCKET_WEEK, 3},
    {"months", "2024-11", "2025-02", BUCKET_MONTH, 4},
    {"quarters", "2024-Q4", "2025-Q2", BUCKET_QUARTER, 3},
    {"years", "2019", "2025", BUCKET_YEAR, 7},
};

static void axis_of_time_has_every_bucket(void **state)
{
    const struct bucket_row *row = *state;
    struct answer_row answer[] = {{"a", "q", row->first, 1, 0}, {"b", "q", row->last, 2, 0}};
    struct table table;
    struct chart chart;
    struct error err = {0};
    build(&table, DIM_NAME | DIM_PERIOD, answer, 2);
    if (choose(&table, NULL, &chart, &err) != 0) {
        expect_fail("%s", err.text);
    }
    expect_int(chart.bucket, row->bucket);
    expect_uint(chart.category_count, row->count);
    expect_true(str_eq(chart.categories[0].name, str_of(row->first)));
    expect_true(str_eq(chart.categories[row->count - 1].name, str_of(row->last)));
    chart_release(&chart);
    table_release(&table);
}

/* From the 10th of January to the 20th of April, asked on the 10th. */
static void buckets_that_are_not_whole_are_marked(void **state)
{
    (void)state;
    struct table table;
    struct chart chart = {0};
    struct error err = {0};
    const struct chart_wish wish = {
        .zone = utc,
        .period = {zone_instant(utc, (struct civil){.year = 2025, .month = 1, .day = 10}),
                   zone_instant(utc, (struct civil){.year = 2025, .month = 4, .day = 21})},
        .now = zone_instant(utc, (struct civil){.year = 2025, .month = 4, .day = 10}),
    };
    build(&table, DIM_NAME | DIM_PERIOD, rows, 4);
    expect_int(chart_choose(&table, &wish, &chart, &err), 0);
    expect_uint(chart.category_count, 4);
    expect_true(chart.categories[0].partial && chart.categories[3].partial);
    expect_false(chart.categories[1].partial || chart.categories[2].partial);
    expect_text(chart.subtitle, "2025-01-10 to 2025-04-20 (UTC)");
    expect_contains(chart.notes[0], "a month only partly covered by the period or the data");
    chart_release(&chart);
    struct chart_wish late = wish; /* data begin in February */
    late.covered = (struct period){
        zone_instant(utc, (struct civil){.year = 2025, .month = 2, .day = 3}), wish.now};
    chart = (struct chart){0};
    expect_int(chart_choose(&table, &late, &chart, &err), 0);
    expect_true(chart.categories[0].partial && chart.categories[1].partial);
    expect_false(chart.categories[2].partial);
    chart_release(&chart);
    table_release(&table);
}

static void weekdays_and_numbers_keep_their_order(void **state)
{
    (void)state;
    struct answer_row answer[] = {
        {"Tue", "10", "", 5, 0}, {"Sun", "9", "", 9, 0}, {"Mon", "100", "", 1, 0}};
    struct table table;
    struct chart chart;
    struct error err = {0};
    build(&table, DIM_NAME | DIM_OTHER, answer, 3);
    expect_int(choose(&table, "heat", &chart, &err), 0);
    expect_true(str_eq(chart.series[0].name, STR("Mon")));
    expect_true(str_eq(chart.series[1].name, STR("Tue")));
    expect_true(str_eq(chart.series[2].name, STR("Sun")));
    expect_true(str_eq(chart.categories[0].name, STR("9")));
    expect_true(str_eq(chart.categories[2].name, STR("100")));
    expect_double(value_of(&chart, "Sun", "9"), 9, 1e-9);
    chart_release(&chart);
    table_release(&table);
}

static void titles_say_what_is_drawn(void **state)
{
    (void)state;
    struct table table;
    struct chart chart;
    struct error err = {0};
    build(&table, DIM_NAME | DIM_PERIOD, rows, 4);
    expect_int(choose(&table, NULL, &chart, &err), 0);
    expect_text(chart.title, "CPU hours by month and user");
    chart_release(&chart);
    table_release(&table);
    struct answer_row answer[4];
    build(&table, DIM_NAME | TWO_MEASURES, answer, rows_for(DIM_NAME, answer));
    expect_int(choose(&table, "scatter", &chart, &err), 0);
    expect_text(chart.title, "CPU hours and jobs by user");
    chart_release(&chart);
    expect_int(choose(&table, NULL, &chart, &err), 0);
    expect_text(chart.title, "CPU hours by user");
    expect_text(chart.notes[0], "Not drawn: Jobs.");
    chart_release(&chart);
    const struct chart_wish wish = {.zone = utc, .title = "Mine", .notes = STR("one\ntwo\n")};
    chart = (struct chart){0};
    expect_int(chart_choose(&table, &wish, &chart, &err), 0);
    expect_text(chart.title, "Mine");
    expect_text(chart.notes[2], "two");
    chart_release(&chart);
    table_release(&table);
}

/* As compare has it: a word about the row is no name, and only the change is drawn, with what it is of. */
static void an_answer_can_say_what_is_drawn(void **state)
{
    (void)state;
    struct table table = {0};
    struct chart chart;
    struct error err = {0};
    table_column(&table, "user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&table, "cpu_hours", "CPU hours", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE);
    size_t change = table_column(&table, "cpu_hours_change", "Change", CELL_WIDE, UNIT_HOURS,
                                 COLUMN_MEASURE);
    table_picture(&table, change, "Change in CPU hours", true);
    table_column(&table, "note", "", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE);
    for (int i = 0; i < 30; i++) { /* -15 to 14; what is left is -2 to 3 */
        char name[8];
        (void)snprintf(name, sizeof name, "u%02d", i);
        size_t row = table_row(&table);
        table_set_text(&table, 0, row, str_of(name));
        table_set_wide(&table, 1, row, (wide_int)(100 * 3600e6));
        table_set_wide(&table, change, row, (wide_int)((i - 15) * 3600e6));
        table_set_text(&table, 3, row, i == 0 ? STR("new") : STR(""));
    }
    expect_int(choose(&table, NULL, &chart, &err), 0);
    expect_text(chart.title, "Change in CPU hours by user");
    expect_text(chart.up.label, "Change in CPU hours");
    expect_uint(chart.series_count, 1);
    expect_uint(chart.category_count, 25);
    expect_double(value_of(&chart, NULL, "u00"), -15, 1e-9);
    expect_double(value_of(&chart, NULL, "others (6)"), 3, 1e-9);
    expect_text(chart.notes[0], "The 24 largest of 30 users; others are summed.");
    expect_uint(chart.note_count, 1);
    chart_release(&chart);
    table_release(&table);
}

/* Two measures in one unit, of which the first was to reach something: it is drawn, with the line. */
static void a_measure_with_a_target_is_drawn_alone(void **state)
{
    (void)state;
    struct table table = {0};
    struct chart chart;
    struct error err = {0};
    table_column(&table, "user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&table, "cpu_hours", "CPU hours", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE);
    table_column(&table, "cpu_hours_target", "pledge", CELL_WIDE, UNIT_HOURS, COLUMN_TARGET);
    table_column(&table, "wall_hours", "Wall hours", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE);
    table_row(&table);
    table_set_text(&table, 0, 0, STR("alice"));
    table_set_wide(&table, 1, 0, (wide_int)(5 * 3600e6));
    table_set_wide(&table, 2, 0, (wide_int)(8 * 3600e6));
    table_set_wide(&table, 3, 0, (wide_int)(2 * 3600e6));
    expect_int(choose(&table, NULL, &chart, &err), 0);
    expect_uint(chart.series_count, 1);
    expect_uint(chart.target_count, 1);
    double value = 0;
    expect_true(chart_target_at(&chart, 0, 0, &value));
    expect_double(value, 8, 1e-9);
    expect_text(chart.notes[0], "Not drawn: Wall hours.");
    chart_release(&chart);
    table_release(&table);
}

/* As forecast has it: without names a bar for each measure, and a line that is for all of them. */
static void a_goal_is_a_line_across_all_measures(void **state)
{
    (void)state;
    struct table table = {.title = "Forecast"};
    struct chart chart;
    struct error err = {0};
    table_column(&table, "so_far", "So far", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE);
    table_column(&table, "high", "High", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE);
    table_column(&table, "target", "Target", CELL_WIDE, UNIT_HOURS, COLUMN_SHARED_TARGET);
    table_row(&table);
    for (size_t c = 0; c < 3; c++) {
        table_set_wide(&table, c, 0, (wide_int)((double)(c + 1) * 3600e6));
    }
    expect_int(choose(&table, NULL, &chart, &err), 0);
    expect_text(chart.title, "Forecast");
    expect_uint(chart.category_count, 2);
    for (size_t c = 0; c < 2; c++) {
        double value = 0;
        expect_true(chart_target_at(&chart, 0, c, &value));
        expect_double(value, 3, 1e-9);
    }
    chart_release(&chart);
    table_release(&table);
}

/* Asked in the middle of February: March and April are no months in which nothing was used. */
static void what_has_not_happened_is_a_gap(void **state)
{
    (void)state;
    struct answer_row answer[4];
    struct table table;
    struct chart chart = {0};
    struct error err = {0};
    const struct chart_wish wish = {
        .zone = utc,
        .now = zone_instant(utc, (struct civil){.year = 2025, .month = 2, .day = 15}),
    };
    build(&table, DIM_PERIOD, answer, rows_for(DIM_PERIOD, answer));
    expect_int(chart_choose(&table, &wish, &chart, &err), 0);
    expect_double(value_of(&chart, NULL, "2025-02"), 3, 1e-9);
    expect_double(value_of(&chart, NULL, "2025-03"), (double)NAN, 0);
    expect_double(value_of(&chart, NULL, "2025-04"), (double)NAN, 0);
    chart_release(&chart);
    table_release(&table);
}

/* Bars of one piece are bars, and the piece is named, since nothing else says whose it is. */
static void a_lone_name_is_told(void **state)
{
    (void)state;
    static const struct answer_row answer[] = {{"alice", "q", "2025-01", 1, 0},
                                               {"alice", "q", "2025-02", 2, 0}};
    struct table table;
    struct chart chart;
    struct error err = {0};
    struct buf out;
    build(&table, DIM_NAME | DIM_PERIOD, answer, 2);
    expect_int(choose(&table, NULL, &chart, &err), 0);
    expect_text(chart_forms[chart.kind].name, "bar");
    buf_init(&out, 1 << 20);
    chart_svg(&out, &chart);
    expect_contains(out.ptr, ">alice</text>");
    buf_release(&out);
    chart_release(&chart);
    table_release(&table);
}

static void several_measures_are_drawn_or_said_not_to_be(void **state)
{
    (void)state;
    struct table table;
    struct chart chart;
    struct error err = {0};
    build(&table, DIM_NAME | DIM_OTHER | TWO_ALIKE, rows, 4);
    expect_int(choose(&table, "bar", &chart, &err), 0);
    expect_uint(chart.series_count, 2);
    expect_uint(chart.note_count, 0);
    expect_text(chart.title, "CPU hours and wall hours by user and queue");
    expect_double(value_of(&chart, "Wall hours", "bob / gpu.q"), 10, 1e-9);
    chart_release(&chart);
    expect_int(choose(&table, "heat", &chart, &err), 0);
    expect_text(chart.notes[0], "Not drawn: Wall hours.");
    expect_text(chart.title, "CPU hours by user and queue");
    chart_release(&chart);
    table_release(&table);
}

/*
 * Alder has data from March on, birch from January to February and again in April: what is missing of one is no zero, and a
 * month of which nothing is there is said to be unrecorded. Birch did nothing in February, which is known.
 */
static void a_cluster_without_data_is_missing_and_not_zero(void **state)
{
    (void)state;

    static const struct {
        const char *cluster, *month;
        double hours;
    } known[] = {{"birch", "2025-01", 5}, {"alder", "2025-04", 7}, {"birch", "2025-04", 1}};

    const int64_t jan = zone_instant(utc, (struct civil){.year = 2025, .month = 1, .day = 1});
    const int64_t mar = zone_instant(utc, (struct civil){.year = 2025, .month = 3, .day = 1});
    const int64_t apr = zone_instant(utc, (struct civil){.year = 2025, .month = 4, .day = 1});
    const int64_t may = zone_instant(utc, (struct civil){.year = 2025, .month = 5, .day = 1});
    const struct coverage_stretch covers[] = {
        {STR("alder"), {apr, may}}, {STR("birch"), {jan, mar}}, {STR("birch"), {apr, may}}};
    const struct chart_wish wish = {.zone = utc,
                                    .period = {jan, may},
                                    .covered = {jan, may},
                                    .now = may,
                                    .covers = covers,
                                    .cover_count = COUNT_OF(covers)};
    struct table table = {0};
    struct chart chart = {0};
    struct error err = {0};
    const size_t cluster =
        table_column(&table, "cluster", "Cluster", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    const size_t period =
        table_column(&table, "period", "Period", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    const size_t hours =
        table_column(&table, "cpu_hours", "CPU hours", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE);
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        const size_t row = table_row(&table);
        table_set_text(&table, cluster, row, str_of(known[i].cluster));
        table_set_text(&table, period, row, str_of(known[i].month));
        table_set_wide(&table, hours, row, (wide_int)(known[i].hours * 3600e6));
    }
    expect_int(chart_choose(&table, &wish, &chart, &err), 0);
    expect_int(chart.kind, CHART_STACKED);
    expect_uint(chart.category_count, 4);
    const size_t alder = str_eq(chart.series[0].name, STR("alder")) ? 0 : 1, birch = 1 - alder;
    expect_false(chart.series[alder].present[0] || chart.series[alder].present[1]);
    expect_true(chart.series[birch].present[1] && chart.series[birch].values[1] == 0);
    expect_false(chart.series[birch].present[2] || chart.series[alder].present[2]);
    expect_true(chart.categories[2].unrecorded && !chart.categories[0].unrecorded);
    struct buf out;
    buf_init(&out, LIMIT_OUTPUT);
    chart_page(&out, &chart);
    expect_contains(out.ptr, "<title>2025-03: nothing is recorded</title>");
    expect_contains(out.ptr, "<title>2025-01, not recorded: alder</title>");
    expect_contains(out.ptr, "<span>not recorded</span>");
    buf_release(&out);
    chart_release(&chart);
    table_release(&table);
}

/* Two fiscal years from April on, the last month not over: lines of two years over the same months, the later one first. */
static void years_lie_over_each_other(void **state)
{
    (void)state;
    const int64_t from = zone_instant(utc, (struct civil){.year = 2024, .month = 4, .day = 1});
    const int64_t to = zone_instant(utc, (struct civil){.year = 2026, .month = 4, .day = 1});
    const int64_t now = zone_instant(utc, (struct civil){.year = 2026, .month = 1, .day = 9});
    const struct chart_wish wish = {.zone = utc, .period = {from, to}, .now = now};
    struct table table = {0};
    struct chart chart = {0};
    struct error err = {0};
    const size_t year =
        table_column(&table, "year", "Year", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE);
    const size_t period =
        table_column(&table, "period", "Period", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    const size_t hours =
        table_column(&table, "cpu_hours", "CPU hours", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE);
    for (int i = 0; i < 24; i++) {
        const size_t row = table_row(&table);
        char label[16];
        (void)snprintf(label, sizeof label, "%d-%02d", 2024 + (i + 3) / 12, (i + 3) % 12 + 1);
        table_set_text(&table, year, row, i < 12 ? STR("FY2025") : STR("FY2026"));
        table_set_text(&table, period, row, str_of(label));
        if (i <= 21) {
            table_set_wide(&table, hours, row, (wide_int)i * 3600 * 1000000);
        }
    }
    expect_int(chart_choose(&table, &wish, &chart, &err), 0);
    expect_int(chart.kind, CHART_LINE);
    expect_uint(chart.category_count, 12);
    expect_true(str_eq(chart.categories[0].name, STR("Apr")));
    expect_uint(chart.series_count, 2);
    expect_true(str_eq(chart.series[0].name, STR("FY2026")));
    expect_double(chart.series[0].values[0], 12, 1e-9);
    expect_double(chart.series[1].values[0], 0, 1e-9);
    expect_true(chart.series[0].present[9] && !chart.series[0].present[10]);
    expect_true(chart.series[0].low && isfinite(chart.series[0].low[9]));
    expect_true(!chart.series[1].low);
    chart_release(&chart);
    table_release(&table);
}

/* Two weeks that were, one that is not over, and one that is expected, with its range: a line, and a band at its end. */
static void what_is_ahead_has_a_range(void **state)
{
    (void)state;
    const int64_t from = zone_instant(utc, (struct civil){.year = 2025, .month = 3, .day = 3});
    const struct chart_wish wish = {
        .zone = utc, .period = {from, from + 28 * DAY_US}, .now = from + 16 * DAY_US};
    static const char *const labels[] = {"2025-W10", "2025-W11", "2025-W12", "2025-W13"};
    struct table table = {0};
    struct chart chart = {0};
    struct error err = {0};
    const size_t week =
        table_column(&table, "period", "Week", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    const size_t all = table_column(&table, "gpu_hours_in_all", "GPU hours in all", CELL_WIDE,
                                    UNIT_HOURS, COLUMN_MEASURE);
    const size_t low = table_column(&table, "low", "Low", CELL_WIDE, UNIT_HOURS, COLUMN_BESIDE);
    const size_t high =
        table_column(&table, "high", "High", CELL_WIDE, UNIT_HOURS, COLUMN_BESIDE);
    for (size_t i = 0; i < COUNT_OF(labels); i++) {
        const size_t row = table_row(&table);
        table_set_text(&table, week, row, str_of(labels[i]));
        table_set_wide(&table, all, row, (wide_int)(i + 1) * 10 * HOUR_US);
    }
    table_set_wide(&table, low, 3, (wide_int)35 * HOUR_US);
    table_set_wide(&table, high, 3, (wide_int)55 * HOUR_US);
    expect_int(chart_choose(&table, &wish, &chart, &err), 0);
    expect_int(chart.kind, CHART_LINE);
    expect_uint(chart.category_count, 4);
    expect_uint(chart.look, 2);
    expect_double(chart.series[0].values[3], 40, 1e-9);
    expect_true(chart.series[0].present[3] && isnan(chart.series[0].low[1]));
    expect_double(chart.series[0].low[3], 35, 1e-9);
    expect_double(chart.series[0].high[3], 55, 1e-9);
    expect_true(chart.categories[2].partial && !chart.categories[3].partial);
    chart_release(&chart);
    table_release(&table);
}

/* Two days of a year are not drawn as 365 bars, and two hours of it not refused. */
static void long_periods_become_bands(void **state)
{
    (void)state;
    static const char *const labels[][2] = {{"2025-01-03", "2025-11-02"},
                                            {"2025-01-03T10:00", "2025-11-02T10:00"}};
    for (size_t i = 0; i < 2; i++) {
        struct answer_row answer[] = {{"a", "q", labels[i][0], 1, 0},
                                      {"b", "q", labels[i][1], 2, 0}};
        struct table table;
        struct chart chart;
        struct error err = {0};
        build(&table, DIM_NAME | DIM_PERIOD, answer, 2);
        expect_int(choose(&table, NULL, &chart, &err), 0);
        expect_int(chart.kind, CHART_AREA);
        chart_release(&chart);
        table_release(&table);
    }
}

/* --- spread --- */

static void histogram_of(const double *values, size_t count, bool means, struct chart *chart)
{
    struct table table;
    struct error err = {0};
    struct answer_row *answer = calloc(count, sizeof *answer);
    char(*names)[32] = calloc(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(names[i], sizeof names[i], "u%zu", i);
        answer[i] = (struct answer_row){.name = names[i], .value = values[i]};
    }
    build(&table, DIM_NAME | (means ? MEANS : 0), answer, count);
    if (choose(&table, "histogram", chart, &err) != 0) {
        expect_fail("%s", err.text);
    }
    table_release(&table);
    free(answer);
    free(names);
}

/* A value on an edge is in exactly one bin: the sum of all is the number of rows. */
static void every_value_is_in_one_bin(void **state)
{
    (void)state;
    static const double even[] = {0, 5, 10, 15, 20, 25, 30, 35, 40, 50, 50, 50};
    static const double skewed[] = {0, 0, 1, 2, 5, 10, 100, 1000, 10000, 50000, 100000};
    static const double same[] = {7, 7, 7};
    static const double below[] = {-5, 0, 5};

    static const struct {
        const double *values;
        size_t count;
        bool grows;
    } cases[] = {{even, COUNT_OF(even), false},
                 {skewed, COUNT_OF(skewed), true},
                 {same, COUNT_OF(same), false},
                 {below, COUNT_OF(below), false}};

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct chart chart;
        histogram_of(cases[i].values, cases[i].count, true, &chart);
        double sum = 0;
        for (size_t c = 0; c < chart.category_count; c++) {
            sum += chart.series[0].values[c];
            expect_true(chart.categories[c].low < chart.categories[c].high);
            expect_true(c == 0 || chart.categories[c].low == chart.categories[c - 1].high);
        }
        expect_double(sum, (double)cases[i].count, 0);
        expect_true(chart.logarithmic == cases[i].grows);
        expect_text(chart.up.label, "Users");
        chart_release(&chart);
    }
}

static void edge_belongs_to_the_bin_above(void **state)
{
    (void)state;
    static const double values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    struct chart chart;
    histogram_of(values, COUNT_OF(values), true, &chart);
    expect_double(chart.categories[0].low, 0, 0);
    for (size_t c = 0; c + 1 < chart.category_count; c++) {
        double width = chart.categories[c].high - chart.categories[c].low;
        expect_double(chart.series[0].values[c], width,
                      0); /* whole numbers: as many as it is wide */
    }
    chart_release(&chart);
}

/* Quartiles of 1..5 and of 10, by hand. */
static void boxes_have_quartiles(void **state)
{
    (void)state;
    struct answer_row answer[] = {
        {"a", "1", "", 5, 0},           {"a", "2", "", 1, 0}, {"b", "1", "", 10, 0},
        {"a", "3", "", 2, 0},           {"a", "4", "", 4, 0}, {"a", "5", "", 3, 0},
        {"c", "1", "", (double)NAN, 0},
    };
    static const double want[] = {1, 2, 3, 4, 5};
    struct table table;
    struct chart chart;
    struct error err = {0};
    build(&table, DIM_NAME | DIM_OTHER, answer, COUNT_OF(answer));
    expect_int(choose(&table, "box", &chart, &err), 0);
    expect_uint(chart.category_count, 3);
    for (size_t s = 0; s < CHART_BOX_SERIES; s++) {
        expect_double(chart.series[s].values[0], want[s], 1e-9);
        expect_double(chart.series[s].values[1], 10, 1e-9);
        expect_false(chart.series[s].present[2]);
    }
    chart_release(&chart);
    table_release(&table);
}

static void repeated_names_are_spread_not_summed(void **state)
{
    (void)state;
    struct answer_row answer[] = {
        {"a", "", "", 5, 0}, {"a", "", "", 1, 0}, {"b", "", "", 2, 0}};
    struct table table;
    struct chart chart;
    struct error err = {0};
    build(&table, DIM_NAME | MEANS, answer, 3);
    expect_int(choose(&table, NULL, &chart, &err), 0);
    expect_int(chart.kind, CHART_BOX);
    chart_release(&chart);
    expect_int(choose(&table, "bar", &chart, &err), ERROR_USAGE);
    chart_release(&chart);
    table_release(&table);
    build(&table, DIM_NAME, answer, 3); /* cpu hours may be summed */
    expect_int(choose(&table, "bar", &chart, &err), 0);
    expect_double(value_of(&chart, NULL, "a"), 6, 1e-9);
    chart_release(&chart);
    table_release(&table);
}

static void too_many_buckets_are_refused_with_a_way_out(void **state)
{
    (void)state;
    struct answer_row answer[] = {{"a", "q", "2020-01-01", 1, 0},
                                  {"b", "q", "2025-01-01", 2, 0}};
    struct table table;
    struct chart chart;
    struct error err = {0};
    build(&table, DIM_NAME | DIM_PERIOD, answer, 2);
    expect_int(choose(&table, "bar", &chart, &err), ERROR_USAGE);
    expect_contains(err.text, "at most 400 buckets of time and these are 1828");
    chart_release(&chart);
    expect_int(choose(&table, "line", &chart, &err), 0);
    chart_release(&chart);
    table_release(&table);
}

/* A hundred thousand hours by a thousand names would be a hundred million places. */
static void more_cells_than_memory_are_refused(void **state)
{
    (void)state;

    enum { NAMES = 1000 };
    struct answer_row answer[NAMES];
    char names[NAMES][32];
    struct table table;
    struct chart chart;
    struct error err = {0};
    for (size_t i = 0; i < NAMES; i++) {
        (void)snprintf(names[i], sizeof names[i], "u%zu", i);
        answer[i] = (struct answer_row){.name = names[i],
                                        .period = i ? "2025-01-01T00:00" : "2014-01-01T00:00",
                                        .value = 1};
    }
    build(&table, DIM_NAME | DIM_PERIOD, answer, NAMES);
    expect_int(choose(&table, "line", &chart, &err), ERROR_LIMIT);
    expect_contains(err.text, "96433 by 1000 values are too many for a picture");
    chart_release(&chart);
    table_release(&table);
}

static void total_of_the_picture_is_the_total_of_the_answer(void **state)
{
    (void)state;

    enum { USERS = 300, MONTHS = 12 };
    struct table table = {0};
    struct chart chart;
    struct error err = {0};
    table_column(&table, "user", "User", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&table, "period", "Period", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&table, "cpu_hours", "CPU hours", CELL_WIDE, UNIT_HOURS, COLUMN_MEASURE);
    double total = 0;
    for (int u = 0; u < USERS; u++) {
        for (int m = 1; m <= MONTHS; m += 1 + u % 3) {
            char user[32], month[32];
            (void)snprintf(user, sizeof user, "user%d", u);
            (void)snprintf(month, sizeof month, "2025-%02d", m);
            size_t row = table_row(&table);
            table_set_text(&table, 0, row, str_of(user));
            table_set_text(&table, 1, row, str_of(month));
            table_set_wide(&table, 2, row, (wide_int)(u * m) * INT64_C(3600000000));
            total += u * m;
        }
    }
    static const char *const kinds[] = {"stacked", "area", "heat", "bar"};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        expect_int(choose(&table, kinds[i], &chart, &err), 0);
        double drawn = 0;
        for (size_t s = 0; s < chart.series_count; s++) {
            for (size_t c = 0; c < chart.category_count; c++) {
                drawn += chart.series[s].present[c] ? chart.series[s].values[c] : 0;
            }
        }
        expect_double(drawn, total, 1e-6);
        expect_true(chart.series_count <= chart_forms[chart.kind].series_max);
        chart_release(&chart);
    }
    table_release(&table);
}

static void instants_are_an_axis_of_time_with_gaps(void **state)
{
    (void)state;
    /* minutes after midnight: nothing is known of the third of four stretches of ten minutes */
    static const int minutes[] = {0, 10, 30};
    struct table table = {0};
    struct chart chart = {0};
    struct error err;
    table_column(&table, "time", "Time", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION);
    table_picture(&table, 0, "Time", false);
    table_column(&table, "cpu", "CPU use", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
    for (size_t i = 0; i < COUNT_OF(minutes); i++) {
        size_t row = table_row(&table);
        table_set_int(&table, 0, row, minutes[i] * INT64_C(60000000));
        table_set_real(&table, 1, row, 0.5);
    }
    expect_int(choose(&table, NULL, &chart, &err), 0);
    expect_int(chart.kind, CHART_LINE);
    expect_int((int)chart.category_count, 4);
    expect_true(str_eq(str_of(chart.title), STR("CPU use over time")));
    expect_true(str_eq(chart.categories[1].name, STR("1970-01-01 00:10:00")));
    expect_true(chart.series[0].present[1]);
    expect_false(chart.series[0].present[2]);
    expect_true(chart.series[0].present[3]);
    chart_release(&chart);
    table_release(&table);
}

int main(void)
{
    struct suite suite = {0};
    struct error err;
    if (zone_open("UTC", &utc, &err) != 0) {
        return 1;
    }
    SUITE_ROWS(&suite, kind_follows_from_the_question, kind_rows);
    SUITE_TEST(&suite, names_that_stand_once_are_bars);
    SUITE_ROWS(&suite, what_does_not_fit_is_refused, refused_rows);
    SUITE_TEST(&suite, answer_without_numbers_is_refused);
    SUITE_TEST(&suite, answer_without_rows_is_a_chart_without_data);
    SUITE_TEST(&suite, missing_rows_are_zero_where_that_is_known);
    SUITE_TEST(&suite, absent_cells_are_gaps);
    SUITE_ROWS(&suite, axis_of_time_has_every_bucket, bucket_rows);
    SUITE_TEST(&suite, buckets_that_are_not_whole_are_marked);
    SUITE_TEST(&suite, instants_are_an_axis_of_time_with_gaps);
    SUITE_TEST(&suite, weekdays_and_numbers_keep_their_order);
    SUITE_TEST(&suite, titles_say_what_is_drawn);
    SUITE_TEST(&suite, an_answer_can_say_what_is_drawn);
    SUITE_TEST(&suite, a_measure_with_a_target_is_drawn_alone);
    SUITE_TEST(&suite, a_goal_is_a_line_across_all_measures);
    SUITE_TEST(&suite, what_has_not_happened_is_a_gap);
    SUITE_TEST(&suite, a_lone_name_is_told);
    SUITE_TEST(&suite, several_measures_are_drawn_or_said_not_to_be);
    SUITE_TEST(&suite, a_cluster_without_data_is_missing_and_not_zero);
    SUITE_TEST(&suite, what_is_ahead_has_a_range);
    SUITE_TEST(&suite, years_lie_over_each_other);
    SUITE_TEST(&suite, long_periods_become_bands);
    SUITE_TEST(&suite, every_value_is_in_one_bin);
    SUITE_TEST(&suite, edge_belongs_to_the_bin_above);
    SUITE_TEST(&suite, boxes_have_quartiles);
    SUITE_TEST(&suite, repeated_names_are_spread_not_summed);
    SUITE_TEST(&suite, too_many_buckets_are_refused_with_a_way_out);
    SUITE_TEST(&suite, more_cells_than_memory_are_refused);
    SUITE_TEST(&suite, total_of_the_picture_is_the_total_of_the_answer);
    int failed = suite_run(&suite, "choose");
    zone_close(utc);
    return failed;
}
