/* SPDX-License-Identifier: MIT */

/*
 * Schema numbers live in the table `migrations` of the store itself: one row a step taken. The
 * table is made with the first step, in the same transaction.
 */

#include "facts/facts_internal.h"
#include "facts/migration.h"

int facts_schema(void)
{
    return migrations[migration_count - 1].number;
}

int facts_version(struct facts *facts, int *version, struct error *err)
{
    int64_t tables;
    int failed = facts_number(facts, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'migrations'",
                              (struct facts_values){0}, &tables, NULL, err);
    int64_t number = 0;
    if (!failed && tables > 0) {
        failed = facts_number(facts, "SELECT max(number) FROM migrations", (struct facts_values){0},
                              &number, NULL, err);
    }
    *version = failed ? 0 : (int)number;
    return failed;
}

static int apply(struct facts *facts, const struct migration *step, struct error *err)
{
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    const struct facts_value row[] = {FACTS_INT(step->number), FACTS_TEXT(str_of(step->name))};
    (void)((failed = facts_execute(facts,
                                   "CREATE TABLE IF NOT EXISTS migrations (number INTEGER NOT NULL, "
                                   "name VARCHAR NOT NULL, applied TIMESTAMP NOT NULL)",
                                   (struct facts_values){0}, NULL, err)) ||
           (failed = facts_execute(facts, step->sql, (struct facts_values){0}, NULL, err)) ||
           (failed = facts_execute(facts, "INSERT INTO migrations VALUES (?, ?, now()::TIMESTAMP)",
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
    for (size_t i = 0; i < migration_count; i++) {
        if (migrations[i].number > version) {
            int failed = apply(facts, &migrations[i], err);
            if (failed) {
                return failed;
            }
        }
    }
    return 0;
}
