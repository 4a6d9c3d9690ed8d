/* SPDX-License-Identifier: MIT */
#include "report/use/use_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/attribute.h"
#include "base/mem.h"
#include "report/sql/column.h"
#include "report/use/use_energy.h"
#include "report/use/use_rows.h"

#define USED "used_runs"

/* Runs that are read and resolved at a time. */
enum { PART_RUNS = 50000 };

/* What a column of the table has of a resource. */
enum part { PART_USED, PART_BASIS, PART_SAMPLED };

/*
 * The columns of the table; and what they become with runs `t` and `x` the row of the table:
 * fields of the run, or columns beside these, which report/sql/column.c reads.
 */
static const struct used_column {
    struct statement_column column;
    enum part part;
    enum use_resource of;
    struct expression becomes;
    bool beside;
} used_columns[] = {
    {{"cpu", TYPE_INTEGER},
     PART_USED,
     USE_CPU,
     {"coalesce(x.cpu, t.cpu_used_us) AS cpu_used_us"},
     false},
    {{"mem", TYPE_INTEGER},
     PART_USED,
     USE_MEMORY,
     {"coalesce(x.mem, t.mem_peak_bytes) AS mem_peak_bytes"},
     false},
    {{"mem_by", TYPE_TEXT},
     PART_BASIS,
     USE_MEMORY,
     {"coalesce(x.mem_by, t.mem_basis) AS mem_basis"},
     false},
    {{"gpu", TYPE_INTEGER},
     PART_USED,
     USE_GPU,
     {"coalesce(x.gpu, t.gpu_used_us) AS gpu_used_us"},
     false},
    {{"bytes", TYPE_INTEGER},
     PART_USED,
     USE_IO,
     {"coalesce(x.bytes, t.io_bytes) AS io_bytes"},
     false},
    {{"mj", TYPE_INTEGER},
     PART_USED,
     USE_ENERGY,
     {"coalesce(x.mj, t.energy_mj) AS energy_mj"},
     false},

#define BESIDE(name, type, part, of)                                                           \
    {                                                                                          \
        {name, type}, part, of, {"x." name " AS use_" name}, true                              \
    }
    BESIDE("cpu_by", TYPE_TEXT, PART_BASIS, USE_CPU),
    BESIDE("gpu_by", TYPE_TEXT, PART_BASIS, USE_GPU),
    BESIDE("io_by", TYPE_TEXT, PART_BASIS, USE_IO),
    BESIDE("energy_by", TYPE_TEXT, PART_BASIS, USE_ENERGY),
    BESIDE("bytes_in", TYPE_INTEGER, PART_USED, USE_READ),
    BESIDE("bytes_out", TYPE_INTEGER, PART_USED, USE_WRITTEN),
    BESIDE("cpu_sampled", TYPE_REAL, PART_SAMPLED, USE_CPU),
    BESIDE("mem_sampled", TYPE_REAL, PART_SAMPLED, USE_MEMORY),
    BESIDE("gpu_sampled", TYPE_REAL, PART_SAMPLED, USE_GPU),
    BESIDE("io_sampled", TYPE_REAL, PART_SAMPLED, USE_IO),
    BESIDE("energy_sampled", TYPE_REAL, PART_SAMPLED, USE_ENERGY),
#undef BESIDE
};

enum { COLUMNS = COUNT_OF(used_columns) + 1 };

/* --- which runs --------------------------------------------------------------------------- */

/* " FROM runs ... WHERE ...": runs that overlap the period. */
static void add_overlap(struct statement *sql, struct period period, int64_t now)
{
    statement_add(
        sql, " WHERE t.start < %" PRId64 " AND coalesce(t.\"end\", %" PRId64 ") >= %" PRId64,
        period.to, now, period.from);
}

/*
 * From when on their samples may be; *any is false if there is no such run, or no sample of
 * one.
 */
static int find_reach(struct facts *facts, struct period period, int64_t now, int64_t *from,
                      bool *any, struct error *err)
{
    struct statement sql;
    int64_t ignored = 0;
    statement_init(&sql);
    statement_add(&sql, "SELECT min(t.start) FROM runs t");
    add_overlap(&sql, period, now);
    int failed = statement_number(facts, &sql, from, any, err);
    statement_clear(&sql);
    if (!failed && *any) {
        statement_add(&sql,
                      "SELECT min(job) FROM samples WHERE job > 0 AND \"time\" >= %" PRId64
                      " AND \"time\" <= %" PRId64,
                      *from, now);
        failed = statement_number(facts, &sql, &ignored, any, err);
    }
    statement_release(&sql);
    return failed;
}

struct reach {
    struct period period;
    int64_t now, from;
    const enum energy_idle *energy; /* NULL: it is not asked for */
};

/*
 * The next runs that have samples, after a row: with USE_FIELDS, and what tells the row last.
 */
static int ask_runs(struct facts *facts, const struct reach *reach, int64_t after,
                    struct table *out, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT ");
    for (struct str rest = STR(USE_FIELDS); rest.ptr;) {
        const struct field *field = column_find(str_cut(&rest, ','));
        if (field->member) {
            statement_add(&sql, "t.");
            statement_name(&sql, identifier_of(field));
        } else {
            statement_add(&sql, "NULL"); /* run_id: `cluster` is that of the import here */
        }
        statement_add(&sql, " AS ");
        statement_name(&sql, (struct identifier){field->id});
        statement_add(&sql, ", ");
    }
    statement_add(
        &sql,
        "@row(t) AS run_row FROM runs t JOIN (SELECT DISTINCT cluster, job FROM samples "
        "WHERE job > 0 AND coalesce(epoch, 0) = 0 AND (kind IS NULL OR kind IN "
        "('job', 'gpu')) AND \"time\" >= %" PRId64 " AND \"time\" <= %" PRId64
        ") s ON s.cluster = t.cluster AND s.job = coalesce(t.job_raw, t.job)",
        reach->from, reach->now);
    add_overlap(&sql, reach->period, reach->now);
    statement_add(&sql, " AND @row(t) > %" PRId64 " ORDER BY run_row LIMIT %d", after,
                  PART_RUNS);
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}

