/* SPDX-License-Identifier: MIT */

/*
 * How identity is kept without an index.
 *
 * A batch is written first, straight into `runs`, at full speed. Then:
 *   1. repeats inside the batch are found: the latest line is to stay, of those that tell the end if
 *      any does;
 *   2. the batch is joined with older rows on the identity, within the range of `attempt` that
 *      the batch spans, which lets the engine skip most of the store; of two twins with the same
 *      digest the new one is to go; those of different files or kinds of source are merged
 *      (merge.h), which may give a third row; of versions of one record the new one is to go if only
 *      the old one has ended, else the old one, and of two sightings (facts/listings.h) the one that
 *      says less;
 *   3. a record of tasks that wait together is looked for, of an array whose last task has its own
 *      record by now: it has become that one;
 *   4. the first two again with the parts, which go into a table of their own.
 * What is found is counted, and the batch is noted as unsettled if there is anything to do. The
 * doing is left to facts_settle, in the transaction after the commit: rows deleted in the
 * transaction that wrote them would make the engine write all the others a second time. Nobody
 * sees a state between, since a store with an unsettled batch is settled before it is used.
 */

#include "facts/append.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/zone.h"
#include "facts/duckdb/changed.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/last_seen.h"
#include "facts/duckdb/merge.h"
#include "facts/duckdb/parts.h"
#include "facts/duckdb/run_feed.h"
#include "facts/duckdb/statements.h"
#include "facts/statement.h"

static_assert(RUN_FLAG_USE_PARTIAL == 2048, "USE_PARTIAL is RUN_FLAG_USE_PARTIAL in SQL");
#define USE_PARTIAL "2048"

static_assert(ORIGIN_LISTING == 1, "LISTING is ORIGIN_LISTING in SQL");
#define LISTING "1"

static bool is_identity(size_t field, bool with_part)
{
    return run_fields[field].flags & FIELD_KEY || (with_part && field == RUN_part);
}

void facts_add_same_identity(struct statement *sql, bool with_part)
{
    bool any = false;
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (is_identity(i, with_part)) {
            statement_add(sql, any ? " AND n." : "n.");
            statement_name(sql, identifier_of(&run_fields[i]));
            statement_add(sql, " IS NOT DISTINCT FROM o.");
            statement_name(sql, identifier_of(&run_fields[i]));
            any = true;
        }
    }
}

static void add_identity(struct statement *sql, bool with_part)
{
    bool any = false;
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (is_identity(i, with_part)) {
            statement_add(sql, any ? ", " : "");
            statement_name(sql, identifier_of(&run_fields[i]));
            any = true;
        }
    }
}

void facts_add_classes_over(struct statement *sql)
{
    bool any = false;
    for (int class = 0; class < CLASS_COUNT; class ++) {
        const struct str name = run_class_name((enum run_class) class);
        if (run_class_is_over(name)) {
            statement_add(sql, any ? ", " : "");
            statement_literal(sql, (struct identifier){name.ptr});
            any = true;
        }
    }
}

/*
 * How much a sighting says, as SQL: most if it has the true end, least if it is over and does
 * not say since when. What was only found to have vanished counts as it was seen.
 */
static void add_weight(struct statement *sql, struct expression of)
{
    statement_add(sql, "CASE WHEN ");
    statement_expression(sql, of);
    statement_add(sql, ".\"end\" IS NOT NULL AND ");
    statement_expression(sql, of);
    statement_add(sql, ".flags & %d = 0 THEN 2 WHEN ", RUN_FLAG_VANISHED);
    statement_expression(sql, of);
    statement_add(sql, ".class IN (");
    facts_add_classes_over(sql);
    statement_add(sql, ") THEN 0 ELSE 1 END");
}

/* What the looks for repeats and twins of a batch found. */
struct settled {
    int64_t doomed; /* rows that have to go */
    int64_t replaced,
        unchanged; /* of these; own records that are kept with the parts are not counted */
};

static int execute(struct facts *facts, const char *sql, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){0}, NULL, err);
}

static bool has_parts(struct identifier table)
{
    return table.name[0] == 'p';
}

