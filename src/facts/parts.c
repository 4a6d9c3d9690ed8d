/* SPDX-License-Identifier: MIT */

/*
 * A batch touches a job when it brings a run or a part of it. Everything below works on touched
 * jobs only, and on the stretch of time they lie in, so that its cost follows the batch and not
 * the store. Runs that change are written anew and the old rows deleted: the engine is far better
 * at that than at updating columns in place.
 */

#include "facts/parts.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/limit.h"
#include "facts/append.h"
#include "record/run.h"

/* Whether a record is of the job in a table with the columns of PARTS_JOB. */
#define IS_JOB(t, k)                                                                               \
    t ".cluster = " k ".k_cluster AND coalesce(" t ".job, -1) = " k ".k_job AND coalesce(" t       \
      ".job_key, '') = " k ".k_key AND coalesce(" t ".task, -1) = " k ".k_task"

static int execute(struct facts *facts, const char *sql, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){0}, NULL, err);
}

static bool is_summed(const struct field *field)
{
    return field->flags & (FIELD_MEASURED | FIELD_PEAK);
}

/* Which jobs the batch touches that have parts; *count is how many. */
static int find_touched(struct facts *facts, int64_t batch, int64_t first_time, int64_t last_time,
                        int64_t *count, struct error *err)
{
    const struct facts_value values[] = {FACTS_INT(batch), FACTS_INT(batch), FACTS_INT(first_time),
                                         FACTS_INT(last_time)};
    int failed = facts_execute(
        facts,
        "CREATE OR REPLACE TEMP TABLE touched AS "
        "SELECT DISTINCT " PARTS_JOB("p") " FROM parts p WHERE batch = ? AND part <> '' "
        "UNION SELECT * FROM (SELECT DISTINCT " PARTS_JOB("r") " FROM runs r WHERE batch = ?) SEMI JOIN "
        "(SELECT " PARTS_JOB("p") " FROM parts p WHERE p.start BETWEEN ? - " PARTS_SLACK " AND ? + " PARTS_SLACK ") "
        "USING (k_cluster, k_job, k_key, k_task)",
        (struct facts_values){values, COUNT_OF(values)}, NULL, err);
    return failed ? failed
                  : facts_number(facts, "SELECT count(*) FROM touched", (struct facts_values){0}, count, NULL, err);
}

/*
 * Puts runs of touched jobs that were summed before back to their own records. Rare: it takes a
 * part, or another run of the job, that arrives in a later batch.
 */
static int restore_own(struct facts *facts, struct error *err)
{
    int64_t count = 0;
    int failed = execute(facts, "CREATE OR REPLACE TEMP TABLE own AS SELECT p.* FROM parts p JOIN touched t ON "
                                IS_JOB("p", "t") " WHERE p.part = ''", err);
    if (failed || (failed = facts_number(facts, "SELECT count(*) FROM own", (struct facts_values){0}, &count, NULL, err)) ||
        count == 0) {
        return failed;
    }
    struct buf find;
    buf_init(&find, LIMIT_SQL);
    buf_addf(&find,
             "CREATE OR REPLACE TEMP TABLE summed AS SELECT r.rowid AS run_row, o.rowid AS own_row FROM runs r "
             "JOIN (SELECT rowid, attempt, het, " PARTS_JOB("own") " FROM own) o ON " IS_JOB("r", "o")
             " AND r.attempt = o.attempt AND coalesce(r.het, -1) = coalesce(o.het, -1) WHERE (r.flags & %d) <> 0",
             RUN_FLAG_MERGED);
    (void)((failed = execute(facts, find.ptr, err)) ||
           (failed = execute(facts, "DELETE FROM runs WHERE rowid IN (SELECT run_row FROM summed)", err)) ||
           (failed = execute(facts, "INSERT INTO runs SELECT * REPLACE (NULL AS part) FROM own "
                                    "WHERE rowid IN (SELECT own_row FROM summed)", err)) ||
           (failed = execute(facts, "DELETE FROM parts WHERE rowid IN (SELECT p.rowid FROM parts p JOIN touched t ON "
                                    IS_JOB("p", "t") " WHERE p.part = '')", err)));
    buf_release(&find);
    return failed;
}

/* Each part to the run that was going on when it started, the latest of several. */
static int assign_parts(struct facts *facts, int64_t *count, struct error *err)
{
    int failed;
    (void)((failed = execute(facts, "CREATE OR REPLACE TEMP TABLE waiting AS SELECT p.rowid AS part_row, p.start, "
                                    PARTS_JOB("p") " FROM parts p JOIN touched t ON " IS_JOB("p", "t")
                                    " WHERE p.part <> ''", err)) ||
           (failed = execute(facts, "CREATE OR REPLACE TEMP TABLE candidates AS SELECT r.rowid AS run_row, r.start, "
                                    "r.\"end\", " PARTS_JOB("r") " FROM runs r JOIN touched t ON " IS_JOB("r", "t")
                                    " WHERE r.start <= (SELECT max(start) FROM waiting) + " PARTS_SLACK
                                    " AND (r.\"end\" IS NULL OR r.\"end\" >= (SELECT min(start) FROM waiting) - "
                                    PARTS_SLACK ")", err)) ||
           (failed = execute(facts, "CREATE OR REPLACE TEMP TABLE assigned AS SELECT w.part_row, "
                                    "arg_max(c.run_row, c.start) AS run_row FROM waiting w "
                                    "JOIN candidates c USING (k_cluster, k_job, k_key, k_task) "
                                    "WHERE " PARTS_DURING("w", "c") " GROUP BY w.part_row", err)) ||
           (failed = facts_number(facts, "SELECT count(*) FROM assigned", (struct facts_values){0}, count, NULL, err)));
    return failed;
}