/* --- what they used ----------------------------------------------------------------------- */

struct values {
    struct facts_value *rows;
    size_t count, room; /* rows */
};

static struct facts_value value_of(const struct used_column *column,
                                   const struct use_shown *shown)
{
    const double unit = column->of == USE_ENERGY ? USE_MILLIJOULES : 1;
    switch (column->part) {
    case PART_USED:
        return shown->used >= 0 ? FACTS_INT(llround(shown->used * unit)) : FACTS_NULL;
    case PART_BASIS:
        return shown->basis ? FACTS_TEXT(str_of(shown->basis)) : FACTS_NULL;
    case PART_SAMPLED:
        return shown->sampled >= 0 ? FACTS_REAL(shown->sampled) : FACTS_NULL;
    }
    return FACTS_NULL;
}

/* A row, where anything is known beside what was recorded. */
static void add_values(struct values *out, const struct use *use, int64_t run)
{
    bool any = false;
    if (out->count * COLUMNS + COLUMNS > out->room) {
        out->room = (out->count + 1024) * 2 * COLUMNS;
        out->rows = mem_resize(out->rows, out->room, sizeof(*out->rows));
    }
    struct facts_value *row = out->rows + out->count * COLUMNS;
    row[0] = FACTS_INT(run);
    for (size_t i = 0; i < COUNT_OF(used_columns); i++) {
        const struct use_shown shown = use_shown(use, used_columns[i].of);
        row[i + 1] = value_of(&used_columns[i], &shown);
        any = any || row[i + 1].type != FACTS_NULL.type;
    }
    out->count += any;
}

static int add_energy(struct facts *facts, const struct reach *reach, const struct table *runs,
                      struct use *uses, struct error *err)
{
    const struct use_energy_question question = {
        .runs = runs, .now = reach->now, .window = {0, INT64_MAX}, .idle = *reach->energy};
    struct use_energy *ignored = mem_alloc(runs->row_count + 1, sizeof(*ignored));
    int failed = use_energy_read(facts, &question, uses, ignored, err);
    free(ignored);
    return failed;
}

/* Resolves one part; *last is the row it ends with, and *more is false after the last part. */
static int add_part(struct facts *facts, const struct reach *reach, int64_t *last, bool *more,
                    struct values *out, struct error *err)
{
    struct table runs = {0};
    int failed = ask_runs(facts, reach, *last, &runs, err);
    const size_t place = runs.column_count - 1;
    struct use *uses = mem_alloc(runs.row_count + 1, sizeof(*uses));
    if (!failed) {
        failed = use_rows_read(facts, &runs, reach->now, uses, err);
    }
    if (!failed && reach->energy) {
        failed = add_energy(facts, reach, &runs, uses, err);
    }
    for (size_t row = 0; !failed && row < runs.row_count; row++) {
        *last = (int64_t)table_wide(&runs, place, row);
        add_values(out, &uses[row], *last);
    }
    *more = !failed && runs.row_count == PART_RUNS;
    free(uses);
    table_release(&runs);
    return failed;
}

static int load(struct facts *facts, const struct values *values, struct error *err)
{
    struct statement_column columns[COLUMNS] = {{"run_row", TYPE_INTEGER}};
    for (size_t i = 1; i < COLUMNS; i++) {
        columns[i] = used_columns[i - 1].column;
    }
    return statement_load(facts, IDENTIFIER(USED), columns, COLUMNS,
                          (struct facts_values){values->rows, values->count * COLUMNS}, err);
}

int use_table_make(struct facts *facts, struct period period, int64_t now,
                   const enum energy_idle *energy, bool *any, struct error *err)
{
    struct reach reach = {.period = period, .now = now, .energy = energy};
    struct values values = {0};
    int64_t last = -1;
    bool more = true;
    int failed = find_reach(facts, period, now, &reach.from, any, err);
    if (failed || !*any) {
        return failed;
    }
    while (!failed && more) {
        failed = add_part(facts, &reach, &last, &more, &values, err);
    }
    *any = values.count > 0;
    if (!failed && *any) {
        failed = load(facts, &values, err);
    }
    free(values.rows);
    return failed;
}

/* --- in statements ------------------------------------------------------------------------ */

static void add_columns(struct statement *sql, bool beside)
{
    bool first = !beside; /* those beside fields follow others */
    for (size_t i = 0; i < COUNT_OF(used_columns); i++) {
        if (used_columns[i].beside == beside) {
            statement_add(sql, first ? "" : ", ");
            statement_expression(sql, used_columns[i].becomes);
            first = false;
        }
    }
}

void use_table_replaced(struct statement *sql)
{
    add_columns(sql, false);
}

void use_table_beside(struct statement *sql)
{
    add_columns(sql, true);
}

void use_table_join(struct statement *sql)
{
    statement_add(sql, " LEFT JOIN " USED " x ON x.run_row = @row(t)");
}
