/* SPDX-License-Identifier: MIT */
#include "report/recompute.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "report/question.h"
#include "report/tallies.h"

enum { ROWS_AT_A_TIME = 20000 };

/* Beyond this two ratios differ: the engine and C may add up doubles in different orders. */
#define RATIO_TOLERANCE 1e-12

static const struct recompute_cut cuts[] = {
    {"in all", NULL, BUCKET_NONE},
    {"by cluster", "cluster", BUCKET_NONE},
    {"by partition", "partition", BUCKET_NONE},
    {"by user", "user", BUCKET_NONE},
    {"every year", NULL, BUCKET_YEAR},
    {"every month", NULL, BUCKET_MONTH},
    {"every day", NULL, BUCKET_DAY},
};

enum { CUTS = COUNT_OF(cuts) };

struct checking {
    const struct recompute *with;
    struct tallies tallies[CUTS]; /* row by row */
    const struct field *fields[RUN_FIELD_COUNT];
    size_t field_count;
};

/* --- the ways -------------------------------------------------------------------------------- */

/* The SQL of questions. */
static int answer_question(struct checking *checking, size_t cut, struct table *out,
                           struct error *err)
{
    struct question question = {
        .period = checking->with->period,
        .zone = checking->with->zone,
        .now = checking->with->now,
        .bucket = cuts[cut].bucket,
        .measure_count = TALLY_MEASURES,
    };
    for (size_t i = 0; i < TALLY_MEASURES; i++) {
        question.measures[i] = tally_measure(i);
    }
    if (cuts[cut].dimension) {
        question.dimensions[question.dimension_count++] =
            dimension_find(str_of(cuts[cut].dimension));
    }
    return question_ask(checking->with->facts, &question, out, err);
}

