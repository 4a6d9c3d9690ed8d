/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/witness.h"

#include "facts/duckdb/changed.h"
#include "record/run.h"

int witness_any(struct facts *facts, int64_t file, bool *any, struct error *err)
{
    const struct facts_value values[] = {FACTS_INT(RUN_GOES_ON), FACTS_INT(file),
                                         FACTS_INT(ORIGIN_LISTING)};
    int64_t count = 0;
    int failed =
        facts_number(facts,
                     "SELECT count(*) FROM (SELECT 1 FROM runs WHERE until = ? AND file "
                     "= ? AND origin <> ? LIMIT 1)",
                     (struct facts_values){values, COUNT_OF(values)}, &count, NULL, err);
    *any = count > 0;
    return failed;
}

/* Into `witnesses`: the runs that were seen later than is noted. */
static int find_witnesses(struct facts *facts, int64_t batch, int64_t *count, struct error *err)
{
    const struct facts_value values[] = {FACTS_INT(batch), FACTS_INT(RUN_GOES_ON),
                                         FACTS_INT(ORIGIN_LISTING)};
    int failed = facts_execute(
        facts,
        "CREATE OR REPLACE TEMP TABLE witnesses AS SELECT r.rowid AS run_row, r.batch, f.at "
        "FROM "
        "runs r JOIN (SELECT file, max(witnessed) AS at FROM batches WHERE file = (SELECT "
        "max(file) FROM batches WHERE batch = ?) GROUP BY file) f USING (file) WHERE r.until = "
        "? "
        "AND r.origin <> ? AND (r.seen IS NULL OR r.seen < f.at) AND f.at IS NOT NULL",
        (struct facts_values){values, COUNT_OF(values)}, NULL, err);
    return failed ? failed
                  : facts_number(facts, "SELECT count(*) FROM witnesses",
                                 (struct facts_values){0}, count, NULL, err);
}

int witness_note(struct facts *facts, int64_t batch, struct error *err)
{
    const struct facts_value value = FACTS_INT(batch);
    int64_t count = 0;
    int failed = find_witnesses(facts, batch, &count, err);
    if (failed || count == 0) {
        return failed;
    }
    /* those of the batch itself are in the feed as added */
    (void)((failed = facts_execute(facts,
                                   "UPDATE runs SET seen = w.at FROM witnesses w WHERE "
                                   "runs.rowid = w.run_row",
                                   (struct facts_values){0}, NULL, err)) ||
           (failed = facts_execute(facts, "DELETE FROM witnesses WHERE batch = ?",
                                   (struct facts_values){&value, 1}, NULL, err)) ||
           (failed =
                changed_feed(facts, "SELECT run_row, 'replaced' AS kind FROM witnesses", err)));
    return failed;
}
