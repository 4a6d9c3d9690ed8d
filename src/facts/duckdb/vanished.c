/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/vanished.h"

#include "base/buf.h"
#include "facts/duckdb/changed.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/statements.h"
#include "facts/statement.h"
#include "record/run.h"

static int execute(struct facts *facts, const char *sql, int64_t *count, struct error *err)
{
    return facts_execute(facts, sql, (struct facts_values){0}, count, err);
}

static int add_earlier(struct facts *facts, struct str cluster, struct error *err)
{
    const struct facts_value values[] = {FACTS_TEXT(cluster), FACTS_INT(RUN_FLAG_VANISHED),
                                         FACTS_INT(RUN_FLAG_VANISHED)};
    return facts_execute(facts, SQL_VANISHED_ADD_EARLIER,
                         (struct facts_values){values, COUNT_OF(values)}, NULL, err);
}

/* The runs of `capped`; a class that says that the run was over stays. */
static int write_ends(struct facts *facts, int64_t *count, struct error *err)
{
    struct statement sql;
    statement_init(&sql);
    statement_add(
        &sql,
        "UPDATE runs SET \"end\" = ended, until = ended, flags = coalesce(flags, 0) | %d, "
        "class = CASE WHEN class IN (",
        RUN_FLAG_VANISHED);
    facts_add_classes_over(&sql);
    statement_add(&sql, ") THEN class ELSE ");
    statement_literal(&sql, (struct identifier){run_class_name(CLASS_OTHER).ptr});
    statement_add(&sql, " END FROM capped WHERE runs.rowid = run_row");
    int failed = statement_execute(facts, &sql, count, err);
    statement_release(&sql);
    return failed;
}

static int end_others(struct facts *facts, int64_t *count, struct error *err)
{
    int failed;
    (void)((failed = execute(facts, SQL_VANISHED_FIND_CAPPED, NULL, err)) ||
           (failed = write_ends(facts, count, err)) ||
           (failed = changed_runs(facts, CHANGE_ENDED, "capped", "run_row", err)));
    return failed;
}

int vanished_conclude(struct facts *facts, struct str cluster, struct vanished_counts *counts,
                      struct error *err)
{
    int failed;
    *counts = (struct vanished_counts){0};
    (void)((failed = add_earlier(facts, cluster, err)) ||
           (failed = execute(facts, SQL_VANISHED_FIND_MOVED, NULL, err)) ||
           (failed = end_others(facts, &counts->ended, err)) ||
           (failed = changed_runs(facts, CHANGE_REMOVED, "moved", "run_row", err)) ||
           (failed = execute(facts, SQL_VANISHED_REMOVE_MOVED, &counts->removed, err)));
    return failed;
}
