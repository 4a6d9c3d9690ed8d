/* SPDX-License-Identifier: MIT */
#include "serve/pages/pivot.h"

#include <math.h>
#include <stdlib.h>

#include "base/attribute.h"
#include "base/limit.h"
#include "base/mem.h"
#include "report/catalog.h"
#include "view/number.h"
#include "view/partial_marks.h"

enum { PIVOT_VALUES_MAX = 300, PIVOT_NAME_MAX = 1 << 10 };

/* A row of the other period, by the hash of what it is about. */
struct earlier {
    uint64_t about;
    size_t row;
};

struct pivot {
    struct page_view *view;
    const struct table *from; /* the answer */
    struct table out;
    size_t dimensions; /* columns of names and of intervals, before the numbers */
    size_t sum;        /* column that is shared out; column_count: none */
    struct answer other;
    struct earlier *earlier;
    size_t earlier_count;
    size_t share, before, change; /* columns of `out`; 0: none */
    double whole;                 /* sum of the column */
    bool has_whole;
};

static bool is_footer(const struct table *table, size_t row)
{
    return row + table->footer_count >= table->row_count;
}

static size_t dimensions_of(const struct table *table)
{
    size_t count = 0;
    while (count < table->column_count && table->columns[count].role == COLUMN_DIMENSION) {
        count++;
    }
    return count;
}

static uint64_t about_of(const struct table *table, size_t dimensions, size_t row)
{
    uint64_t hash = dimensions;
    for (size_t i = 0; i < dimensions; i++) {
        const struct column *column = &table->columns[i];
        const bool text = column->type == CELL_TEXT && column->present[row];
        const struct str name = text ? column->cells[row].text : (struct str){0};
        hash = str_hash(name, hash + column->present[row]);
    }
    return hash;
}

static int by_about(const void *a, const void *b)
{
    const struct earlier *x = a, *y = b;
    return x->about < y->about ? -1 : x->about > y->about;
}

/* The comparison, with the row of all together, which is for people. */
static const struct table *other_of(const struct pivot *pivot)
{
    return pivot->other.shown.column_count ? &pivot->other.shown : &pivot->other.table;
}

/* The row of the comparison that is about the same; row_count: none. */
static size_t find_earlier(const struct pivot *pivot, size_t row)
{
    const struct earlier wanted = {about_of(pivot->from, pivot->dimensions, row), 0};
    const struct earlier *found =
        bsearch(&wanted, pivot->earlier, pivot->earlier_count, sizeof(wanted), by_about);
    return found ? found->row : other_of(pivot)->row_count;
}

static bool is_aside_of_comparison(const char *name)
{
    static const char *const asides[] = {"every", "top", "sort", "reverse", "bottom"};
    for (size_t i = 0; i < COUNT_OF(asides); i++) {
        if (str_eq(str_of(name), str_of(asides[i]))) {
            return true;
        }
    }
    return false;
}

/*
 * The same rows in the other period. A comparison that cannot be made is left out: the numbers
 * stand without it.
 */
static void compare(struct pivot *pivot, const struct request_value *values, size_t count,
                    struct str with)
{
    struct request_value asked[PIVOT_VALUES_MAX];
    size_t n = 0;
    struct error why = {0};
    for (size_t i = 0; i < count && n < PIVOT_VALUES_MAX - 1; i++) {
        if (!is_aside_of_comparison(values[i].name)) {
            asked[n] = values[i];
            if (str_eq(str_of(values[i].name), STR("measure"))) { /* the first is compared */
                struct str list = values[i].text;
                asked[n].text = str_trim(str_cut(&list, ','));
            }
            n++;
        }
    }
    asked[n++] = (struct request_value){"with", with};
    const struct request request = {
        .operation = operation_find(STR("compare")), .values = asked, .count = n};
    pivot->other.noteless = true;
    if (service_call(pivot->view->service, &request, &pivot->other, &why) != 0) {
        model_format(pivot->view->model, "uncompared", "It cannot be compared: %s.", why.text);
        return;
    }
    const struct table *table = other_of(pivot);
    if (pivot->dimensions == 0 || dimensions_of(table) != pivot->dimensions) {
        return; /* rows are not of the same; all together are */
    }
    pivot->earlier = mem_alloc(table->row_count + 1, sizeof(*pivot->earlier));
    for (size_t row = 0; row < table->row_count; row++) {
        if (!is_footer(table, row)) {
            pivot->earlier[pivot->earlier_count++] =
                (struct earlier){about_of(table, pivot->dimensions, row), row};
        }
    }
    qsort(pivot->earlier, pivot->earlier_count, sizeof(*pivot->earlier), by_about);
}

