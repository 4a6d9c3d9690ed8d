/* SPDX-License-Identifier: MIT */
#include "facts/mark.h"

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
