/* SPDX-License-Identifier: MIT */
#include "facts/listings.h"

#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/statements.h"
#include "facts/duckdb/vanished.h"
#include "record/run.h"

#define WHAT FACTS_TEXT(STR(LISTINGS_WHAT))
#define VIA  FACTS_TEXT(STR(LISTINGS_VIA))

int listings_note(struct facts *facts, struct str cluster, int64_t at, int64_t records,
                  struct error *err)
{
    const struct facts_value values[] = {FACTS_INT(at), FACTS_TEXT(cluster), WHAT, VIA,
                                         FACTS_INT(records)};
    return facts_execute(facts, SQL_SIGHTING_NOTE,
                         (struct facts_values){values, COUNT_OF(values)}, NULL, err);
}

/* Into the table `vanished`: open runs that a later listing did not have. */
static int find_vanished(struct facts *facts, struct str cluster, struct str source,
                         struct error *err)
{
    const struct facts_value values[] = {FACTS_TEXT(cluster),
                                         FACTS_TEXT(source),
                                         FACTS_INT(RUN_class + 1),
                                         FACTS_INT(ORIGIN_LISTING),
                                         WHAT,
                                         VIA};
    return facts_execute(facts, SQL_SIGHTING_FIND_VANISHED,
                         (struct facts_values){values, COUNT_OF(values)}, NULL, err);
}

int listings_conclude(struct facts *facts, struct str cluster, struct str source,
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

/* The usual interval is reported once there are enough listings. */
static int query_listings(struct facts *facts, const char *sql, struct table *out,
                          struct error *err)
{
    const struct facts_value values[] = {WHAT, VIA, FACTS_INT(LISTINGS_ENOUGH)};
    return facts_query(facts, sql, (struct facts_values){values, COUNT_OF(values)}, out, err);
}

int listings_overview(struct facts *facts, struct table *out, struct error *err)
{
    return query_listings(facts, SQL_SIGHTING_OVERVIEW, out, err);
}

int listings_gaps(struct facts *facts, struct table *out, struct error *err)
{
    return query_listings(facts, SQL_SIGHTING_GAPS, out, err);
}
