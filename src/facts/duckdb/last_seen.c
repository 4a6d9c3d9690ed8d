/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/last_seen.h"

#include "facts/duckdb/changed.h"
#include "facts/duckdb/statements.h"
#include "record/run.h"

int last_seen_any(struct facts *facts, int64_t file, bool *any, struct error *err)
{
    const struct facts_value values[] = {FACTS_INT(RUN_NOT_ENDED), FACTS_INT(file),
                                         FACTS_INT(ORIGIN_LISTING)};
    int64_t count = 0;
    int failed =
        facts_number(facts, SQL_WITNESS_ANY, (struct facts_values){values, COUNT_OF(values)},
                     &count, NULL, err);
    *any = count > 0;
    return failed;
}

/* Into `witnesses`: the runs that were seen later than is noted. */
static int find_witnesses(struct facts *facts, int64_t batch, int64_t *count, struct error *err)
{
    const struct facts_value values[] = {FACTS_INT(ORIGIN_LISTING), FACTS_INT(batch),
                                         FACTS_INT(RUN_NOT_ENDED), FACTS_INT(ORIGIN_LISTING)};
    int failed = facts_execute(facts, SQL_WITNESS_FIND,
                               (struct facts_values){values, COUNT_OF(values)}, NULL, err);
    return failed ? failed
                  : facts_number(facts, SQL_WITNESS_COUNT, (struct facts_values){0}, count,
                                 NULL, err);
}

int last_seen_note(struct facts *facts, int64_t batch, struct error *err)
{
    const struct facts_value value = FACTS_INT(batch);
    const struct facts_values none = {0};
    int64_t count = 0;
    int failed = find_witnesses(facts, batch, &count, err);
    if (failed || count == 0) {
        return failed;
    }
    (void)((failed = facts_execute(facts, SQL_WITNESS_WRITE_SEEN, none, NULL, err)) ||
           (failed = facts_execute(facts, SQL_WITNESS_DROP_BATCH,
                                   (struct facts_values){&value, 1}, NULL, err)) ||
           (failed = changed_feed(facts, SQL_WITNESS_CHANGED, err)));
    return failed;
}
