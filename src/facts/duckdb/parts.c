/* SPDX-License-Identifier: MIT */

/*
 * A batch touches a job when it brings a run or a part of it. Everything below works on touched
 * jobs only, and on the stretch of time they lie in, so that its cost follows the batch and not
 * the store. Most runs got their parts on the way in (pool.c), and the pool is sure of it: these
 * need no second look unless the store has older records of the job. The run's own record, kept with the
 * parts, remembers in `whole` which these were; only runs for which it should be others are summed
 * anew. They are written again and the old rows deleted: the engine is far better at that than at
 * updating columns in place.
 */

#include "facts/duckdb/parts.h"

#include "facts/duckdb/changed.h"
#include "facts/duckdb/facts_internal.h"

#include <assert.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/limit.h"
#include "facts/append.h"
#include "record/run.h"

static_assert(RUN_FLAG_MERGED == 8, "MERGED is RUN_FLAG_MERGED in SQL");
#define MERGED "8"

/* Whether a record is of the job in a table with the columns of PARTS_JOB. */
#define IS_JOB(t, k)                                                                           \
    t ".cluster = " k ".k_cluster AND coalesce(" t ".job, -1) = " k ".k_job AND coalesce(" t   \
      ".job_key, '') = " k ".k_key AND coalesce(" t ".task, -1) = " k ".k_task"

#define JOB_COLUMNS "(k_cluster, k_job, k_key, k_task) "

static int execute(struct facts *facts, const char *sql, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){0}, NULL, err);
}

static int execute_all(struct facts *facts, const char *const *steps, size_t count,
                       struct error *err)
{
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        failed = execute(facts, steps[i], err);
    }
    return failed;
}

int parts_note_open(struct facts *facts, const struct pool *pool, struct error *err)
{
    static const char *const columns[] = {"line"};
    size_t count = 0;
    int64_t *lines = pool_open_lines(pool, &count);
    int failed = facts_load_integers(facts, "open_parts", columns, 1, lines, count, err);
    free(lines);
    return failed;
}

/* Jobs of a batch ($1), and older ones that its records, from $2 to $3, may have to do with. */
#define PARTS_OF_BATCH                                                                         \
    "SELECT " PARTS_JOB("p") " FROM parts p WHERE p.batch = $1 AND p.part <> '' "
#define RUNS_OF_BATCH "SELECT " PARTS_JOB("r") " FROM runs r WHERE r.batch = $1 "
#define OLDER_PARTS                                                                            \
    "SELECT " PARTS_JOB(                                                                       \
        "p") " FROM parts p WHERE p.batch <> $1 AND p.start >= $2 - " PARTS_SLACK              \
             " AND p.start <= coalesce(" NEVER_ENDED ", $3 + " PARTS_SLACK ") "
#define OLDER_RUNS                                                                             \
    "SELECT " PARTS_JOB(                                                                       \
        "r") " FROM runs r WHERE r.batch <> $1 AND r.start <= $3 + " PARTS_SLACK               \
             " AND (r.\"end\" IS NULL OR r.\"end\" >= $2 - " PARTS_SLACK ") "

/* Parts of a run that has not ended may start at any time: the last instant, if the batch has such a run, else NULL. */
#define NEVER_ENDED                                                                            \
    "(SELECT max(9223372036854775807) FROM runs WHERE batch = $1 AND start IS NOT NULL "       \
    "AND \"end\" IS NULL)"

/*
 * "touched": jobs with parts that have to be looked at: of parts in the batch (of those that are open, if that is
 * known), of runs in it with older parts, of parts in it with older runs.
 */
#define TOUCHED(which_parts)                                                                   \
    "CREATE OR REPLACE TEMP TABLE touched AS " PARTS_OF_BATCH which_parts                      \
    "UNION SELECT * FROM (" RUNS_OF_BATCH ") SEMI JOIN (" OLDER_PARTS ") USING " JOB_COLUMNS   \
    "UNION SELECT * FROM (" PARTS_OF_BATCH ") SEMI JOIN (" OLDER_RUNS ") USING " JOB_COLUMNS

static int find_touched(struct facts *facts, int64_t batch, int64_t first_time,
                        int64_t last_time, bool noted, int64_t *count, struct error *err)
{
    const struct facts_value values[] = {FACTS_INT(batch), FACTS_INT(first_time),
                                         FACTS_INT(last_time)};
    int failed =
        facts_execute(facts, noted ? TOUCHED("AND p.line IN (FROM open_parts) ") : TOUCHED(""),
                      (struct facts_values){values, COUNT_OF(values)}, NULL, err);
    return failed ? failed
                  : facts_number(facts, "SELECT count(*) FROM touched",
                                 (struct facts_values){0}, count, NULL, err);
}

