/* SPDX-License-Identifier: MIT */

/*
 * How identity is kept without an index.
 *
 * A batch is written first, straight into `runs`, at full speed. Then:
 *   1. repeats inside the batch go: the latest line stays (looked for only when two hashes agree);
 *   2. the batch is joined with older rows on the identity, within the range of `attempt` that
 *      the batch spans, which lets the engine skip most of the store; of two twins with the same
 *      digest the new one goes, else the old one;
 *   3. the same with the parts, which go into a table of their own.
 * All inside one transaction, so nobody ever sees a state between. Adding parts to their runs
 * rewrites runs, which is cheap only for rows that are committed: it is announced here and done by
 * facts_settle in the next transaction (parts.c).
 */

#include "facts/append.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/zone.h"
#include "facts/facts_internal.h"
#include "facts/feed.h"
#include "facts/parts.h"

/* "n.cluster IS NOT DISTINCT FROM o.cluster AND ..." over the identity, and the part's name. */
static void add_same_identity(struct buf *sql, bool with_part)
{
    const char *and = "";
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_fields[i].flags & FIELD_KEY || (with_part && i == RUN_part)) {
            buf_addf(sql, "%sn.\"%s\" IS NOT DISTINCT FROM o.\"%s\"", and, run_fields[i].member,
                     run_fields[i].member);
            and = " AND ";
        }
    }
}

static void add_identity(struct buf *sql, bool with_part)
{
    const char *comma = "";
    for (size_t i = 0; i < RUN_FIELD_COUNT; i++) {
        if (run_fields[i].flags & FIELD_KEY || (with_part && i == RUN_part)) {
            buf_addf(sql, "%s\"%s\"", comma, run_fields[i].member);
            comma = ", ";
        }
    }
}

/* Own records that are kept with the parts are not counted. */
struct settled {
    int64_t replaced, unchanged;
};

/* Deletes the rows listed in `doomed` and counts them: same digest as the row that stays, or not. */
static int remove_doomed(struct facts *facts, const char *table, struct settled *settled, struct error *err)
{
    struct table counts = {0};
    char sql[128];
    snprintf(sql, sizeof(sql), "DELETE FROM %s WHERE rowid IN (SELECT doomed_row FROM doomed)", table);
    int failed = facts_query(facts, "SELECT count(*), count(*) FILTER (same AND NOT own), "
                                    "count(*) FILTER (NOT same AND NOT own) FROM doomed",
                             (struct facts_values){0}, &counts, err);
    if (!failed && table_wide(&counts, 0, 0) > 0) {
        failed = facts_execute(facts, sql, (struct facts_values){0}, NULL, err);
        settled->unchanged += (int64_t)table_wide(&counts, 1, 0);
        settled->replaced += (int64_t)table_wide(&counts, 2, 0);
    }
    table_release(&counts);
    return failed;
}

/* Step 1. The window is costly, and only walked when the hashes say there is something to find. */
static int drop_repeats(struct facts *facts, const char *table, int64_t batch, struct settled *settled,
                        struct error *err)
{
    bool with_part = table[0] == 'p';
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "CREATE OR REPLACE TEMP TABLE doomed AS SELECT doomed_row, digest = kept AS same, own FROM ("
                   "SELECT rowid AS doomed_row, digest, coalesce(part = '', false) AS own, first_value(digest) OVER newest AS kept, "
                   "row_number() OVER newest AS place FROM ");
    buf_addf(&sql, "%s WHERE batch = %" PRId64 " WINDOW newest AS (PARTITION BY ", table, batch);
    add_identity(&sql, with_part);
    buf_addz(&sql, " ORDER BY line DESC)) WHERE place > 1");
    int failed = facts_execute(facts, sql.ptr, (struct facts_values){0}, NULL, err);
    buf_release(&sql);
    return failed ? failed : remove_doomed(facts, table, settled, err);
}

