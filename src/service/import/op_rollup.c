/* SPDX-License-Identifier: MIT */

/*
 * stint rollup: the sums kept beside the runs, brought up to date.
 */

#include "report/rollup/rollup.h"
#include "service/operations.h"

static int run_rollup(struct service *service, const struct request *request,
                      struct answer *answer, struct error *err)
{
    (void)request;
    struct facts *facts = NULL;
    int failed;
    (void)((failed = session_facts(service->session, FACTS_WRITE, &facts, err)) ||
           (failed = rollup_refresh(facts, service->zone, err)));
    if (!failed) {
        table_column(&answer->table, "zone", "Zone", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
        table_set_text(&answer->table, 0, table_row(&answer->table),
                       str_of(zone_name(service->zone)));
        answer_note(answer, NOTE_RESULT,
                    "the sums by day and month in this time zone are up to date; reports use "
                    "them where they give the same answer");
    }
    return failed;
}

const struct operation operation_rollup = {
    .name = "rollup",
    .summary = "update the daily sums that make reports fast",
    .description =
        "Updates the sums by day and month that are stored next to the runs. Reports use them "
        "where they give exactly the same answer (see stint report --explain), and the runs "
        "themselves otherwise. An import updates the sums itself unless it adds very many "
        "runs; then run this command. Days are those of the time zone in --zone, else in "
        "[site] zone of stint.conf, else of the system. The store remembers the zone, and "
        "later imports use it whatever their own --zone is.",
    .examples = "stint rollup # after a large import\n"
                "stint rollup --zone Europe/Oslo # days of another zone from now on",
    .role = ROLE_ADMIN,
    .run = run_rollup,
};
