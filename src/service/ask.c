/* SPDX-License-Identifier: MIT */
#include "service/ask.h"

#include "books/display.h"
#include "books/gap.h"
#include "report/moves.h"
#include "service/items.h"
#include "service/params.h"

/* What the books have to say to a question. */
struct known {
    struct membership_list members;
    struct cluster_rules rules;
    struct capacity_list capacities;
    struct display_list names;
};

static int look_up(const struct service *service, const struct question *question,
                   struct known *known, struct error *err)
{
    struct items items = {0};
    if (!books_exist(service->store)) { /* spares every report the opening of a database */
        return 0;
    }
    int failed = items_open(service, BOOKS_READ, &items, err);
    if (failed) {
        return failed;
    }
    (void)((failed = books_cluster_rules(items.books, &known->rules, err)) ||
           (failed = books_capacities(items.books, service->zone, &known->capacities, err)) ||
           (service->for_people &&
            (failed = books_display_names(items.books, &known->names, err))) ||
           (moves_are_wanted(question) &&
            (failed = books_memberships(items.books, service->zone, &known->members, err))));
    items_close(&items);
    return failed;
}

/* Puts what people read in place of what the scheduler says. */
static void show_names(const struct display_list *names, struct table *table)
{
    for (size_t c = 0; names->count > 0 && c < table->column_count; c++) {
        const struct column *column = &table->columns[c];
        if (column->role != COLUMN_DIMENSION || column->type != CELL_TEXT) {
            continue;
        }
        for (size_t row = 0; row < table->row_count; row++) {
            if (table_has(table, c, row)) {
                struct str value = column->cells[row].text;
                table_set_text(table, c, row, display_name(names, str_of(column->id), value));
            }
        }
    }
}

int ask_question(const struct service *service, struct facts *facts,
                 const struct question *question, struct table *answer, struct error *err)
{
    struct known known = {0};
    int failed = look_up(service, question, &known, err);
    if (!failed) {
        struct question informed = *question;
        informed.members = &known.members;
        informed.rules = known.rules.count > 0 ? &known.rules : NULL;
        informed.capacities = &known.capacities;
        failed = question_ask(facts, &informed, answer, err);
    }
    if (!failed) {
        show_names(&known.names, answer);
    }
    membership_list_release(&known.members);
    cluster_rules_release(&known.rules);
    capacity_list_release(&known.capacities);
    display_list_release(&known.names);
    return failed;
}

int ask_note_gaps(const struct service *service, struct period period, struct answer *answer,
                  struct error *err)
{
    struct items items = {0};
    struct gap_list gaps = {0};
    if (!books_exist(service->store)) {
        return 0;
    }
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
