/* SPDX-License-Identifier: MIT */
#include "report/rollup/store_state.h"

#include "report/sql/statements.h"

/* Without roll-ups, which know. */
static int look_at_runs(struct facts *facts, struct store_state *out, struct error *err)
{
    enum { SUSPENDED, OPEN };

    struct table found = {0};
    int failed =
        facts_query_kept(facts, SQL_ROLLUP_RUNS_STATE, (struct facts_values){0}, &found, err);
    out->suspended = !failed && table_wide(&found, SUSPENDED, 0) > 0;
    out->open = !failed && table_wide(&found, OPEN, 0) > 0;
    table_release(&found);
    return failed;
}

int store_state_read(struct facts *facts, const struct zone *zone, struct store_state *out,
                     struct error *err)
{
    enum { OPEN, SUSPENDED, OMISSIONS };

    struct table found = {0};
    const struct facts_value name = FACTS_TEXT(str_of(zone_name(zone)));
    *out = (struct store_state){0};
    int failed =
        facts_query_kept(facts, SQL_ROLLUP_STATE, (struct facts_values){&name, 1}, &found, err);
    if (!failed && found.row_count > 0) {
        out->rolled_up = true;
        out->open = table_wide(&found, OPEN, 0) != 0;
        out->suspended = table_wide(&found, SUSPENDED, 0) != 0;
        out->omissions = table_wide(&found, OMISSIONS, 0) != 0;
    } else if (!failed) {
        failed = look_at_runs(facts, out, err);
    }
    table_release(&found);
    return failed;
}
