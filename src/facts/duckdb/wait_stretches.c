/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/wait_stretches.h"

#include "facts/duckdb/statements.h"
#include "facts/inventory.h"
#include "facts/listings.h"
#include "facts/pull_state.h"
#include "facts/waits.h"

static int execute(struct facts *facts, const char *sql, const struct facts_value *values,
                   size_t count, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){values, count}, NULL, err);
}

/* Puts what the listing says beside the open stretches, and finds those that end. */
static int compare_listing(struct facts *facts, struct str cluster, bool paused,
                           struct error *err)
{
    const struct facts_value open[] = {FACTS_TEXT(cluster), FACTS_INT(STRETCH_NOT_ENDED)};
    const struct facts_value moved[] = {FACTS_INT(WAIT_STRETCHES_MOVED_US), FACTS_INT(paused)};
    int failed = execute(facts, SQL_WAITS_NOW, open, 1, err);
    if (!failed) {
        failed = execute(facts, SQL_WAITS_OPEN, open, COUNT_OF(open), err);
    }
    return failed ? failed : execute(facts, SQL_WAITS_ENDING, moved, COUNT_OF(moved), err);
}

int wait_stretches_see(struct facts *facts, struct str cluster, int64_t at, struct error *err)
{
    struct pull_state mark = {0};
    bool known = false;
    int failed = pull_state_get(facts, cluster, STR(LISTINGS_WHAT), &mark, &known, err);
    if (failed || (known && at <= mark.seen_to)) {
        return failed;
    }
    const bool paused = known && mark.seen_to < at - WAIT_STRETCHES_SLACK_US;
    const struct facts_value ended = FACTS_INT(paused ? mark.seen_to : at), now = FACTS_INT(at);
    const struct facts_value begun[] = {FACTS_TEXT(cluster), now, FACTS_INT(STRETCH_NOT_ENDED)};
    failed = compare_listing(facts, cluster, paused, err);
    if (!failed) {
        failed = execute(facts, SQL_WAITS_END, &ended, 1, err);
    }
    if (!failed) {
        failed = execute(facts, SQL_WAITS_REFRESH, &now, 1, err);
    }
    return failed ? failed : execute(facts, SQL_WAITS_BEGIN, begun, COUNT_OF(begun), err);
}

int waits_forget(struct facts *facts, int64_t before, int64_t *removed, struct error *err)
{
    const struct facts_value ended = FACTS_INT(before);
    return facts_execute(facts, SQL_WAITS_FORGET, (struct facts_values){&ended, 1}, removed,
                         err);
}
