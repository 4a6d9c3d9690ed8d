/* SPDX-License-Identifier: MIT */
#include "facts/sighting.h"

#include "base/limit.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/merge.h"
#include "facts/duckdb/vanished.h"
#include "record/run.h"

static int execute(struct facts *facts, const char *sql, const struct facts_value *values,
                   size_t count, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){values, count}, NULL, err);
}

int sighting_note(struct facts *facts, struct str cluster, int64_t at, int64_t records,
                  struct error *err)
{
    const struct facts_value values[] = {
        FACTS_INT(at),
        FACTS_TEXT(cluster),
        FACTS_TEXT(STR(SIGHTING_WHAT)),
        FACTS_TEXT(STR(SIGHTING_VIA)),
        FACTS_INT(records),
        FACTS_TEXT(cluster),
        FACTS_INT(at),
    };
    return execute(facts,
                   "INSERT INTO askings (\"at\", cluster, what, via, took_us, bytes, records) "
                   "SELECT ?, ?, ?, ?, 0, 0, ? WHERE NOT EXISTS (SELECT 1 FROM askings WHERE "
                   "cluster = ? AND \"at\" = ? AND what = '" SIGHTING_WHAT
                   "' AND via = '" SIGHTING_VIA "')",
                   values, COUNT_OF(values), err);
}

/* Into the table `vanished`: open runs that a later listing did not have. */
static int find_vanished(struct facts *facts, struct str cluster, struct str source,
                         struct error *err)
{
    const struct facts_value values[] = {FACTS_TEXT(cluster), FACTS_TEXT(source),
                                         FACTS_TEXT(cluster)};
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addz(&sql,
             "CREATE OR REPLACE TEMP TABLE vanished AS SELECT " VANISHED_COLUMNS
             " FROM runs o WHERE o.cluster = ? AND o.source = ? AND o.\"end\" IS NULL AND ");
    merge_add_standing_origin(&sql, "o");
    buf_addf(
        &sql,
        " = '%d' AND o.seen < (SELECT max(\"at\") FROM askings WHERE cluster = ? AND what = "
        "'" SIGHTING_WHAT "' AND via = '" SIGHTING_VIA "')",
        ORIGIN_LISTING);
    int failed = execute(facts, sql.ptr, values, COUNT_OF(values), err);
    buf_release(&sql);
    return failed;
}

int sighting_conclude(struct facts *facts, struct str cluster, struct str source,
                      struct error *err)
{
    struct vanished_counts counts;
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = find_vanished(facts, cluster, source, err)) ||
           (failed = vanished_conclude(facts, cluster, &counts, err)) ||
           (failed = facts_commit(facts, err)));
    if (failed) {
        facts_rollback(facts);
    }
    return failed;
}

/* Listings with the one after each, and what is usual between two. */
#define SPACED                                                                                 \
    "WITH listed AS (SELECT DISTINCT cluster, \"at\" FROM askings WHERE what = "               \
    "'" SIGHTING_WHAT "' AND via = '" SIGHTING_VIA                                             \
    "' AND failure IS NULL), spaced AS (SELECT cluster, \"at\", "                              \
    "lead(\"at\") OVER (PARTITION BY cluster ORDER BY \"at\") AS following FROM listed), "     \
    "kept AS (SELECT cluster, count(*) AS listings, min(\"at\") AS first, max(\"at\") AS "     \
    "last, "                                                                                   \
    "quantile_disc(following - \"at\", 0.5) AS usual FROM spaced GROUP BY cluster) "

int sighting_overview(struct facts *facts, struct table *out, struct error *err)
{
    const struct facts_value enough = FACTS_INT(SIGHTING_ENOUGH);
    return facts_query(facts,
                       SPACED "SELECT cluster, listings, first, last, CASE WHEN listings >= ? "
                              "THEN usual END AS usual FROM kept ORDER BY cluster",
                       (struct facts_values){&enough, 1}, out, err);
}

int sighting_gaps(struct facts *facts, struct table *out, struct error *err)
{
    const struct facts_value enough = FACTS_INT(SIGHTING_ENOUGH);
    return facts_query(facts,
                       SPACED
                       "SELECT cluster, s.\"at\" AS \"from\", following AS \"to\", usual "
                       "FROM spaced s JOIN kept USING (cluster) WHERE listings >= ? AND "
                       "2 * (following - s.\"at\") > 3 * usual ORDER BY 2 DESC, 1",
                       (struct facts_values){&enough, 1}, out, err);
}
