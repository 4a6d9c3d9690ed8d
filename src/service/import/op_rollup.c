/* SPDX-License-Identifier: MIT */

/*
 * stint rollup: the sums kept beside the runs, brought up to date.
 */

#include "report/rollup/rollup.h"
#include "service/core/operations.h"

static int refresh(struct service *service, const struct zone *zone, struct answer *answer,
                   struct error *err)
{
    struct facts *facts = NULL;
    int failed;
    (void)((failed = session_facts(service->session, FACTS_WRITE, &facts, err)) ||
           (failed = rollup_refresh(facts, zone, err)));
    if (!failed) {
        table_column(&answer->table, "zone", "Zone", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
        table_set_text(&answer->table, 0, table_row(&answer->table), str_of(zone_name(zone)));
        answer_note(answer, NOTE_RESULT,
                    "the sums by day and month in this time zone are up to date; reports use "
                    "them where they give the same answer");
    }
    return failed;
}

/*
 * What imports have left, in the zone of the sums that are there. Without anything to do the
 * store is only read.
 */
static int refresh_due(struct service *service, struct answer *answer, struct error *err)
{
    struct facts *facts = NULL;
    struct zone *zone = NULL;
    bool due = false;
    int failed;
    (void)((failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = rollup_is_due(facts, &due, err)) ||
           (due && (failed = rollup_stored_zone(facts, &zone, err))));
    if (!failed && due) {
        failed = refresh(service, zone ? zone : service->zone, answer, err);
    }
    zone_close(zone);
    return failed;
}

static int run_rollup(struct service *service, const struct request *request,
                      struct answer *answer, struct error *err)
{
    return request_flag(request, "due") ? refresh_due(service, answer, err)
                                        : refresh(service, service->zone, answer, err);
}

static const struct param params[] = {
    {.name = "due",
     .type = PARAM_FLAG,
     .help = "only if an import left days out, and in the time zone of the existing sums"},
};

const struct operation operation_rollup = {
    .name = "rollup",
    .summary = "update the daily sums that make reports fast",
    .description =
        "Updates the sums by day and month that are stored next to the runs. Reports use them "
        "where they give exactly the same answer (see stint report --explain), and the runs "
        "themselves otherwise. An import updates the sums itself unless it adds very many "
        "runs; then run this command, or leave it to stint serve. Days are those of the time "
        "zone in --zone, else in "
        "[site] zone of stint.conf, else of the system. The store remembers the zone, and "
        "later imports use it whatever their own --zone is.",
    .examples = "stint rollup # after a large import\n"
                "stint rollup --zone Europe/Oslo # days of another zone from now on",
    .rights = RIGHT_CHORES | RIGHT_ALL,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_rollup,
};
