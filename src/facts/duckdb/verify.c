/* SPDX-License-Identifier: MIT */

/*
 * Reads the whole store. The engine keeps a checksum with every block and compares it when it
 * reads that block, which most questions never do of most blocks.
 */

#include "facts/duckdb/facts_internal.h"
#include "facts/statement.h"

/* All rows and columns of a table. */
static int read_table(struct facts *facts, const char *name, struct error *err)
{
    struct statement sql;
    int64_t ignored;
    statement_init(&sql);
    statement_add(&sql, "SELECT count(hash(every)) FROM ");
    statement_name(&sql, (struct identifier){name});
    statement_add(&sql, " every");
    int failed = statement_number(facts, &sql, &ignored, NULL, err);
    statement_release(&sql);
    return failed;
}

int facts_verify(struct facts *facts, size_t *tables, struct error *err)
{
    struct table names = {0};
    int failed = facts_query(
        facts, "SELECT table_name FROM duckdb_tables() WHERE NOT temporary ORDER BY table_name",
        (struct facts_values){0}, &names, err);
    for (*tables = 0; !failed && *tables < names.row_count; (*tables)++) {
        struct arena arena = {0};
        const struct str name = names.columns[0].cells[*tables].text;
        failed = read_table(facts, arena_printf(&arena, "%.*s", STR_ARG(name)), err);
        arena_release(&arena);
    }
    table_release(&names);
    return failed;
}
