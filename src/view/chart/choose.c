/* SPDX-License-Identifier: MIT */
#include "view/chart/choose.h"

#include <ctype.h>

#include "base/limit.h"
#include "view/chart/answer_shape.h"
#include "view/chart/build.h"
#include "view/chart/name_index.h"
#include "view/chart/top_n.h"

enum {
    FEW_BUCKETS = 24, /* bars rather than a line */
    BARS_MAX = 60,    /* with the buckets in which nothing happened */
    FEW_PARTS = 8,    /* pieces of a bar that can be distinguished */
};

/* --- what a kind wants --- */

static bool one_value_each(const struct answer_shape *shape)
{
    return shape->unique || shape->additive;
}

static bool has_pairs(const struct answer_shape *shape)
{
    return shape->has_period ? shape->name_count >= 1 : shape->name_count == 2;
}

static bool fits_bar(const struct answer_shape *shape)
{
    return one_value_each(shape);
}

static bool fits_stacked(const struct answer_shape *shape)
{
    return shape->additive &&
           (has_pairs(shape) || (answer_shape_keys(shape) > 0 && shape->alike > 1));
}

static bool fits_line(const struct answer_shape *shape)
{
    return shape->has_period && one_value_each(shape);
}

static bool fits_area(const struct answer_shape *shape)
{
    return shape->has_period && shape->additive && !shape->negative;
}

static bool fits_pie(const struct answer_shape *shape)
{
    return shape->additive && !shape->negative && answer_shape_keys(shape) >= 1 &&
           (!shape->has_period || shape->name_count == 0);
}

static bool fits_histogram(const struct answer_shape *shape)
{
    return answer_shape_keys(shape) >= 1;
}

static bool fits_box(const struct answer_shape *shape)
{
    return shape->name_count >= 1 && (answer_shape_keys(shape) >= 2 || !shape->unique);
}

static bool fits_scatter(const struct answer_shape *shape)
{
    return shape->measure_count >= 2 && answer_shape_keys(shape) >= 1;
}

static bool fits_heat(const struct answer_shape *shape)
{
    return has_pairs(shape) && one_value_each(shape);
}

static bool fits_calendar(const struct answer_shape *shape)
{
    return shape->has_period && shape->bucket == BUCKET_DAY && shape->name_count == 0;
}

/* A row a kind: which answers it can draw, what they must have, and how. */
static const struct fit {
    bool (*fits)(const struct answer_shape *shape);
    const char *wants;
    int (*build)(struct chart *chart, const struct answer_shape *shape,
                 const struct chart_wish *wish, struct error *err) MUST_CHECK;
} fits[CHART_KINDS] = {
    [CHART_BAR] = {fits_bar, "a row for each name", build_grid},
    [CHART_STACKED] = {fits_stacked,
                       "an additive measure, by two dimensions or by one and --every",
                       build_grid},
    [CHART_LINE] = {fits_line, "--every", build_grid},
    [CHART_AREA] = {fits_area, "--every and an additive measure", build_grid},
    [CHART_PIE] = {fits_pie, "an additive measure, by one dimension", build_grid},
    [CHART_HISTOGRAM] = {fits_histogram, "rows to count, as with --by", build_bins},
    [CHART_BOX] = {fits_box, "several rows for each name, as with --by and --every",
                   build_boxes},
    [CHART_SCATTER] = {fits_scatter, "two measures, by a dimension", build_points},
    [CHART_HEAT] = {fits_heat, "two dimensions, or one and --every", build_grid},
    [CHART_CALENDAR] = {fits_calendar, "--every day and no dimension", build_grid},
};

static int refuse_chart_kind(const struct answer_shape *shape, enum chart_kind kind,
                             struct error *err)
{
    struct buf names;
    buf_init(&names, ERROR_TEXT_MAX);
    for (size_t i = 0; i < CHART_KINDS; i++) {
        if (fits[i].fits(shape)) {
            buf_addf(&names, "%s%s", names.len ? ", " : "", chart_forms[i].name);
        }
    }
    int failed = error_set(err, ERROR_USAGE,
                           "this answer cannot be drawn as '%s', which needs %s; what fits: %s",
                           chart_forms[kind].name, fits[kind].wants,
                           names.len ? names.ptr : "nothing, use --format table");
    buf_release(&names);
    return failed;
}

/* --- what follows from the question --- */

static size_t distinct(const struct answer_shape *shape, size_t column)
{
    struct name_index seen = {0};
    struct buf name;
    buf_init(&name, LIMIT_RECORD);
    for (size_t row = 0; row < shape->table->row_count; row++) {
        buf_clear(&name);
        answer_shape_add_name(&name, shape, row, &column, 1);
        name_index_add(&seen, buf_str(&name));
    }
    size_t count = seen.count;
    buf_release(&name);
    name_index_release(&seen);
    return count;
}

