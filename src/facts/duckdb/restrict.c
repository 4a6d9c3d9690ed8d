/* SPDX-License-Identifier: MIT */

/*
 * What a connection may see, put between it and the tables: the engine finds temporary views
 * before the tables of the same name, so that no statement, whatever it asks, reads more. A
 * table that is not listed here is one that nobody has thought about, and is empty.
 */

#include <inttypes.h>

#include "base/limit.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/statements.h"
#include "facts/everyone.h"
#include "record/scope.h"

/*
 * The views of runs and waits without names; a caller who may see everything reads the tables
 * instead.
 */
#define EVERYONE       "everyone"
#define EVERYONE_WAITS "everyone_waits"

/* What tells one waiting job from another. */
#define WAITS_IDENTITY "job_key, job, task, het, attempt"

/* How much of a table may be seen. */
enum shown {
    SHOWN_ALL,          /* says nothing of anybody */
    SHOWN_BATCHES,      /* the same, but for those that are not settled */
    SHOWN_FILES,        /* all but where they lie */
    SHOWN_RUNS,         /* has user, group and account */
    SHOWN_SAMPLES,      /* has a user, and is about a run */
    SHOWN_WAITS,        /* has user, group and account, and is about a run */
    SHOWN_LOGINS,       /* has a login */
    SHOWN_RESERVATIONS, /* names users and accounts */
};

static const struct shown_table {
    const char *name;
    enum shown shown;
} tables[] = {
    {"batches", SHOWN_BATCHES}, {"files", SHOWN_FILES},
    {"marks", SHOWN_ALL},       {"askings", SHOWN_ALL},
    {"nodes", SHOWN_ALL},       {"partitions", SHOWN_ALL},
    {"migrations", SHOWN_ALL},  {"unsettled", SHOWN_ALL},
    {"runs", SHOWN_RUNS},       {"waits", SHOWN_WAITS},
    {"extents", SHOWN_ALL},     {"samples", SHOWN_SAMPLES},
    {"owners", SHOWN_LOGINS},   {"reservations", SHOWN_RESERVATIONS},
};

static void add_quoted(struct buf *sql, struct str text, char quote)
{
    buf_addc(sql, quote);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == quote) {
            buf_addc(sql, quote);
        }
        buf_addc(sql, text.ptr[i]);
    }
    buf_addc(sql, quote);
}

/* " OR "user" IN ('ann', 'bob')"; nothing for an empty list. */
static void add_list(struct buf *sql, const char *column, const struct str *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i == 0) {
            buf_addf(sql, " OR %s IN (", column);
        } else {
            buf_addz(sql, ", ");
        }
        add_quoted(sql, names[i], '\'');
    }
    buf_addz(sql, count > 0 ? ")" : "");
}

/*
 * Columns of runs that stretches go by. With their table: in a subquery, "user" alone is the
 * user of the engine.
 */
static const char *const rank_columns[SCOPE_RANKS] = {
    [SCOPE_GROUP] = "runs.\"group\"",
    [SCOPE_ACCOUNT] = "runs.account",
    [SCOPE_USER] = "runs.\"user\"",
};

/*
 * A stretch of that rank, mine or another's, that the run has to do with: from when it was
 * submitted until it ends.
 */
static void add_met(struct buf *sql, enum scope_rank rank, bool mine)
{
    buf_addf(sql,
             "EXISTS (FROM temp.main.managed m WHERE m.rank = %d AND %sm.mine AND m.name = "
             "%s AND coalesce(runs.submit, runs.start) < m.upper AND (coalesce(runs.until, 0) "
             "> m.lower OR "
             "coalesce(runs.submit, runs.start) >= m.lower))",
             (int)rank, mine ? "" : "NOT ", rank_columns[rank]);
}

/*
 * A run is seen by the strongest of what it belongs to. One that belongs to somebody else for a
 * part of its time by its user, or its account, is not seen by what is weaker: rather too
 * little than too much.
 */
static void add_managed(struct buf *sql, const struct scope *scope)
{
    for (enum scope_rank rank = 0; scope->stretch_count > 0 && rank < SCOPE_RANKS; rank++) {
        buf_addz(sql, " OR (");
        add_met(sql, rank, true);
        for (enum scope_rank above = rank + 1; above < SCOPE_RANKS; above++) {
            buf_addz(sql, " AND NOT ");
            add_met(sql, above, false);
        }
        buf_addc(sql, ')');
    }
}

