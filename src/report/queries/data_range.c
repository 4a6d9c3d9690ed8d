/* SPDX-License-Identifier: MIT */
#include "report/queries/data_range.h"

#include <stdlib.h>

#include "base/mem.h"
#include "facts/listings.h"
#include "facts/statement.h"

int data_range_pick(struct facts *facts, const struct coverage_stretch *stretches, size_t count,
                    const struct filter *filter, const struct zone *zone, struct table *out,
                    struct error *err)
{
    struct filter *clusters = mem_alloc(1, sizeof(*clusters));
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT DISTINCT cluster FROM (");
    for (size_t i = 0; i < count; i++) {
        statement_add(&sql, i > 0 ? " UNION ALL SELECT " : "SELECT ");
        statement_bind(&sql, FACTS_TEXT(stretches[i].cluster));
        statement_add(&sql, " AS cluster");
    }
    statement_add(&sql, ") WHERE true");
    int failed = filter_only(filter, &run_fields[RUN_cluster], clusters, err);
    if (!failed) {
        filter_sql(clusters, zone, 0, &sql);
        statement_add(&sql, " ORDER BY cluster");
        failed = statement_query_kept(facts, &sql, out, err);
    }
    statement_release(&sql);
    free(clusters);
    return failed;
}

int data_range_read(struct facts *facts, struct table *out, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(
        &sql, "SELECT cluster, @long(min(first_time)), "
              "@long(greatest(max(last_time), max(asked))) FROM "
              "(SELECT cluster, first_time, last_time FROM extents UNION ALL "
              "SELECT cluster, \"at\", \"at\" FROM askings WHERE what = '" LISTINGS_WHAT
              "' AND via = '" LISTINGS_VIA
              "') LEFT JOIN (SELECT cluster, max(seen_to) AS asked FROM marks WHERE what IN "
              "('history', 'queue') GROUP BY cluster) m USING (cluster) GROUP BY cluster "
              "ORDER BY cluster");
    int failed = statement_query_kept(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}
