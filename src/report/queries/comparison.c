/* SPDX-License-Identifier: MIT */
#include "report/queries/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/verify/row_sums.h"

/* Beyond this two ratios differ: the engine and C may add up doubles in different orders. */
#define RATIO_TOLERANCE 1e-12

static bool tells(comparison_knows *knows, const struct measure *measure)
{
    return !knows || knows(measure);
}

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
static void tell_cells(const struct recompute *with, struct recompute_comparison *c,
                       const struct side *a, size_t row_a, const struct side *b, size_t row_b,
                       size_t index)
{
    const size_t column = a->named + index;
    struct recompute_difference d = {
        .cut = c->cut,
        .sides = {a->name, b->name},
        .measure = row_sums_measure(index),
        .row = shown_name(a, row_a),
    };
    table_column(&d.numbers, d.measure->id, d.measure->label, a->table->columns[column].type,
                 d.measure->unit, COLUMN_MEASURE);
    table_row(&d.numbers);
    table_row(&d.numbers);
    copy_number(&d.numbers, 0, a, column, row_a);
    copy_number(&d.numbers, 1, b, column, row_b);
    with->differs(with->watcher, &d);
    table_release(&d.numbers);
    c->differences++;
}

/* `has` has a row that `other` has not. */
static void tell_row(const struct recompute *with, struct recompute_comparison *c,
                     const struct side *has, size_t row, const struct side *other)
{
    const struct recompute_difference d = {
        .cut = c->cut, .sides = {has->name, other->name}, .row = shown_name(has, row)};
    with->differs(with->watcher, &d);
    c->differences++;
}

static void compare_sides(const struct recompute *with, const struct recompute_cut *cut,
                          const struct side *a, const struct side *b, comparison_knows *knows)
{
    struct recompute_comparison c = {.cut = cut, .sides = {a->name, b->name}};
    for (size_t m = 0; m < ROW_SUMS_MEASURES; m++) {
        c.measures += tells(knows, row_sums_measure(m));
    }
    size_t i = 0, j = 0;
    while (i < a->table->row_count || j < b->table->row_count) {
        const bool left = i < a->table->row_count, right = j < b->table->row_count;
        const int order =
            !left    ? 1
            : !right ? -1
                     : compare_names(row_name(a, a->order[i]), row_name(b, b->order[j]));
        if (order < 0) {
            tell_row(with, &c, a, a->order[i++], b);
        } else if (order > 0) {
            tell_row(with, &c, b, b->order[j++], a);
        } else {
            for (size_t m = 0; m < ROW_SUMS_MEASURES; m++) {
                if (tells(knows, row_sums_measure(m)) &&
                    !is_same(a, a->order[i], b, b->order[j], a->named + m)) {
                    tell_cells(with, &c, a, a->order[i], b, b->order[j], m);
                }
            }
            i++, j++, c.rows++;
        }
    }
    with->compared(with->watcher, &c);
}

static bool adds_up(const struct recompute_cut *cut, size_t index)
{
    const struct measure *measure = row_sums_measure(index);
    return cut->dimension ? measure_adds_up(measure, dimension_find(str_of(cut->dimension)))
                          : measure->additive;
}

/*
 * One row: every measure that may be summed, summed over the rows; unknown where none is known.
 */
static void add_up(const struct recompute_cut *cut, const struct table *parts,
                   struct table *out)
{
    row_sums_columns(out, false);
    table_row(out);
    for (size_t i = 0; i < ROW_SUMS_MEASURES; i++) {
        wide_int sum = 0;
        bool any = false;
        for (size_t row = 0; adds_up(cut, i) && row < parts->row_count; row++) {
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
 * The rows of a cut against the total. An unknown total has no known parts, but a known one may
 * be a sum over nothing: where there are no rows, or where all that is known is zero, both say
 * nothing.
 */
void comparison_of_sums(const struct recompute *with, const struct recompute_cut *cut,
                        struct comparison_side whole, const struct table *parts,
                        comparison_knows *knows)
{
    const struct table *total = whole.table;
    struct recompute_comparison c = {
        .cut = cut, .sides = {whole.name, "its rows added up"}, .rows = parts->row_count};
    struct table sums = {0};
    add_up(cut, parts, &sums);
    const struct side a = {whole.name, total, false, NULL};
    const struct side b = {"its rows added up", &sums, false, NULL};
    for (size_t i = 0; i < ROW_SUMS_MEASURES; i++) {
        const bool known = table_has(total, i, 0), any = table_has(&sums, i, 0);
        if (!adds_up(cut, i) || !tells(knows, row_sums_measure(i))) {
            continue;
        }
        c.measures++;
        if (known && any ? !is_same(&a, 0, &b, 0, i)
                         : (known && table_wide(total, i, 0) != 0) ||
                               (any && table_wide(&sums, i, 0) != 0)) {
            tell_cells(with, &c, &a, 0, &b, 0, i);
        }
    }
    table_release(&sums);
    with->compared(with->watcher, &c);
}

void comparison_of_rows(const struct recompute *with, const struct recompute_cut *cut,
                        bool named, struct comparison_side a, struct comparison_side b,
                        comparison_knows *knows)
{
    struct side left = make_side(a.name, a.table, named);
    struct side right = make_side(b.name, b.table, named);
    compare_sides(with, cut, &left, &right, knows);
    free(left.order);
    free(right.order);
}
