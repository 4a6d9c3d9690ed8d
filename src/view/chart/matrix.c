/* SPDX-License-Identifier: MIT */

/*
 * Rows laid out as categories x series: the categories are buckets of time or names, the series
 * are names or measures.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/limit.h"
#include "base/mem.h"
#include "view/chart/build.h"
#include "view/chart/name_index.h"
#include "view/chart/top_n.h"
#include "view/number.h"

/* Which columns name a category and a series; without columns the series are measures. */
struct grid {
    struct chart *chart;
    const struct answer_shape *shape;
    size_t category_columns[ANSWER_SHAPE_COLUMNS_MAX + 1], category_column_count;
    size_t series_columns[ANSWER_SHAPE_COLUMNS_MAX], series_column_count;
    size_t measures;
    struct name_index categories, series;
    int64_t *edges; /* of buckets; or NULL */
};

static void add_columns(size_t *to, size_t *count, const size_t *from, size_t more)
{
    for (size_t i = 0; i < more; i++) {
        to[(*count)++] = from[i];
    }
}

/* Whether two names are categories and series, rather than one name joined. */
static bool pairs_names(enum chart_kind kind, const struct answer_shape *shape)
{
    return (kind == CHART_STACKED || kind == CHART_HEAT) && shape->name_count == 2;
}

size_t build_measures(enum chart_kind kind, const struct answer_shape *shape)
{
    if (kind == CHART_SCATTER) {
        return 2;
    }
    bool names = shape->has_period ? shape->name_count > 0 : pairs_names(kind, shape);
    bool aimed = shape->target_count > 0 && !shape->shared && /* by the first measure alone */
                 (kind == CHART_BAR || kind == CHART_LINE);
    if (names || aimed || kind == CHART_HISTOGRAM || kind == CHART_BOX) {
        return 1;
    }
    size_t most = chart_forms[kind].series_max;
    return answer_shape_keys(shape) == 0 || shape->alike < most ? shape->alike : most;
}

/* Time goes across; of two names the first goes across, but down the side of a heat map. */
static void lay_out(struct grid *grid)
{
    const struct answer_shape *shape = grid->shape;
    if (shape->has_period) {
        add_columns(grid->category_columns, &grid->category_column_count, &shape->period, 1);
        add_columns(grid->series_columns, &grid->series_column_count, shape->names,
                    shape->name_count);
    } else if (pairs_names(grid->chart->kind, shape)) {
        bool side = grid->chart->kind == CHART_HEAT;
        add_columns(grid->category_columns, &grid->category_column_count,
                    &shape->names[side ? 1 : 0], 1);
        add_columns(grid->series_columns, &grid->series_column_count,
                    &shape->names[side ? 0 : 1], 1);
    } else {
        add_columns(grid->category_columns, &grid->category_column_count, shape->names,
                    shape->name_count);
    }
    grid->measures = build_measures(grid->chart->kind, shape);
}

/* Instants of an answer. */
struct moments {
    int64_t first, last, step;
};

/* The first and last label of the buckets in the answer. */
static void ends_of(const struct answer_shape *shape, struct str *first, struct str *last)
{
    const struct column *column = &shape->table->columns[shape->period];
    for (size_t row = 0; row < shape->table->row_count; row++) {
        if (column->present[row]) {
            struct str label = column->cells[row].text;
            *first = !first->ptr || str_compare(label, *first) < 0 ? label : *first;
            *last = !last->ptr || str_compare(label, *last) > 0 ? label : *last;
        }
    }
}

/* From the first bucket to the last, and all of the period as far as it has happened. */
static int find_span(const struct answer_shape *shape, const struct chart_wish *wish,
                     struct period *out, struct error *err)
{
    struct str first = {0}, last = {0};
    struct period begin, end;
    int failed;
    ends_of(shape, &first, &last);
    (void)((failed = calendar_span(first, wish->zone, wish->now, &begin, err)) ||
           (failed = calendar_span(last, wish->zone, wish->now, &end, err)));
    if (failed) {
        return failed;
    }
    *out = (struct period){begin.from, end.to > end.from ? end.to : end.from + 1};
    if (wish->period.from < wish->period.to) {
        int64_t until = wish->now && wish->now < wish->period.to ? wish->now : wish->period.to;
        out->from = wish->period.from < out->from ? wish->period.from : out->from;
        out->to = until > out->to ? until : out->to;
    }
    return 0;
}

