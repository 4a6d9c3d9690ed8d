/* SPDX-License-Identifier: MIT */

/*
 * A batch touches a job when it brings a run or a part of it. Everything below works on touched
 * jobs only, and on the stretch of time they lie in, so that its cost follows the batch and not
 * the store. Most runs got their parts on the way in (part_buffer.c), and the pool is sure of
 * it: these need no second look unless the store has older records of the job. The run's own
 * record, kept with the parts, remembers in `whole` which these were; only runs for which it
 * should be others are summed again. They are written again and the old rows deleted: the
 * engine is far better at that than at updating columns in place.
 */

#include "facts/duckdb/parts.h"

#include <stdlib.h>

#include "facts/append.h"
#include "facts/duckdb/changed.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/statements.h"
#include "facts/statement.h"
#include "record/run.h"

static int execute(struct facts *facts, const char *sql, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){0}, NULL, err);
}

static int execute_with(struct facts *facts, const char *sql, const struct facts_value *values,
                        size_t count, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){values, count}, NULL, err);
}

static int count_rows(struct facts *facts, const char *sql, int64_t *count, struct error *err)
{
    return facts_number(facts, sql, (struct facts_values){0}, count, NULL, err);
}

int parts_note_open(struct facts *facts, const struct part_buffer *pool, struct error *err)
{
    static const char *const columns[] = {"line"};
    size_t count = 0;
    int64_t *lines = part_buffer_open_lines(pool, &count);
    int failed = facts_load_integers(facts, "open_parts", columns, 1, lines, count, err);
    free(lines);
    return failed;
}

/* `touched`: jobs with parts that have to be looked at. */
static int find_touched(struct facts *facts, int64_t batch, int64_t first_time,
                        int64_t last_time, bool noted, int64_t *count, struct error *err)
{
    const struct facts_value values[] = {
        FACTS_INT(batch), FACTS_INT(first_time - PART_BUFFER_SLACK_US),
        FACTS_INT(last_time + PART_BUFFER_SLACK_US), FACTS_INT(noted)};
    int failed;
    (void)((failed = execute(facts, SQL_PARTS_MAKE_OPEN, err)) ||
           (failed =
                execute_with(facts, SQL_PARTS_FIND_TOUCHED, values, COUNT_OF(values), err)) ||
           (failed = count_rows(facts, SQL_PARTS_COUNT_TOUCHED, count, err)));
    return failed;
}

/*
 * Who belongs to whom: `waiting`, the parts of touched jobs; `candidates`, the runs of these
 * jobs; `assigned`, for each part the run that was running when it started, the latest of
 * several.
 */
static int assign_parts(struct facts *facts, struct error *err)
{
    const struct facts_value values[] = {FACTS_INT(PART_BUFFER_SLACK_US),
                                         FACTS_INT(RUN_FLAG_MERGED)};
    int failed;
    (void)((failed = execute(facts, SQL_PARTS_FIND_WAITING, err)) ||
           (failed = execute_with(facts, SQL_PARTS_FIND_CANDIDATES, values, COUNT_OF(values),
                                  err)) ||
           (failed = execute_with(facts, SQL_PARTS_ASSIGN, values, 1, err)));
    return failed;
}

/* `dirty`: runs whose sums are not those of the parts assigned to them. */
static int find_dirty(struct facts *facts, int64_t *count, struct error *err)
{
    int failed;
    (void)((failed = execute(facts, SQL_PARTS_FIND_OWN, err)) ||
           (failed = execute(facts, SQL_PARTS_FIND_DIRTY, err)) ||
           (failed = count_rows(facts, SQL_PARTS_COUNT_DIRTY, count, err)));
    return failed;
}

/* --- built over the measured fields ------------------------------------------------------- */

/* The text for each of them, with its name in place of $. */
static void add_summed(struct statement *sql, struct expression each)
{
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_fields[i].flags & (FIELD_MEASURED | FIELD_PEAK)) {
            for (const char *c = each.text; *c; c++) {
                if (*c == '$') {
                    statement_expression(sql, (struct expression){run_fields[i].member});
                } else {
                    statement_add(sql, "%c", *c);
                }
            }
        }
    }
}

/* `base`: what the record of each dirty run itself says, before any part was added. */
static int find_base(struct facts *facts, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(
        &sql,
        "CREATE OR REPLACE TEMP TABLE base AS SELECT r.rowid AS run_row, r.node, "
        "CASE WHEN o.own_row IS NULL THEN r.nodes ELSE o.nodes END AS nodes, "
        "CASE WHEN o.own_row IS NULL THEN r.node_count ELSE o.node_count END AS node_count, "
        "r.flags & ~%d AS flags",
        RUN_FLAG_MERGED);
    add_summed(&sql, EXPRESSION(", CASE WHEN o.own_row IS NULL THEN r.$ ELSE o.$ END AS $"));
    statement_add(&sql, " FROM runs r JOIN dirty d ON d.run_row = r.rowid LEFT JOIN "
                        "(SELECT rowid AS own_row, * FROM parts WHERE rowid IN "
                        "(SELECT own_row FROM dirty)) o ON o.own_row = d.own_row");
    return statement_run(facts, &sql, err);
}

