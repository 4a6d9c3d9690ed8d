/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/wait_stretches.h"

#include <stdlib.h>

#include "base/mem.h"
#include "facts/duckdb/statements.h"
#include "facts/inventory.h"
#include "facts/listings.h"
#include "facts/pull_state.h"
#include "facts/statement.h"
#include "facts/waits.h"
#include "record/run.h"

static int execute(struct facts *facts, const char *sql, const struct facts_value *values,
                   size_t count, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){values, count}, NULL, err);
}

/* Puts what the listing says beside the open stretches, and finds those that end. */
static int compare_listing(struct facts *facts, const struct wait_listing *listing, bool paused,
                           struct error *err)
{
    const struct facts_value now[] = {FACTS_TEXT(listing->cluster), FACTS_INT(listing->at)};
    const struct facts_value open[] = {FACTS_TEXT(listing->cluster),
                                       FACTS_INT(STRETCH_NOT_ENDED)};
    const struct facts_value moved[] = {FACTS_INT(WAIT_STRETCHES_MOVED_US), FACTS_INT(paused)};
    int failed = execute(facts, SQL_WAITS_NOW, now, COUNT_OF(now), err);
    if (!failed) {
        failed = execute(facts, SQL_WAITS_OPEN, open, COUNT_OF(open), err);
    }
    return failed ? failed : execute(facts, SQL_WAITS_ENDING, moved, COUNT_OF(moved), err);
}

/* The latest listing that was taken, of a scheduler that was asked or of a file; 0: none was. */
static int read_mark(struct facts *facts, struct str cluster, int64_t *seen_to,
                     struct error *err)
{
    static const char *const whats[] = {LISTINGS_WHAT, WAITS_WHAT};
    int failed = 0;
    *seen_to = 0;
    for (size_t i = 0; i < COUNT_OF(whats) && !failed; i++) {
        struct pull_state mark = {0};
        bool known = false;
        failed = pull_state_get(facts, cluster, str_of(whats[i]), &mark, &known, err);
        *seen_to = mark.seen_to > *seen_to ? mark.seen_to : *seen_to;
    }
    return failed;
}

int wait_stretches_see(struct facts *facts, const struct wait_listing *listing,
                       struct error *err)
{
    const int64_t at = listing->at;
    int64_t mark = 0;
    int failed = read_mark(facts, listing->cluster, &mark, err);
    if (failed || at <= mark) {
        return failed;
    }
    const bool paused = mark > 0 && mark < at - listing->slack;
    const struct facts_value now = FACTS_INT(at);
    const struct facts_value ended[] = {
        FACTS_INT(paused ? mark : at),
        FACTS_INT(paused || (!listing->whole && mark > 0) ? mark : at)};
    const struct facts_value begun[] = {FACTS_TEXT(listing->cluster), now,
                                        FACTS_INT(STRETCH_NOT_ENDED)};
    failed = compare_listing(facts, listing, paused, err);
    if (!failed) {
        failed = execute(facts, SQL_WAITS_END, ended, COUNT_OF(ended), err);
    }
    if (!failed) {
        failed = execute(facts, SQL_WAITS_REFRESH, &now, 1, err);
    }
    return failed ? failed : execute(facts, SQL_WAITS_BEGIN, begun, COUNT_OF(begun), err);
}

/* --- listings in files -------------------------------------------------------------------- */

static int load_expected(struct facts *facts, const struct waits_expected *expected,
                         size_t count, struct error *err)
{
    static const struct statement_column columns[] = {{"digest", TYPE_INTEGER},
                                                      {"start", TYPE_INTEGER}};

    enum { COLUMNS = COUNT_OF(columns) };

    struct facts_value *values = mem_alloc(count + 1, COLUMNS * sizeof(*values));
    for (size_t i = 0; i < count; i++) {
        values[i * COLUMNS] = FACTS_INT(expected[i].digest);
        values[i * COLUMNS + 1] = FACTS_INT(expected[i].start);
    }
    int failed = statement_load(facts, IDENTIFIER("waits_expected"), columns, COLUMNS,
                                (struct facts_values){values, count * COLUMNS}, err);
    free(values);
    return failed;
}

int waits_gather(struct facts *facts, const struct waits_batch *batch, struct error *err)
{
    const struct facts_value of[] = {FACTS_INT(batch->batch), FACTS_INT(ORIGIN_LISTING)};
    int failed;
    (void)((failed = batch->first ? execute(facts, SQL_SNAPSHOT_LISTED, NULL, 0, err) : 0) ||
           (failed = load_expected(facts, batch->expected, batch->expected_count, err)) ||
           (failed = execute(facts, SQL_WAITS_GATHER, of, COUNT_OF(of), err)));
    return failed;
}

static int see_listing(struct facts *facts, const struct wait_listing *listing,
                       struct error *err)
{
    struct pull_state mark = {0};
    bool known = false;
    int failed = wait_stretches_see(facts, listing, err);
    failed = failed
                 ? failed
                 : pull_state_get(facts, listing->cluster, STR(WAITS_WHAT), &mark, &known, err);
    mark.seen_to = listing->at > mark.seen_to ? listing->at : mark.seen_to;
    return failed ? failed
                  : pull_state_put(facts, listing->cluster, STR(WAITS_WHAT), mark, err);
}

/* The documents of a file are listings of one instant each. */
static int see_documents(struct facts *facts, int64_t now, struct error *err)
{
    enum { CLUSTER, SEEN };

    struct table found = {0};
    int failed =
        facts_query_kept(facts, SQL_WAITS_LISTINGS, (struct facts_values){0}, &found, err);
    for (size_t row = 0; row < found.row_count && !failed; row++) {
        const struct wait_listing one = {found.columns[CLUSTER].cells[row].text,
                                         found.columns[SEEN].cells[row].integer,
                                         WAITS_FILES_SLACK_US, false};
        failed = one.at <= now ? see_listing(facts, &one, err) : 0;
    }
    table_release(&found);
    return failed;
}

int waits_see(struct facts *facts, const struct waits_file *file, struct error *err)
{
    const struct wait_listing whole = {file->cluster, file->whole_at, WAITS_FILES_SLACK_US,
                                       true};
    if (whole.at == 0) {
        return see_documents(facts, file->now, err);
    }
    return whole.at <= file->now ? see_listing(facts, &whole, err) : 0;
}

/* --- age ---------------------------------------------------------------------------------- */

int waits_forget(struct facts *facts, int64_t before, int64_t *removed, struct error *err)
{
    const struct facts_value ended = FACTS_INT(before);
    return facts_execute(facts, SQL_WAITS_FORGET, (struct facts_values){&ended, 1}, removed,
                         err);
}
