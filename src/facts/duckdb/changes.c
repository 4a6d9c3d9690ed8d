/* SPDX-License-Identifier: MIT */

/*
 * Numbers come from a sequence of the engine: they ascend with every row that is committed, and
 * what was rolled back leaves a gap. One writes at a time, so that a reader who sees a number
 * has seen all below it.
 */

#include "facts/changes.h"

#include <inttypes.h>
#include <stdio.h>

#include "facts/duckdb/changed.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/statements.h"
#include "facts/statement.h"
#include "record/run.h"

/* Of runs, an eighth is kept; older changes are pruned when there are twice as many. */
enum { KEPT_SHARE = 8, PRUNE_AT = 2 };

static const char *kind_name(enum change_kind kind)
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
    return ask_number(facts, SQL_CHANGES_LATEST, seq, err);
}

int changes_position(struct facts *facts, int64_t seq, struct changes_position *out,
                     struct error *err)
{
    const struct facts_value value = FACTS_INT(seq);
    struct table found = {0};
    *out = (struct changes_position){.seq = seq};
    const int failed =
        facts_query(facts, SQL_CHANGES_DIGEST, (struct facts_values){&value, 1}, &found, err);
    if (!failed && found.row_count > 0) {
        const struct str digest = found.columns[0].cells[0].text;
        (void)snprintf(out->digest, sizeof(out->digest), "%.*s", STR_ARG(digest));
    }
    table_release(&found);
    return failed;
}

int changes_is_known(struct facts *facts, const struct changes_position *position, bool *known,
                     struct error *err)
{
    struct changes_position there;
    const int failed = changes_position(facts, position->seq, &there, err);
    *known = position->seq == 0 ||
             (there.digest[0] && str_eq(str_of(there.digest), str_of(position->digest)));
    return failed;
}

/* ", "cluster", "job", ...": the identity, each after `prefix`. */
static void add_identity(struct statement *sql, struct expression prefix)
{
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_fields[i].flags & FIELD_KEY) {
            statement_add(sql, ", ");
            statement_expression(sql, prefix);
            statement_name(sql, identifier_of(&run_fields[i]));
        }
    }
}

static int read_since(struct facts *facts, int64_t since, int64_t limit, struct table *out,
                      struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT seq, kind, batch, seen");
    add_identity(&sql, EXPRESSION(""));
    statement_add(&sql, " FROM changes WHERE seq > ");
    statement_bind(&sql, FACTS_INT(since));
    statement_add(&sql, " ORDER BY seq LIMIT ");
    statement_bind(&sql, FACTS_INT(limit));
    int failed = statement_query(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}

int changes_since(struct facts *facts, int64_t since, int64_t limit, struct table *out,
                  struct error *err)
{
    int64_t pruned = 0;
    int failed = ask_number(facts, SQL_CHANGES_PRUNED_TO, &pruned, err);
    if (failed) {
        return failed;
    }
    if (since > 0 && since < pruned) {
        return error_set(err, ERROR_MISSING,
                         "the changes after %" PRId64 " are not kept any more (they are from "
                         "%" PRId64 " on): begin again from 0",
                         since, pruned);
    }
    return read_since(facts, since, limit, out, err);
}

int changes_prune(struct facts *facts, int64_t seq, struct error *err)
{
    const struct facts_value upto = FACTS_INT(seq);
    int64_t batch = 0;
    bool any = false;
    int failed = facts_number(facts, SQL_CHANGES_LAST_BATCH, (struct facts_values){&upto, 1},
                              &batch, &any, err);
    if (failed || !any) {
        return failed;
    }
    const struct facts_value row[] = {FACTS_INT(seq), FACTS_INT(batch)};
    (void)((failed = facts_execute(facts, SQL_CHANGES_REMOVE, (struct facts_values){&upto, 1},
                                   NULL, err)) ||
           (failed = facts_execute(facts, SQL_CHANGES_NOTE_PRUNED,
                                   (struct facts_values){row, COUNT_OF(row)}, NULL, err)));
    return failed;
}

/* What became too much goes. */
static int keep_bounded(struct facts *facts, struct error *err)
{
    struct table counts = {0};
    int failed = facts_query(facts, SQL_CHANGES_COUNTS, (struct facts_values){0}, &counts, err);
    const int64_t changes = failed ? 0 : counts.columns[0].cells[0].integer;
    const int64_t share = failed ? 0 : counts.columns[1].cells[0].integer / KEPT_SHARE;
    const int64_t kept = share > CHANGES_KEPT ? share : CHANGES_KEPT;
    int64_t seq = 0;
    table_release(&counts);
    if (failed || changes <= PRUNE_AT * kept) {
        return failed;
    }
    const struct facts_value value = FACTS_INT(kept);
    failed = facts_number(facts, SQL_CHANGES_NTH_FROM_LAST, (struct facts_values){&value, 1},
                          &seq, NULL, err);
    return failed ? failed : changes_prune(facts, seq, err);
}

/* --- noting ------------------------------------------------------------------------------- */

int changed_batch(struct facts *facts, int64_t batch, struct error *err)
{
    const struct facts_value value = FACTS_INT(batch);
    int failed = facts_execute(facts, SQL_CHANGES_NOTE_BATCH, (struct facts_values){&value, 1},
                               NULL, err);
    return failed ? failed : keep_bounded(facts, err);
}

int changed_seen(struct facts *facts, const char *clusters, int64_t seen, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "INSERT INTO changes (kind, cluster, seen) SELECT DISTINCT 'seen', cluster, "
                  "%" PRId64 " FROM (",
                  seen);
    statement_expression(&sql, (struct expression){clusters});
    statement_add(&sql, ")");
    int failed = statement_run(facts, &sql, err);
    return failed ? failed : keep_bounded(facts, err);
}

