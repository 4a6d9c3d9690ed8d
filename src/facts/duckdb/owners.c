/* SPDX-License-Identifier: MIT */
#include "facts/owners.h"

#include <stdlib.h>

#include "base/mem.h"
#include "facts/duckdb/statements.h"
#include "facts/statement.h"

/* Columns of the table, in its order. */
enum { CLUSTER, LOGIN, NAME, EMAIL, REPORTED_AT, COLUMNS };

static struct facts_value text_or_null(struct str text)
{
    return text.ptr && text.len > 0 ? FACTS_TEXT(text) : FACTS_NULL;
}

/* Into the temporary table `new_owners`: what has been reported. */
static int load(struct facts *facts, const struct owner *owners, size_t count,
                struct error *err)
{
    static const struct statement_column columns[COLUMNS] = {
        [CLUSTER] = {"cluster", TYPE_TEXT},
        [LOGIN] = {"login", TYPE_TEXT},
        [NAME] = {"name", TYPE_TEXT},
        [EMAIL] = {"email", TYPE_TEXT},
        [REPORTED_AT] = {"told", TYPE_INTEGER}};
    struct facts_value *values = mem_alloc(count * COLUMNS, sizeof(*values));
    for (size_t i = 0; i < count; i++) {
        struct facts_value *row = values + i * COLUMNS;
        row[CLUSTER] = FACTS_TEXT(owners[i].cluster);
        row[LOGIN] = FACTS_TEXT(owners[i].parts[OWNER_LOGIN]);
        row[NAME] = text_or_null(owners[i].parts[OWNER_NAME]);
        row[EMAIL] = text_or_null(owners[i].parts[OWNER_EMAIL]);
        row[REPORTED_AT] = FACTS_INT(owners[i].reported_at);
    }
    int failed = statement_load(facts, IDENTIFIER("new_owners"), columns, COLUMNS,
                                (struct facts_values){values, count * COLUMNS}, err);
    free(values);
    return failed;
}

int owners_put(struct facts *facts, const struct owner *owners, size_t count, struct error *err)
{
    static const char *const steps[] = {SQL_OWNERS_UPDATE, SQL_OWNERS_INSERT};
    int failed = count > 0 ? load(facts, owners, count, err) : 0;
    for (size_t i = 0; !failed && count > 0 && i < COUNT_OF(steps); i++) {
        failed = facts_execute(facts, steps[i], (struct facts_values){0}, NULL, err);
    }
    return failed;
}

int owners_list(struct facts *facts, struct table *out, struct error *err)
{
    return facts_query(facts, SQL_OWNERS_LIST, (struct facts_values){0}, out, err);
}