/* The greatest length that both are multiples of. */
static int64_t common_step(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The first and last instant of the answer, and a step that leads from the first to each. */
static struct moments moments_of(const struct answer_shape *shape)
{
    const struct column *column = &shape->table->columns[shape->period];
    struct moments found = {column->cells[0].integer, column->cells[0].integer, 0};
    for (size_t row = 0; row < shape->table->row_count; row++) {
        const int64_t at = column->cells[row].integer;
        found.step = common_step(found.step, llabs(at - found.first));
        found.first = at < found.first ? at : found.first;
        found.last = at > found.last ? at : found.last;
    }
    found.step = found.step ? found.step : HOUR_US;
    return found;
}

/* A category for each instant from the first to the last, named as number_human does. */
static int list_moments(struct grid *grid, const struct chart_wish *wish, struct error *err)
{
    const struct moments all = moments_of(grid->shape);
    const int64_t steps = (all.last - all.first) / all.step;
    if (steps >= LIMIT_BUCKETS) {
        return error_set(err, ERROR_LIMIT,
                         "a picture shows at most %d instants: choose a shorter period",
                         LIMIT_BUCKETS);
    }
    grid->edges = mem_alloc((size_t)steps + 2, sizeof *grid->edges);
    struct buf name;
    size_t count = 0; /* an hour that a clock change brings twice is one */
    buf_init(&name, LIMIT_ARGUMENT);
    for (int64_t i = 0; i <= steps; i++) {
        const int64_t at = all.first + i * all.step;
        buf_clear(&name);
        number_instant(&name, at, wish->zone);
        if (name_index_add(&grid->categories, buf_str(&name)) == count) {
            grid->edges[count++] = at;
        }
    }
    grid->edges[count] = all.last + all.step;
    buf_release(&name);
    return 0;
}

/* A category for each bucket, those without a row included. */
static int list_buckets(struct grid *grid, const struct chart_wish *wish, struct error *err)
{
    struct period span;
    size_t count;
    int failed;
    if (grid->shape->moments) {
        return list_moments(grid, wish, err);
    }
    (void)((failed = find_span(grid->shape, wish, &span, err)) ||
           (failed = calendar_edges(span, grid->shape->bucket, wish->zone, &grid->edges, &count,
                                    err)));
    for (size_t i = 0; !failed && i < count; i++) {
        char label[BUCKET_LABEL_MAX];
        calendar_label(grid->edges[i], grid->shape->bucket, wish->zone, label);
        name_index_add(&grid->categories, str_of(label));
    }
    return failed;
}

static size_t number_of(struct name_index *roster, struct buf *name,
                        const struct answer_shape *shape, size_t row, const size_t *columns,
                        size_t count)
{
    buf_clear(name);
    answer_shape_add_name(name, shape, row, columns, count);
    return name_index_add(roster, buf_str(name));
}

/* Every name that occurs; measures are series of their own. */
static void list_names(struct grid *grid, struct buf *name)
{
    const struct answer_shape *shape = grid->shape;
    for (size_t row = 0; row < shape->table->row_count; row++) {
        number_of(&grid->categories, name, shape, row, grid->category_columns,
                  grid->category_column_count);
        if (grid->series_column_count > 0) {
            number_of(&grid->series, name, shape, row, grid->series_columns,
                      grid->series_column_count);
        }
    }
    for (size_t i = 0; grid->series_column_count == 0 && i < grid->measures; i++) {
        name_index_add(&grid->series, str_of(answer_shape_label(shape, shape->measures[i])));
    }
}

static void add_value(struct chart *chart, size_t series, size_t category, double value)
{
    const struct chart_series *s = &chart->series[series];
    chart_set(chart, series, category,
              s->present[category] ? s->values[category] + value : value);
}

/* Targets are drawn where a category has one value, which they can be compared with. */
static void add_targets(struct grid *grid)
{
    struct chart *chart = grid->chart;
    if (chart->series_count != 1 || (grid->measures != 1 && !grid->shape->shared)) {
        return;
    }
    for (size_t t = 0; t < grid->shape->target_count && t < CHART_TARGETS_MAX; t++) {
        const struct column *column = &grid->shape->table->columns[grid->shape->targets[t]];
        chart->targets[chart->target_count++] = (struct chart_target){
            .label = arena_text(&chart->arena, str_of(column->label)), .each = true};
    }
}

static void set_targets(struct grid *grid, size_t category, size_t row)
{
    struct chart *chart = grid->chart;
    for (size_t t = 0; t < chart->target_count; t++) {
        const double value = answer_shape_value(grid->shape, grid->shape->targets[t], row);
        if (isfinite(value)) {
            chart->categories[category].targets[t].value = value;
            chart->categories[category].targets[t].has = true;
        }
    }
}

static void fill(struct grid *grid, struct buf *name, bool *seen)
{
    const struct answer_shape *shape = grid->shape;
    struct chart *chart = grid->chart;
    for (size_t row = 0; row < shape->table->row_count; row++) {
        size_t category = number_of(&grid->categories, name, shape, row, grid->category_columns,
                                    grid->category_column_count);
        size_t series = grid->series_column_count == 0
                            ? 0
                            : number_of(&grid->series, name, shape, row, grid->series_columns,
                                        grid->series_column_count);
        seen[series * chart->category_count + category] = true;
        set_targets(grid, category, row);
        for (size_t m = 0; m < grid->measures; m++) {
            const double value = answer_shape_value(shape, shape->measures[m], row);
            if (shape->moments) {
                chart_set(chart, series + m, category, value);
            } else {
                add_value(chart, series + m, category, value);
            }
        }
    }
}

/* Nothing is known of a group and bucket without a row but that nothing happened. */
static void fill_missing(struct grid *grid, const bool *seen)
{
    struct chart *chart = grid->chart;
    for (size_t s = 0; chart->additive && s < chart->series_count; s++) {
        size_t series = grid->series_column_count == 0 ? 0 : s;
        for (size_t c = 0; c < chart->category_count; c++) {
            if (!seen[series * chart->category_count + c]) {
                chart_set(chart, s, c, 0);
            }
        }
    }
}

/* Whether all that a category has is zeros. */
static bool is_nothing(const struct chart *chart, size_t category)
{
    bool nothing = true;
    for (size_t s = 0; nothing && s < chart->series_count; s++) {
        nothing = !chart->series[s].present[category] || chart->series[s].values[category] == 0;
    }
    return nothing;
}

/* Whether there are data of any of a time: of one cluster, or with NULL of any. */
static bool is_covered(const struct chart_wish *wish, const struct str *cluster, int64_t from,
                       int64_t to)
{
    for (size_t i = 0; i < wish->cover_count; i++) {
        const struct coverage_stretch *cover = &wish->covers[i];
        if ((!cluster || str_eq(cover->cluster, *cluster)) && cover->period.from < to &&
            cover->period.to > from) {
            return true;
        }
    }
    return wish->cover_count == 0;
}

/* Whether a series is a cluster of which it is known when there are data. */
static bool is_cluster(const struct grid *grid, const struct chart_wish *wish, size_t series)
{
    const struct str name = grid->chart->series[series].name;
    bool known = false;
    for (size_t i = 0; i < wish->cover_count && !known; i++) {
        known = str_eq(wish->covers[i].cluster, name);
    }
    return known && grid->series_column_count == 1 &&
           str_eq(str_of(grid->shape->table->columns[grid->series_columns[0]].id),
                  STR("cluster"));
}

/* A zero of a cluster at a time without data of it says nothing. */
static void take_unknown(struct grid *grid, const struct chart_wish *wish, size_t category)
{
    struct chart *chart = grid->chart;
    const int64_t from = grid->edges[category], to = grid->edges[category + 1];
    for (size_t s = 0; s < chart->series_count; s++) {
        struct chart_series *series = &chart->series[s];
        if (series->present[category] && series->values[category] == 0 &&
            is_cluster(grid, wish, s) && !is_covered(wish, &series->name, from, to)) {
            series->present[category] = false;
        }
    }
}

static void describe_buckets(struct grid *grid, const struct chart_wish *wish)
{
    struct chart *chart = grid->chart;
    const struct period *period = &wish->period, *covered = &wish->covered;
    const bool moments =
        grid->shape->moments; /* what they are of is as far as it was looked at */
    bool any = false;
    chart->bucket = grid->shape->bucket;
    for (size_t i = 0; i < chart->category_count; i++) {
        int64_t from = grid->edges[i], to = grid->edges[i + 1];
        chart->categories[i].start = zone_civil(wish->zone, from);
        const bool ahead =
            !moments &&
            ((wish->now && from >= wish->now) ||
             (covered->from < covered->to && (from >= covered->to || to <= covered->from) &&
              is_nothing(chart, i)) ||
             (!is_covered(wish, NULL, from, to) && is_nothing(chart, i)));
        chart->categories[i].unrecorded = ahead && !(wish->now && from >= wish->now);
        if (!ahead && !moments) {
            take_unknown(grid, wish, i);
        }
        chart->categories[i].partial =
            !ahead && !moments &&
            ((period->from < period->to && (from < period->from || to > period->to)) ||
             (covered->from < covered->to && (from < covered->from || to > covered->to)) ||
             (wish->now > from && wish->now < to));
        any = any || chart->categories[i].partial;
        for (size_t s = 0; ahead && s < chart->series_count; s++) {
            chart->series[s].present[i] =
                false; /* of what has not happened, or has no data, nothing is known */
        }
    }
    if (any) {
        chart_note(
            chart,
            "Hatched, dotted or starred: a %s only partly covered by the period or the data.",
            bucket_name(chart->bucket));
    }
}

/* --- the order of names --- */

/* A number if the name is one, or a day of the week: such names have an order of their own. */
static bool rank_of(struct str name, double *out)
{
    static const char *const weekdays[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};
    for (size_t i = 0; i < COUNT_OF(weekdays) && name.len >= 3 && name.len <= 9; i++) {
        if (str_eq_nocase((struct str){name.ptr, 3}, str_of(weekdays[i])) &&
            (name.len == 3 || str_ends(name, STR("day")))) {
            *out = (double)i;
            return true;
        }
    }
    double number = 0;
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] < '0' || name.ptr[i] > '9' || name.len > 15) {
            return false;
        }
        number = number * 10 + (name.ptr[i] - '0');
    }
    *out = number;
    return name.len > 0;
}

