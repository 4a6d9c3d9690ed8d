/* SPDX-License-Identifier: MIT */
#include "service/query/query_context.h"

#include "bank/charge.h"
#include "books/gap.h"
#include "service/bank/beside.h"
#include "service/books/kind_actions.h"
#include "service/core/params.h"

/*
 * Takes a gap away: from all runs that the filter picks, where it concerns them all; else from
 * some, or from none.
 */
static void take_gap(const struct gap *gap, struct str cluster, const struct filter *filter,
                     struct coverage *coverage)
{
    const struct str value = gap->only ? filter_name(filter, gap->only) : (struct str){0};
    if (!gap->only || (value.ptr && str_glob(gap->pattern, value))) {
        coverage_except(coverage, cluster, gap->period);
    } else if (!value.ptr) {
        const struct coverage_gap some = {cluster, gap->period, gap->only, gap->pattern};
        coverage_except_some(coverage, &some);
    }
}

/*
 * Takes the known gaps of the books away. One of a cluster that has a new name is one of that.
 */
static int take_gaps(const struct service *service, struct books *books,
                     const struct filter *filter, const struct cluster_rules *rules,
                     struct coverage *coverage, struct error *err)
{
    const struct period always = {-INSTANT_MAX, INSTANT_MAX};
    struct gap_list gaps = {0};
    int failed = books_gaps(books, service->zone, always, &gaps, err);
    for (size_t i = 0; !failed && i < gaps.count; i++) {
        const struct str own = gaps.rows[i].cluster, none = {0};
        const struct str name = own.ptr ? cluster_rule_apply(rules, own, none, none) : own;
        take_gap(&gaps.rows[i], name, filter, coverage);
    }
    gap_list_release(&gaps);
    return failed;
}

/* A sum of two currencies would be neither: `cost` is of one. */
static int check_currency(const struct question *question, const struct rate_list *rates,
                          struct error *err)
{
    struct str currency = {0};
    bool asked = false;
    for (size_t i = 0; i < question->measure_count; i++) {
        asked = asked || question->measures[i]->quantity == QUANTITY_COST;
    }
    for (size_t i = 0; asked && i < rates->count; i++) {
        const struct str unit = rates->rows[i].unit;
        if (str_eq(unit, STR("SU"))) {
            continue;
        }
        if (currency.ptr && !str_eq(unit, currency)) {
            return error_set(
                err, ERROR_CONFLICT,
                "cost is in one currency, and there are rates in %.*s and %.*s; see: "
                "stint rate list",
                STR_ARG(currency), STR_ARG(unit));
        }
        currency = unit;
    }
    return 0;
}

static int read_rates(const struct service *service, struct books *books,
                      struct question *question, struct query_context *with, struct error *err)
{
    struct beside beside;
    int failed;
    (void)((failed = charging_zone(books, service->zone, &with->rate_zone, err)) ||
           (failed = books_rates(books, with->rate_zone, &with->rates, err)) ||
           (failed = check_currency(question, &with->rates, err)));
    question->rates = &with->rates;
    question->su_price = beside_read(service, &beside) ? beside.price : 0;
    question->rate_zone = with->rate_zone;
    return failed;
}

static int read_books(const struct service *service, struct facts *facts,
                      struct question *question, struct query_context *with, struct error *err)
{
    struct books *books = NULL;
    int failed = service_books(service, BOOKS_READ, &books, err);
    if (failed) {
        return failed;
    }
    (void)((failed = books_cluster_rules(books, &with->rules, err)) ||
           (failed = books_capacities(books, service->zone, &with->capacities, err)) ||
           (failed = coverage_read(facts, &question->filter, &with->rules, service->zone,
                                   question->now, &with->coverage, err)) ||
           (failed = take_gaps(service, books, &question->filter, &with->rules, &with->coverage,
                               err)) ||
           (failed = books_display_names(books, &with->names, err)) ||
           (question_joins(question, JOINED_PEOPLE) &&
            (failed = books_people(books, &with->people, err))) ||
           (question_has_prices(question) &&
            (failed = read_rates(service, books, question, with, err))) ||
           (question_joins(question, JOINED_MOVES) &&
            (failed = books_memberships(books, service->zone, &with->members, err))));
    return failed;
}

