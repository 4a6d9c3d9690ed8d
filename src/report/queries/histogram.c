/* SPDX-License-Identifier: MIT */
#include "report/queries/histogram.h"

#include <assert.h>
#include <inttypes.h>

#include "base/scan.h"
#include "report/queries/grouped.h"
#include "report/sql/column.h"
#include "report/sql/quantity.h"

static const char *const wall_bins[] = {"0s",  "1m", "10m", "1h", "4h",
                                        "12h", "1d", "3d",  "7d", NULL};
static const char *const wait_bins[] = {"0s", "10s", "1m", "10m", "1h",
                                        "4h", "1d",  "3d", "7d",  NULL};
static const char *const mem_bins[] = {"0",   "256M", "1G", "4G", "16G",
                                       "64G", "256G", "1T", NULL};
static const char *const node_bins[] = {"1", "2", "3", "5", "9", "17", "33", "65", "129", NULL};

const struct histogram histograms[] = {
    {"shape", "Shape", "serial, parallel on one node, on several", "shape", false, NULL},
    {"cpus", "CPUs", "cpus or slots of a job", "size", false, NULL},
    {"nodes", "Nodes", "nodes of a job", "node_count", false, node_bins},
    {"wall", "Wall", "time from start to end", "wall", false, wall_bins},
    {"wait", "Wait", "time from submission to start, of jobs that started in the period",
     "wait", true, wait_bins},
    {"mem", "Peak memory", "peak memory", "mem_peak", false, mem_bins},
};

const size_t histogram_count = COUNT_OF(histograms);

enum { JOBS, WALL, CPU, OPEN_JOBS, SIZELESS, SIZELESS_WALL, SUMS };

/* Of a run that ended; `greatest` would make the time of any other 0. */
#define TIME    "CASE WHEN \"end\" IS NOT NULL THEN " QUANTITY_SQL_WALL " END"
#define NO_SIZE "FILTER (cpus IS NULL AND \"end\" IS NOT NULL)"

static const struct grouped_column sums[SUMS] = {
    [JOBS] = {"jobs", "Jobs", UNIT_COUNT, {"count(*)"}},
    [WALL] = {"job_wall_hours", "Job wall h", UNIT_HOURS, {"sum(" TIME ")"}},
    [CPU] = {"job_cpu_hours", "Job CPU h", UNIT_HOURS, {"sum(@wide([cpus]) * " TIME ")"}},
    [OPEN_JOBS] = {"open", "", UNIT_COUNT, {"count(*) FILTER (\"end\" IS NULL)"}},
    [SIZELESS] = {"sizeless", "", UNIT_COUNT, {"count(*) " NO_SIZE}},
    [SIZELESS_WALL] = {"sizeless_wall", "", UNIT_HOURS, {"sum(" TIME ") " NO_SIZE}},
};

const struct histogram *histogram_find(struct str id)
{
    for (size_t i = 0; i < histogram_count; i++) {
        if (str_eq(id, str_of(histograms[i].id))) {
            return &histograms[i];
        }
    }
    return NULL;
}

static const struct field *column_of(const struct histogram *histogram)
{
    const struct field *field = histogram->bins ? column_find(str_of(histogram->column))
                                                : dimension_find(str_of(histogram->column));
    assert(field);
    return field;
}

static int64_t edge_of(const struct field *field, const char *text)
{
    int64_t edge = 0;
    bool good = field->unit == UNIT_SECONDS ? scan_duration(str_of(text), &edge)
                : field->unit == UNIT_BYTES ? scan_size(str_of(text), 1, &edge)
                                            : scan_int(str_of(text), &edge);
    assert(good);
    return good ? edge : 0;
}

/* The number of a value's bin: the last whose edge it has reached, the first below all. */
static void add_bin(const void *context, struct statement *sql)
{
    const struct histogram *histogram = context;
    const struct field *field = column_of(histogram);
    if (!histogram->bins) {
        column_add(sql, field);
        return;
    }
    size_t count = 0;
    while (histogram->bins[count]) {
        count++;
    }
    statement_add(sql, "CASE WHEN ");
    column_add(sql, field);
    statement_add(sql, " IS NULL THEN NULL");
    for (size_t i = count; i-- > 1;) {
        statement_add(sql, " WHEN ");
        column_add(sql, field);
        statement_add(sql, " >= %" PRId64 " THEN %zu", edge_of(field, histogram->bins[i]), i);
    }
    statement_add(sql, " ELSE 0 END");
}

/*
 * Whole numbers as 3-4, else half-open: [1h, 4h). The last is open: 7d and more. NULL beyond
 * it.
 */