/*
 * Weights that give names their own order; false if they have none. What is unknown comes last.
 */
static bool own_order(const struct name_index *names, double *weights)
{
    for (size_t i = 0; i < names->count; i++) {
        double rank = 1e18;
        if (!rank_of(names->names[i], &rank) && !str_eq(names->names[i], STR("---"))) {
            return false;
        }
        weights[i] = -rank;
    }
    return names->count > 1;
}

static void order_categories(struct grid *grid)
{
    struct chart *chart = grid->chart;
    size_t count = chart->category_count;
    double *weights = mem_alloc(count + 1, sizeof *weights);
    size_t *order = mem_alloc(count + 1, sizeof *order);
    bool own = own_order(&grid->categories, weights);
    for (size_t i = 0; !own && i < count; i++) {
        weights[i] = chart_category_weight(chart, i);
    }
    if (own || (chart->additive && grid->series_column_count > 0)) {
        chart_order_by(order, count, weights);
        chart_take_categories(chart, order, count);
    }
    free(weights);
    free(order);
}

static void order_series(struct grid *grid)
{
    struct chart *chart = grid->chart;
    size_t count = chart->series_count;
    double *weights = mem_alloc(count + 1, sizeof *weights);
    size_t *order = mem_alloc(count + 1, sizeof *order);
    if (!own_order(&grid->series, weights)) {
        for (size_t i = 0; i < count; i++) {
            weights[i] = chart_series_weight(chart, i);
        }
    }
    chart_order_by(order, count, weights);
    chart_take_series(chart, order, count);
    free(weights);
    free(order);
}