int changed_span(struct facts *facts, int64_t first_time, int64_t last_time, struct error *err)
{
    const struct facts_value row[] = {FACTS_INT(first_time), FACTS_INT(last_time)};
    return facts_execute(facts, SQL_CHANGES_NOTE_SPAN,
                         (struct facts_values){row, COUNT_OF(row)}, NULL, err);
}

int changed_spans(struct facts *facts, const char *rows, const char *column, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "INSERT INTO rollup_dirty SELECT first, last FROM (SELECT "
                        "least(min(submit), min(start), min(\"end\")) AS first, "
                        "greatest(max(submit), max(start), max(\"end\")) AS last "
                        "FROM runs WHERE rowid IN (SELECT ");
    statement_name(&sql, (struct identifier){column});
    statement_add(&sql, " FROM ");
    statement_name(&sql, (struct identifier){rows});
    statement_add(&sql, ")) WHERE first IS NOT NULL");
    return statement_run(facts, &sql, err);
}

int changed_feed(struct facts *facts, const char *altered, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "INSERT INTO changes (kind, batch");
    add_identity(&sql, EXPRESSION(""));
    statement_add(&sql, ") SELECT a.kind, r.batch");
    add_identity(&sql, EXPRESSION("r."));
    statement_add(&sql, " FROM (");
    statement_expression(&sql, (struct expression){altered});
    statement_add(&sql, ") a JOIN runs r ON r.rowid = a.run_row WHERE a.kind IS NOT NULL");
    int failed = statement_run(facts, &sql, err);
    return failed ? failed : keep_bounded(facts, err);
}

static int count_rows(struct facts *facts, struct identifier rows, int64_t *count,
                      struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT count(*) FROM ");
    statement_name(&sql, rows);
    int failed = statement_number(facts, &sql, count, NULL, err);
    statement_release(&sql);
    return failed;
}

int changed_runs(struct facts *facts, enum change_kind kind, const char *rows,
                 const char *column, struct error *err)
{
    struct statement altered;
    int64_t count = 0;
    int failed = count_rows(facts, (struct identifier){rows}, &count, err);
    if (failed || count == 0) {
        return failed;
    }
    statement_init(&altered);
    statement_add(&altered, "SELECT ");
    statement_literal(&altered, (struct identifier){kind_name(kind)});
    statement_add(&altered, " AS kind, ");
    statement_name(&altered, (struct identifier){column});
    statement_add(&altered, " AS run_row FROM ");
    statement_name(&altered, (struct identifier){rows});
    (void)((failed = statement_finish(&altered, err)) ||
           (failed = changed_spans(facts, rows, column, err)) ||
           (failed = changed_feed(facts, altered.sql.ptr, err)));
    statement_release(&altered);
    return failed;
}
