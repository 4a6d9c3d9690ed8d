/* SPDX-License-Identifier: MIT */

/*
 * A listing goes into a temporary table first and is then set against the runs. Runs that have
 * not ended are found by `until`, by which the engine skips nearly all of the store; whether
 * one that is not among them has ended is looked up within the range of `attempt` that these
 * span, as append.c does.
 */

#include "facts/live_jobs.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "facts/duckdb/changed.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/merge.h"
#include "facts/duckdb/run_feed.h"
#include "facts/duckdb/statements.h"
#include "facts/duckdb/vanished.h"
#include "facts/duckdb/wait_stretches.h"
#include "facts/statement.h"
#include "record/precedence.h"
#include "record/run.h"

static int execute(struct facts *facts, const char *sql, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){0}, NULL, err);
}

/* Into the table `listed`; of a run that is listed twice the last record stays. */
static int fill_listed(struct facts *facts, const struct run_feed *feed,
                       struct run_feed_counts *fed, struct error *err)
{
    struct part_buffer pool;
    struct statement sql;
    statement_init(&sql);
    statement_add(
        &sql, "DELETE FROM listed WHERE rowid IN (SELECT o.rowid FROM listed n JOIN listed o "
              "ON o.line < n.line AND ");
    facts_add_same_identity(&sql, false);
    statement_add(&sql, ")");
    part_buffer_init(&pool);
    int failed;
    (void)((failed = execute(facts, SQL_SNAPSHOT_LISTED, err)) ||
           (failed = run_feed_insert_waiting(facts, "listed", feed, &pool, fed, err)) ||
           (failed = statement_execute(facts, &sql, NULL, err)));
    if (!failed && pool.count > 0) {
        failed = error_set(err, ERROR_INPUT, "a listing of runs has parts of runs");
    }
    part_buffer_release(&pool);
    statement_release(&sql);
    return failed;
}

/*
 * The runs that have not ended or vanished and are listed: into `sighted`. Of most, the listing
 * says what is known (just_so).
 */
static int find_open(struct facts *facts, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(
        &sql, "INSERT INTO sighted BY NAME SELECT n.rowid AS listed_row, o.rowid AS run_row, ");
    merge_add_learns(&sql);
    statement_add(
        &sql,
        " AS learns, o.until = %" PRId64
        " AS open, open AND NOT learns AND o.class IS NOT DISTINCT FROM n.class AND o.start IS "
        "NOT DISTINCT FROM n.start AND o.task_count IS NOT DISTINCT FROM n.task_count AS "
        "just_so FROM listed n JOIN runs o ON ",
        RUN_NOT_ENDED);
    facts_add_same_identity(&sql, false);
    statement_add(&sql,
                  " WHERE o.until = %" PRId64 " OR (o.flags >= %d AND (o.flags & %d) <> 0)",
                  RUN_NOT_ENDED, RUN_FLAG_VANISHED, RUN_FLAG_VANISHED);
    int failed;
    (void)((failed = execute(facts, SQL_SNAPSHOT_SIGHTED, err)) ||
           (failed = statement_execute(facts, &sql, NULL, err)));
    statement_release(&sql);
    return failed;
}

/*
 * Of those listed that have ended as far as is known, the ones that are known: into `sighted`
 * too.
 */
static int find_ended(struct facts *facts, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    int failed = execute(facts, SQL_SNAPSHOT_FRESH, err);
    statement_add(&sql, "INSERT INTO sighted SELECT n.listed_row, o.rowid, ");
    merge_add_learns(&sql);
    statement_add(&sql, ", false, false FROM fresh n JOIN runs o ON ");
    facts_add_same_identity(&sql, false);
    statement_add(
        &sql, " WHERE (o.attempt >= (SELECT min(attempt) FROM fresh) AND o.attempt <= (SELECT "
              "max(attempt) FROM fresh)) OR o.attempt IS NULL");
    if (!failed) {
        failed = statement_execute(facts, &sql, NULL, err);
    }
    statement_release(&sql);
    return failed;
}

static int count_rows(struct facts *facts, const char *sql, int64_t *out, struct error *err)
{
    return facts_number(facts, sql, (struct facts_values){0}, out, NULL, err);
}

/* Rows that come, for the roll-ups and the feed; all are of one batch. */
static int note_coming(struct facts *facts, struct error *err)
{
    int64_t batch = 0;
    int failed;
    (void)((failed = execute(facts, SQL_SNAPSHOT_NOTE_COMING, err)) ||
           (failed = count_rows(facts, SQL_SNAPSHOT_BATCH, &batch, err)) ||
           (failed = changed_batch(facts, batch, err)));
    return failed;
}

