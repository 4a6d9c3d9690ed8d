/* SPDX-License-Identifier: MIT */

/*
 * Lists of nodes inside statements.
 */
#include "support/runs.h"

static struct runs_store store;

struct list_row {
    const char *name; /* what it shows */
    const char *list, *names;
};

static const struct list_row list_rows[] = {
    {"a plain name", "n1", "n1"},
    {"names with commas between", "n2,n1", "n1,n2"},
    {"brackets", "c[1-3,07-09],g1", "c07,c08,c09,c1,c2,c3,g1"},
    {"a name that comes again is there once", "n1,n1,n2", "n1,n2"},
    {"longer than a short text of the engine", "node-of-a-long-name[1-2]",
     "node-of-a-long-name1,node-of-a-long-name2"},
    {"what is no list is unknown", "n[1-", NULL},
    {"nothing is unknown", NULL, NULL},
    {"more than anybody has is unknown", "n[0-9999999]", NULL},
};

static void a_list_is_read_as(void **state)
{
    const struct list_row *row = *state;
    struct error err = {0};
    struct table table = {0};
    const struct facts_value list = row->list ? FACTS_TEXT(str_of(row->list)) : FACTS_NULL;
    if (facts_query(store.facts, "SELECT hostlist_expand(?::VARCHAR) FROM range(3)",
                    (struct facts_values){&list, 1}, &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    for (size_t i = 0; i < 3; i++) {
        expect_true(table_has(&table, 0, i) == (row->names != NULL));
        if (row->names) {
            expect_text(table.columns[0].cells[i].text.ptr, row->names);
        }
    }
    table_release(&table);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_list_is_read_as, list_rows);
    return runs_suite(&suite, &store, "hostlists");
}
