/* SPDX-License-Identifier: MIT */

/*
 * stint check: are the numbers right? Computes them in several independent ways and compares
 * the results.
 */

#include <inttypes.h>
#include <stdio.h>

#include "report/question.h"
#include "report/verify/recompute.h"
#include "service/core/operations.h"
#include "service/core/params.h"
#include "view/number.h"

enum { SHOWN_MAX = 20 }; /* disagreements of one comparison that are reported one by one */

struct check {
    struct service *service;
    struct answer *answer;
    struct period period;
    size_t shown; /* of the present comparison */
    int64_t cells, differences;
};

static void add(struct check *check, const char *what, const char *finding,
                const struct buf *text)
{
    struct table *table = &check->answer->table;
    const size_t row = table_row(table);
    table_set_text(table, 0, row, str_of(what));
    table_set_text(table, 1, row, str_of(finding));
    table_set_text(table, 2, row, buf_str(text));
}

static void add_number(const struct check *check, const struct recompute_difference *d,
                       size_t side, struct buf *text)
{
    buf_addf(text, "%s ", d->sides[side]);
    if (table_has(&d->numbers, 0, side)) {
        number_exact(text, &d->numbers, 0, side, check->service->zone);
        buf_addf(text, "%s%s", d->measure->unit == UNIT_COUNT ? "" : " ",
                 d->measure->unit == UNIT_COUNT ? "" : unit_name(d->measure->unit));
    } else {
        buf_addz(text, "unknown");
    }
}

/* The question that shows the first number. */
static void add_question(const struct check *check, const struct recompute_difference *d,
                         struct buf *text)
{
    char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
    buf_addf(text, "; see: stint report %s", d->measure ? d->measure->id : "jobs_active");
    if (d->cut->dimension) {
        buf_addf(text, " --by %s", d->cut->dimension);
    } else if (d->cut->bucket != BUCKET_NONE) {
        buf_addf(text, " --every %s", bucket_name(d->cut->bucket));
    }
    buf_addf(text, " --from %s --to %s --zone %s",
             zone_print(check->service->zone, check->period.from, from),
             zone_print(check->service->zone, check->period.to, to),
             zone_name(check->service->zone));
}

static void on_difference(void *watcher, const struct recompute_difference *d)
{
    struct check *check = watcher;
    struct buf text;
    if (check->shown++ >= SHOWN_MAX) {
        return;
    }
    buf_init(&text, 1 << 16);
    if (d->measure) {
        buf_addf(&text, "%s%s%.*s: ", d->measure->id, d->row.ptr ? " of " : "",
                 STR_ARG(d->row));
        add_number(check, d, 0, &text);
        buf_addz(&text, ", ");
        add_number(check, d, 1, &text);
    } else {
        buf_addf(&text, "%.*s: there is such a row %s, and none %s", STR_ARG(d->row),
                 d->sides[0], d->sides[1]);
    }
    add_question(check, d, &text);
    add(check, d->cut->name, "DISAGREES", &text);
    buf_release(&text);
}

static void on_comparison(void *watcher, const struct recompute_comparison *c)
{
    struct check *check = watcher;
    struct buf text;
    buf_init(&text, 1 << 12);
    if (c->differences > SHOWN_MAX) {
        buf_addf(&text, "and %zu more", c->differences - SHOWN_MAX);
        add(check, c->cut->name, "DISAGREES", &text);
        buf_clear(&text);
    }
    buf_addf(&text, "%s against %s: %zu measures, %zu row%s", c->sides[0], c->sides[1],
             c->measures, c->rows, c->rows == 1 ? "" : "s");
    if (c->differences) {
        buf_addf(&text, ", %zu differ", c->differences);
    } else {
        buf_addz(&text, ", all the same");
    }
    add(check, c->cut->name, c->differences ? "DISAGREES" : "ok", &text);
    check->cells += (int64_t)(c->measures * c->rows);
    check->differences += (int64_t)c->differences;
    check->shown = 0;
    buf_release(&text);
}

static bool on_progress(void *watcher, int64_t done, int64_t total)
{
    const struct check *check = watcher;
    const struct service *service = check->service;
    if (service->progress) {
        service->progress(service->watcher, "runs", (uint64_t)done, (uint64_t)total, done);
    }
    return !stop_is_set(service->stop);
}

/*
 * The period asked for, else all there is: from the first instant of a run to its last, or now.
 */
static int find_period(const struct request *request, struct facts *facts, struct check *check,
                       bool *any, struct error *err)
{
    *any = true;
    if (request_has(request, "from") || request_has(request, "to")) {
        return params_period(check->service, request, &check->period, err);
    }
    int failed = listing_span(facts, &check->period, any, err);
    const int64_t now = check->service->now();
    check->period.to = (check->period.to > now ? check->period.to : now) + 1;
    return failed;
}

static int check_numbers(struct check *check, struct facts *facts, struct error *err)
{
    char from[INSTANT_TEXT_MAX], to[INSTANT_TEXT_MAX];
    const struct service *service = check->service;
    const struct recompute with = {
        .facts = facts,
        .zone = service->zone,
        .period = check->period,
        .now = service->now(),
        .watcher = check,
        .differs = on_difference,
        .compared = on_comparison,
        .progress = on_progress,
    };
    int failed = recompute(&with, err);
    check->answer->status = check->differences > 0;
    answer_note(check->answer, NOTE_RESULT,
                "%" PRId64 " numbers compared, %" PRId64 " differ; %s to %s", check->cells,
                check->differences, params_print(service->zone, check->period.from, from),
                params_print(service->zone, check->period.to, to));
    answer_note(check->answer, NOTE_READING,
                "not compared: quantiles, numbers of different values, peaks and "
                "means over time");
    if (check->differences) {
        answer_note(check->answer, NOTE_WARNING,
                    "numbers that disagree are a bug in stint, or damage to the "
                    "store: please report it with this output; importing the "
                    "files again with --again mends a damaged store");
    }
    return failed;
}

static int check_store(struct service *service, const struct request *request,
                       struct answer *answer, struct error *err)
{
    struct check check = {.service = service, .answer = answer};
    struct facts *facts = NULL;
    bool any = false;
    int failed;
    answer->as_list = true;
    table_column(&answer->table, "check", "Check", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&answer->table, "finding", "Finding", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(&answer->table, "what", "What", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    (void)((failed = session_facts(service->session, FACTS_READ, &facts, err)) ||
           (failed = find_period(request, facts, &check, &any, err)));
    if (!failed && any) {
        failed = check_numbers(&check, facts, err);
    } else if (!failed) {
        answer_note(answer, NOTE_EMPTY, "the store is empty: there is nothing to compare");
    }
    return failed;
}

const struct operation operation_check = {
    .name = "check",
    .summary = "recompute all figures independently and compare",
    .description =
        "Computes the measures of all runs, or of a period, in two independent ways: with the "
        "SQL of reports, and run by run in C. Compares the results in total, by cluster, "
        "partition and user, and for every year, month and day; also checks that the rows add "
        "up to the total. Prints what was compared and every difference, with both values and "
        "the report that shows it. The exit status is 1 if there is a difference.\n"
        "It reads every run: allow a few seconds per million.",
    .examples = "stint check # are all figures correct?\n"
                "stint check --from 2025 # those of one year",
    .rights = RIGHT_ALL,
    .stoppable = true,
    .sets = PARAMS_PERIOD,
    .from_help = PARAM_FROM_HELP "the first record in the store",
    .run = check_store,
};
