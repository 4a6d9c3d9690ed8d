/* SPDX-License-Identifier: MIT */
#include "facts/parts.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/zone.h"
#include "record/run.h"

#define PARTS_SLACK (300 * SECOND_US)

/* The job a part names: what it shares with its run. */
#define SAME_JOB(a, b)                                                                             \
    a ".cluster = " b ".cluster AND " a ".job IS NOT DISTINCT FROM " b ".job AND " a               \
      ".job_key IS NOT DISTINCT FROM " b ".job_key AND " a ".task IS NOT DISTINCT FROM " b ".task"

static int execute(struct facts *facts, const char *sql, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){0}, NULL, err);
}

static int execute_for_batch(struct facts *facts, const char *sql, int64_t batch, struct error *err)
{
    const struct facts_value value = FACTS_INT(batch);
    return facts_execute(facts, sql, (struct facts_values){&value, 1}, NULL, err);
}

int parts_take(struct facts *facts, int64_t batch, struct error *err)
{
    int failed = execute_for_batch(
        facts, "INSERT INTO parts FROM runs WHERE batch = ? AND part IS NOT NULL", batch, err);
    return failed ? failed
                  : execute_for_batch(facts, "DELETE FROM runs WHERE batch = ? AND part IS NOT NULL",
                                      batch, err);
}

static bool is_summed(const struct field *field)
{
    return field->flags & (FIELD_MEASURED | FIELD_PEAK);
}

/* Puts the runs of the touched jobs back to their own records. */
static int restore_own(struct facts *facts, struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "UPDATE runs SET flags = own.flags, nodes = own.nodes, node_count = own.node_count");
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (is_summed(&run_fields[i])) {
            buf_addf(&sql, ", %s = own.%s", run_fields[i].member, run_fields[i].member);
        }
    }
    buf_addf(&sql,
             " FROM parts own, touched t WHERE own.part = '' AND (runs.flags & %d) <> 0 AND "
             SAME_JOB("own", "t") " AND " SAME_JOB("runs", "own")
             " AND runs.attempt = own.attempt AND runs.het IS NOT DISTINCT FROM own.het",
             RUN_FLAG_MERGED);
    int failed = execute(facts, sql.ptr, err);
    buf_release(&sql);
    return failed ? failed
                  : execute(facts, "DELETE FROM parts WHERE part = '' AND EXISTS "
                                   "(FROM touched t WHERE " SAME_JOB("parts", "t") ")", err);
}

static int assign_parts(struct facts *facts, struct error *err)
{
    const struct facts_value slack[] = {FACTS_INT(PARTS_SLACK), FACTS_INT(PARTS_SLACK)};
    return facts_execute(facts,
                         "CREATE OR REPLACE TEMP TABLE assigned AS SELECT p.rowid AS part_row, "
                         "arg_max(r.rowid, r.start) AS run_row FROM parts p "
                         "JOIN touched t ON " SAME_JOB("p", "t")
                         " JOIN runs r ON " SAME_JOB("p", "r")
                         " WHERE p.part <> '' AND p.start >= r.start - ? "
                         "AND p.start <= coalesce(r.\"end\", p.start) + ? GROUP BY p.rowid",
                         (struct facts_values){slack, COUNT_OF(slack)}, NULL, err);
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
    buf_addz(&sql, " FROM (SELECT a.run_row, p.* FROM assigned a JOIN parts p ON p.rowid = a.part_row"
                   " UNION ALL SELECT r.rowid AS run_row, r.* FROM runs r"
                   " WHERE r.rowid IN (SELECT run_row FROM assigned)) GROUP BY run_row");
    int failed = execute(facts, sql.ptr, err);
    buf_release(&sql);
    return failed;
}

static int apply_sums(struct facts *facts, struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addf(&sql, "UPDATE runs SET flags = flags | %d, nodes = sums.nodes, node_count = sums.node_count",
             RUN_FLAG_MERGED);
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (is_summed(&run_fields[i])) {
            buf_addf(&sql, ", %s = sums.%s", run_fields[i].member, run_fields[i].member);
        }
    }
    buf_addz(&sql, " FROM sums WHERE runs.rowid = sums.run_row");
    int failed = execute(facts, "INSERT INTO parts SELECT * REPLACE ('' AS part) FROM runs "
                                "WHERE rowid IN (SELECT run_row FROM assigned)", err);
    if (!failed) {
        failed = execute(facts, sql.ptr, err);
    }
    buf_release(&sql);
    return failed;
}

int parts_merge(struct facts *facts, int64_t batch, struct error *err)
{
    int64_t waiting = 0;
    int failed = facts_number(facts, "SELECT count(*) FROM (FROM parts LIMIT 1)", (struct facts_values){0},
                              &waiting, NULL, err);
    if (failed || !waiting) {
        return failed;
    }
    const struct facts_value batches[] = {FACTS_INT(batch), FACTS_INT(batch)};
    failed = facts_execute(facts,
                           "CREATE OR REPLACE TEMP TABLE touched AS "
                           "SELECT DISTINCT cluster, job, job_key, task FROM parts WHERE batch = ? AND part <> '' "
                           "UNION SELECT DISTINCT cluster, job, job_key, task FROM runs r WHERE batch = ? AND EXISTS "
                           "(FROM parts p WHERE " SAME_JOB("p", "r") ")",
                           (struct facts_values){batches, COUNT_OF(batches)}, NULL, err);
    (void)(failed || (failed = facts_number(facts, "SELECT count(*) FROM touched", (struct facts_values){0},
                                            &waiting, NULL, err)));
    if (failed || !waiting) {
        return failed;
    }
    (void)((failed = restore_own(facts, err)) || (failed = assign_parts(facts, err)) ||
           (failed = make_sums(facts, err)) || (failed = apply_sums(facts, err)));
    return failed;
}