/*
 * What is known just so was seen once more: `seen` is the moment of the listing that says how
 * it stands, too.
 */
static int write_seen(struct facts *facts, int64_t at, struct error *err)
{
    struct statement moments;
    const struct facts_value seen = FACTS_INT(at);
    int64_t count = 0;
    int failed = facts_execute(facts, SQL_SNAPSHOT_WRITE_SEEN, (struct facts_values){&seen, 1},
                               &count, err);
    if (failed || count == 0) {
        return failed;
    }
    statement_init(&moments);
    statement_add(
        &moments,
        "UPDATE runs SET field_origins = split_part(field_origins, '" PRECEDENCE_MOMENT
        "', 1) WHERE rowid IN (SELECT run_row FROM sighted WHERE just_so AND open) AND "
        "contains(field_origins, '" PRECEDENCE_MOMENT "') AND ");
    merge_add_state_origin(&moments);
    statement_add(&moments, " = '%d'", ORIGIN_LISTING);
    (void)((failed = statement_execute(facts, &moments, NULL, err)) ||
           (failed = changed_seen(facts, SQL_SNAPSHOT_SEEN_CLUSTERS, at, err)));
    statement_release(&moments);
    return failed;
}

/*
 * The others: what the listing and what is known say together, into `merged`. It may be what is
 * known.
 */
static int merge_sighted(struct facts *facts, struct error *err)
{
    int64_t count = 0;
    int failed = execute(facts, SQL_SNAPSHOT_PAIRS, err);
    (void)(failed || (failed = count_rows(facts, SQL_SNAPSHOT_COUNT_PAIRS, &count, err)));
    if (failed || count == 0) {
        return failed;
    }
    (void)((failed = merge_pairs(facts, IDENTIFIER("listed"), true, err)) ||
           (failed = execute(facts, SQL_SNAPSHOT_MERGED_JUST_SO, err)));
    return failed;
}

/*
 * What is known otherwise goes, and comes again merged with the listing; what is not known at
 * all comes.
 */
static int write_changed(struct facts *facts, int64_t going, int64_t coming, struct error *err)
{
    int failed = 0;
    if (going > 0) {
        (void)((failed = changed_runs(facts, CHANGE_REPLACED, "going", "run_row", err)) ||
               (failed = execute(facts, SQL_SNAPSHOT_REMOVE_GOING, err)) ||
               (failed = execute(facts, SQL_SNAPSHOT_WRITE_MERGED, err)) ||
               (failed = execute(facts, SQL_SNAPSHOT_WRITE_REPLACING, err)));
    }
    if (!failed && coming > 0) {
        (void)((failed = note_coming(facts, err)) ||
               (failed = execute(facts, SQL_SNAPSHOT_WRITE_NEW, err)));
    }
    return failed;
}

/* Everything that is listed ends up in one of these. */
static int write_runs(struct facts *facts, int64_t at, struct append_counts *counts,
                      struct error *err)
{
    int64_t all = 0, coming = 0;
    int failed;
    (void)((failed = execute(facts, SQL_SNAPSHOT_GOING, err)) ||
           (failed = execute(facts, SQL_SNAPSHOT_COMING, err)) ||
           (failed = count_rows(facts, SQL_SNAPSHOT_COUNT_LISTED, &all, err)) ||
           (failed = count_rows(facts, SQL_SNAPSHOT_COUNT_COMING, &coming, err)) ||
           (failed = count_rows(facts, SQL_SNAPSHOT_COUNT_GOING, &counts->replaced, err)) ||
           (failed = write_seen(facts, at, err)) ||
           (failed = write_changed(facts, counts->replaced, coming, err)));
    counts->added = coming - counts->replaced;
    counts->unchanged = all - coming;
    return failed;
}

int live_jobs_take(struct facts *facts, const struct run_feed *feed, struct str cluster,
                   int64_t at, struct append_counts *counts, struct error *err)
{
    struct run_feed_counts fed = {0};
    *counts = (struct append_counts){0};
    int failed;
    (void)((failed = fill_listed(facts, feed, &fed, err)) || (failed = find_open(facts, err)) ||
           (failed = find_ended(facts, err)) || (failed = merge_sighted(facts, err)) ||
           (failed = write_runs(facts, at, counts, err)));
    if (!failed) {
        const struct wait_listing listing = {cluster, at, WAIT_STRETCHES_SLACK_US, true};
        failed = wait_stretches_see(facts, &listing, err);
    }
    if (fed.has_time) {
        counts->first_time = fed.first_time;
        counts->last_time = fed.last_time;
    }
    return failed;
}

