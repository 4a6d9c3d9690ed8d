/* SPDX-License-Identifier: MIT */
#include "report/use/use_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/attribute.h"
#include "base/mem.h"
#include "report/sql/column.h"
#include "report/use/use_rows.h"

#define USED "used_runs"

/* Runs that are read and resolved at a time. */
enum { PART_RUNS = 50000 };

/* The columns of the table, and what stands for a field of runs `t`, with `x` the row of the table. */
static const struct replaced {
    struct statement_column column;
    struct expression becomes;
} replaced[] = {
    {{"cpu", TYPE_INTEGER}, {"coalesce(x.cpu, t.cpu_used_us) AS cpu_used_us"}},
    {{"mem", TYPE_INTEGER}, {"coalesce(x.mem, t.mem_peak_bytes) AS mem_peak_bytes"}},
    {{"mem_by", TYPE_TEXT}, {"coalesce(x.mem_by, t.mem_basis) AS mem_basis"}},
    {{"gpu", TYPE_INTEGER}, {"coalesce(x.gpu, t.gpu_used_us) AS gpu_used_us"}},
    {{"bytes", TYPE_INTEGER}, {"coalesce(x.bytes, t.io_bytes) AS io_bytes"}},
};

enum { COLUMNS = COUNT_OF(replaced) + 1 };

/* --- which runs --------------------------------------------------------------------------------------- */

/* " FROM runs ... WHERE ...": runs that overlap the period. */
static void add_overlap(struct statement *sql, struct period period, int64_t now)
{
    statement_add(
        sql, " WHERE t.start < %" PRId64 " AND coalesce(t.\"end\", %" PRId64 ") >= %" PRId64,
        period.to, now, period.from);
}

/* From when on their samples may be; *any is false if there is no such run, or no sample of one. */
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
};

/* The next runs that have samples, after a row: with USE_FIELDS, and what tells the row last. */
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

/* --- what they used ----------------------------------------------------------------------------------- */

struct values {
    struct facts_value *rows;
    size_t count, room; /* rows */
};

static struct facts_value amount(const struct use_figure *figure, bool counts)
{
    return counts && figure->basis != USE_SCHEDULER ? FACTS_INT((int64_t)llround(figure->used))
                                                    : FACTS_NULL;
}

/* A row, where anything differs from what was recorded. */
static void add_values(struct values *out, const struct use *use, int64_t run)
{
    const struct use_figure *cpu = &use->of[USE_CPU], *memory = &use->of[USE_MEMORY],
                            *gpu = &use->of[USE_GPU], *io = &use->of[USE_IO];
    const bool more = memory->used >= 0 && memory->basis != USE_SCHEDULER;
    if (out->count * COLUMNS + COLUMNS > out->room) {
        out->room = (out->count + 1024) * 2 * COLUMNS;
        out->rows = mem_resize(out->rows, out->room, sizeof(*out->rows));
    }
    struct facts_value *row = out->rows + out->count * COLUMNS;
    row[0] = FACTS_INT(run);
    row[1] = amount(cpu, cpu->concludes);
    row[2] = amount(memory, more);
    row[3] = !more              ? FACTS_NULL
             : memory->at_least ? FACTS_TEXT(STR(USE_AT_LEAST))
                                : FACTS_TEXT(str_of(use_basis_name(memory->basis)));
    row[4] = amount(gpu, gpu->concludes);
    row[5] = amount(io, io->concludes);
    for (size_t i = 1; i < COLUMNS; i++) {
        if (row[i].type != FACTS_NULL.type) {
            out->count++;
            return;
        }
    }
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
        columns[i] = replaced[i - 1].column;
    }
    return statement_load(facts, IDENTIFIER(USED), columns, COLUMNS,
                          (struct facts_values){values->rows, values->count * COLUMNS}, err);
}

int use_table_make(struct facts *facts, struct period period, int64_t now, bool *any,
                   struct error *err)
{
    struct reach reach = {.period = period, .now = now};
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

/* --- in statements ------------------------------------------------------------------------------------ */

void use_table_columns(struct statement *sql)
{
    for (size_t i = 0; i < COUNT_OF(replaced); i++) {
        statement_add(sql, i ? ", " : "");
        statement_expression(sql, replaced[i].becomes);
    }
}

void use_table_join(struct statement *sql)
{
    statement_add(sql, " LEFT JOIN " USED " x ON x.run_row = @row(t)");
}
