/* SPDX-License-Identifier: MIT */
#include "facts/sighting.h"

#include <stdio.h>

#include "facts/duckdb/facts_internal.h"
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
    return execute(
        facts,
        "CREATE OR REPLACE TEMP TABLE vanished AS SELECT rowid AS vanished_row FROM "
        "runs WHERE cluster = ? AND source = ? AND \"end\" IS NULL AND seen < "
        "(SELECT max(\"at\") FROM askings WHERE cluster = ? AND what = '" SIGHTING_WHAT
        "' AND via = '" SIGHTING_VIA "')",
        values, COUNT_OF(values), err);
}

/* Gives them the end of their last sighting, and says that nobody saw it. */
static int end_vanished(struct facts *facts, struct error *err)
{
    char sql[512];
    const struct facts_value values[] = {
        FACTS_TEXT(run_class_name(CLASS_PENDING)), FACTS_TEXT(run_class_name(CLASS_RUNNING)),
        FACTS_TEXT(run_class_name(CLASS_SUSPENDED)), FACTS_TEXT(run_class_name(CLASS_OTHER))};
    (void)snprintf(
        sql, sizeof(sql),
        "UPDATE runs SET \"end\" = seen, until = greatest(seen, start), "
        "flags = coalesce(flags, 0) | %d, class = CASE WHEN class IN (?, ?, ?) THEN ? "
        "ELSE class END WHERE rowid IN (SELECT vanished_row FROM vanished)",
        RUN_FLAG_VANISHED);
    int failed = execute(facts, sql, values, COUNT_OF(values), err);
    return failed ? failed : facts_mark_changed(facts, "vanished", "vanished_row", err);
}

/* Waiting ones that vanished because they have started. */
static int drop_started(struct facts *facts, struct str cluster, struct str source,
                        struct error *err)
{
    char sql[768];
    const struct facts_value values[] = {FACTS_TEXT(cluster), FACTS_TEXT(source)};
    (void)snprintf(
        sql, sizeof(sql),
        "CREATE OR REPLACE TEMP TABLE started AS SELECT w.rowid AS started_row FROM runs w "
        "WHERE "
        "w.cluster = ? AND w.source = ? AND w.flags & %d <> 0 AND w.start IS NULL AND "
        "EXISTS (SELECT 1 FROM runs r WHERE r.cluster = w.cluster AND "
        "r.source = w.source AND r.name IS NOT DISTINCT FROM w.name AND r.\"user\" IS NOT "
        "DISTINCT FROM w.\"user\" AND r.account IS NOT DISTINCT FROM w.account AND r.start >= "
        "coalesce(w.submit, 0))",
        RUN_FLAG_VANISHED);
    int failed;
    (void)((failed = execute(facts, sql, values, COUNT_OF(values), err)) ||
           (failed = facts_mark_changed(facts, "started", "started_row", err)) ||
           (failed = execute(
                facts, "DELETE FROM runs WHERE rowid IN (SELECT started_row FROM started)",
                NULL, 0, err)));
    return failed;
}

int sighting_conclude(struct facts *facts, struct str cluster, struct str source,
                      struct error *err)
{
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = find_vanished(facts, cluster, source, err)) ||
           (failed = end_vanished(facts, err)) ||
           (failed = drop_started(facts, cluster, source, err)) ||
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
