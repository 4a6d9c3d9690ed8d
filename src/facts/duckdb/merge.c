/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/merge.h"

#include <inttypes.h>
#include <stdio.h>

#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/statements.h"
#include "facts/statement.h"
#include "record/precedence.h"
#include "record/run_merge.h"

void merge_add_state_origin(struct statement *sql)
{
    statement_add(sql, "coalesce(substr(runs.field_origins, %d, 1), runs.origin::VARCHAR)",
                  (int)RUN_class + 1);
}

void merge_add_learns(struct statement *sql)
{
    statement_add(sql, "(false");
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        const enum precedence precedence = precedence_of((enum run_field)i);
        if (precedence == PRECEDENCE_VALUE || precedence == PRECEDENCE_USE) {
            statement_add(sql, " OR (o.");
            statement_name(sql, identifier_of(&run_fields[i]));
            statement_add(sql, " IS NULL AND n.");
            statement_name(sql, identifier_of(&run_fields[i]));
            statement_add(sql, " IS NOT NULL)");
        }
    }
    statement_add(sql, ")");
}

static int execute(struct facts *facts, const char *sql, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){0}, NULL, err);
}

/* --- a slice of the pairs ----------------------------------------------------------------- */

/* From the first to the last older row, and newer row, that its pairs have. */
struct slice {
    int64_t old_first, old_last, new_first, new_last;
};

/*
 * Columns of the pairs: both row numbers, then the fields of the older row, then those of the
 * newer one.
 */
enum { OLD_ROW, NEW_ROW, OLD_FIELDS, NEW_FIELDS = OLD_FIELDS + RUN_FIELD_COUNT };

static void add_fields(struct statement *sql, struct expression of)
{
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        statement_add(sql, ", ");
        statement_expression(sql, of);
        statement_name(sql, identifier_of(&run_fields[i]));
    }
}

/* The ranges let the engine skip most of both tables. */
static int read_slice(struct facts *facts, struct identifier table, const struct slice *slice,
                      struct table *out, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT old_row, new_row");
    add_fields(&sql, EXPRESSION("o."));
    add_fields(&sql, EXPRESSION("n."));
    statement_add(&sql, " FROM pairs JOIN runs o ON o.rowid = old_row JOIN ");
    statement_name(&sql, table);
    statement_add(&sql,
                  " n ON n.rowid = new_row WHERE old_row BETWEEN %" PRId64 " AND %" PRId64
                  " AND o.rowid BETWEEN %" PRId64 " AND %" PRId64
                  " AND n.rowid BETWEEN %" PRId64 " AND %" PRId64,
                  slice->old_first, slice->old_last, slice->old_first, slice->old_last,
                  slice->new_first, slice->new_last);
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}

static struct run run_of(const struct table *table, size_t first, size_t row)
{
    struct run run = {0};
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        const union cell *cell = &table->columns[first + i].cells[row];
        char *member = (char *)&run + run_fields[i].offset;
        if (!table_has(table, first + i, row)) {
            continue;
        }
        run.has[i / 64] |= UINT64_C(1) << i % 64;
        if (run_fields[i].type == FIELD_TEXT) {
            *(struct str *)(void *)member = cell->text;
        } else {
            *(int64_t *)(void *)member = cell->integer;
        }
    }
    return run;
}

/* Where the slice is written to. */
struct written {
    struct facts_loader outcomes, merged;
    bool with_merged;
};

static int write_merged(struct written *written, int64_t old_row, const struct run *run,
                        struct error *err)
{
    struct facts_value values[1 + RUN_FIELD_COUNT] = {FACTS_INT(old_row)};
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        const char *member = (const char *)run + run_fields[i].offset;
        values[1 + i] = !run_has(run, (enum run_field)i) ? FACTS_NULL
                        : run_fields[i].type == FIELD_TEXT
                            ? FACTS_TEXT(*(const struct str *)(const void *)member)
                            : FACTS_INT(*(const int64_t *)(const void *)member);
    }
    return facts_loader_add(&written->merged, (struct facts_values){values, COUNT_OF(values)},
                            err);
}

