/* SPDX-License-Identifier: MIT */
#include "facts/reported.h"

#include "facts/duckdb/statements.h"

int reported_all(struct facts *facts, struct table *out, struct error *err)
{
    return facts_query(facts, SQL_REPORTED_ALL, (struct facts_values){0}, out, err);
}

int reported_put(struct facts *facts, int64_t at, struct str rule, struct str user,
                 struct str what, struct error *err)
{
    const struct facts_value row[] = {FACTS_INT(at), FACTS_TEXT(rule), FACTS_TEXT(user),
                                      FACTS_TEXT(what)};
    return facts_execute(facts, SQL_REPORTED_PUT, (struct facts_values){row, COUNT_OF(row)},
                         NULL, err);
}
