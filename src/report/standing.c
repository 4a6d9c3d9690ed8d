/* SPDX-License-Identifier: MIT */
#include "report/standing.h"

#include "record/run.h"

int standing_read(struct facts *facts, const struct zone *zone, struct standing *out,
                  struct error *err)
{
    enum { ROLLED, DIRTY, LAST, LONGEST };

    struct table found = {0};
    const struct facts_value name = FACTS_TEXT(str_of(zone_name(zone)));
    *out = (struct standing){0};
    int failed =
        facts_query(facts,
                    "SELECT (SELECT count(*) FROM rollup_state WHERE zone = ?), "
                    "(SELECT count(*) FROM rollup_dirty), max(until), max(suspended_us) "
                    "FROM runs",
                    (struct facts_values){&name, 1}, &found, err);
    if (!failed) {
        out->rolled_up = table_wide(&found, ROLLED, 0) > 0 && table_wide(&found, DIRTY, 0) == 0;
        out->open = table_has(&found, LAST, 0) && table_wide(&found, LAST, 0) == RUN_GOES_ON;
        out->suspended = table_has(&found, LONGEST, 0) && table_wide(&found, LONGEST, 0) > 0;
    }
    table_release(&found);
    return failed;
}