/* Step 2. */
static int drop_twins(struct facts *facts, const char *table, int64_t batch,
                      const struct feed_counts *counts, struct settled *settled, struct error *err)
{
    bool with_part = table[0] == 'p';
    const struct facts_value range[] = {
        FACTS_INT(batch),
        FACTS_INT(batch),
        FACTS_INT(counts->attempts[0].first),
        FACTS_INT(counts->attempts[0].last),
        FACTS_INT(counts->attempts[1].first),
        FACTS_INT(counts->attempts[1].last),
    };
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addf(&sql, "CREATE OR REPLACE TEMP TABLE doomed AS SELECT "
                   "CASE WHEN n.digest = o.digest THEN n.rowid ELSE o.rowid END AS doomed_row, "
                   "n.digest = o.digest AS same, coalesce(n.part = '', false) AS own FROM %s n JOIN %s o ON ",
             table, table);
    add_same_identity(&sql, with_part);
    buf_addz(&sql, " WHERE n.batch = ? AND o.batch < ? AND (o.attempt BETWEEN ? AND ? OR o.attempt BETWEEN ? AND ?)");
    int failed = facts_execute(facts, sql.ptr, (struct facts_values){range, COUNT_OF(range)}, NULL, err);
    buf_release(&sql);
    return failed ? failed : remove_doomed(facts, table, settled, err);
}

static int settle(struct facts *facts, const char *table, int64_t batch,
                  const struct feed_counts *counts, struct settled *settled, struct error *err)
{
    int failed = feed_has_repeats(counts) ? drop_repeats(facts, table, batch, settled, err) : 0;
    return failed ? failed : drop_twins(facts, table, batch, counts, settled, err);
}

/* The parts that were among the runs, and own records of runs they were added to. */
static int append_parts(struct facts *facts, struct pool *pool, int64_t batch, struct feed_counts *fed,
                        struct settled *settled, struct error *err)
{
    const struct run_feed feed = feed_of_pool(pool);
    int failed = feed_insert(facts, "parts", &feed, NULL, fed, err);
    return failed ? failed : settle(facts, "parts", batch, fed, settled, err);
}

static void note_span(struct append_counts *counts, const struct feed_counts *fed)
{
    if (!fed->has_time) {
        return;
    }
    if (!counts->first_time || fed->first_time < counts->first_time) {
        counts->first_time = fed->first_time;
    }
    if (fed->last_time > counts->last_time) {
        counts->last_time = fed->last_time;
    }
}

int facts_append(struct facts *facts, const struct run_feed *feed, int64_t batch,
                 struct append_counts *counts, struct error *err)
{
    struct feed_counts fed = {0}, fed_parts = {0};
    struct settled runs = {0}, parts = {0};
    struct pool pool;
    pool_init(&pool);
    *counts = (struct append_counts){0};
    int failed;
    (void)((failed = feed_insert(facts, "runs", feed, &pool, &fed, err)) ||
           (fed.rows > 0 && (failed = settle(facts, "runs", batch, &fed, &runs, err))) ||
           (pool.count > 0 && (failed = append_parts(facts, &pool, batch, &fed_parts, &parts, err))));
    note_span(counts, &fed);
    note_span(counts, &fed_parts);
    counts->replaced = runs.replaced;
    counts->unchanged = runs.unchanged + parts.unchanged;
    counts->added = (int64_t)fed.rows - runs.replaced - runs.unchanged;
    counts->parts = pool.parts - parts.unchanged;
    if (!failed) { /* the parts of a run that was replaced may lie anywhere */
        const bool anywhere = runs.replaced > 0;
        failed = parts_announce(facts, batch, anywhere ? 0 : counts->first_time,
                                anywhere ? INSTANT_MAX : counts->last_time, err);
    }
    feed_counts_release(&fed);
    feed_counts_release(&fed_parts);
    pool_release(&pool);
    return failed;
}