/* Counts the rows in a table of doomed ones: same digest as the row that stays, or not. */
static int count_doomed(struct facts *facts, struct identifier doomed, struct settled *settled,
                        struct error *err)
{
    struct table counts = {0};
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT count(*), count(*) FILTER (same AND NOT own), "
                        "count(*) FILTER (NOT same AND NOT own) FROM ");
    statement_name(&sql, doomed);
    int failed = statement_query(facts, &sql, &counts, err);
    if (!failed) {
        settled->doomed += (int64_t)table_wide(&counts, 0, 0);
        settled->unchanged += (int64_t)table_wide(&counts, 1, 0);
        settled->replaced += (int64_t)table_wide(&counts, 2, 0);
    }
    table_release(&counts);
    statement_release(&sql);
    return failed;
}

static int delete_doomed(struct facts *facts, struct identifier table, struct identifier doomed,
                         struct error *err)
{
    struct statement sql;
    int failed = has_parts(table) ? 0 : changed_spans(facts, doomed.name, "doomed_row", err);
    if (failed) {
        return failed;
    }
    statement_init(&sql);
    statement_add(&sql, "DELETE FROM ");
    statement_name(&sql, table);
    statement_add(&sql, " WHERE rowid IN (SELECT doomed_row FROM ");
    statement_name(&sql, doomed);
    statement_add(&sql, ")");
    return statement_run(facts, &sql, err);
}

/*
 * "...": rows of the batch that may have a repeat. While it was fed they were noted; else the
 * engine finds them.
 */
static void add_suspects(struct statement *sql, struct identifier table, int64_t batch,
                         bool noted)
{
    if (noted) {
        statement_add(sql, "line IN (SELECT line FROM ");
        statement_name(sql, has_parts(table) ? IDENTIFIER("suspects_parts")
                                             : IDENTIFIER("suspects_runs"));
        statement_add(sql, ")");
        return;
    }
    statement_add(sql, "hash(");
    add_identity(sql, has_parts(table));
    statement_add(sql, ") IN (SELECT hash(");
    add_identity(sql, has_parts(table));
    statement_add(sql, ") AS h FROM ");
    statement_name(sql, table);
    statement_add(sql, " WHERE batch = %" PRId64 " GROUP BY h HAVING count(*) > 1)", batch);
}

/*
 * Step 1, into the table `repeats`: rows of the batch for which a later line says the same run.
 * The ordering is costly, so it is done among suspects.
 */
static int find_repeats(struct facts *facts, struct identifier table, int64_t batch, bool noted,
                        struct error *err)
{
    struct statement sql;
    int failed = execute(facts, SQL_APPEND_REPEATS, err);
    if (failed) {
        return failed;
    }
    statement_init(&sql);
    statement_add(&sql,
                  "INSERT INTO run_repeats SELECT doomed_row, digest = kept AS same, own FROM "
                  "(SELECT rowid AS doomed_row, digest, coalesce(part = '', false) AS own, "
                  "first_value(digest) OVER newest AS kept, row_number() OVER newest AS place "
                  "FROM ");
    statement_name(&sql, table);
    statement_add(&sql, " WHERE batch = %" PRId64 " AND ", batch);
    add_suspects(&sql, table, batch, noted);
    statement_add(&sql, " WINDOW newest AS (PARTITION BY ");
    add_identity(&sql, has_parts(table));
    statement_add(&sql, " ORDER BY \"end\" IS NULL, line DESC)) WHERE place > 1");
    return statement_run(facts, &sql, err);
}

/*
 * Where older records of the batch's runs can be, in the order of find_twins: between its first
 * and last cluster, and in its ranges of `attempt`, below zero, where it is no time, and above.
 * By these the engine skips most of the store, and what it joins fits into memory.
 */
enum { EXTENT_VALUES = 6 };

static int find_extent(struct facts *facts, struct identifier table, int64_t batch,
                       struct table *found, struct facts_value out[EXTENT_VALUES],
                       struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "SELECT min(cluster), max(cluster), "
                  "min(attempt) FILTER (attempt < 0), max(attempt) FILTER (attempt < 0), "
                  "min(attempt) FILTER (attempt >= 0), max(attempt) FILTER (attempt >= 0) "
                  "FROM ");
    statement_name(&sql, table);
    statement_add(&sql, " WHERE batch = %" PRId64, batch);
    int failed = statement_query(facts, &sql, found, err);
    statement_release(&sql);
    for (size_t i = 0; !failed && i < EXTENT_VALUES; i++) {
        const union cell *cell = &found->columns[i].cells[0];
        out[i] = !table_has(found, i, 0) ? FACTS_NULL
                 : i < 2                 ? FACTS_TEXT(cell->text)
                                         : FACTS_INT(cell->integer);
    }
    return failed;
}

