/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/vanished.h"

#include "base/buf.h"
#include "base/limit.h"
#include "facts/duckdb/changed.h"
#include "facts/duckdb/facts_internal.h"
#include "record/run.h"

static int execute(struct facts *facts, const char *sql, int64_t *count, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){0}, count, err);
}

/* Those that vanished before while they waited: what they waited for may have come since. */
static int add_earlier(struct facts *facts, struct str cluster, struct error *err)
{
    const struct facts_value values[] = {FACTS_TEXT(cluster), FACTS_INT(RUN_FLAG_VANISHED),
                                         FACTS_INT(RUN_FLAG_VANISHED)};
    return facts_execute(
        facts,
        "INSERT INTO vanished SELECT " VANISHED_COLUMNS
        " FROM runs o WHERE o.cluster = ? AND o.flags >= ? AND (o.flags & ?) <> 0 AND o.start "
        "IS NULL AND o.\"end\" IS NOT NULL",
        (struct facts_values){values, COUNT_OF(values)}, NULL, err);
}

/* Of a pair of one that vanished while it waited (v) and another run (r): whether r came after it. */
#define CAME_AFTER                                                                             \
    "v.start IS NULL AND r.rowid NOT IN (SELECT run_row FROM vanished WHERE start IS NULL) "   \
    "AND (v.submit IS NULL OR greatest(r.submit, r.start, r.\"end\") >= v.submit)"

/*
 * Of these, the waiting ones whose job is there as another run: into `moved`. A task that waited with others
 * is told from them once it starts, so that any task of the array is another run of it. Where jobs have no
 * number (Nomad), runs have names of their own, and the job is known by its name and whose it is.
 */
static int find_moved(struct facts *facts, struct error *err)
{
    return execute(
        facts,
        "CREATE OR REPLACE TEMP TABLE moved AS SELECT v.run_row FROM vanished v JOIN runs r ON "
        "r.cluster = v.cluster AND r.job IS NOT DISTINCT FROM v.job AND r.job_key IS NOT "
        "DISTINCT FROM v.job_key AND (v.task IS NULL OR v.task = r.task) AND (v.het IS NULL OR "
        "v.het = r.het) WHERE " CAME_AFTER
        " UNION SELECT v.run_row FROM vanished v JOIN runs r ON r.cluster = v.cluster AND "
        "r.name IS NOT DISTINCT FROM v.name AND r.account IS NOT DISTINCT FROM v.account AND "
        "r.\"user\" IS NOT DISTINCT FROM v.\"user\" WHERE v.job IS NULL AND r.job IS NULL AND "
        "r.start IS NOT NULL AND " CAME_AFTER,
        NULL, err);
}

static int end_others(struct facts *facts, int64_t *count, struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql,
             "CREATE OR REPLACE TEMP TABLE capped AS SELECT run_row, greatest(coalesce(seen, "
             "start, submit), coalesce(start, submit)) AS ended FROM vanished WHERE \"end\" IS "
             "NULL AND run_row NOT IN (SELECT run_row FROM moved)");
    int failed = execute(facts, sql.ptr, NULL, err);
    buf_clear(&sql);
    buf_addf(&sql,
             "UPDATE runs SET \"end\" = ended, until = ended, flags = coalesce(flags, 0) | %d, "
             "class = CASE WHEN class IN (",
             RUN_FLAG_VANISHED);
    facts_add_classes_over(&sql);
    buf_addf(&sql, ") THEN class ELSE '%s' END FROM capped WHERE runs.rowid = run_row",
             run_class_name(CLASS_OTHER).ptr);
    (void)(failed || (failed = execute(facts, sql.ptr, count, err)) ||
           (failed = changed_runs(facts, CHANGE_ENDED, "capped", "run_row", err)));
    buf_release(&sql);
    return failed;
}

int vanished_conclude(struct facts *facts, struct str cluster, struct vanished_counts *counts,
                      struct error *err)
{
    int failed;
    *counts = (struct vanished_counts){0};
    (void)((failed = add_earlier(facts, cluster, err)) || (failed = find_moved(facts, err)) ||
           (failed = end_others(facts, &counts->ended, err)) ||
           (failed = changed_runs(facts, CHANGE_REMOVED, "moved", "run_row", err)) ||
           (failed =
                execute(facts, "DELETE FROM runs WHERE rowid IN (SELECT run_row FROM moved)",
                        &counts->removed, err)));
    return failed;
}