/*
 * Who belongs to whom: `waiting`, the parts of touched jobs; `candidates`, the runs of these jobs;
 * `assigned`, for each part the run that was going on when it started, the latest of several.
 */
static int assign_parts(struct facts *facts, struct error *err)
{
    static const char *const steps[] = {
        "CREATE OR REPLACE TEMP TABLE waiting AS SELECT p.rowid AS part_row, p.start, "
        "p.digest, " PARTS_JOB("p") " FROM parts p JOIN touched t ON " IS_JOB(
            "p", "t") " WHERE p.part <> ''",

        "CREATE OR REPLACE TEMP TABLE candidates AS SELECT r.rowid AS run_row, r.attempt, "
        "r.start, r.\"end\", r.digest, "
        "(r.flags & " MERGED
        ") <> 0 AS merged, " PARTS_JOB("r") " FROM runs r JOIN touched t ON " IS_JOB(
            "r", "t") " WHERE r.start <= (SELECT max(start) FROM waiting) + " PARTS_SLACK
                      " AND (r.\"end\" IS NULL OR r.\"end\" >= (SELECT min(start) FROM "
                      "waiting) - " PARTS_SLACK ")",

        "CREATE OR REPLACE TEMP TABLE assigned AS SELECT w.part_row, arg_max(c.run_row, "
        "c.start) AS run_row, "
        "any_value(w.digest) AS digest FROM waiting w "
        "JOIN candidates c USING " JOB_COLUMNS
        "WHERE " PARTS_DURING("w", "c") " GROUP BY w.part_row",
    };
    return execute_all(facts, steps, COUNT_OF(steps), err);
}

/* Runs whose sums are not those of the parts assigned to them. */
static int find_dirty(struct facts *facts, int64_t *count, struct error *err)
{
    int failed = execute(facts,
                         "CREATE OR REPLACE TEMP TABLE dirty AS SELECT DISTINCT c.run_row FROM "
                         "candidates c "
                         "LEFT JOIN (SELECT run_row, bit_xor(digest) AS digests FROM assigned "
                         "GROUP BY run_row) a "
                         "USING (run_row) LEFT JOIN (SELECT p.attempt, p.digest, "
                         "p.whole, " PARTS_JOB("p") " FROM parts p JOIN touched t ON " IS_JOB(
                             "p", "t") " WHERE p.part = '') o "
                                       "ON o.k_cluster = c.k_cluster AND o.k_job = c.k_job AND "
                                       "o.k_key = c.k_key "
                                       "AND o.k_task = c.k_task AND o.attempt = c.attempt AND "
                                       "o.digest = c.digest "
                                       "WHERE coalesce(a.digests, 0) <> coalesce(CASE WHEN "
                                       "c.merged THEN o.whole END, 0)",
                         err);
    return failed ? failed
                  : facts_number(facts, "SELECT count(*) FROM dirty", (struct facts_values){0},
                                 count, NULL, err);
}

static void add_summed(struct buf *sql, const char *format)
{
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_fields[i].flags & (FIELD_MEASURED | FIELD_PEAK)) {
            const char *member = run_fields[i].member;
            for (const char *c = format; *c; c++) {
                if (*c == '@') {
                    buf_addz(sql, member);
                } else {
                    buf_addc(sql, *c);
                }
            }
        }
    }
}

/* `base`: what the record of each dirty run itself says, before any part was added. */
static int find_base(struct facts *facts, struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(
        &sql,
        "CREATE OR REPLACE TEMP TABLE base AS SELECT r.rowid AS run_row, r.node, "
        "CASE WHEN o.attempt IS NULL THEN r.nodes ELSE o.nodes END AS nodes, "
        "CASE WHEN o.attempt IS NULL THEN r.node_count ELSE o.node_count END AS node_count, "
        "r.flags & ~" MERGED " AS flags");
    add_summed(&sql, ", CASE WHEN o.attempt IS NULL THEN r.@ ELSE o.@ END AS @");
    buf_addz(
        &sql,
        " FROM runs r JOIN dirty d ON d.run_row = r.rowid LEFT JOIN (SELECT "
        "p.*, " PARTS_JOB("p") " FROM parts p JOIN touched t ON " IS_JOB(
            "p", "t") " WHERE p.part = '') o ON " IS_JOB("r", "o") " AND o.attempt = r.attempt "
                                                                   "AND o.digest = r.digest "
                                                                   "AND (r.flags & " MERGED
                                                                   ") <> 0");
    int failed = execute(facts, sql.ptr, err);
    buf_release(&sql);
    return failed;
}