static void name_all(struct grid *grid)
{
    struct chart *chart = grid->chart;
    for (size_t i = 0; i < chart->category_count; i++) {
        chart->categories[i].name = arena_copy(&chart->arena, grid->categories.names[i]);
    }
    for (size_t i = 0; i < chart->series_count; i++) {
        chart->series[i].name = arena_copy(&chart->arena, grid->series.names[i]);
    }
}

/* Without names and buckets there is one row: a bar for each of its measures. */
static void fill_lone(struct grid *grid)
{
    struct chart *chart = grid->chart;
    const struct answer_shape *shape = grid->shape;
    chart_shape(chart, grid->measures, 1);
    add_targets(grid);
    for (size_t m = 0; m < grid->measures; m++) {
        for (size_t row = 0; row < shape->table->row_count; row++) {
            set_targets(grid, m, row);
        }
        chart->categories[m].name =
            arena_copy(&chart->arena, str_of(answer_shape_label(shape, shape->measures[m])));
        for (size_t row = 0; row < shape->table->row_count; row++) {
            add_value(chart, 0, m, answer_shape_value(shape, shape->measures[m], row));
        }
    }
}

/* Rows are few where most groups do little; laid out, each has a place in each bucket. */
static int check_size(const struct grid *grid, struct error *err)
{
    size_t categories = grid->categories.count, series = grid->series.count;
    if (series == 0 || categories <= LIMIT_CHART_CELLS / series) {
        return 0;
    }
    return error_set(err, ERROR_LIMIT,
                     "%zu by %zu values are too many for a picture: choose a longer --every, a "
                     "shorter period or fewer names",
                     categories, series);
}