int query_context_read(const struct service *service, struct facts *facts,
                       struct question *question, struct query_context *with, struct error *err)
{
    *with = (struct query_context){0};
    question->members = &with->members;
    question->people = &with->people;
    question->capacities = &with->capacities;
    question->coverage = &with->coverage;
    /* spares every report the opening of a database where there is none */
    int failed = books_exist(service->store)
                     ? read_books(service, facts, question, with, err)
                     : coverage_read(facts, &question->filter, NULL, service->zone,
                                     question->now, &with->coverage, err);
    question->rules = with->rules.count > 0 ? &with->rules : NULL;
    return failed;
}

int query_context_coverage(const struct service *service, struct facts *facts,
                           const struct filter *filter, int64_t now, struct coverage *out,
                           struct error *err)
{
    struct cluster_rules rules = {0};
    struct books *books = NULL;
    *out = (struct coverage){0};
    if (!books_exist(service->store)) {
        return coverage_read(facts, filter, NULL, service->zone, now, out, err);
    }
    int failed = service_books(service, BOOKS_READ, &books, err);
    failed = failed ? failed : books_cluster_rules(books, &rules, err);
    failed =
        failed ? failed : coverage_read(facts, filter, &rules, service->zone, now, out, err);
    failed = failed ? failed : take_gaps(service, books, filter, &rules, out, err);
    cluster_rules_release(&rules);
    return failed;
}

void query_context_release(struct query_context *with)
{
    membership_list_release(&with->members);
    people_list_release(&with->people);
    cluster_rules_release(&with->rules);
    capacity_list_release(&with->capacities);
    display_list_release(&with->names);
    coverage_release(&with->coverage);
    rate_list_release(&with->rates);
    zone_close(with->rate_zone);
}

void query_context_show_names(const struct query_context *with, struct table *table)
{
    const struct display_list *names = &with->names;
    for (size_t c = 0; names->count > 0 && c < table->column_count; c++) {
        const struct column *column = &table->columns[c];
        if (column->role != COLUMN_DIMENSION || column->type != CELL_TEXT) {
            continue;
        }
        for (size_t row = 0; row < table->row_count; row++) {
            if (table_has(table, c, row)) {
                const struct str value = column->cells[row].text;
                const struct str name = display_name(names, str_of(column->id), value);
                if (name.ptr != value.ptr) {
                    table_set_name(table, c, row, name);
                }
            }
        }
    }
}

int query_context_ask(const struct service *service, struct facts *facts,
                      const struct question *question, struct table *answer, struct error *err)
{
    struct question asked = *question;
    struct query_context with;
    int failed;
    (void)((failed = query_context_read(service, facts, &asked, &with, err)) ||
           (failed = question_ask(facts, &asked, answer, err)));
    if (!failed) {
        query_context_show_names(&with, answer);
    }
    query_context_release(&with);
    return failed;
}

int query_context_note_gaps(const struct service *service, struct period period,
                            struct answer *answer, struct error *err)
{
    struct books *books = NULL;
    struct gap_list gaps = {0};
    if (!books_exist(service->store)) {
        return 0;
    }
    int failed = service_books(service, BOOKS_READ, &books, err);
    if (failed) {
        return failed;
    }
    failed = books_gaps(books, service->zone, period, &gaps, err);
    for (size_t i = 0; !failed && i < gaps.count; i++) {
        const struct gap *gap = &gaps.rows[i];
        char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
        answer_note_about(
            answer, NOTE_EXTENT, gap->cluster, "known gap%s%.*s%s%s%s%.*s from %s to %s: %.*s",
            gap->cluster.ptr ? " on " : "", STR_ARG(gap->cluster),
            gap->only ? " of runs with " : "", gap->only ? gap->only->id : "",
            gap->only ? " " : "", STR_ARG(gap->pattern),
            params_print(service->zone, gap->period.from, from),
            gap->period.to >= INSTANT_MAX ? "now"
                                          : params_print(service->zone, gap->period.to, to),
            STR_ARG(gap->what));
    }
    gap_list_release(&gaps);
    return failed;
}
