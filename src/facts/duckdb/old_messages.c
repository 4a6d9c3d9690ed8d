/* SPDX-License-Identifier: MIT */
#include "facts/old_messages.h"

#include "facts/duckdb/statements.h"

int reported_of_facts(struct facts *facts, struct table *out, struct error *err)
{
    return facts_query(facts, SQL_REPORTED_OF_FACTS, (struct facts_values){0}, out, err);
}
