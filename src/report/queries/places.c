/* SPDX-License-Identifier: MIT */
#include "report/queries/places.h"

#include <inttypes.h>

#include "facts/statement.h"

/* The rows of the cluster that are so now: asked, released. */
static int finish(struct facts *facts, struct statement *sql, struct str cluster, int64_t now,
                  struct table *out, struct error *err)
{
    statement_add(sql, " WHERE \"from\" <= %" PRId64 " AND \"until\" > %" PRId64, now, now);
    statement_add(sql, " AND cluster = ");
    statement_bind(sql, FACTS_TEXT(cluster));
    const int failed = statement_query(facts, sql, out, err);
    statement_release(sql);
    return failed;
}

int places_nodes(struct facts *facts, struct str cluster, int64_t now, struct table *out,
                 struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT cpus, mem_bytes, gpus, partitions FROM nodes");
    return finish(facts, &sql, cluster, now, out, err);
}

int places_partitions(struct facts *facts, struct str cluster, int64_t now, struct table *out,
                      struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(&sql, "SELECT \"partition\", max_wall_us, node_count FROM partitions");
    return finish(facts, &sql, cluster, now, out, err);
}