/* --- what a listing does not have --------------------------------------------------------- */

/*
 * Columns of `missing_runs`, the table of what vanished, besides the cluster's, and as struct
 * live_jobs_gone has them.
 */
enum { JOB_KEY, JOB, TASK, HET, ATTEMPT, JOB_RAW, SUBMIT, START, GONE_COLUMNS };

#define GONE_NAMES "job_key, job, task, het, attempt, job_raw, submit, start"

static int64_t number_at(const struct table *table, size_t row, size_t column, bool *has)
{
    *has = table_has(table, column, row);
    return *has ? (int64_t)table_wide(table, column, row) : 0;
}

static void read_gone(const struct table *table, size_t row, struct arena *arena,
                      struct live_jobs_gone *out)
{
    if (table_has(table, JOB_KEY, row)) {
        out->job_key = arena_copy(arena, table->columns[JOB_KEY].cells[row].text);
    }
    out->job = number_at(table, row, JOB, &out->has_job);
    out->task = number_at(table, row, TASK, &out->has_task);
    out->het = number_at(table, row, HET, &out->has_het);
    out->attempt = number_at(table, row, ATTEMPT, &out->has_attempt);
    out->job_raw = number_at(table, row, JOB_RAW, &out->has_job_raw);
    out->submit = number_at(table, row, SUBMIT, &out->has_submit);
    out->start = number_at(table, row, START, &out->has_start);
}

int live_jobs_missing(struct facts *facts, struct str cluster, struct arena *arena,
                      struct live_jobs_gone **gone, size_t *count, struct error *err)
{
    struct table table = {0};
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT " GONE_NAMES " FROM runs n WHERE n.cluster = ");
    statement_bind(&sql, FACTS_TEXT(cluster));
    statement_add(&sql, " AND n.until = ");
    statement_bind(&sql, FACTS_INT(RUN_NOT_ENDED));
    statement_add(&sql, " AND NOT EXISTS (SELECT 1 FROM listed o WHERE ");
    facts_add_same_identity(&sql, false);
    statement_add(&sql, ") ORDER BY job, job_key, task, het, attempt");
    int failed = statement_query(facts, &sql, &table, err);
    *count = failed ? 0 : table.row_count;
    *gone = arena_alloc(arena, (*count + 1) * sizeof(**gone));
    for (size_t row = 0; row < *count; row++) {
        read_gone(&table, row, arena, &(*gone)[row]);
    }
    table_release(&table);
    statement_release(&sql);
    return failed;
}

static struct facts_value value_of(bool has, int64_t number)
{
    return has ? FACTS_INT(number) : FACTS_NULL;
}

/* Into the table `missing_runs`, with the identity of each. */
static int load_missing(struct facts *facts, struct str cluster,
                        const struct live_jobs_gone *gone, size_t count, struct error *err)
{
    static const struct statement_column columns[] = {
        {"cluster", TYPE_TEXT}, {"job_key", TYPE_TEXT}, {"job", TYPE_INTEGER},
        {"task", TYPE_INTEGER}, {"het", TYPE_INTEGER},  {"attempt", TYPE_INTEGER},
        {"place", TYPE_INTEGER}};

    enum { COLUMNS = COUNT_OF(columns) };

    struct facts_value *values = mem_alloc(count, COLUMNS * sizeof(*values));
    for (size_t i = 0; i < count; i++) {
        const struct live_jobs_gone *g = &gone[i];
        struct facts_value *row = &values[i * COLUMNS];
        row[0] = FACTS_TEXT(cluster);
        row[1] = g->job_key.ptr ? FACTS_TEXT(g->job_key) : FACTS_NULL;
        row[2] = value_of(g->has_job, g->job);
        row[3] = value_of(g->has_task, g->task);
        row[4] = value_of(g->has_het, g->het);
        row[5] = value_of(g->has_attempt, g->attempt);
        row[6] = FACTS_INT((int64_t)i);
    }
    int failed = statement_load(facts, IDENTIFIER("missing_runs"), columns, COLUMNS,
                                (struct facts_values){values, count * COLUMNS}, err);
    free(values);
    return failed;
}