static bool is_called(const struct answer_shape *shape, size_t name, const char *id)
{
    return str_eq(str_of(shape->table->columns[shape->names[name]].id), str_of(id));
}

static enum chart_kind kind_over_time(const struct answer_shape *shape)
{
    bool few = distinct(shape, shape->period) <= FEW_BUCKETS;
    if (shape->name_count == 0) {
        return shape->additive && few && shape->alike == 1 ? CHART_BAR : CHART_LINE;
    }
    return !shape->additive || shape->negative ? CHART_LINE : few ? CHART_STACKED : CHART_AREA;
}

/*
 * Whether a heat map of two names would have one row, or one cell in each: it would be a
 * diagonal.
 */
static bool is_thin(const struct answer_shape *shape, size_t names)
{
    return names == 1 || names == shape->table->row_count;
}

static enum chart_kind kind_of(const struct answer_shape *shape)
{
    if (!one_value_each(shape)) {
        return shape->name_count > 0 ? CHART_BOX : CHART_HISTOGRAM;
    }
    if (shape->has_period) {
        return kind_over_time(shape);
    }
    if (shape->name_count != 2) {
        return CHART_BAR;
    }
    if (is_called(shape, 0, "weekday") || is_called(shape, 1, "hour_of_day")) {
        return CHART_HEAT;
    }
    const size_t first = distinct(shape, shape->names[0]);
    const size_t second = distinct(shape, shape->names[1]);
    if (shape->additive && second <= FEW_PARTS) {
        return CHART_STACKED;
    }
    return is_thin(shape, first) || is_thin(shape, second) ? CHART_BAR : CHART_HEAT;
}

static int find_kind(const struct answer_shape *shape, const struct chart_wish *wish,
                     enum chart_kind *kind, struct error *err)
{
    if (shape->measure_count == 0) {
        return error_set(err, ERROR_USAGE,
                         "this answer has no numbers to draw: use --format table, csv or "
                         "another that is not a picture");
    }
    if (wish->kind.ptr && !chart_find(wish->kind, kind)) {
        return error_set(err, ERROR_USAGE, "there is no kind of chart '%.*s'",
                         STR_ARG(wish->kind));
    }
    if (shape->table->row_count == 0) { /* nothing fits, nothing is drawn: any will do */
        *kind = CHART_BAR;
        return 0;
    }
    if (!wish->kind.ptr) {
        *kind = kind_of(shape);
        return 0;
    }
    return fits[*kind].fits(shape) ? 0 : refuse_chart_kind(shape, *kind, err);
}

/* --- words around the picture --- */

const char *build_label(struct chart *chart, const struct answer_shape *shape,
                        const size_t *columns, size_t count)
{
    struct buf label;
    buf_init(&label, LIMIT_ARGUMENT);
    for (size_t i = 0; i < count; i++) {
        buf_addf(&label, "%s%s", i ? ", " : "", shape->table->columns[columns[i]].label);
    }
    const char *text = label.len ? arena_text(&chart->arena, buf_str(&label)) : NULL;
    buf_release(&label);
    return text;
}

/* A label within a sentence: "User" becomes "user", "CPU hours" stays. */
static void add_lower(struct buf *out, const char *label)
{
    bool word = isupper((unsigned char)label[0]) && !isupper((unsigned char)label[1]);
    buf_addc(out, (char)(word ? tolower((unsigned char)label[0]) : label[0]));
    buf_addz(out, label[0] ? label + 1 : "");
}

/* "CPU hours by month and group" */
static void make_title(struct chart *chart, const struct answer_shape *shape)
{
    struct buf title;
    buf_init(&title, LIMIT_ARGUMENT);
    size_t drawn = build_measures(chart->kind, shape);
    bool spread = chart->kind == CHART_HISTOGRAM || chart->kind == CHART_BOX;
    buf_addz(&title, spread ? "Spread of " : "");
    for (size_t i = 0; i < drawn; i++) {
        const char *label = answer_shape_label(shape, shape->measures[i]);
        buf_addz(&title, i == 0 ? "" : i + 1 == drawn ? " and " : ", ");
        if (i == 0 && !spread) {
            buf_addz(&title, label);
        } else {
            add_lower(&title, label);
        }
    }
    const char *join = " by ";
    if (shape->has_period) {
        buf_addf(&title, "%s%s", shape->moments ? " over " : join,
                 shape->moments ? "time" : bucket_name(shape->bucket));
        join = shape->moments ? join : " and ";
    }
    for (size_t i = 0; i < shape->name_count; i++) {
        buf_addz(&title, join);
        add_lower(&title, shape->table->columns[shape->names[i]].label);
        join = i + 2 == shape->name_count ? " and " : ", ";
    }
    chart->title = arena_text(&chart->arena, buf_str(&title));
    buf_release(&title);
}

