/* SPDX-License-Identifier: MIT */
#include "facts/owners.h"

#include <stdlib.h>

#include "base/mem.h"

/* Columns of the table, in its order. */
enum { CLUSTER, LOGIN, NAME, EMAIL, TOLD, COLUMNS };

static struct facts_value text_or_null(struct str text)
{
    return text.ptr && text.len > 0 ? FACTS_TEXT(text) : FACTS_NULL;
}

/* Into the temporary table `told`: what there is to take. */
static int load(struct facts *facts, const struct owner *owners, size_t count,
                struct error *err)
{
    struct facts_value *values = mem_alloc(count * COLUMNS, sizeof(*values));
    for (size_t i = 0; i < count; i++) {
        struct facts_value *row = values + i * COLUMNS;
        row[CLUSTER] = FACTS_TEXT(owners[i].cluster);
        row[LOGIN] = FACTS_TEXT(owners[i].parts[OWNER_LOGIN]);
        row[NAME] = text_or_null(owners[i].parts[OWNER_NAME]);
        row[EMAIL] = text_or_null(owners[i].parts[OWNER_EMAIL]);
        row[TOLD] = FACTS_INT(owners[i].told);
    }
    int failed = facts_load_values(
        facts, "told",
        "cluster VARCHAR, login VARCHAR, name VARCHAR, email VARCHAR, told BIGINT", COLUMNS,
        (struct facts_values){values, count * COLUMNS}, err);
    free(values);
    return failed;
}

/* What of two rows decides, in this order. */
#define WEIGHT(of) "(" of ".told, coalesce(" of ".name, ''), coalesce(" of ".email, ''))"

int owners_put(struct facts *facts, const struct owner *owners, size_t count, struct error *err)
{
    static const char *const steps[] = {
        "UPDATE owners SET name = t.name, email = t.email, told = t.told FROM told t WHERE "
        "owners.cluster = t.cluster AND owners.login = t.login AND " WEIGHT("t") " > " WEIGHT(
            "owners"),
        "INSERT INTO owners SELECT * FROM told t WHERE NOT EXISTS (SELECT 1 FROM owners o "
        "WHERE "
        "o.cluster = t.cluster AND o.login = t.login)",
    };
    int failed = count > 0 ? load(facts, owners, count, err) : 0;
    for (size_t i = 0; !failed && count > 0 && i < COUNT_OF(steps); i++) {
        failed = facts_execute(facts, steps[i], (struct facts_values){0}, NULL, err);
    }
    return failed;
}

int owners_list(struct facts *facts, struct table *out, struct error *err)
{
    return facts_query(facts,
                       "SELECT cluster, login, name, email FROM owners ORDER BY login, cluster",
                       (struct facts_values){0}, out, err);
}