int live_jobs_still_open(struct facts *facts, struct str cluster, struct live_jobs_gone *gone,
                         size_t *count, struct error *err)
{
    struct table table = {0};
    struct statement sql;
    if (*count == 0) {
        return 0;
    }
    statement_init(&sql);
    statement_add(&sql, "SELECT DISTINCT n.place FROM missing_runs n JOIN runs o ON ");
    facts_add_same_identity(&sql, false);
    statement_add(&sql, " WHERE o.until = %" PRId64 " ORDER BY n.place", RUN_NOT_ENDED);
    int failed;
    (void)((failed = load_missing(facts, cluster, gone, *count, err)) ||
           (failed = statement_query(facts, &sql, &table, err)));
    for (size_t row = 0; !failed && row < table.row_count; row++) {
        gone[row] = gone[table.columns[0].cells[row].integer]; /* places ascend */
    }
    *count = failed ? *count : table.row_count;
    table_release(&table);
    statement_release(&sql);
    return failed;
}

/* Of these, the runs that have not ended: into `vanished`. */
static int find_vanished(struct facts *facts, int64_t at, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "CREATE OR REPLACE TEMP TABLE vanished AS SELECT " VANISHED_COLUMNS
                        " FROM missing_runs n JOIN runs o ON ");
    facts_add_same_identity(&sql, false);
    statement_add(&sql,
                  " WHERE o.until = %" PRId64 " AND (o.seen IS NULL OR o.seen <= %" PRId64 ")",
                  RUN_NOT_ENDED, at);
    return statement_run(facts, &sql, err);
}

int live_jobs_cap(struct facts *facts, struct str cluster, int64_t at,
                  const struct live_jobs_gone *gone, size_t count, struct live_jobs_caps *caps,
                  struct error *err)
{
    struct vanished_counts counts = {0};
    *caps = (struct live_jobs_caps){0};
    if (count == 0) {
        return 0;
    }
    int failed;
    (void)((failed = load_missing(facts, cluster, gone, count, err)) ||
           (failed = find_vanished(facts, at, err)) ||
           (failed = vanished_conclude(facts, cluster, &counts, err)));
    *caps = (struct live_jobs_caps){.capped = counts.ended, .taken = counts.removed};
    return failed;
}

int live_jobs_mend(struct facts *facts, struct str cluster, int64_t at, struct error *err)
{
    const struct facts_value values[] = {FACTS_TEXT(cluster), FACTS_INT(RUN_NOT_ENDED),
                                         FACTS_INT(at)};
    const struct facts_value seen = FACTS_INT(at);
    int failed;
    (void)((failed =
                facts_execute(facts, SQL_SNAPSHOT_AHEAD,
                              (struct facts_values){values, COUNT_OF(values)}, NULL, err)) ||
           (failed = facts_execute(facts, SQL_SNAPSHOT_MEND_AHEAD,
                                   (struct facts_values){&seen, 1}, NULL, err)) ||
           (failed = changed_runs(facts, CHANGE_REPLACED, "ahead", "run_row", err)));
    return failed;
}

/* Two clocks of one cluster do not differ by more. */
#define CLOCKS_APART_US INT64_C(600000000)

/* What only listings have, and that has not ended or has vanished: into `sightings`. */
static int find_sightings(struct facts *facts, struct str cluster, int64_t *count,
                          struct error *err)
{
    const struct facts_value values[] = {FACTS_TEXT(cluster), FACTS_INT(RUN_NOT_ENDED),
                                         FACTS_INT(RUN_FLAG_VANISHED),
                                         FACTS_INT(RUN_FLAG_VANISHED)};
    int failed = facts_execute(facts, SQL_SNAPSHOT_SIGHTINGS,
                               (struct facts_values){values, COUNT_OF(values)}, NULL, err);
    return failed ? failed : count_rows(facts, SQL_SNAPSHOT_COUNT_SIGHTINGS, count, err);
}

int live_jobs_supersede(struct facts *facts, struct str cluster, int64_t *taken,
                        struct error *err)
{
    const struct facts_value values[] = {FACTS_INT(CLOCKS_APART_US), FACTS_INT(CLOCKS_APART_US),
                                         FACTS_INT(RUN_NOT_ENDED)};
    int64_t count = 0;
    *taken = 0;
    int failed = find_sightings(facts, cluster, &count, err);
    if (failed || count == 0) {
        return failed;
    }
    (void)((failed =
                facts_execute(facts, SQL_SNAPSHOT_SUPERSEDED,
                              (struct facts_values){values, COUNT_OF(values)}, NULL, err)) ||
           (failed = changed_runs(facts, CHANGE_REMOVED, "superseded", "run_row", err)) ||
           (failed = facts_execute(facts, SQL_SNAPSHOT_REMOVE_SUPERSEDED,
                                   (struct facts_values){0}, taken, err)));
    return failed;
}