static void fill_all(struct grid *grid, const struct chart_wish *wish, struct buf *name)
{
    struct chart *chart = grid->chart;
    chart_shape(chart, grid->categories.count, grid->series.count);
    size_t cells = (chart->category_count + 1) * (chart->series_count + 1);
    bool *seen = mem_alloc(cells, sizeof *seen);
    add_targets(grid);
    fill(grid, name, seen);
    fill_missing(grid, seen);
    free(seen);
    name_all(grid);
    if (grid->edges) {
        describe_buckets(grid, wish);
    } else {
        order_categories(grid);
    }
    if (grid->series_column_count > 0) {
        order_series(grid);
    }
}

static size_t column_beside(const struct table *table, const char *id)
{
    size_t c = 0;
    while (c < table->column_count &&
           !(str_eq(str_of(table->columns[c].id), str_of(id)) &&
             table->columns[c].role == COLUMN_BESIDE && table->columns[c].type != CELL_TEXT)) {
        c++;
    }
    return c;
}

void build_ranges(struct chart *chart, const struct answer_shape *shape)
{
    const struct table *table = shape->table;
    const size_t low = column_beside(table, "low"), high = column_beside(table, "high");
    if (low == table->column_count || high == table->column_count || !shape->has_period ||
        shape->moments || chart->series_count != 1) {
        return;
    }
    for (size_t row = 0; row < table->row_count; row++) {
        const double least = answer_shape_value(shape, low, row);
        size_t c = 0;
        while (
            c < chart->category_count &&
            !str_eq(chart->categories[c].name, table->columns[shape->period].cells[row].text)) {
            c++;
        }
        if (c < chart->category_count && isfinite(least)) {
            chart_set(chart, 0, c, answer_shape_value(shape, shape->measures[0], row));
            chart_band(chart, 0, c, least, answer_shape_value(shape, high, row));
            chart->categories[c].partial = false;
        }
    }
}

int build_grid(struct chart *chart, const struct answer_shape *shape,
               const struct chart_wish *wish, struct error *err)
{
    struct grid grid = {.chart = chart, .shape = shape};
    struct buf name;
    int failed = 0;
    lay_out(&grid);
    buf_init(&name, LIMIT_RECORD);
    chart->additive = shape->additive;
    if (grid.measures > 1) { /* the axis is theirs together */
        chart->up.label = chart->up.unit == UNIT_COUNT ? NULL : unit_name(chart->up.unit);
    }
    if (answer_shape_keys(shape) == 0) {
        fill_lone(&grid);
    } else if (shape->table->row_count > 0) {
        failed = shape->has_period ? list_buckets(&grid, wish, err) : 0;
        if (!failed) {
            list_names(&grid, &name);
            failed = check_size(&grid, err);
        }
        if (!failed) {
            fill_all(&grid, wish, &name);
        }
    }
    chart->across.label =
        build_label(chart, shape, grid.category_columns, grid.category_column_count);
    chart->series_label =
        build_label(chart, shape, grid.series_columns, grid.series_column_count);
    free(grid.edges);
    name_index_release(&grid.categories);
    name_index_release(&grid.series);
    buf_release(&name);
    return failed;
}