/* Of two records the one that says all of the run stays; columns of the aliases n and o. */
#define TELLS_LESS                                                                             \
    "(n.flags & " USE_PARTIAL " <> 0 AND o.flags & " USE_PARTIAL " = 0 AND o.\"end\" IS NOT "  \
    "NULL)"

/* An accounting database may lag behind the scheduler that was seen to have started the run. */
#define SEEN_TO_RUN "(o.origin = " LISTING " AND o.start IS NOT NULL AND n.start IS NULL)"

/*
 * What is known of a pair once `stays` is: its rows' columns under names of their own. `stays`
 * is a column of the inner SELECT, since an alias that is named six times is six copies of a
 * long expression, which took the engine longer to plan than to answer.
 */
#define PAIR                                                                                   \
    "n.rowid AS new_row, o.rowid AS old_row, n.digest AS new_digest, o.digest AS old_digest, " \
    "n.part"
#define PAIR_OF_RUNS                                                                           \
    ", n.origin AS new_origin, o.origin AS old_origin, n.seen AS new_seen, "                   \
    "o.seen AS old_seen, n.start AS new_start, o.start AS old_start, n.\"end\" AS new_end, "   \
    "o.\"end\" AS old_end, n.file AS new_file, o.file AS old_file, o.field_origins"

/* Of two sightings the earlier start is known to whichever stays: what its `start` is to be. */
#define EARLIER                                                                                \
    "CASE WHEN new_seen <> old_seen AND new_origin = " LISTING " AND old_origin = " LISTING    \
    " AND coalesce(CASE WHEN stays THEN new_start < old_start ELSE old_start < new_start "     \
    "END, false) THEN least(new_start, old_start) END"

/*
 * What the feed says of the run of a pair: that its older row is replaced, or that the one
 * which stays learned something of the other (keep_sightings, keep_starts).
 */
#define CHANGE                                                                                 \
    "CASE WHEN NOT stays AND old_end IS NULL AND new_end IS NOT NULL THEN 'ended' "            \
    "WHEN NOT stays OR earlier IS NOT NULL OR ((old_seen IS NULL OR old_seen < new_seen) AND " \
    "new_seen IS NOT NULL AND old_end IS NULL) THEN 'replaced' END"

/*
 * Versions of one record replace each other, and so do sightings by listings alone, unless
 * something else was merged into the older row.
 */
#define MERGES                                                                                 \
    "new_digest <> old_digest AND (field_origins IS NOT NULL OR new_origin <> old_origin OR "  \
    "(new_origin <> " LISTING " AND new_file IS DISTINCT FROM old_file))"

/* "...": whether of two twins the older row stays. */
static void add_choice(struct statement *sql, struct identifier table)
{
    if (has_parts(table)) {
        statement_add(sql, "n.digest = o.digest OR (n.\"end\" IS NULL AND o.\"end\" IS NOT "
                           "NULL) OR " TELLS_LESS);
        return;
    }
    statement_add(sql, "CASE WHEN n.origin <> " LISTING " OR o.origin <> " LISTING
                       " THEN n.digest = o.digest OR " TELLS_LESS
                       " OR (n.\"end\" IS NULL AND (o.\"end\" IS NOT NULL OR " SEEN_TO_RUN
                       ")) ELSE (");
    add_weight(sql, EXPRESSION("o"));
    statement_add(sql, ", o.seen, n.digest = o.digest) >= (");
    add_weight(sql, EXPRESSION("n"));
    statement_add(sql, ", n.seen, true) END");
}

