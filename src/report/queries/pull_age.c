/* SPDX-License-Identifier: MIT */
#include "report/queries/pull_age.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/zone.h"
#include "facts/statement.h"

#define RECENT_US (2 * DAY_US)

/*
 * Marks say when the last success was, askings when those before were. Each success may be
 * several askings of one moment; fewer than four are too few to speak of what is usual.
 */
static void add_looks(struct statement *sql, struct str what)
{
    statement_add(sql, "WITH good AS (SELECT DISTINCT cluster, \"at\" FROM askings WHERE "
                       "failure IS NULL AND what = ");
    statement_bind(sql, FACTS_TEXT(what));
    statement_add(sql, "), last AS (SELECT cluster, max(seen) AS seen FROM (SELECT cluster, "
                       "seen_to AS seen FROM marks WHERE what = ");
    statement_bind(sql, FACTS_TEXT(what));
    statement_add(sql,
                  " UNION ALL SELECT cluster, \"at\" FROM good) GROUP BY cluster), gaps AS "
                  "(SELECT cluster, \"at\" - lag(\"at\") OVER (PARTITION BY cluster ORDER BY "
                  "\"at\") AS gap FROM good JOIN last USING (cluster) WHERE \"at\" > seen - "
                  "%" PRId64 "), spaced AS (SELECT cluster, count(gap) AS gaps, "
                  "@quantile(gap, 0.5) AS usual FROM gaps GROUP BY cluster) "
                  "SELECT cluster, seen, CASE WHEN gaps >= 3 THEN usual END AS usual FROM last "
                  "LEFT JOIN spaced USING (cluster) WHERE true",
                  RECENT_US);
}

int pull_age_ask(struct facts *facts, struct str what, const struct filter *filter,
                 const struct zone *zone, int64_t now, struct table *out, struct error *err)
{
    struct filter *clusters = mem_alloc(1, sizeof(*clusters));
    struct statement sql;
    statement_init(&sql);
    int failed = filter_only(filter, &run_fields[RUN_cluster], clusters, err);
    add_looks(&sql, what);
    filter_sql(clusters, zone, now, &sql);
    statement_add(&sql, " ORDER BY cluster");
    failed = failed ? failed : statement_query_kept(facts, &sql, out, err);
    statement_release(&sql);
    free(clusters);
    return failed;
}