static void add_condition(struct buf *sql, enum shown shown, const struct scope *scope)
{
    buf_addz(sql, " WHERE (false");
    add_list(sql, shown == SHOWN_LOGINS ? "login" : "\"user\"", scope->logins,
             scope->login_count);
    if (shown == SHOWN_RUNS || shown == SHOWN_WAITS) {
        add_list(sql, "\"group\"", scope->groups, scope->group_count);
        add_list(sql, "account", scope->accounts, scope->account_count);
    }
    if (shown == SHOWN_RUNS) {
        add_managed(sql, scope);
    }
    if (shown == SHOWN_WAITS && scope->stretch_count > 0) {
        buf_addz(sql, " OR EXISTS (FROM temp.main.runs r WHERE r.cluster = waits.cluster AND "
                      "r.job = waits.job AND r.submit = waits.submit)");
    }
    if (shown == SHOWN_SAMPLES &&
        scope->group_count + scope->account_count + scope->stretch_count > 0) {
        buf_addz(
            sql,
            " OR EXISTS (FROM temp.main.runs r WHERE r.cluster = samples.cluster AND r.job "
            "= samples.job AND coalesce(samples.epoch, 0) = 0 AND samples.\"time\" >= r.start "
            "AND samples.\"time\" <= "
            "r.until)");
    }
    buf_addc(sql, ')');
}

/*
 * The view in front of a table; one that is shown as it is needs none. Of runs those of batches
 * below `before`.
 */
static void add_view(struct buf *sql, struct str database, struct str table, enum shown shown,
                     bool known, const struct scope *scope, int64_t before)
{
    if (known && shown == SHOWN_ALL) {
        return;
    }
    buf_addz(sql, "CREATE OR REPLACE TEMP VIEW ");
    add_quoted(sql, table, '"');
    buf_addz(sql,
             !known || shown == SHOWN_RUNS || shown == SHOWN_SAMPLES || shown == SHOWN_LOGINS ||
                     shown == SHOWN_BATCHES || shown == SHOWN_WAITS
                 ? " AS SELECT rowid, *"
             : shown == SHOWN_FILES
                 ? " AS SELECT * REPLACE ('' AS path)"
                 : " AS SELECT * REPLACE (NULL::VARCHAR AS users, NULL::VARCHAR AS accounts)");
    buf_addz(sql, " FROM ");
    add_quoted(sql, database, '"');
    buf_addz(sql, ".main.");
    add_quoted(sql, table, '"');
    if (!known) {
        buf_addz(sql, " WHERE false");
    } else if (shown == SHOWN_RUNS || shown == SHOWN_SAMPLES || shown == SHOWN_LOGINS ||
               shown == SHOWN_WAITS) {
        add_condition(sql, shown, scope);
    } else {
        buf_addz(sql, " WHERE true");
    }
    if (known && (shown == SHOWN_RUNS || shown == SHOWN_BATCHES) && before < INT64_MAX) {
        buf_addf(sql, " AND batch < %" PRId64, before);
    }
    buf_addz(sql, ";\n");
}

/*
 * Everybody's runs without their names, or the caller's, likewise without: see
 * facts/everyone.h. The number of a row is for statements that must tell two runs apart; it
 * says nothing.
 */
static void add_everyone(struct buf *sql, struct str database, const struct scope *scope,
                         int64_t before)
{
    buf_addz(sql, "CREATE OR REPLACE TEMP VIEW " EVERYONE " AS SELECT rowid, " EVERYONE_COLUMNS
                  " FROM ");
    add_quoted(sql, database, '"');
    buf_addz(sql, ".main.runs");
    if (scope->totals) {
        buf_addz(sql, " WHERE true");
    } else {
        add_condition(sql, SHOWN_RUNS, scope);
    }
    if (before < INT64_MAX) {
        buf_addf(sql, " AND batch < %" PRId64, before);
    }
    buf_addz(sql, ";\n");
}

static void add_everyone_waits(struct buf *sql, struct str database, const struct scope *scope)
{
    buf_addz(sql, "CREATE OR REPLACE TEMP VIEW " EVERYONE_WAITS
                  " AS SELECT cluster, \"partition\", reason, \"from\", \"until\", tasks, "
                  "hash(" WAITS_IDENTITY ") AS same_job FROM ");
    add_quoted(sql, database, '"');
    buf_addz(sql, ".main.waits");
    if (!scope->totals) {
        add_condition(sql, SHOWN_WAITS, scope);
    }
    buf_addz(sql, ";\n");
}