/* The pairs, with parameters: the batch twice, then its extent. */
static void add_twins(struct statement *sql, struct identifier table)
{
    const bool runs = !has_parts(table);
    statement_add(sql, "INSERT INTO run_twins BY NAME SELECT stays, ");
    statement_add(sql, runs ? EARLIER " AS earlier, " CHANGE " AS change, " : "");
    statement_add(sql, "new_digest = old_digest OR stays AS same, "
                       "CASE WHEN stays THEN new_row ELSE old_row END AS doomed_row, "
                       "CASE WHEN stays THEN old_row ELSE new_row END AS kept_row, "
                       "coalesce(part = '', false) AS own, new_row, old_row, false AS mixed, ");
    statement_add(sql, runs ? MERGES : "false");
    statement_add(sql, " AS merges FROM (SELECT ");
    add_choice(sql, table);
    statement_add(sql, runs ? " AS stays, " PAIR PAIR_OF_RUNS : " AS stays, " PAIR);
    statement_add(sql, " FROM ");
    statement_name(sql, table);
    statement_add(sql, " n JOIN ");
    statement_name(sql, table);
    statement_add(sql, " o ON ");
    facts_add_same_identity(sql, !runs);
    statement_add(
        sql, " WHERE n.batch = ? AND o.batch < ? AND o.cluster BETWEEN ? AND ? AND "
             "(o.attempt BETWEEN ? AND ? OR o.attempt BETWEEN ? AND ? OR o.attempt IS NULL)"
             " AND n.rowid NOT IN (SELECT doomed_row FROM run_repeats))");
}

/*
 * Step 2, into the table `twins`: of each pair of a row of the batch and an older one, the one
 * to go.
 */
static int find_twins(struct facts *facts, struct identifier table, int64_t batch,
                      struct error *err)
{
    struct facts_value values[2 + EXTENT_VALUES] = {FACTS_INT(batch), FACTS_INT(batch)};
    struct table found = {0};
    struct statement sql;
    statement_init(&sql);
    add_twins(&sql, table);
    int failed = find_extent(facts, table, batch, &found, values + 2, err);
    for (size_t i = 0; !failed && i < COUNT_OF(values); i++) {
        statement_value(&sql, values[i]);
    }
    (void)(failed || (failed = execute(facts, SQL_APPEND_TWINS, err)) ||
           (failed = statement_execute(facts, &sql, NULL, err)));
    statement_release(&sql);
    table_release(&found);
    return failed;
}

static int count(struct facts *facts, const char *sql, int64_t *out, struct error *err)
{
    return facts_number(facts, sql, (struct facts_values){0}, out, NULL, err);
}

/*
 * Of the twins that are merged: whether that gives the older row, the newer one, or a third
 * (`mixed`), which is written when the batch is committed.
 */
static int merge_twins(struct facts *facts, bool committed, struct error *err)
{
    int64_t merges = 0;
    int failed = count(facts, SQL_APPEND_COUNT_MERGES, &merges, err);
    if (failed || merges == 0) {
        return failed;
    }
    (void)((failed = execute(facts, SQL_APPEND_PAIRS, err)) ||
           (failed = merge_pairs(facts, IDENTIFIER("runs"), committed, err)) ||
           (failed = execute(facts, SQL_APPEND_DECIDE_MERGED, err)));
    return failed;
}

/* The third row takes the place of both. The older one goes with the other doomed rows. */
static int write_mixed(struct facts *facts, struct error *err)
{
    int64_t mixed = 0;
    int failed = count(facts, SQL_APPEND_COUNT_MIXED, &mixed, err);
    if (failed || mixed == 0) {
        return failed;
    }
    (void)((failed = execute(facts, SQL_APPEND_REMOVE_MIXED, err)) ||
           (failed = execute(facts, SQL_APPEND_WRITE_MIXED, err)));
    return failed;
}

/* What the feed is to say of twins, before the rows that go are gone. */
static int note_twins(struct facts *facts, struct error *err)
{
    int64_t changes = 0;
    int failed = count(facts, SQL_APPEND_COUNT_CHANGES, &changes, err);
    return failed || changes == 0 ? failed : changed_feed(facts, SQL_APPEND_CHANGED_TWINS, err);
}

/*
 * Of two records of a run without an end, the one that stays keeps the later sighting; a record
 * that says it is over is no sighting.
 */
static int keep_sightings(struct facts *facts, struct error *err)
{
    const struct facts_value open[] = {FACTS_INT(RUN_NOT_ENDED), FACTS_INT(RUN_NOT_ENDED)};
    return facts_execute(facts, SQL_APPEND_KEEP_SIGHTINGS,
                         (struct facts_values){open, COUNT_OF(open)}, NULL, err);
}

/*
 * A run that was started again says so by a later start, but holds its resources since the
 * first.
 */
