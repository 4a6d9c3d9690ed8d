/* SPDX-License-Identifier: MIT */

/*
 * Numbers come from a sequence of the engine: they ascend with every row that is committed, and what was
 * rolled back leaves a gap. One writes at a time, so that whoever sees a number has seen all below it.
 */

#include "facts/changes.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/limit.h"
#include "facts/duckdb/changed.h"
#include "facts/duckdb/facts_internal.h"
#include "record/run.h"

/* Of runs, an eighth is kept; older changes are pruned when there are twice as many. */
enum { KEPT_SHARE = 8, PRUNE_AT = 2 };

const char *change_kind_name(enum change_kind kind)
{
    static const char *const names[CHANGE_KINDS] = {
        [CHANGE_ALL] = "all",     [CHANGE_ADDED] = "added",     [CHANGE_REPLACED] = "replaced",
        [CHANGE_ENDED] = "ended", [CHANGE_REMOVED] = "removed", [CHANGE_SEEN] = "seen",
    };
    return names[kind];
}

static int ask_number(struct facts *facts, const char *sql, int64_t *out, struct error *err)
{
    return facts_number(facts, sql, (struct facts_values){0}, out, NULL, err);
}

int changes_latest(struct facts *facts, int64_t *seq, struct error *err)
{
    return ask_number(facts, "SELECT coalesce(max(seq), 0) FROM changes", seq, err);
}

/* ", cluster, job, ...": the identity, of this alias. */
static void add_identity(struct buf *sql, const char *of)
{
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_fields[i].flags & FIELD_KEY) {
            buf_addf(sql, ", %s\"%s\"", of, run_fields[i].member);
        }
    }
}

int changes_since(struct facts *facts, int64_t since, int64_t limit, struct table *out,
                  struct error *err)
{
    const struct facts_value values[] = {FACTS_INT(since), FACTS_INT(limit)};
    int64_t pruned = 0;
    struct buf sql;
    int failed = ask_number(
        facts, "SELECT coalesce(max(seq), 0) FROM changes WHERE kind = 'all'", &pruned, err);
    if (failed) {
        return failed;
    }
    if (since > 0 && since < pruned) {
        return error_set(err, ERROR_MISSING,
                         "the changes after %" PRId64 " are not kept any more (they are from "
                         "%" PRId64 " on): begin anew",
                         since, pruned);
    }
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "SELECT seq, kind, batch, seen");
    add_identity(&sql, "");
    buf_addz(&sql, " FROM changes WHERE seq > ? ORDER BY seq LIMIT ?");
    failed =
        facts_query(facts, sql.ptr, (struct facts_values){values, COUNT_OF(values)}, out, err);
    buf_release(&sql);
    return failed;
}

int changes_prune(struct facts *facts, int64_t seq, struct error *err)
{
    const struct facts_value upto = FACTS_INT(seq);
    int64_t batch = 0;
    bool any = false;
    int failed = facts_number(facts, "SELECT max(batch) FROM changes WHERE seq <= ? ",
                              (struct facts_values){&upto, 1}, &batch, &any, err);
    if (failed || !any) {
        return failed;
    }
    const struct facts_value row[] = {FACTS_INT(seq), FACTS_INT(batch)};
    (void)((failed = facts_execute(facts, "DELETE FROM changes WHERE seq <= ?",
                                   (struct facts_values){&upto, 1}, NULL, err)) ||
           (failed = facts_execute(
                facts, "INSERT INTO changes (seq, kind, batch) VALUES (?, 'all', ?)",
                (struct facts_values){row, COUNT_OF(row)}, NULL, err)));
    return failed;
}

/* What became too much goes. The counts are known to the engine without looking. */
static int keep_bounded(struct facts *facts, struct error *err)
{
    struct table counts = {0};
    int failed =
        facts_query(facts, "SELECT (SELECT count(*) FROM changes), (SELECT count(*) FROM runs)",
                    (struct facts_values){0}, &counts, err);
    const int64_t changes = failed ? 0 : counts.columns[0].cells[0].integer;
    const int64_t share = failed ? 0 : counts.columns[1].cells[0].integer / KEPT_SHARE;
    const int64_t kept = share > CHANGES_KEPT ? share : CHANGES_KEPT;
    int64_t seq = 0;
    table_release(&counts);
    if (failed || changes <= PRUNE_AT * kept) {
        return failed;
    }
    const struct facts_value value = FACTS_INT(kept);
    failed = facts_number(facts, "SELECT seq FROM changes ORDER BY seq DESC LIMIT 1 OFFSET ?",
                          (struct facts_values){&value, 1}, &seq, NULL, err);
    return failed ? failed : changes_prune(facts, seq, err);
}

/* --- noting ------------------------------------------------------------------------------------- */

int changed_batch(struct facts *facts, int64_t batch, struct error *err)
{
    const struct facts_value value = FACTS_INT(batch);
    int failed = facts_execute(facts, "INSERT INTO changes (kind, batch) VALUES ('added', ?)",
                               (struct facts_values){&value, 1}, NULL, err);
    return failed ? failed : keep_bounded(facts, err);
}

int changed_seen(struct facts *facts, const char *clusters, int64_t seen, struct error *err)
{
    char sql[256];
    snprintf(sql, sizeof(sql),
             "INSERT INTO changes (kind, cluster, seen) SELECT DISTINCT 'seen', cluster, "
             "%" PRId64 " FROM (%s)",
             seen, clusters);
    int failed = facts_execute(facts, sql, (struct facts_values){0}, NULL, err);
    return failed ? failed : keep_bounded(facts, err);
}

int changed_span(struct facts *facts, int64_t first_time, int64_t last_time, struct error *err)
{
    const struct facts_value row[] = {FACTS_INT(first_time), FACTS_INT(last_time)};
    return facts_execute(facts, "INSERT INTO rollup_dirty VALUES (?, ?)",
                         (struct facts_values){row, COUNT_OF(row)}, NULL, err);
}

int changed_spans(struct facts *facts, const char *rows, const char *column, struct error *err)
{
    char sql[256];
    snprintf(sql, sizeof(sql),
             "INSERT INTO rollup_dirty SELECT first, last FROM (SELECT least(min(submit), "
             "min(start), min(\"end\")) AS first, greatest(max(submit), max(start), "
             "max(\"end\")) AS last FROM runs WHERE rowid IN (SELECT %s FROM %s)) WHERE first "
             "IS NOT NULL",
             column, rows);
    return facts_execute(facts, sql, (struct facts_values){0}, NULL, err);
}

int changed_feed(struct facts *facts, const char *altered, struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "INSERT INTO changes (kind, batch");
    add_identity(&sql, "");
    buf_addz(&sql, ") SELECT a.kind, r.batch");
    add_identity(&sql, "r.");
    buf_addf(&sql, " FROM (%s) a JOIN runs r ON r.rowid = a.run_row WHERE a.kind IS NOT NULL",
             altered);
    int failed = facts_execute(facts, sql.ptr, (struct facts_values){0}, NULL, err);
    buf_release(&sql);
    return failed ? failed : keep_bounded(facts, err);
}

int changed_runs(struct facts *facts, enum change_kind kind, const char *rows,
                 const char *column, struct error *err)
{
    char sql[128];
    int64_t count = 0;
    snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", rows);
    int failed = ask_number(facts, sql, &count, err);
    if (failed || count == 0) {
        return failed;
    }
    snprintf(sql, sizeof(sql), "SELECT '%s' AS kind, %s AS run_row FROM %s",
             change_kind_name(kind), column, rows);
    failed = changed_spans(facts, rows, column, err);
    return failed ? failed : changed_feed(facts, sql, err);
}