static int merge_row(const struct table *pairs, size_t row, struct arena *arena,
                     struct written *written, struct error *err)
{
    const struct run older = run_of(pairs, OLD_FIELDS, row),
                     newer = run_of(pairs, NEW_FIELDS, row);
    const int64_t old_row = pairs->columns[OLD_ROW].cells[row].integer;
    struct run merged;
    arena_reset(arena);
    const struct run_merge found = run_merge(&older, &newer, arena, &merged);
    const struct facts_value outcome[] = {
        FACTS_INT(old_row),      FACTS_INT(pairs->columns[NEW_ROW].cells[row].integer),
        FACTS_INT(found.is_old), FACTS_INT(found.is_new),
        FACTS_INT(found.ends),   FACTS_INT(found.moves)};
    int failed = facts_loader_add(&written->outcomes,
                                  (struct facts_values){outcome, COUNT_OF(outcome)}, err);
    return failed || !written->with_merged || found.is_old || found.is_new
               ? failed
               : write_merged(written, old_row, &merged, err);
}

static int merge_slice(struct facts *facts, struct identifier table, const struct slice *slice,
                       bool with_merged, struct error *err)
{
    struct written written = {.outcomes.columns = 6,
                              .merged.columns = 1 + RUN_FIELD_COUNT,
                              .with_merged = with_merged};
    struct table pairs = {0};
    struct arena arena = {0};
    struct error ignored;
    int failed;
    (void)((failed = read_slice(facts, table, slice, &pairs, err)) ||
           (failed = facts_loader_open(facts, "outcomes", &written.outcomes, err)) ||
           (failed = facts_loader_open(facts, "merged", &written.merged, err)));
    for (size_t row = 0; !failed && row < pairs.row_count; row++) {
        failed = merge_row(&pairs, row, &arena, &written, err);
    }
    const int closed = facts_loader_close(&written.outcomes, failed ? &ignored : err);
    failed = failed ? failed : closed;
    const int closed_too = facts_loader_close(&written.merged, failed ? &ignored : err);
    failed = failed ? failed : closed_too;
    arena_release(&arena);
    table_release(&pairs);
    return failed;
}

/* --- all of them -------------------------------------------------------------------------- */

/*
 * Two whole rows a pair are held while they are merged: in slices, so that any number of pairs
 * fits into memory.
 */
static int merge_in_slices(struct facts *facts, struct identifier table, bool with_merged,
                           struct error *err)
{
    enum { SLICE = 8192 };

    const struct facts_value size = FACTS_INT(SLICE);
    struct table found = {0};
    int failed =
        facts_query(facts, SQL_MERGE_SLICES, (struct facts_values){&size, 1}, &found, err);
    for (size_t row = 0; !failed && row < found.row_count; row++) {
        const struct slice slice = {
            found.columns[0].cells[row].integer, found.columns[1].cells[row].integer,
            found.columns[2].cells[row].integer, found.columns[3].cells[row].integer};
        failed = merge_slice(facts, table, &slice, with_merged, err);
    }
    table_release(&found);
    return failed;
}

int merge_pairs(struct facts *facts, struct identifier table, bool with_merged,
                struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "CREATE OR REPLACE TEMP TABLE merged AS SELECT rowid AS old_row");
    add_fields(&sql, EXPRESSION(""));
    statement_add(&sql, " FROM runs LIMIT 0");
    int failed;
    (void)((failed = facts_grow(facts, err)) ||
           (failed = execute(facts, SQL_MERGE_OUTCOMES, err)) ||
           (failed = statement_execute(facts, &sql, NULL, err)) ||
           (failed = merge_in_slices(facts, table, with_merged, err)));
    statement_release(&sql);
    return failed;
}
