/* SPDX-License-Identifier: MIT */
#include "facts/pull_state.h"

#include "facts/duckdb/statements.h"
#include "facts/listings.h"

int pull_state_get(struct facts *facts, struct str cluster, struct str what,
                   struct pull_state *out, bool *known, struct error *err)
{
    struct table table = {0};
    const struct facts_value which[] = {FACTS_TEXT(cluster), FACTS_TEXT(what)};
    int failed = facts_query(facts, SQL_MARK_GET, (struct facts_values){which, COUNT_OF(which)},
                             &table, err);
    *known = !failed && table.row_count > 0;
    *out = (struct pull_state){0};
    if (*known) {
        out->seen_to = table.columns[0].cells[0].integer;
        out->index = table.columns[1].cells[0].integer;
    }
    table_release(&table);
    return failed;
}

int pull_state_put(struct facts *facts, struct str cluster, struct str what,
                   struct pull_state mark, struct error *err)
{
    int64_t changed = 0;
    const struct facts_value row[] = {FACTS_INT(mark.seen_to), FACTS_INT(mark.index),
                                      FACTS_TEXT(cluster), FACTS_TEXT(what)};
    const struct facts_values values = {row, COUNT_OF(row)};
    int failed = facts_execute(facts, SQL_MARK_UPDATE, values, &changed, err);
    if (failed || changed > 0) {
        return failed;
    }
    return facts_execute(facts, SQL_MARK_INSERT, values, NULL, err);
}

int pull_query_put(struct facts *facts, const struct pull_query *asking, struct error *err)
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
    const struct facts_value old[] = {
        FACTS_TEXT(asking->cluster),   FACTS_TEXT(asking->what),
        FACTS_TEXT(asking->via),       FACTS_INT(asking->at - ASKINGS_KEPT_US),
        FACTS_TEXT(STR(LISTINGS_VIA)), FACTS_INT(asking->at + PULL_STATE_AHEAD_US)};
    int failed = facts_execute(facts, SQL_ASKING_PUT, (struct facts_values){row, COUNT_OF(row)},
                               NULL, err);
    return failed ? failed
                  : facts_execute(facts, SQL_ASKING_DROP_OLD,
                                  (struct facts_values){old, COUNT_OF(old)}, NULL, err);
}

int pull_states_overview(struct facts *facts, struct table *out, struct error *err)
{
    const struct facts_value via = FACTS_TEXT(STR(LISTINGS_VIA));
    return facts_query_kept(facts, SQL_MARKS_OVERVIEW, (struct facts_values){&via, 1}, out,
                            err);
}

int pull_query_gaps(struct facts *facts, struct str cluster, int64_t longer_us,
                    struct table *out, struct error *err)
{
    const struct facts_value values[] = {FACTS_TEXT(STR(LISTINGS_VIA)), FACTS_TEXT(cluster),
                                         FACTS_INT(longer_us)};
    return facts_query(facts, SQL_ASKING_GAPS, (struct facts_values){values, COUNT_OF(values)},
                       out, err);
}

int pull_query_last(struct facts *facts, int64_t limit, struct table *out, struct error *err)
{
    const struct facts_value values[] = {FACTS_TEXT(STR(LISTINGS_VIA)), FACTS_INT(limit)};
    return facts_query(facts, SQL_ASKING_LAST, (struct facts_values){values, COUNT_OF(values)},
                       out, err);
}