static void add_summed_names(struct buf *sql)
{
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (is_summed(&run_fields[i])) {
            buf_addf(sql, ", %s", run_fields[i].member);
        }
    }
}

/* Sums of every run with parts, its own record included; sums that do not fit are held at the top. */
static int make_sums(struct facts *facts, struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "CREATE OR REPLACE TEMP TABLE sums AS SELECT run_row, count(DISTINCT node) AS node_count, "
                   "string_agg(DISTINCT node, ',' ORDER BY node) AS nodes");
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (is_summed(&run_fields[i])) {
            const char *member = run_fields[i].member;
            buf_addf(&sql, ", CASE WHEN sum(%s) > %" PRId64 " THEN %" PRId64 " ELSE sum(%s) END::BIGINT AS %s",
                     member, INT64_MAX, INT64_MAX, member, member);
        }
    }
    buf_addz(&sql, " FROM (SELECT a.run_row, node");
    add_summed_names(&sql);
    buf_addz(&sql, " FROM assigned a JOIN parts p ON p.rowid = a.part_row UNION ALL SELECT r.rowid, node");
    add_summed_names(&sql);
    buf_addz(&sql, " FROM runs r WHERE r.rowid IN (SELECT run_row FROM assigned)) GROUP BY run_row");
    int failed = execute(facts, sql.ptr, err);
    buf_release(&sql);
    return failed;
}

/* Keeps the runs' own records aside and puts rows with the sums in their place. */
static int apply_sums(struct facts *facts, struct error *err)
{
    struct buf merged;
    buf_init(&merged, LIMIT_SQL);
    buf_addf(&merged,
             "CREATE OR REPLACE TEMP TABLE merged AS SELECT r.* REPLACE (r.flags | %d AS flags, s.nodes AS nodes, "
             "s.node_count AS node_count",
             RUN_FLAG_MERGED);
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (is_summed(&run_fields[i])) {
            buf_addf(&merged, ", s.%s AS %s", run_fields[i].member, run_fields[i].member);
        }
    }
    buf_addz(&merged, ") FROM runs r JOIN sums s ON r.rowid = s.run_row");
    int failed;
    (void)((failed = execute(facts, merged.ptr, err)) ||
           (failed = execute(facts, "INSERT INTO parts SELECT * REPLACE ('' AS part) FROM runs "
                                    "WHERE rowid IN (SELECT run_row FROM sums)", err)) ||
           (failed = execute(facts, "DELETE FROM runs WHERE rowid IN (SELECT run_row FROM sums)", err)) ||
           (failed = execute(facts, "INSERT INTO runs FROM merged", err)) ||
           (failed = execute(facts, "DROP TABLE merged", err)));
    buf_release(&merged);
    return failed;
}

/* Sums anew what `batch` touched, whose records lie between the two instants. */
static int merge(struct facts *facts, int64_t batch, int64_t first_time, int64_t last_time, struct error *err)
{
    int64_t count = 0;
    int failed = find_touched(facts, batch, first_time, last_time, &count, err);
    if (failed || !count) {
        return failed;
    }
    (void)((failed = restore_own(facts, err)) || (failed = assign_parts(facts, &count, err)) ||
           (count > 0 && ((failed = make_sums(facts, err)) || (failed = apply_sums(facts, err)))));
    return failed;
}

int parts_announce(struct facts *facts, int64_t batch, int64_t first_time, int64_t last_time, struct error *err)
{
    int64_t count = 0;
    int failed = facts_number(facts, "SELECT count(*) FROM (FROM parts LIMIT 1)", (struct facts_values){0},
                              &count, NULL, err);
    const struct facts_value row[] = {FACTS_INT(batch), FACTS_INT(first_time), FACTS_INT(last_time)};
    return failed || !count ? failed
                            : facts_execute(facts, "INSERT INTO unsettled VALUES (?, ?, ?)",
                                            (struct facts_values){row, COUNT_OF(row)}, NULL, err);
}

static int settle_batch(struct facts *facts, int64_t batch, int64_t first_time, int64_t last_time, struct error *err)
{
    const struct facts_value value = FACTS_INT(batch);
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = merge(facts, batch, first_time, last_time, err)) ||
           (failed = facts_execute(facts, "DELETE FROM unsettled WHERE batch = ?", (struct facts_values){&value, 1},
                                   NULL, err)) ||
           (failed = facts_commit(facts, err)));
    if (failed) {
        facts_rollback(facts);
    }
    return failed;
}

int facts_settle(struct facts *facts, struct error *err)
{
    struct table batches = {0};
    int failed = facts_query(facts, "SELECT batch, first_time, last_time FROM unsettled ORDER BY batch",
                             (struct facts_values){0}, &batches, err);
    for (size_t row = 0; !failed && row < batches.row_count; row++) {
        failed = settle_batch(facts, batches.columns[0].cells[row].integer, batches.columns[1].cells[row].integer,
                              batches.columns[2].cells[row].integer, err);
    }
    table_release(&batches);
    return failed;
}