/* The sums of intervals, or else the first measure, if rows of it may be summed. */
static size_t find_sum(const struct table *table, size_t dimensions, struct str measure)
{
    const size_t total = table_find(table, "total");
    const struct measure *found = measure_find(measure);
    if (total < table->column_count) {
        return total;
    }
    const size_t own =
        found && found->additive ? table_find(table, found->id) : table->column_count;
    return own >= dimensions ? own : table->column_count;
}

static void add_whole(struct pivot *pivot)
{
    const struct table *from = pivot->from;
    for (size_t row = 0; pivot->sum < from->column_count && row < from->row_count; row++) {
        if (!is_footer(from, row) && table_has(from, pivot->sum, row)) {
            pivot->whole += table_real(from, pivot->sum, row);
            pivot->has_whole = true;
        }
    }
}

static void add_columns(struct pivot *pivot, struct str with)
{
    const struct table *from = pivot->from;
    for (size_t i = 0; i < from->column_count; i++) {
        table_column_like(&pivot->out, &from->columns[i]);
    }
    if (pivot->sum < from->column_count && pivot->has_whole && pivot->whole > 0 &&
        pivot->dimensions > 0) {
        pivot->share =
            table_column(&pivot->out, "share", "Share", CELL_REAL, UNIT_RATIO, COLUMN_MEASURE);
    }
    if (pivot->earlier) {
        const bool year = str_eq(with, STR("last-year"));
        const struct column *like = &other_of(pivot)->columns[pivot->dimensions + 1];
        pivot->before = table_column(&pivot->out, "before", year ? "Year before" : "Before",
                                     like->type, like->unit, COLUMN_MEASURE);
        pivot->change = table_column(&pivot->out, "change", "Change", CELL_REAL, UNIT_RATIO,
                                     COLUMN_MEASURE);
    }
}

static void add_row(struct pivot *pivot, size_t row)
{
    const struct table *from = pivot->from, *other = other_of(pivot);
    struct table *out = &pivot->out;
    const size_t to = table_row(out);
    for (size_t i = 0; i < from->column_count; i++) {
        table_copy_cell(from, i, row, out, i, to);
    }
    if (pivot->share && table_has(from, pivot->sum, row)) {
        table_set_real(out, pivot->share, to, table_real(from, pivot->sum, row) / pivot->whole);
    }
    if (!pivot->earlier || (is_footer(from, row) && other->footer_count != 1)) {
        return;
    }
    const size_t then = is_footer(from, row) ? other->row_count - 1 : find_earlier(pivot, row);
    if (then < other->row_count) {
        table_copy_cell(other, pivot->dimensions + 1, then, out, pivot->before, to);
        table_copy_cell(other, pivot->dimensions + 3, then, out, pivot->change, to);
    }
}

/* Largest first, as the rows of a report are; rows of equal size stay as they came. */
static int by_sum(const void *a, const void *b, void *context)
{
    const struct pivot *pivot = context;
    const struct table *from = pivot->from;
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    const double value_x =
        table_has(from, pivot->sum, x) ? table_real(from, pivot->sum, x) : -HUGE_VAL;
    const double value_y =
        table_has(from, pivot->sum, y) ? table_real(from, pivot->sum, y) : -HUGE_VAL;
    return value_x > value_y ? -1 : value_x < value_y ? 1 : x < y ? -1 : x > y;
}

