/* SPDX-License-Identifier: MIT */

/*
 * stint reservations: what reservations held in a period, and how much of it lay idle.
 */

#include "report/tables/reserved.h"
#include "service/operations.h"
#include "service/params.h"
#include "service/question_params.h"

static const struct named_filter filters[] = {{"cluster", RUN_cluster},
                                              {"reservation", RUN_reservation}};

static int read_question(const struct service *service, const struct request *request,
                         struct reserved_question *question, struct error *err)
{
    *question = (struct reserved_question){.now = service->now(), .zone = service->zone};
    int failed = params_period(service, request, &question->period, err);
    return failed ? failed
                  : params_filter_by(service, request, filters, COUNT_OF(filters),
                                     &question->filter, err);
}

static int show(const struct service *service, struct facts *facts,
                const struct reserved_question *question, struct answer *answer,
                struct error *err)
{
    struct table total = {0};
    int failed;
    (void)((failed = reserved_ask(facts, question, &answer->table, err)) ||
           (failed = reserved_total(facts, question, &total, err)));
    if (!failed && answer->table.row_count > 0) {
        question_footer(answer, &total, answer->table.column_count - total.column_count);
    }
    table_release(&total);
    if (failed) {
        return failed;
    }
    params_note_time(service, question->period, question->now, answer);
    answer_note(answer, NOTE_READING, "held, used and idle: in cpu hours");
    if (answer->table.row_count == 0) {
        answer_note(answer, NOTE_EMPTY,
                    "no reservation that matches the filters was seen in this period; "
                    "reservations come from querying a scheduler: stint pull");
    }
    return 0;
}

static int run_reservations(struct service *service, const struct request *request,
                            struct answer *answer, struct error *err)
{
    struct reserved_question question;
    struct facts *facts = NULL;
    int failed = read_question(service, request, &question, err);
    if (failed || (failed = session_facts(service->session, FACTS_READ, &facts, err)) != 0) {
        return failed;
    }
    failed = show(service, facts, &question, answer, err);
    return failed;
}

static const struct param params[] = {
    PARAM_FILTER("cluster", 'M', "on these clusters"),
    PARAM_FILTER("reservation", 0, "of these names"),
};

const struct operation operation_reservations = {
    .name = "reservations",
    .summary = "show what reservations held and how much of it was idle",
    .description =
        "Shows the reservations of a period: the cpu hours that each held, how much of that "
        "was allocated to runs in it, and the idle rest, which is not part of any user's "
        "cpu_hours. Slurm's sreport counts the idle part as allocated: its cluster utilization "
        "is the sum of cpu_hours and these idle hours.\n"
        "Reservations are recorded by stint pull. A reservation counts from its start, if it "
        "was seen after that, until its end or until it was last seen.",
    .examples = "stint reservations --from last-month # all of them\n"
                "stint reservations --reservation 'course*' --from 2025 # courses of a year",
    .rights = RIGHT_ALL,
    .sets = PARAMS_PERIOD,
    .params = params,
    .param_count = COUNT_OF(params),
    .run = run_reservations,
};