static const char *bin_name(const struct histogram *histogram, size_t bin, struct arena *arena)
{
    if (!histogram->bins) {
        return dimension_name(column_of(histogram), (int64_t)bin);
    }
    const char *lower = histogram->bins[bin];
    const char *upper = lower ? histogram->bins[bin + 1] : NULL;
    if (!upper) {
        return lower ? arena_printf(arena, "%s and more", lower) : NULL;
    }
    const struct field *field = column_of(histogram);
    const int64_t first = edge_of(field, lower), last = edge_of(field, upper) - 1;
    if (field->unit != UNIT_COUNT) {
        return arena_printf(arena, "[%s, %s)", lower, upper);
    }
    return first == last ? lower : arena_printf(arena, "%" PRId64 "-%" PRId64, first, last);
}

static double total_of(const struct table *raw, size_t column)
{
    double total = 0;
    for (size_t row = 0; row < raw->row_count; row++) {
        total += table_has(raw, column, row) ? table_real(raw, column, row) : 0;
    }
    return total;
}

/* The row of the engine's answer for a bin; SIZE_MAX if nothing lies in it. */
static size_t find_bin(const struct table *raw, bool unknown, int64_t bin)
{
    for (size_t row = 0; row < raw->row_count; row++) {
        const bool has = table_has(raw, 0, row);
        if (unknown ? !has : has && table_wide(raw, 0, row) == bin) {
            return row;
        }
    }
    return SIZE_MAX;
}

enum { BIN, OUT_JOBS, OUT_JOBS_SHARE, OUT_WALL, OUT_CPU, OUT_CPU_SHARE };

static void add_histogram_row(const struct table *raw, size_t from, const char *name,
                              struct table *out)
{
    const size_t row = table_row(out);
    const double jobs = total_of(raw, 1 + JOBS), cpu = total_of(raw, 1 + CPU);
    if (name) {
        table_set_text(out, BIN, row, str_of(name));
    }
    if (from == SIZE_MAX) {
        table_set_wide(out, OUT_JOBS, row, 0);
        table_set_wide(out, OUT_WALL, row, 0);
        table_set_wide(out, OUT_CPU, row, 0);
    } else {
        table_copy_cell(raw, 1 + JOBS, from, out, OUT_JOBS, row);
        table_copy_cell(raw, 1 + WALL, from, out, OUT_WALL, row);
        table_copy_cell(raw, 1 + CPU, from, out, OUT_CPU, row);
    }
    if (jobs > 0) {
        table_set_real(out, OUT_JOBS_SHARE, row, table_real(out, OUT_JOBS, row) / jobs);
    }
    if (cpu > 0 && table_has(out, OUT_CPU, row)) {
        table_set_real(out, OUT_CPU_SHARE, row, table_real(out, OUT_CPU, row) / cpu);
    }
}

static void shape_answer(const struct histogram *histogram, const struct table *raw,
                         struct table *out)
{
    const char *name;
    table_column(out, histogram->id, histogram->label, CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column_like(out, &raw->columns[1 + JOBS]);
    table_column(out, "jobs_share", "Share", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
    table_column_like(out, &raw->columns[1 + WALL]);
    table_column_like(out, &raw->columns[1 + CPU]);
    table_column(out, "cpu_hours_share", "Share", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
    for (size_t bin = 0; (name = bin_name(histogram, bin, &out->arena)) != NULL; bin++) {
        add_histogram_row(raw, find_bin(raw, false, (int64_t)bin), name, out);
    }
    const size_t unknown = find_bin(raw, true, 0);
    if (unknown != SIZE_MAX) {
        add_histogram_row(raw, unknown, NULL, out);
    }
}

int histogram_ask(struct facts *facts, const struct question *question,
                  const struct histogram *histogram, struct table *answer,
                  struct histogram_omitted *omitted, struct error *err)
{
    struct table raw = {0};
    const struct grouped grouped = {
        .at = histogram->at_start ? RUNS_SOURCE_AT_START : RUNS_SOURCE_AT_END,
        .group = add_bin,
        .context = histogram,
        .columns = sums,
        .count = SUMS,
        .sort = GROUPED_UNSORTED,
    };
    int failed = grouped_ask(facts, question, &grouped, &raw, err);
    if (!failed) {
        shape_answer(histogram, &raw, answer);
        *omitted = (struct histogram_omitted){
            .jobs = (int64_t)total_of(&raw, 1 + JOBS),
            .without_end = (int64_t)total_of(&raw, 1 + OPEN_JOBS),
            .without_cpus = (int64_t)total_of(&raw, 1 + SIZELESS),
            .wall = total_of(&raw, 1 + WALL),
            .wall_without_cpus = total_of(&raw, 1 + SIZELESS_WALL),
        };
    }
    table_release(&raw);
    return failed;
}
