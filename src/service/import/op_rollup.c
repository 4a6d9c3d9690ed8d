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
                    "sums by day and month of this zone are up to date; reports use "
                    "them where they give the same answer");
    }
    return failed;
}

const struct operation operation_rollup = {
    .name = "rollup",
    .summary = "bring the sums that make reports fast up to date",
    .description =
        "Keeps sums by day and month beside the runs. Reports use them where they give the "
        "same "
        "answer to the last digit (stint report --explain says so), and the runs themselves "
        "elsewhere. An import brings them up to date itself unless it adds very many runs; "
        "this does it then. Days are those of --zone, else of [site] zone in stint.conf, else "
        "of the "
        "system's; the store keeps which, and imports go on with it whatever their own --zone.",
    .examples = "stint rollup # after a large import\n"
                "stint rollup --zone Europe/Oslo # days of another zone from now on",
    .role = ROLE_ADMIN,
    .run = run_rollup,
};