static int keep_starts(struct facts *facts, struct error *err)
{
    int64_t earlier = 0;
    int failed = count(facts, SQL_APPEND_COUNT_EARLIER, &earlier, err);
    return failed || earlier == 0 ? failed : execute(facts, SQL_APPEND_KEEP_STARTS, err);
}

/*
 * Step 3, into the table `outgrown`. Slurm gives each task that leaves the array a number of
 * its own, and the last one that of the array: the record of those that wait has then turned
 * into it.
 */
static int find_outgrown(struct facts *facts, int64_t batch, struct error *err)
{
    const struct facts_value values[] = {FACTS_INT(batch), FACTS_INT(batch), FACTS_INT(batch)};
    return facts_execute(facts, SQL_APPEND_OUTGROWN,
                         (struct facts_values){values, COUNT_OF(values)}, NULL, err);
}

/*
 * Whether any record stands for tasks: a column that is absent everywhere is read in no time.
 */
static int any_waiting(struct facts *facts, struct identifier table, bool *any,
                       struct error *err)
{
    int64_t most = 0;
    *any = false;
    return has_parts(table) ? 0
                            : facts_number(facts, SQL_APPEND_MOST_TASKS,
                                           (struct facts_values){0}, &most, any, err);
}

static int settle_outgrown(struct facts *facts, int64_t batch, bool committed,
                           struct settled *settled, struct error *err)
{
    int failed;
    (void)((failed = find_outgrown(facts, batch, err)) ||
           (failed = count_doomed(facts, IDENTIFIER("outgrown"), settled, err)) ||
           (committed && settled->doomed > 0 &&
            ((failed = changed_runs(facts, CHANGE_REMOVED, "outgrown", "doomed_row", err)) ||
             (failed =
                  delete_doomed(facts, IDENTIFIER("runs"), IDENTIFIER("outgrown"), err)))));
    return failed;
}

/* All looks. Deleting is for committed batches: see the top of this file. */
static int settle(struct facts *facts, struct identifier table, int64_t batch, bool committed,
                  struct settled *settled, struct error *err)
{
    int failed;
    bool waiting = false;
    const bool noted = !committed || (facts->sifted == batch && !has_parts(table));
    (void)((failed = find_repeats(facts, table, batch, noted, err)) ||
           (failed = count_doomed(facts, IDENTIFIER("run_repeats"), settled, err)) ||
           (failed = find_twins(facts, table, batch, err)) ||
           (!has_parts(table) && (failed = merge_twins(facts, committed, err))) ||
           (failed = count_doomed(facts, IDENTIFIER("run_twins"), settled, err)) ||
           (failed = any_waiting(facts, table, &waiting, err)) ||
           (waiting && (failed = settle_outgrown(facts, batch, committed, settled, err))) ||
           (committed && settled->doomed > 0 &&
            ((failed = delete_doomed(facts, table, IDENTIFIER("run_repeats"), err)) ||
             (!has_parts(table) &&
              ((failed = note_twins(facts, err)) || (failed = keep_sightings(facts, err)) ||
               (failed = keep_starts(facts, err)))) ||
             (failed = delete_doomed(facts, table, IDENTIFIER("run_twins"), err)) ||
             (!has_parts(table) && (failed = write_mixed(facts, err))))));
    return failed;
}

/* The parts that were among the runs, and own records of runs they were added to. */
static int append_parts(struct facts *facts, struct part_buffer *pool, int64_t batch,
                        struct run_feed_counts *fed, struct settled *settled, struct error *err)
{
    const struct run_feed feed = run_feed_of_pool(pool);
    int failed = run_feed_insert(facts, "parts", &feed, NULL, fed, err);
    return failed ? failed : settle(facts, IDENTIFIER("parts"), batch, false, settled, err);
}

/* Notes, with the batch, that facts_settle is still to be done for it. */
static int announce(struct facts *facts, int64_t batch, const struct append_counts *counts,
                    bool doubled, struct error *err)
{
    const struct facts_value row[] = {FACTS_INT(batch), FACTS_INT(counts->first_time),
                                      FACTS_INT(counts->last_time), FACTS_INT(doubled)};
    return facts_execute(facts, SQL_APPEND_ANNOUNCE, (struct facts_values){row, COUNT_OF(row)},
                         NULL, err);
}

