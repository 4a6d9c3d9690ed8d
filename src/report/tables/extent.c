/* SPDX-License-Identifier: MIT */
#include "report/tables/extent.h"

#include <stdlib.h>

#include "base/mem.h"

static int read_some(struct facts *facts, const struct filter *clusters,
                     const struct zone *zone, struct table *out, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql,
                  "SELECT cluster, @long(min(first_time)), "
                  "@long(greatest(max(last_time), max(asked))) FROM "
                  "batches JOIN files USING (file) LEFT JOIN (SELECT cluster, max(seen_to) AS "
                  "asked FROM marks WHERE what IN ('history', 'queue') GROUP BY cluster) m "
                  "USING (cluster) WHERE first_time IS NOT NULL AND batches.what = 'run'");
    filter_sql(clusters, zone, 0, &sql);
    statement_add(&sql, " GROUP BY cluster ORDER BY cluster");
    int failed = statement_query_kept(facts, &sql, out, err);
    statement_release(&sql);
    return failed;
}

int extent_read(struct facts *facts, const struct filter *filter, const struct zone *zone,
                struct table *out, struct error *err)
{
    struct filter *clusters = mem_alloc(1, sizeof(*clusters));
    int failed;
    (void)((failed = filter_only(filter, &run_fields[RUN_cluster], clusters, err)) ||
           (failed = read_some(facts, clusters, zone, out, err)));
    if (!failed && out->row_count == 0 && clusters->count > 0) {
        table_release(out);
        clusters->count = 0;
        failed = read_some(facts, clusters, zone, out, err);
    }
    free(clusters);
    return failed;
}