static void fill(struct pivot *pivot, struct pivot_part part, bool sorted)
{
    const struct table *from = pivot->from;
    const size_t rows = from->row_count - from->footer_count;
    size_t *order = mem_alloc(from->row_count + 1, sizeof(*order));
    for (size_t row = 0; row < from->row_count; row++) {
        order[row] = row;
    }
    if (sorted && pivot->sum < from->column_count) {
        qsort_r(order, rows, sizeof(*order), by_sum, pivot);
    }
    for (size_t row = 0; row < from->row_count; row++) {
        if (row >= rows || (row >= part.skip && row < part.skip + part.most)) {
            add_row(pivot, order[row]);
        }
    }
    pivot->out.footer_count = from->footer_count;
    pivot->out.in_sequence = from->in_sequence;
    free(order);
}

/*
 * How much all together changed, where the comparison says so: it does not of periods with
 * gaps.
 */
static void say_change(struct pivot *pivot, struct pivot_sum *sum)
{
    const struct table *other = other_of(pivot);
    const size_t at = dimensions_of(other) + 3;
    const size_t last = other->row_count - 1;
    if (other->row_count == 0 || (other->row_count > 1 && other->footer_count == 0) ||
        at >= other->column_count || !table_has(other, at, last)) {
        return;
    }
    const double change = table_real(other, at, last);
    sum->change = arena_printf(pivot->view->arena, "%.1f %%", 100 * fabs(change));
    sum->more = change > 0;
}

static void say_sum(struct pivot *pivot, struct pivot_sum *sum)
{
    const struct table *from = pivot->from;
    struct table one = {0};
    struct buf text;
    sum->rows = from->row_count - from->footer_count;
    if (!pivot->has_whole) {
        return;
    }
    buf_init(&text, PIVOT_NAME_MAX);
    table_column(&one, "sum", "", CELL_REAL, from->columns[pivot->sum].unit, COLUMN_MEASURE);
    table_set_real(&one, 0, table_row(&one), pivot->whole);
    number_human(&text, &one, 0, 0, pivot->view->service->zone);
    sum->total = arena_text(pivot->view->arena, buf_str(&text));
    buf_release(&text);
    table_release(&one);
    say_change(pivot, sum);
}

static struct str value_of(const struct request_value *values, size_t count, const char *name)
{
    struct str found = {0};
    for (size_t i = 0; i < count; i++) {
        found = str_eq(str_of(values[i].name), str_of(name)) ? values[i].text : found;
    }
    return found;
}

int pivot_show(struct page_view *view, const char *title, const struct request_value *values,
               size_t count, struct str with, struct pivot_part part, struct pivot_sum *sum,
               struct error *err)
{
    const struct panel panel = {title, NULL, "", PANEL_TABLE | PANEL_WIDE, NULL, NULL};
    struct str list = value_of(values, count, "measure");
    const struct str first = str_trim(str_cut(&list, ','));
    const bool turned = value_of(values, count, "every").len > 0 && !list.ptr;
    struct request_value asked[PIVOT_VALUES_MAX];
    struct answer answer = {.noteless = true};
    size_t n = 0;
    while (n < count && n < PIVOT_VALUES_MAX - 1) {
        asked[n] = values[n];
        n++;
    }
    if (turned) {
        asked[n++] = (struct request_value){"across", STR("every")};
    }
    const struct request request = {
        .operation = operation_find(STR("report")), .values = asked, .count = n};
    int failed = service_call(view->service, &request, &answer, err);
    if (!failed) {
        const struct table *from = answer.shown.column_count ? &answer.shown : &answer.table;
        struct pivot pivot = {.view = view, .from = from, .dimensions = dimensions_of(from)};
        pivot.sum = find_sum(from, pivot.dimensions, first);
        add_whole(&pivot);
        if (with.len > 0 && (turned || value_of(values, count, "every").len == 0)) {
            compare(&pivot, values, count, with);
        }
        add_columns(&pivot, with);
        fill(&pivot, part, turned);
        say_sum(&pivot, sum);
        struct table marked = {0};
        if (partial_marks_is(&pivot.out)) {
            partial_marks_table(&pivot.out, &marked);
        }
        panel_show(view, view->model, &panel, marked.column_count ? &marked : &pivot.out);
        table_release(&marked);
        table_release(&pivot.out);
        answer_release(&pivot.other);
        free(pivot.earlier);
    }
    answer_release(&answer);
    return failed;
}
