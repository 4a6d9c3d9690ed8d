/* SPDX-License-Identifier: MIT */

/*
 * Lists of nodes inside statements.
 */
#include "support/runs.h"

static struct runs_store store;

struct list_row {
    const char *name; /* what it shows */
    const char *list, *names;
    const char *cpus;
};

static const struct list_row list_rows[] = {
    {"a plain name", "n1", "n1", NULL},
    {"names with commas between", "n2,n1", "n1,n2", NULL},
    {"brackets", "c[1-3,07-09],g1", "c07,c08,c09,c1,c2,c3,g1", NULL},
    {"a name that comes again is there once", "n1,n1,n2", "n1,n2", NULL},
    {"longer than a short text of the engine", "node-of-a-long-name[1-2]",
     "node-of-a-long-name1,node-of-a-long-name2", NULL},
    {"cpus, in the order of the names", "n2*4,n1*8,n2*1", "n1,n2", "8,5"},
    {"cpus of some nodes", "n1*8,n2", "n1,n2", NULL},
    {"what is no list is unknown", "n[1-", NULL, NULL},
    {"nothing is unknown", NULL, NULL, NULL},
    {"more than anybody has is unknown", "n[0-9999999]", NULL, NULL},
};

static void expect_answer(const char *sql, const struct list_row *row, const char *want)
{
    struct error err = {0};
    struct table table = {0};
    const struct facts_value list = row->list ? FACTS_TEXT(str_of(row->list)) : FACTS_NULL;
    if (facts_query(store.facts, sql, (struct facts_values){&list, 1}, &table, &err) != 0) {
        expect_fail("%s", err.text);
    }
    for (size_t i = 0; i < 3; i++) {
        expect_true(table_has(&table, 0, i) == (want != NULL));
        if (want) {
            expect_text(table.columns[0].cells[i].text.ptr, want);
        }
    }
    table_release(&table);
}

static void a_list_is_read_as(void **state)
{
    const struct list_row *row = *state;
    expect_answer("SELECT hostlist_expand(?::VARCHAR) FROM range(3)", row, row->names);
    expect_answer("SELECT hostlist_cpus(?::VARCHAR) FROM range(3)", row, row->cpus);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_list_is_read_as, list_rows);
    return runs_suite(&suite, &store, "hostlists");
}
