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

#include "base/buf.h"
#include "base/limit.h"
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

struct settled {
    int64_t replaced, unchanged;
};

/* Deletes the rows listed in `doomed` and counts them: same digest as the row that stays, or not. */
static int remove_doomed(struct facts *facts, const char *table, struct settled *settled, struct error *err)
{
    const struct facts_values none = {0};
    int64_t all = 0, same = 0;
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addf(&sql, "DELETE FROM %s WHERE rowid IN (SELECT doomed_row FROM doomed)", table);
    int failed;
    (void)((failed = facts_number(facts, "SELECT count(*) FROM doomed", none, &all, NULL, err)) ||
           (failed = facts_number(facts, "SELECT count(*) FROM doomed WHERE same", none, &same, NULL, err)) ||
           (failed = all ? facts_execute(facts, sql.ptr, none, NULL, err) : 0));
    buf_release(&sql);
    settled->unchanged += same;
    settled->replaced += all - same;
    return failed;
}

/* Step 1. The window is costly, and only walked when the hashes say there is something to find. */
static int drop_repeats(struct facts *facts, const char *table, int64_t batch, struct settled *settled,
                        struct error *err)
{
    bool with_part = table[0] == 'p';
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql, "CREATE OR REPLACE TEMP TABLE doomed AS SELECT doomed_row, digest = kept AS same FROM ("
                   "SELECT rowid AS doomed_row, digest, first_value(digest) OVER newest AS kept, "
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
    const struct facts_value range[] = {FACTS_INT(batch), FACTS_INT(batch),
                                        FACTS_INT(counts->first_attempt), FACTS_INT(counts->last_attempt)};
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addf(&sql, "CREATE OR REPLACE TEMP TABLE doomed AS SELECT "
                   "CASE WHEN n.digest = o.digest THEN n.rowid ELSE o.rowid END AS doomed_row, "
                   "n.digest = o.digest AS same FROM %s n JOIN %s o ON ",
             table, table);
    add_same_identity(&sql, with_part);
    buf_addz(&sql, " WHERE n.batch = ? AND o.batch < ? AND o.attempt BETWEEN ? AND ?");
    buf_addz(&sql, with_part ? " AND n.part <> '' AND o.part <> ''" : "");
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

/* The parts that were among the runs, into their own table. */
static int append_parts(struct facts *facts, struct feed_parts *parts, int64_t batch,
                        struct feed_counts *fed, struct settled *settled, struct error *err)
{
    const struct run_feed feed = feed_of_parts(parts);
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
    struct feed_parts parts = {0};
    struct settled runs = {0}, settled_parts = {0};
    *counts = (struct append_counts){0};
    int failed;
    (void)((failed = feed_insert(facts, "runs", feed, &parts, &fed, err)) ||
           (fed.rows > 0 && (failed = settle(facts, "runs", batch, &fed, &runs, err))) ||
           (parts.count > 0 && (failed = append_parts(facts, &parts, batch, &fed_parts, &settled_parts, err))));
    note_span(counts, &fed);
    note_span(counts, &fed_parts);
    counts->replaced = runs.replaced;
    counts->unchanged = runs.unchanged + settled_parts.unchanged;
    counts->added = (int64_t)fed.rows - runs.replaced - runs.unchanged;
    counts->parts = (int64_t)parts.count - settled_parts.unchanged;
    if (!failed) {
        failed = parts_announce(facts, batch, counts->first_time, counts->last_time, err);
    }
    feed_counts_release(&fed);
    feed_counts_release(&fed_parts);
    feed_parts_release(&parts);
    return failed;
}