/* `sums`: every dirty run with its parts; what does not fit a number is held at the largest. */
static int make_sums(struct facts *facts, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "CREATE OR REPLACE TEMP TABLE sums AS SELECT run_row, count(digest) AS "
                  "parts, bit_xor(digest) AS digests, "
                  "nullif(count(DISTINCT node), 0) AS node_count, string_agg(DISTINCT node, "
                  "',' ORDER BY node) AS nodes");
    add_summed(
        &sql, EXPRESSION(", least(coalesce(sum($), -1), 9223372036854775807)::BIGINT AS sum_$, "
                         "count($) AS known_$"));
    statement_add(&sql, " FROM (SELECT a.run_row, a.digest, node");
    add_summed(&sql, EXPRESSION(", $"));
    statement_add(
        &sql,
        " FROM assigned a JOIN dirty d USING (run_row) JOIN parts p ON p.rowid = a.part_row"
        " UNION ALL SELECT run_row, NULL, node");
    add_summed(&sql, EXPRESSION(", $"));
    statement_add(&sql, " FROM base) GROUP BY run_row");
    return statement_run(facts, &sql, err);
}

/* `renewed`: the rows that take the place of the dirty runs. */
static int make_renewed(struct facts *facts, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "INSERT INTO renewed SELECT r.* REPLACE ("
                  "CASE WHEN s.parts > 0 THEN b.flags | %d ELSE b.flags END AS flags, "
                  "CASE WHEN s.parts > 0 THEN s.nodes ELSE b.nodes END AS nodes, "
                  "CASE WHEN s.parts > 0 THEN s.node_count ELSE b.node_count END AS node_count",
                  RUN_FLAG_MERGED);
    add_summed(
        &sql, EXPRESSION(
                  ", CASE WHEN s.parts = 0 THEN b.$ WHEN s.known_$ > 0 THEN s.sum_$ END AS $"));
    statement_add(
        &sql,
        ") FROM runs r JOIN base b ON b.run_row = r.rowid JOIN sums s ON s.run_row = r.rowid");
    int failed = execute(facts, SQL_PARTS_MAKE_RENEWED, err);
    if (failed) {
        statement_release(&sql);
        return failed;
    }
    return statement_run(facts, &sql, err);
}

/* Keeps the runs' own records with the parts, in place of older ones. */
static int keep_own(struct facts *facts, struct error *err)
{
    int failed = execute(facts, SQL_PARTS_REMOVE_OWN, err);
    if (failed) {
        return failed;
    }
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "INSERT INTO parts BY NAME SELECT r.cluster, r.job, r.job_key, r.task, "
                  "r.het, r.attempt, '' AS part, "
                  "r.submit, r.start, r.\"end\", r.source, r.file, r.line, r.batch, r.digest, "
                  "s.digests AS whole, b.node, b.nodes, b.node_count, b.flags");
    add_summed(&sql, EXPRESSION(", b.$"));
    statement_add(&sql,
                  " FROM base b JOIN runs r ON r.rowid = b.run_row JOIN sums s ON s.run_row = "
                  "b.run_row WHERE s.parts > 0");
    return statement_run(facts, &sql, err);
}

/* --- all of it ---------------------------------------------------------------------------- */

static int replace_runs(struct facts *facts, struct error *err)
{
    static const char *const steps[] = {SQL_PARTS_REMOVE_DIRTY, SQL_PARTS_WRITE_RENEWED,
                                        SQL_PARTS_DROP_RENEWED};
    int failed = changed_runs(facts, CHANGE_REPLACED, "dirty", "run_row", err);
    for (size_t i = 0; !failed && i < COUNT_OF(steps); i++) {
        failed = execute(facts, steps[i], err);
    }
    return failed;
}

int parts_merge(struct facts *facts, int64_t batch, int64_t first_time, int64_t last_time,
                bool noted, struct error *err)
{
    int64_t count = 0;
    int failed = find_touched(facts, batch, first_time, last_time, noted, &count, err);
    if (failed || !count || (failed = assign_parts(facts, err)) != 0 ||
        (failed = find_dirty(facts, &count, err)) != 0 || !count) {
        return failed;
    }
    (void)((failed = find_base(facts, err)) || (failed = make_sums(facts, err)) ||
           (failed = make_renewed(facts, err)) || (failed = keep_own(facts, err)) ||
           (failed = replace_runs(facts, err)));
    return failed;
}

int parts_any(struct facts *facts, bool *any, struct error *err)
{
    int64_t count = 0;
    int failed = count_rows(facts, SQL_PARTS_ANY, &count, err);
    *any = count > 0;
    return failed;
}
