/* SPDX-License-Identifier: MIT */
#include "report/verify/recompute.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/queries/comparison.h"
#include "report/question.h"
#include "report/rollup/rollup.h"
#include "report/sql/column.h"
#include "report/sql/statements.h"
#include "report/verify/group_sums.h"

static const struct recompute_cut cuts[] = {
    {"in all", NULL, BUCKET_NONE},
    {"by cluster", "cluster", BUCKET_NONE},
    {"by partition", "partition", BUCKET_NONE},
    {"by user", "user", BUCKET_NONE},
    {"by node", "node", BUCKET_NONE},
    {"every year", NULL, BUCKET_YEAR},
    {"every month", NULL, BUCKET_MONTH},
    {"every day", NULL, BUCKET_DAY},
};

enum { CUTS = COUNT_OF(cuts) };

/* Whether its rows have names; the total has one row without. */
static bool is_named(size_t cut)
{
    return cuts[cut].dimension || cuts[cut].bucket != BUCKET_NONE;
}

struct checking {
    const struct recompute *with;
    struct group_sums tallies[CUTS]; /* row by row */
    const struct field *fields[RUN_FIELD_COUNT];
    size_t field_count;
};

/* --- the ways ----------------------------------------------------------------------------- */

static struct question make_question(const struct checking *checking, size_t cut)
{
    struct question question = {
        .period = checking->with->period,
        .zone = checking->with->zone,
        .now = checking->with->now,
        .bucket = cuts[cut].bucket,
        .path = PATH_FACTS,
    };
    if (cuts[cut].dimension) {
        question.dimensions[question.dimension_count++] =
            dimension_find(str_of(cuts[cut].dimension));
    }
    return question;
}

/* The SQL of questions, over the facts. */
static int answer_question(struct checking *checking, size_t cut, struct table *out,
                           struct error *err)
{
    struct question question = make_question(checking, cut);
    for (size_t i = 0; i < ROW_SUMS_MEASURES; i++) {
        question.measures[question.measure_count++] = row_sums_measure(i);
    }
    return question_ask(checking->with->facts, &question, out, err);
}

/*
 * Of these roll-ups have something wherever a period begins and ends, and whatever continues.
 */
static bool is_rolled(const struct measure *measure)
{
    return measure->additive && rollup_column(measure);
}

/* The same with the help of roll-ups, which answer for sums alone. */
static struct question make_rolled(const struct checking *checking, size_t cut)
{
    struct question question = make_question(checking, cut);
    question.path = PATH_ANY;
    for (size_t i = 0; i < ROW_SUMS_MEASURES; i++) {
        if (is_rolled(row_sums_measure(i))) {
            question.measures[question.measure_count++] = row_sums_measure(i);
        }
    }
    return question;
}

/* They are no way where none of the period comes from them. */
static int find_rolled(struct checking *checking, bool *usable, struct error *err)
{
    const struct question question = make_rolled(checking, 0);
    struct sql_segment segments[SQL_SEGMENTS_MAX];
    struct store_state standing;
    size_t count = 0;
    int failed;
    (void)((failed = store_state_read(checking->with->facts, question.zone, &standing, err)) ||
           (failed = rollup_cover(&standing, &question, segments, &count, err)));
    *usable = false;
    for (size_t i = 0; !failed && i < count; i++) {
        *usable |= segments[i].table.name != NULL;
    }
    return failed;
}

/*
 * In the shape of the other answers: what roll-ups do not know stays absent, and is not
 * compared.
 */
static int answer_rolled(struct checking *checking, size_t cut, struct table *out,
                         struct error *err)
{
    const struct question question = make_rolled(checking, cut);
    const size_t first = is_named(cut);
    struct table table = {0};
    int failed = question_ask(checking->with->facts, &question, &table, err);
    row_sums_columns(out, first);
    for (size_t row = 0; !failed && row < table.row_count; row++) {
        table_row(out);
        if (first && table_has(&table, 0, row)) {
            table_set_text(out, 0, row, table.columns[0].cells[row].text);
        }
        size_t from = first;
        for (size_t i = 0; i < ROW_SUMS_MEASURES; i++) {
            if (!is_rolled(row_sums_measure(i))) {
                continue;
            }
            if (table_has(&table, from, row)) {
                table_set_wide(out, first + i, row, table_wide(&table, from, row));
            }
            from++;
        }
    }
    table_release(&table);
    return failed;
}

static void choose_fields(struct checking *checking)
{
    enum run_field field;
    for (size_t i = 0; row_sums_field(i, &field); i++) {
        checking->fields[checking->field_count++] = &run_fields[field];
    }
    for (size_t i = 0; i < CUTS; i++) {
        if (cuts[i].dimension) {
            checking->fields[checking->field_count++] =
                dimension_find(str_of(cuts[i].dimension));
        }
    }
    checking->fields[checking->field_count++] = &run_fields[RUN_nodes];
}

static struct run run_of_row(const struct checking *checking, const struct table *table,
                             size_t row)
{
    struct run run = {0};
    for (size_t i = 0; i < checking->field_count; i++) {
        const enum run_field field = (enum run_field)(checking->fields[i] - run_fields);
        char *member = (char *)&run + run_fields[field].offset;
        if (!table_has(table, i, row)) {
            continue;
        }
        if (run_fields[field].type == FIELD_TEXT) {
            *(struct str *)(void *)member = table->columns[i].cells[row].text;
        } else {
            *(int64_t *)(void *)member = (int64_t)table_wide(table, i, row);
        }
        run.has[(unsigned)field / 64] |= UINT64_C(1) << (unsigned)field % 64;
    }
    return run;
}

