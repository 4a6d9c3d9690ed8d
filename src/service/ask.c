/* SPDX-License-Identifier: MIT */
#include "service/ask.h"

#include "books/gap.h"
#include "report/moves.h"
#include "service/items.h"
#include "service/params.h"

int ask_question(const struct service *service, struct facts *facts, struct question *question,
                 struct table *answer, struct error *err)
{
    struct items items = {0};
    struct membership_list members = {0};
    if (!moves_are_wanted(question)) {
        return question_ask(facts, question, answer, err);
    }
    int failed = items_open(service, BOOKS_READ, &items, err);
    if (failed) {
        return failed;
    }
    failed = books_memberships(items.books, service->zone, &members, err);
    if (!failed) {
        question->members = &members;
        failed = question_ask(facts, question, answer, err);
        question->members = NULL;
    }
    membership_list_release(&members);
    items_close(&items);
    return failed;
}

int ask_note_gaps(const struct service *service, struct period period, struct answer *answer,
                  struct error *err)
{
    struct items items = {0};
    struct gap_list gaps = {0};
    int failed = items_open(service, BOOKS_READ, &items, err);
    if (failed) {
        return failed;
    }
    failed = books_gaps(items.books, service->zone, period, &gaps, err);
    for (size_t i = 0; !failed && i < gaps.count; i++) {
        const struct gap *gap = &gaps.rows[i];
        char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
        answer_note(
            answer, "known gap%s%.*s from %s to %s: %.*s", gap->cluster.ptr ? " on " : "",
            STR_ARG(gap->cluster), params_print(service->zone, gap->period.from, from),
            gap->period.to >= INSTANT_MAX ? "now"
                                          : params_print(service->zone, gap->period.to, to),
            STR_ARG(gap->what));
    }
    gap_list_release(&gaps);
    items_close(&items);
    return failed;
}