static void choose_fields(struct checking *checking)
{
    enum run_field field;
    for (size_t i = 0; tally_field(i, &field); i++) {
        checking->fields[checking->field_count++] = &run_fields[field];
    }
    for (size_t i = 0; i < CUTS; i++) {
        if (cuts[i].dimension) {
            checking->fields[checking->field_count++] =
                dimension_find(str_of(cuts[i].dimension));
        }
    }
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

/* Rows from `first` on: as many as fit the memory we allow ourselves. */
static int add_rows(struct checking *checking, int64_t first, struct error *err)
{
    struct table table = {0};
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    for (size_t i = 0; i < checking->field_count; i++) {
        buf_addf(&sql, "%s%s AS f%zu", i ? ", " : "SELECT ", column_sql(checking->fields[i]),
                 i);
    }
    buf_addz(&sql, " FROM runs WHERE rowid >= ? AND rowid < ?");
    const struct facts_value values[] = {FACTS_INT(first), FACTS_INT(first + ROWS_AT_A_TIME)};
    int failed = facts_query(checking->with->facts, sql.ptr,
                             (struct facts_values){values, COUNT_OF(values)}, &table, err);
    for (size_t row = 0; !failed && row < table.row_count; row++) {
        const struct run run = run_of_row(checking, &table, row);
        for (size_t i = 0; i < CUTS; i++) {
            tallies_add(&checking->tallies[i], &run);
        }
    }
    table_release(&table);
    buf_release(&sql);
    return failed;
}

/* Every run once, for all cuts. */
static int read_rows(struct checking *checking, struct error *err)
{
    const struct recompute *with = checking->with;
    int64_t last = 0;
    int failed = facts_number(with->facts, "SELECT max(rowid) + 1 FROM runs",
                              (struct facts_values){0}, &last, NULL, err);
    choose_fields(checking);
    for (size_t i = 0; !failed && i < CUTS; i++) {
        failed = tallies_init(&checking->tallies[i], with, &cuts[i], err);
    }
    for (int64_t first = 0; !failed && first < last; first += ROWS_AT_A_TIME) {
        if (with->progress && !with->progress(with->watcher, first, last)) {
            return error_set(err, ERROR_STOPPED,
                             "stopped after %" PRId64 " of %" PRId64 " runs", first, last);
        }
        failed = add_rows(checking, first, err);
    }
    return failed;
}

static int answer_rows(struct checking *checking, size_t cut, struct table *out,
                       struct error *err)
{
    (void)err;
    tallies_table(&checking->tallies[cut], out);
    return 0;
}

/* Another way to the same numbers is another row. The first is what users see. */
static const struct way {
    const char *name;
    const char *total;                                            /* its answer in all */
    int (*prepare)(struct checking *checking, struct error *err); /* NULL: nothing to do */
    int (*answer)(struct checking *checking, size_t cut, struct table *out, struct error *err);
} ways[] = {
    {"by question", "the total by question", NULL, answer_question},
    {"row by row", "the total row by row", read_rows, answer_rows},
};

enum { WAYS = COUNT_OF(ways) };

/* --- comparing ------------------------------------------------------------------------------- */

/* One side of a comparison. */
struct side {
    const char *name;
    const struct table *table;
    bool named; /* its first column is the row's name */
    size_t *order;
};

static struct str row_name(const struct side *side, size_t row)
{
    if (!side->named) {
        return (struct str){0};
    }
    return table_has(side->table, 0, row) ? side->table->columns[0].cells[row].text
                                          : (struct str){0};
}

/* By name; what is absent comes first. */
static int compare_names(struct str a, struct str b)
{
    return !a.ptr || !b.ptr ? !!a.ptr - !!b.ptr : str_compare(a, b);
}

static int compare_rows(const void *a, const void *b, void *context)
{
    return compare_names(row_name(context, *(const size_t *)a),
                         row_name(context, *(const size_t *)b));
}

static struct side make_side(const char *name, const struct table *table, bool named)
{
    struct side side = {name, table, named, mem_alloc(table->row_count + 1, sizeof(size_t))};
    for (size_t i = 0; i < table->row_count; i++) {
        side.order[i] = i;
    }
    qsort_r(side.order, table->row_count, sizeof(size_t), compare_rows, &side);
    return side;
}

static void copy_number(struct table *to, size_t row, const struct side *side, size_t column,
                        size_t from_row)
{
    const struct column *c = &side->table->columns[column];
    if (!table_has(side->table, column, from_row)) {
        return;
    }
    if (c->type == CELL_REAL) {
        table_set_real(to, 0, row, c->cells[from_row].real);
    } else {
        table_set_wide(to, 0, row, table_wide(side->table, column, from_row));
    }
}

static bool is_same(const struct side *a, size_t row_a, const struct side *b, size_t row_b,
                    size_t column)
{
    const bool known = table_has(a->table, column, row_a);
    if (known != table_has(b->table, column, row_b) || !known) {
        return known == table_has(b->table, column, row_b);
    }
    if (a->table->columns[column].type != CELL_REAL) {
        return table_wide(a->table, column, row_a) == table_wide(b->table, column, row_b);
    }
    const double x = a->table->columns[column].cells[row_a].real;
    const double y = b->table->columns[column].cells[row_b].real;
    return fabs(x - y) <= RATIO_TOLERANCE * fmax(fabs(x), fabs(y));
}

static struct str shown_name(const struct side *side, size_t row)
{
    struct str name = row_name(side, row);
    return side->named && !name.ptr ? STR("---") : name;
}

/* Says that cells differ, and counts it. */
static void tell_cells(const struct checking *checking, struct recompute_comparison *c,
                       const struct side *a, size_t row_a, const struct side *b, size_t row_b,
                       size_t index)
{
    const size_t column = a->named + index;
    struct recompute_difference d = {
        .cut = c->cut,
        .sides = {a->name, b->name},
        .measure = tally_measure(index),
        .row = shown_name(a, row_a),
    };
    table_column(&d.numbers, d.measure->id, d.measure->label, a->table->columns[column].type,
                 d.measure->unit, COLUMN_MEASURE);
    table_row(&d.numbers);
    table_row(&d.numbers);
    copy_number(&d.numbers, 0, a, column, row_a);
    copy_number(&d.numbers, 1, b, column, row_b);
    checking->with->differs(checking->with->watcher, &d);
    table_release(&d.numbers);
    c->differences++;
}

/* `has` has a row that `lacks` has not. */
static void tell_row(const struct checking *checking, struct recompute_comparison *c,
                     const struct side *has, size_t row, const struct side *lacks)
{
    const struct recompute_difference d = {
        .cut = c->cut, .sides = {has->name, lacks->name}, .row = shown_name(has, row)};
    checking->with->differs(checking->with->watcher, &d);
    c->differences++;
}

static void compare_sides(const struct checking *checking, const struct recompute_cut *cut,
                          const struct side *a, const struct side *b)
{
    struct recompute_comparison c = {
        .cut = cut, .sides = {a->name, b->name}, .measures = TALLY_MEASURES};
    size_t i = 0, j = 0;
    while (i < a->table->row_count || j < b->table->row_count) {
        const bool left = i < a->table->row_count, right = j < b->table->row_count;
        const int order =
            !left    ? 1
            : !right ? -1
                     : compare_names(row_name(a, a->order[i]), row_name(b, b->order[j]));
        if (order < 0) {
            tell_row(checking, &c, a, a->order[i++], b);
        } else if (order > 0) {
            tell_row(checking, &c, b, b->order[j++], a);
        } else {
            for (size_t m = 0; m < TALLY_MEASURES; m++) {
                if (!is_same(a, a->order[i], b, b->order[j], a->named + m)) {
                    tell_cells(checking, &c, a, a->order[i], b, b->order[j], m);
                }
            }
            i++, j++, c.rows++;
        }
    }
    checking->with->compared(checking->with->watcher, &c);
}

/* One row: every measure that may be summed, summed over the rows; unknown where none is known. */
static void add_up(const struct table *parts, struct table *out)
{
    for (size_t i = 0; i < TALLY_MEASURES; i++) {
        const struct measure *m = tally_measure(i);
        table_column(out, m->id, m->label, m->real ? CELL_REAL : CELL_WIDE, m->unit,
                     COLUMN_MEASURE);
    }
    table_row(out);
    for (size_t i = 0; i < TALLY_MEASURES; i++) {
        wide_int sum = 0;
        bool any = false;
        for (size_t row = 0; tally_measure(i)->additive && row < parts->row_count; row++) {
            if (table_has(parts, 1 + i, row)) {
                sum += table_wide(parts, 1 + i, row);
                any = true;
            }
        }
        if (any) {
            table_set_wide(out, i, 0, sum);
        }
    }
}

/*
 * The rows of a cut against the total. An unknown total has no known parts, but a known one may be a
 * sum over nothing: where there are no rows, or where all that is known is zero, both say nothing.
 */
static void compare_sums(const struct checking *checking, size_t cut, const struct way *way,
                         const struct table *total, const struct table *parts)
{
    struct recompute_comparison c = {.cut = &cuts[cut],
                                     .sides = {way->total, "its rows added up"},
                                     .rows = parts->row_count};
    struct table sums = {0};
    add_up(parts, &sums);
    const struct side a = {way->total, total, false, NULL};
    const struct side b = {"its rows added up", &sums, false, NULL};
    for (size_t i = 0; i < TALLY_MEASURES; i++) {
        const bool known = table_has(total, i, 0), any = table_has(&sums, i, 0);
        if (!tally_measure(i)->additive) {
            continue;
        }
        c.measures++;
        if (known && any ? !is_same(&a, 0, &b, 0, i)
                         : (known && table_wide(total, i, 0) != 0) ||
                               (any && table_wide(&sums, i, 0) != 0)) {
            tell_cells(checking, &c, &a, 0, &b, 0, i);
        }
    }
    table_release(&sums);
    checking->with->compared(checking->with->watcher, &c);
}

/* All comparisons of a cut; `totals` are what each way says in all. */
static int check_cut(struct checking *checking, size_t cut, struct table totals[WAYS],
                     struct error *err)
{
    const bool named = cuts[cut].dimension || cuts[cut].bucket != BUCKET_NONE;
    struct table tables[WAYS] = {0};
    int failed = 0;
    for (size_t i = 0; i < WAYS && !failed; i++) {
        failed = ways[i].answer(checking, cut, named ? &tables[i] : &totals[i], err);
    }
    struct table *answers = named ? tables : totals;
    for (size_t i = 1; i < WAYS && !failed; i++) {
        struct side a = make_side(ways[0].name, &answers[0], named);
        struct side b = make_side(ways[i].name, &answers[i], named);
        compare_sides(checking, &cuts[cut], &a, &b);
        free(a.order);
        free(b.order);
    }
    for (size_t i = 0; i < WAYS && named && !failed; i++) {
        compare_sums(checking, cut, &ways[i], &totals[i], &tables[i]);
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
    int failed = 0;
    checking->with = recompute;
    for (size_t i = 0; i < WAYS && !failed; i++) {
        failed = ways[i].prepare ? ways[i].prepare(checking, err) : 0;
    }
    for (size_t i = 0; i < CUTS && !failed; i++) { /* the first cut is the total */
        failed = check_cut(checking, i, totals, err);
    }
    for (size_t i = 0; i < WAYS; i++) {
        table_release(&totals[i]);
    }
    for (size_t i = 0; i < CUTS; i++) {
        tallies_release(&checking->tallies[i]);
    }
    free(checking);
    return failed;
}