/* Rows on their way, and how many there will be. */
struct passage {
    struct checking *checking;
    int64_t done, total;
};

static int add_rows(void *context, const struct table *chunk, struct error *err)
{
    struct passage *passage = context;
    struct checking *checking = passage->checking;
    const struct recompute *with = checking->with;
    if (chunk->row_count > 0 && with->progress &&
        !with->progress(with->watcher, passage->done, passage->total)) {
        return error_set(err, ERROR_STOPPED, "stopped after %" PRId64 " of %" PRId64 " runs",
                         passage->done, passage->total);
    }
    for (size_t row = 0; row < chunk->row_count; row++) {
        const struct run run = run_of_row(checking, chunk, row);
        for (size_t i = 0; i < CUTS; i++) {
            group_sums_add(&checking->tallies[i], &run);
        }
    }
    passage->done += (int64_t)chunk->row_count;
    return 0;
}

static int pass_rows(struct passage *passage, struct error *err)
{
    const struct checking *checking = passage->checking;
    struct statement sql;
    statement_init(&sql);
    for (size_t i = 0; i < checking->field_count; i++) {
        statement_add(&sql, i ? ", " : "SELECT ");
        column_add(&sql, checking->fields[i]);
        statement_add(&sql, " AS f%zu", i);
    }
    statement_add(&sql, " FROM runs");
    int failed = statement_query_each(checking->with->facts, &sql,
                                      &(struct table_sink){passage, add_rows}, err);
    statement_release(&sql);
    return failed;
}

/* Every run once, for all cuts. */
static int read_rows(struct checking *checking, bool *usable, struct error *err)
{
    *usable = true;
    struct passage passage = {.checking = checking};
    int failed = facts_number(checking->with->facts, SQL_VALUES_RUNS, (struct facts_values){0},
                              &passage.total, NULL, err);
    choose_fields(checking);
    for (size_t i = 0; !failed && i < CUTS; i++) {
        failed = group_sums_init(&checking->tallies[i], checking->with, &cuts[i], err);
    }
    return failed ? failed : pass_rows(&passage, err);
}

static int answer_rows(struct checking *checking, size_t cut, struct table *out,
                       struct error *err)
{
    (void)err;
    group_sums_table(&checking->tallies[cut], out);
    return 0;
}

/* Another way to the same numbers is another row. The first is what users see. */
static const struct way {
    const char *name;
    const char *total; /* its answer in all */
    int (*prepare)(struct checking *checking, bool *usable,
                   struct error *err); /* NULL: nothing to do */
    int (*answer)(struct checking *checking, size_t cut, struct table *out, struct error *err);
    bool (*knows)(const struct measure *measure); /* NULL: all */
} ways[] = {
    {"by question", "the total by question", NULL, answer_question, NULL},
    {"row by row", "the total row by row", read_rows, answer_rows, NULL},
    {"by roll-up", "the total by roll-up", find_rolled, answer_rolled, is_rolled},
};

enum { WAYS = COUNT_OF(ways) };

static void compare_ways(struct checking *checking, size_t cut, const bool usable[WAYS],
                         struct table totals[WAYS], struct table tables[WAYS])
{
    const struct recompute *with = checking->with;
    const struct table *answers = is_named(cut) ? tables : totals;
    for (size_t i = 1; i < WAYS; i++) {
        if (usable[i]) {
            comparison_of_rows(with, &cuts[cut], is_named(cut),
                               (struct comparison_side){ways[0].name, &answers[0]},
                               (struct comparison_side){ways[i].name, &answers[i]},
                               ways[i].knows);
        }
    }
    for (size_t i = 0; i < WAYS && is_named(cut); i++) {
        if (usable[i]) {
            comparison_of_sums(with, &cuts[cut],
                               (struct comparison_side){ways[i].total, &totals[i]}, &tables[i],
                               ways[i].knows);
        }
    }
}

/* All comparisons of a cut; `totals` are what each way says in all, from the first cut. */
static int check_cut(struct checking *checking, size_t cut, const bool usable[WAYS],
                     struct table totals[WAYS], struct error *err)
{
    struct table tables[WAYS] = {0};
    int failed = 0;
    for (size_t i = 0; i < WAYS && !failed; i++) {
        if (usable[i]) {
            failed =
                ways[i].answer(checking, cut, is_named(cut) ? &tables[i] : &totals[i], err);
        }
    }
    if (!failed) {
        compare_ways(checking, cut, usable, totals, tables);
    }
    for (size_t i = 0; i < WAYS; i++) {
        table_release(&tables[i]);
    }
    return failed;
}

int recompute(const struct recompute *recompute, struct error *err)
{
    struct checking *checking = mem_alloc(1, sizeof(*checking));
    struct table totals[WAYS] = {0};
    bool usable[WAYS];
    int failed = 0;
    checking->with = recompute;
    for (size_t i = 0; i < WAYS && !failed; i++) {
        usable[i] = true;
        failed = ways[i].prepare ? ways[i].prepare(checking, &usable[i], err) : 0;
    }
    for (size_t i = 0; i < CUTS && !failed; i++) {
        failed = check_cut(checking, i, usable, totals, err);
    }
    for (size_t i = 0; i < WAYS; i++) {
        table_release(&totals[i]);
    }
    for (size_t i = 0; i < CUTS; i++) {
        group_sums_release(&checking->tallies[i]);
    }
    free(checking);
    return failed;
}
