/* SPDX-License-Identifier: MIT */
#include "facts/mark.h"

#include "facts/sighting.h"

int mark_get(struct facts *facts, struct str cluster, struct str what, struct mark *out,
             bool *known, struct error *err)
{
    struct table table = {0};
    const struct facts_value which[] = {FACTS_TEXT(cluster), FACTS_TEXT(what)};
    int failed = facts_query(
        facts, "SELECT seen_to, \"index\" FROM marks WHERE cluster = ? AND what = ?",
        (struct facts_values){which, COUNT_OF(which)}, &table, err);
    *known = !failed && table.row_count > 0;
    *out = (struct mark){0};
    if (*known) {
        out->seen_to = table.columns[0].cells[0].integer;
        out->index = table.columns[1].cells[0].integer;
    }
    table_release(&table);
    return failed;
}

int mark_put(struct facts *facts, struct str cluster, struct str what, struct mark mark,
             struct error *err)
{
    int64_t changed = 0;
    const struct facts_value row[] = {FACTS_INT(mark.seen_to), FACTS_INT(mark.index),
                                      FACTS_TEXT(cluster), FACTS_TEXT(what)};
    const struct facts_values values = {row, COUNT_OF(row)};
    int failed = facts_execute(
        facts, "UPDATE marks SET seen_to = ?, \"index\" = ? WHERE cluster = ? AND what = ?",
        values, &changed, err);
    if (failed || changed > 0) {
        return failed;
    }
    return facts_execute(
        facts, "INSERT INTO marks (seen_to, \"index\", cluster, what) VALUES (?, ?, ?, ?)",
        values, NULL, err);
}

int asking_put(struct facts *facts, const struct asking *asking, struct error *err)
{
    const struct facts_value row[] = {
        FACTS_INT(asking->at),
        FACTS_TEXT(asking->cluster),
        FACTS_TEXT(asking->what),
        FACTS_TEXT(asking->via),
        FACTS_INT(asking->took_us),
        FACTS_INT(asking->bytes),
        FACTS_INT(asking->records),
        asking->failure.ptr ? FACTS_TEXT(asking->failure) : FACTS_NULL,
    };
    const struct facts_value old[] = {FACTS_TEXT(asking->cluster), FACTS_TEXT(asking->what),
                                      FACTS_TEXT(asking->via),
                                      FACTS_INT(asking->at - ASKINGS_KEPT_US)};
    int failed = facts_execute(facts, "INSERT INTO askings VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                               (struct facts_values){row, COUNT_OF(row)}, NULL, err);
    return failed
               ? failed
               : facts_execute(facts,
                               "DELETE FROM askings WHERE cluster = ? AND what = ? AND via = "
                               "? AND \"at\" < ?",
                               (struct facts_values){old, COUNT_OF(old)}, NULL, err);
}

/* What we asked ourselves, not what files tell of. */
#define ASKED "(SELECT * FROM askings WHERE via <> '" SIGHTING_VIA "')"

int marks_overview(struct facts *facts, struct table *out, struct error *err)
{
    return facts_query(
        facts,
        "WITH good AS (SELECT cluster, what, max(\"at\") AS good FROM " ASKED
        " WHERE failure IS "
        "NULL "
        "GROUP BY ALL), "
        "bad AS (SELECT cluster, what, max(\"at\") AS failed, arg_max(failure, \"at\") AS "
        "failure "
        "FROM " ASKED " WHERE failure IS NOT NULL GROUP BY ALL), "
        "any_good AS (SELECT cluster, max(good) AS good FROM good GROUP BY cluster), "
        "known AS (SELECT cluster, what FROM marks UNION SELECT cluster, what FROM " ASKED ") "
        "SELECT k.cluster, k.what, m.seen_to, CASE WHEN k.what = 'pull' THEN a.good ELSE "
        "g.good "
        "END AS good, CASE WHEN coalesce(b.failed > a.good, true) THEN b.failed END AS failed, "
        "CASE WHEN coalesce(b.failed > a.good, true) THEN b.failure END AS failure "
        "FROM known k LEFT JOIN marks m USING (cluster, what) LEFT JOIN good g USING (cluster, "
        "what) "
        "LEFT JOIN bad b USING (cluster, what) LEFT JOIN any_good a USING (cluster) "
        "ORDER BY cluster, what",
        (struct facts_values){0}, out, err);
}

int asking_gaps(struct facts *facts, struct str cluster, int64_t longer_us, struct table *out,
                struct error *err)
{
    const struct facts_value values[] = {FACTS_TEXT(cluster), FACTS_INT(longer_us)};
    return facts_query(
        facts,
        "SELECT \"at\" AS \"from\", after AS \"to\" FROM (SELECT \"at\", lead(\"at\") OVER "
        "(ORDER "
        "BY \"at\") AS after FROM " ASKED
        " WHERE cluster = ? AND failure IS NULL) WHERE after - "
        "\"at\" > ? ORDER BY \"from\" DESC",
        (struct facts_values){values, COUNT_OF(values)}, out, err);
}