/* `sums`: every dirty run with its parts; what does not fit a number is held at the largest. */
static int make_sums(struct facts *facts, struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "CREATE OR REPLACE TEMP TABLE sums AS SELECT run_row, count(digest) AS "
                   "parts, bit_xor(digest) AS digests, "
                   "nullif(count(DISTINCT node), 0) AS node_count, string_agg(DISTINCT node, "
                   "',' ORDER BY node) AS nodes");
    add_summed(&sql, ", least(coalesce(sum(@), -1), 9223372036854775807)::BIGINT AS sum_@, "
                     "count(@) AS known_@");
    buf_addz(&sql, " FROM (SELECT a.run_row, a.digest, node");
    add_summed(&sql, ", @");
    buf_addz(
        &sql,
        " FROM assigned a JOIN dirty d USING (run_row) JOIN parts p ON p.rowid = a.part_row"
        " UNION ALL SELECT run_row, NULL, node");
    add_summed(&sql, ", @");
    buf_addz(&sql, " FROM base) GROUP BY run_row");
    int failed = execute(facts, sql.ptr, err);
    buf_release(&sql);
    return failed;
}

/* `anew`: the rows that take the place of the dirty runs. */
static int make_anew(struct facts *facts, struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql,
             "CREATE OR REPLACE TEMP TABLE anew AS SELECT r.* REPLACE ("
             "CASE WHEN s.parts > 0 THEN b.flags | " MERGED " ELSE b.flags END AS flags, "
             "CASE WHEN s.parts > 0 THEN s.nodes ELSE b.nodes END AS nodes, "
             "CASE WHEN s.parts > 0 THEN s.node_count ELSE b.node_count END AS node_count");
    add_summed(&sql,
               ", CASE WHEN s.parts = 0 THEN b.@ WHEN s.known_@ > 0 THEN s.sum_@ END AS @");
    buf_addz(
        &sql,
        ") FROM runs r JOIN base b ON b.run_row = r.rowid JOIN sums s ON s.run_row = r.rowid");
    int failed = execute(facts, sql.ptr, err);
    buf_release(&sql);
    return failed;
}

/* Keeps the runs' own records with the parts, in place of older ones. */
static int keep_own(struct facts *facts, struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "INSERT INTO parts BY NAME SELECT r.cluster, r.job, r.job_key, r.task, "
                   "r.het, r.attempt, '' AS part, "
                   "r.submit, r.start, r.\"end\", r.source, r.file, r.line, r.batch, r.digest, "
                   "s.digests AS whole, b.node, b.nodes, b.node_count, b.flags");
    add_summed(&sql, ", b.@");
    buf_addz(&sql, " FROM base b JOIN runs r ON r.rowid = b.run_row JOIN sums s ON s.run_row = "
                   "b.run_row WHERE s.parts > 0");
    int failed =
        execute(facts,
                "DELETE FROM parts WHERE rowid IN (SELECT p.rowid FROM parts p JOIN "
                "(SELECT c.* FROM candidates c JOIN dirty USING (run_row)) c ON " IS_JOB(
                    "p", "c") " AND p.attempt = c.attempt WHERE p.part = '')",
                err);
    if (!failed) {
        failed = execute(facts, sql.ptr, err);
    }
    buf_release(&sql);
    return failed;
}

static int replace_runs(struct facts *facts, struct error *err)
{
    static const char *const steps[] = {
        "DELETE FROM runs WHERE rowid IN (SELECT run_row FROM dirty)",
        "INSERT INTO runs FROM anew",
        "DROP TABLE anew",
    };
    int failed = changed_runs(facts, CHANGE_REPLACED, "dirty", "run_row", err);
    return failed ? failed : execute_all(facts, steps, COUNT_OF(steps), err);
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
           (failed = make_anew(facts, err)) || (failed = keep_own(facts, err)) ||
           (failed = replace_runs(facts, err)));
    return failed;
}

int parts_any(struct facts *facts, bool *any, struct error *err)
{
    int64_t count = 0;
    int failed = facts_number(facts, "SELECT count(*) FROM (FROM parts LIMIT 1)",
                              (struct facts_values){0}, &count, NULL, err);
    *any = count > 0;
    return failed;
}