/* A period of whole days by its first and last day, another by its instants. */
static void make_subtitle(struct chart *chart, const struct chart_wish *wish)
{
    if (wish->period.from >= wish->period.to) {
        return;
    }
    struct civil from = zone_civil(wish->zone, wish->period.from);
    struct civil to = zone_civil(wish->zone, wish->period.to);
    bool days = from.hour == 0 && from.minute == 0 && from.second == 0 && to.hour == 0 &&
                to.minute == 0 && to.second == 0;
    if (days) {
        to = zone_civil(wish->zone, wish->period.to - 1);
        chart->subtitle = arena_printf(&chart->arena, "%04d-%02d-%02d to %04d-%02d-%02d (%s)",
                                       from.year, from.month, from.day, to.year, to.month,
                                       to.day, zone_name(wish->zone));
    } else {
        chart->subtitle = arena_printf(
            &chart->arena, "%04d-%02d-%02d %02d:%02d to %04d-%02d-%02d %02d:%02d (%s)",
            from.year, from.month, from.day, from.hour, from.minute, to.year, to.month, to.day,
            to.hour, to.minute, zone_name(wish->zone));
    }
}

/* What is in the answer and not in the picture. */
static void note_measures(struct chart *chart, const struct answer_shape *shape)
{
    size_t drawn = build_measures(chart->kind, shape);
    if (drawn < shape->measure_count) {
        struct buf names;
        buf_init(&names, ERROR_TEXT_MAX);
        for (size_t i = drawn; i < shape->measure_count; i++) {
            buf_addf(&names, "%s%s", i > drawn ? ", " : "",
                     answer_shape_label(shape, shape->measures[i]));
        }
        chart_note(chart, "Not drawn: %s.", names.ptr);
        buf_release(&names);
    }
}

static void add_notes(struct chart *chart, const struct chart_wish *wish)
{
    for (struct str rest = wish->notes; rest.len > 0;) {
        struct str line = str_cut(&rest, '\n');
        if (line.len > 0) {
            chart_note(chart, "%.*s", STR_ARG(line));
        }
    }
}

/*
 * A period may have many more buckets than those in which something happened. And bars of one
 * piece are bars.
 */
static void suit_kind(struct chart *chart)
{
    if (chart->kind == CHART_STACKED && chart->series_count == 1) {
        chart->kind = CHART_BAR;
    }
    if (chart->bucket != BUCKET_NONE && chart->category_count > BARS_MAX) {
        chart->kind = chart->kind == CHART_BAR       ? CHART_LINE
                      : chart->kind == CHART_STACKED ? CHART_AREA
                                                     : chart->kind;
    }
}

static int check_buckets(const struct chart *chart, struct error *err)
{
    const struct chart_form *form = &chart_forms[chart->kind];
    if (chart->bucket == BUCKET_NONE || chart->category_count <= form->buckets_max) {
        return 0;
    }
    return error_set(
        err, ERROR_USAGE,
        "'%s' shows at most %zu buckets of time and these are %zu: choose a longer "
        "--every, a shorter period, or --chart line",
        form->name, form->buckets_max, chart->category_count);
}

int chart_choose(const struct table *table, const struct chart_wish *wish, struct chart *out,
                 struct error *err)
{
    struct answer_shape shape;
    answer_shape_init(&shape, table, wish->zone);
    int failed = find_kind(&shape, wish, &out->kind, err);
    if (failed) {
        return failed;
    }
    const struct column *measure = &table->columns[shape.measures[0]];
    out->up = (struct chart_axis){
        arena_text(&out->arena, str_of(answer_shape_label(&shape, shape.measures[0]))),
        measure->unit};
    out->look = chart_look_of(measure->id);
    if (wish->title) {
        out->title = arena_text(&out->arena, str_of(wish->title));
    } else if (table->title) {
        out->title = arena_text(&out->arena, str_of(table->title));
    } else {
        make_title(out, &shape);
    }
    make_subtitle(out, wish);
    failed = fits[out->kind].build(out, &shape, wish, err);
    if (!failed) {
        build_ranges(out, &shape);
    }
    if (!failed && !wish->kind.ptr) {
        suit_kind(out);
        build_years(out, table);
    }
    failed = failed ? failed : check_buckets(out, err);
    if (failed) {
        return failed;
    }
    chart_fold(out);
    note_measures(out, &shape);
    add_notes(out, wish);
    return 0;
}