/* One without a name, if nobody has thought about the table. */
static struct shown_table find_table(struct str name)
{
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        if (str_eq(str_of(tables[i].name), name)) {
            return tables[i];
        }
    }
    return (struct shown_table){0};
}

/*
 * Outside of any transaction: what is made in one is gone when it is rolled back, and
 * everything would be in sight again.
 */
static int run(struct facts *facts, const char *sql, struct table *out, struct error *err)
{
    duckdb_result result = {0};
    int failed = 0;
    if (duck.query(facts->connection, sql, &result) != DuckDBSuccess) {
        failed = facts_statement_failed(facts, &result, err);
    } else if (out) {
        failed = facts_copy_columns(&result, out, err);
        for (duckdb_data_chunk chunk; !failed && (chunk = duck.fetch_chunk(result)) != NULL;
             duck.destroy_data_chunk(&chunk)) {
            facts_copy_chunk(&result, chunk, out);
        }
    }
    duck.destroy_result(&result);
    return failed;
}

int restrict_views(struct facts *facts, const struct scope *scope, int64_t before,
                   struct error *err)
{
    struct table found = {0};
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    int failed = run(facts, SQL_RESTRICT_TABLES, &found, err);
    for (size_t i = 0; !failed && i < found.row_count; i++) {
        const struct str name = found.columns[0].cells[i].text;
        const struct shown_table table = find_table(name);
        add_view(&sql, found.columns[1].cells[i].text, name, table.shown, table.name != NULL,
                 scope, before);
        if (str_eq(name, STR("runs"))) {
            add_everyone(&sql, found.columns[1].cells[i].text, scope, before);
        } else if (str_eq(name, STR("waits"))) {
            add_everyone_waits(&sql, found.columns[1].cells[i].text, scope);
        }
    }
    if (!failed && sql.overflow) {
        failed = error_set(err, ERROR_LIMIT, "too many logins, groups and accounts");
    }
    failed = failed || sql.len == 0 ? failed : run(facts, sql.ptr, NULL, err);
    table_release(&found);
    buf_release(&sql);
    return failed;
}

/* The stretches of the scope as a table that the view of runs looks into. */
static int load_stretches(struct facts *facts, const struct scope *scope, struct error *err)
{
    struct buf sql;
    if (scope->stretch_count == 0) {
        return 0;
    }
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "INSERT INTO temp.main.managed VALUES ");
    for (size_t i = 0; i < scope->stretch_count; i++) {
        const struct scope_stretch *stretch = &scope->stretches[i];
        buf_addf(&sql, "%s(%d, ", i ? ", " : "", (int)stretch->rank);
        add_quoted(&sql, stretch->name, '\'');
        buf_addf(&sql, ", %" PRId64 ", %" PRId64 ", %s)", stretch->from, stretch->to,
                 stretch->mine ? "true" : "false");
    }
    int failed;
    (void)((failed = sql.overflow
                         ? error_set(err, ERROR_LIMIT, "too many members of metagroups")
                         : 0) ||
           (failed = run(facts, SQL_RESTRICT_MAKE_MANAGED, NULL, err)) ||
           (failed = run(facts, sql.ptr, NULL, err)));
    buf_release(&sql);
    return failed;
}

int facts_restrict(struct facts *facts, const struct scope *scope, struct error *err)
{
    if (!scope || scope->all) {
        return 0;
    }
    if (facts->mode != FACTS_READ) {
        return error_set(err, ERROR_DENIED,
                         "callers who may see only a part of the store may not change it");
    }
    facts->scope = scope;
    int failed = load_stretches(facts, scope, err);
    return failed ? failed : restrict_views(facts, scope, INT64_MAX, err);
}

struct identifier everyone_runs(const struct facts *facts)
{
    return facts->scope ? IDENTIFIER(EVERYONE) : IDENTIFIER("runs");
}

bool everyone_is_whole(const struct facts *facts)
{
    return !facts->scope || facts->scope->totals;
}

struct identifier everyone_waits(const struct facts *facts)
{
    return facts->scope ? IDENTIFIER(EVERYONE_WAITS) : IDENTIFIER("waits");
}

struct expression everyone_job(const struct facts *facts)
{
    return facts->scope ? EXPRESSION("same_job") : EXPRESSION("(" WAITS_IDENTITY ")");
}