/* Notes the runs of a batch, unless all of them were there already. */
static int note_batch(struct facts *facts, int64_t batch, const struct run_feed_counts *fed,
                      const struct settled *settled, struct error *err)
{
    if ((int64_t)fed->rows <= settled->unchanged) {
        return 0;
    }
    int failed = fed->has_time ? changed_span(facts, fed->first_time, fed->last_time, err) : 0;
    return failed ? failed : changed_batch(facts, batch, err);
}

static void note_span(struct append_counts *counts, const struct run_feed_counts *fed)
{
    if (!fed->has_time) {
        return;
    }
    if (!counts->last_time || fed->first_time < counts->first_time) {
        counts->first_time = fed->first_time;
    }
    if (fed->last_time > counts->last_time) {
        counts->last_time = fed->last_time;
    }
}

int facts_append(struct facts *facts, const struct run_feed *feed, int64_t batch,
                 struct append_counts *counts, struct error *err)
{
    struct run_feed_counts fed = {0}, fed_parts = {0};
    struct settled runs = {0}, parts = {0};
    struct part_buffer pool;
    bool any_parts = false, any_open = false;
    part_buffer_init(&pool);
    *counts = (struct append_counts){0};
    facts->sifted = 0;
    int failed;
    (void)((failed = run_feed_insert(facts, "runs", feed, &pool, &fed, err)) ||
           (fed.rows > 0 &&
            (failed = settle(facts, IDENTIFIER("runs"), batch, false, &runs, err))) ||
           (pool.count > 0 &&
            (failed = append_parts(facts, &pool, batch, &fed_parts, &parts, err))) ||
           (failed = note_batch(facts, batch, &fed, &runs, err)) ||
           (fed.file > 0 && (failed = last_seen_any(facts, fed.file, &any_open, err))) ||
           (failed = parts_any(facts, &any_parts, err)));
    facts->sifted = failed ? 0 : batch;
    note_span(counts, &fed);
    note_span(counts, &fed_parts);
    counts->replaced = runs.replaced;
    counts->unchanged = runs.unchanged + parts.unchanged;
    counts->added = (int64_t)fed.rows - runs.replaced - runs.unchanged;
    counts->parts = pool.parts - parts.unchanged;
    const bool doubled = runs.doomed > 0 || parts.doomed > 0;
    if (!failed && (any_parts || any_open || doubled)) {
        (void)((failed = parts_note_open(facts, &pool, err)) ||
               (failed = announce(facts, batch, counts, doubled, err)));
    }
    part_buffer_release(&pool);
    return failed;
}

int facts_drop_outdated(struct facts *facts, int64_t file, int64_t *removed, struct error *err)
{
    const struct facts_value value = FACTS_INT(file);
    *removed = 0;
    int failed = facts_execute(facts, SQL_APPEND_FIND_OUTDATED,
                               (struct facts_values){&value, 1}, NULL, err);
    failed = failed ? failed : changed_runs(facts, CHANGE_REMOVED, "outdated", "run_row", err);
    return failed ? failed
                  : facts_execute(facts, SQL_APPEND_DROP_OUTDATED, (struct facts_values){0},
                                  removed, err);
}

static int settle_batch(struct facts *facts, int64_t batch, int64_t first_time,
                        int64_t last_time, bool doubled, struct error *err)
{
    const struct facts_value value = FACTS_INT(batch);
    struct settled ignored = {0};
    struct settled ignored_parts = {0};
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = last_seen_note(facts, batch, err)) ||
           (doubled &&
            (failed = settle(facts, IDENTIFIER("runs"), batch, true, &ignored, err))) ||
           (doubled &&
            (failed = settle(facts, IDENTIFIER("parts"), batch, true, &ignored_parts, err))) ||
           (failed = parts_merge(facts, batch, first_time, last_time, facts->sifted == batch,
                                 err)) ||
           (failed = facts_execute(facts, SQL_APPEND_SETTLED, (struct facts_values){&value, 1},
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
    int failed =
        facts_query(facts, SQL_APPEND_UNSETTLED, (struct facts_values){0}, &batches, err);
    for (size_t row = 0; !failed && row < batches.row_count; row++) {
        failed = settle_batch(facts, batches.columns[0].cells[row].integer,
                              batches.columns[1].cells[row].integer,
                              batches.columns[2].cells[row].integer,
                              batches.columns[3].cells[row].integer != 0, err);
    }
    table_release(&batches);
    return failed;
}
