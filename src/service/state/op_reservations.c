/* SPDX-License-Identifier: MIT */

/*
 * stint reservations: what reservations held in a period, and how much of it lay idle.
 */

#include "report/queries/pull_age.h"
#include "report/queries/reservations.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "service/query/at_option.h"
#include "service/query/question_params.h"

static const struct named_filter filters[] = {{"cluster", RUN_cluster},
                                              {"reservation", RUN_reservation}};

static int read_question(const struct service *service, const struct request *request,
                         struct reservations_question *question, struct error *err)
{
    *question = (struct reservations_question){.now = service->now(), .zone = service->zone};
    int failed = params_period(service, request, &question->period, err);
    return failed ? failed
                  : params_filter_by(service, request, filters, COUNT_OF(filters),
                                     &question->filter, err);
}

/*
 * What has not ended counts up to now, where the period reaches so far: that it was seen long
 * ago is said.
 */
static int note_looks(const struct service *service, struct facts *facts,
                      const struct reservations_question *question, struct answer *answer,
                      struct error *err)
{
    struct table looks = {0};
    if (question->period.to < question->now) {
        return 0;
    }
    int failed = pull_age_ask(facts, STR("reservation"), &question->filter, question->zone,
                              question->now, &looks, err);
    if (!failed) {
        at_option_note_stale(service, &looks, question->now, "reservations", answer);
    }
    table_release(&looks);
    return failed;
}

static int ask_reservations(struct facts *facts, const struct reservations_question *question,
                            struct answer *answer, struct error *err)
{
    struct table total = {0};
    int failed = reservations_ask(facts, question, &answer->table, err);
    failed = failed ? failed : reservations_total(facts, question, &total, err);
    if (!failed && answer->table.row_count > 0) {
        question_footer(answer, &total, answer->table.column_count - total.column_count);
    }
    table_release(&total);
    return failed;
}

static int show_reservations(const struct service *service, struct facts *facts,
                             const struct reservations_question *question,
                             struct answer *answer, struct error *err)
{
    int failed = ask_reservations(facts, question, answer, err);
    failed = failed ? failed : note_looks(service, facts, question, answer, err);
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
    struct reservations_question question;
    struct facts *facts = NULL;
    int failed = read_question(service, request, &question, err);
    if (failed || (failed = session_facts(service->session, FACTS_READ, &facts, err)) != 0) {
        return failed;
    }
    return show_reservations(service, facts, &question, answer, err);
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
