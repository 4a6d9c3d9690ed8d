/* SPDX-License-Identifier: MIT */

/*
 * Schema numbers live in the table `migrations` of the store itself: one row a step taken. The
 * table is made with the first step, in the same transaction.
 */

#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/migrations.h"

int facts_version(struct facts *facts, int *version, bool *unsettled, struct error *err)
{
    const struct facts_values none = {0};
    struct table found = {0};
    int64_t tables = 0;
    *version = 0;
    *unsettled = false;
    int failed = facts_query(
        facts, "SELECT max(number), (SELECT count(*) FROM unsettled) FROM migrations", none,
        &found, err);
    if (!failed) {
        *version = table_has(&found, 0, 0) ? (int)table_wide(&found, 0, 0) : 0;
        *unsettled = table_wide(&found, 1, 0) > 0;
    } else { /* a file without these tables is an empty store; anything else is trouble */
        struct error ignored;
        int asked = facts_number(facts, "SELECT count(*) FROM duckdb_tables()", none, &tables,
                                 NULL, &ignored);
        failed = asked == 0 && tables == 0 ? 0 : failed;
    }
    table_release(&found);
    return failed;
}

static int apply(struct facts *facts, const struct migration *step, struct error *err)
{
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    const struct facts_value row[] = {FACTS_INT(step->number), FACTS_TEXT(str_of(step->name))};
    (void)((failed =
                facts_execute(facts,
                              "CREATE TABLE IF NOT EXISTS migrations (number INTEGER NOT NULL, "
                              "name VARCHAR NOT NULL, applied TIMESTAMP NOT NULL)",
                              (struct facts_values){0}, NULL, err)) ||
           (failed = facts_execute(facts, step->sql, (struct facts_values){0}, NULL, err)) ||
           (failed =
                facts_execute(facts, "INSERT INTO migrations VALUES (?, ?, now()::TIMESTAMP)",
                              (struct facts_values){row, COUNT_OF(row)}, NULL, err)) ||
           (failed = facts_commit(facts, err)));
    if (failed) {
        facts_rollback(facts);
        error_prepend(err, "cannot bring the store to schema %d: ", step->number);
    }
    return failed;
}

int facts_migrate(struct facts *facts, int version, struct error *err)
{
    for (size_t i = 0; i < migrations_count; i++) {
        if (migrations[i].number > version) {
            int failed = apply(facts, &migrations[i], err);
            if (failed) {
                return failed;
            }
        }
    }
    return 0;
}
