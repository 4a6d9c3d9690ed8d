/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A picture of numbers, as a value, and its drawing as SVG.
 *
 * A chart is a matrix: a value for each category and series, or no value. What the two are
 * depends on the kind, and is said in the table of kinds below. A value that is not there is a
 * gap and never a zero; what is not a finite number is never taken. chart_choose (choose.h)
 * makes a chart from an answer; view/plot draws the same chart on a terminal, png.h makes
 * pixels of the SVG.
 *
 * Values are in the unit people read: hours, seconds, bytes, shares of 1. The chart owns its
 * text and numbers; a zeroed struct is an empty one.
 *
 *     struct chart chart = {.kind = CHART_BAR, .title = "CPU hours by group"};
 *     chart_shape(&chart, 2, 1);
 *     chart.categories[0].name = STR("moss");
 *     chart_set(&chart, 0, 0, 1234.5);
 *     ...
 *     chart_svg(&out, &chart);
 *     chart_release(&chart);
 *
 * To add a kind: an enumerator, a row in chart.c, its draw function, a row in choose.c (what
 * answers it fits) and in view/plot/plot.c, a line in docs/charts.md. unit/view/test_chart
 * draws all of them.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/bucket.h"
#include "base/buf.h"
#include "base/str.h"
#include "record/unit.h"

enum chart_kind {
    CHART_BAR,       /* a bar a category, or one a series beside each other */
    CHART_STACKED,   /* a bar a category, cut into series */
    CHART_LINE,      /* a line a series over buckets of time */
    CHART_AREA,      /* bands on top of each other over buckets of time */
    CHART_PIE,       /* a slice a category, one series */
    CHART_HISTOGRAM, /* categories are bins with `low` and `high`; one series, how many */
    CHART_BOX,       /* five series: least, lower quartile, median, upper quartile, greatest */
    CHART_SCATTER,   /* two series: across and up; a category is a point */
    CHART_HEAT,      /* categories are columns, series are rows */
    CHART_CALENDAR,  /* categories are days, one series */
    CHART_KINDS,
};

enum {
    CHART_NOTES_MAX = 12,
    CHART_TARGETS_MAX = 4,
    CHART_BOX_SERIES = 5,
};

struct chart_axis {
    const char *label; /* what is counted or distinguished; NULL: nothing is written */
    enum unit unit;
};

struct chart_category {
    struct str name;    /* in full; drawn as far as there is room */
    struct civil start; /* of a bucket: its first day and hour */
    double low, high;   /* of a bin: low <= value < high, the last one's high included */

    struct {
        double value;
        bool has;
    } targets[CHART_TARGETS_MAX]; /* of those that differ by category */

    bool partial;    /* a bucket of which the answer covers a part only */
    bool unrecorded; /* a bucket that has begun, and of which there are no data */
    bool others;     /* stands for what was too much to draw */
};

/*
 * A value of a series may have a range that it lies in, as that of a forecast: chart_band. It
 * is drawn as a band of the line's colour; the line there is dotted.
 */
struct chart_series {
    struct str name;
    double *low, *high; /* NULL: no value of it has a range; NaN: this one has not */
    double *values;     /* one a category */
    bool *present;
    bool others;
};

/* A line across the chart at a value: a limit, a budget, a target. */
struct chart_target {
    const char *label;
    double value;
    bool each;    /* each category has its own value, or none */
    bool earlier; /* what was there another time: a tick for each, nothing to be reached */
    bool limit;   /* what there is at most: a solid line */
};

struct chart {
    enum chart_kind kind;
    const char *title;    /* NULL: none */
    const char *subtitle; /* NULL: none */
    const char *notes[CHART_NOTES_MAX];
    size_t note_count;
    struct chart_axis across; /* the categories'; of a scatter the first measure's */
    struct chart_axis up;     /* the values' */
    const char *series_label; /* what the series are, e.g. "Group"; NULL: nothing */
    enum bucket bucket;       /* the categories are these; BUCKET_NONE: they are names */
    bool additive;            /* values of a series, or of a category, may be summed */
    bool logarithmic;         /* histogram: each bin is a multiple of the one before */
    struct chart_category *categories;
    size_t category_count;
    struct chart_series *series;
    size_t series_count;
    struct chart_target targets[CHART_TARGETS_MAX];
    size_t target_count;
    double width; /* of the picture; 0: CHART_WIDTH */
    size_t look;  /* of its only series: things have a colour of their own (chart_look_of) */
    struct arena arena;
};

/* What there is to know of a kind. */
struct chart_form {
    const char *name;    /* as in --chart NAME */
    const char *summary; /* one line: what it shows best */
    size_t names_max;    /* categories that are names; more are folded (top_n.h) */
    size_t buckets_max;  /* categories that are buckets; more are refused. 0: no buckets */
    size_t series_max;   /* more are folded */
};

extern const struct chart_form chart_forms[CHART_KINDS];

/* The kind called `name`; false if no kind is. */
bool chart_find(struct str name, enum chart_kind *out);

/* Names in the order of the table, NULL after the last: for completion and messages. */
const char *chart_kind_name(size_t index);

/* Makes room for so many categories and series, all without values. */
void chart_shape(struct chart *chart, size_t categories, size_t series);

/* Sets a value. Not a number and infinity are no values: the place stays empty. */
void chart_set(struct chart *chart, size_t series, size_t category, double value);

/* Sets the range of a value that is expected. */
void chart_band(struct chart *chart, size_t series, size_t category, double low, double high);

/*
 * The look of what a measure counts, by its id: GPUs are green, memory is plum, energy ochre,
 * files indigo, all else blue.
 */
size_t chart_look_of(const char *measure);

/*
 * Adds what was at each category another time, of a chart whose categories begin and go on as
 * those of this one; its values of a category are taken together.
 */
void chart_earlier(struct chart *chart, const struct chart *earlier, const char *label);

/* Adds a line under the picture; beyond CHART_NOTES_MAX none. */
void chart_note(struct chart *chart, const char *format, ...) PRINTF_LIKE(2, 3);

void chart_release(struct chart *chart);

/* Whether there is any value to draw. */
bool chart_has_data(const struct chart *chart);

/* Whether series are to be named: there are several, or the one has a name of its own. */
bool chart_names_series(const struct chart *chart);

/* Least and greatest value; false if all are absent. */
bool chart_range(const struct chart *chart, double *least, double *greatest);

/* The same without the rest, which comes last and would outdo all that have a name. */
bool chart_named_range(const struct chart *chart, double *least, double *greatest);

/* What a target is at a category; false if it has no value there. */
bool chart_target_at(const struct chart *chart, size_t target, size_t category, double *value);

/* Makes a range reach to the targets. */
void chart_range_to_targets(const struct chart *chart, double *least, double *greatest);

/* What the bars of a stacked chart reach: sums of what is below and above zero. */
bool chart_stacked_range(const struct chart *chart, double *least, double *greatest);

/*
 * Draws it: one <svg> element, with <title> and <desc>, on a background of its own. The same
 * chart gives the same bytes. CHART_NARROW is for where a wide picture would be made smaller,
 * and its writing with it.
 */
enum { CHART_WIDTH = 900, CHART_NARROW = 600 };

void chart_svg(struct buf *out, const struct chart *chart);
double chart_width(const struct chart *chart);
double chart_height(const struct chart *chart); /* how high it will be */

/*
 * The same as a part of a page that says itself what it shows: HTML with the legend and one
 * <svg>, without title and notes, and without the rules and the patterns, which the page has
 * once for all of its pictures (chart_css, chart_patterns). It is as wide as its place: the
 * plot is given in percent, and letters, lines and hatchings keep their size. chart->width is
 * how wide it is taken to be where that matters: for how many labels there is room.
 *
 * What the script of the page reads there (web/script/charts.mjs): the group of each mark has
 * data-m="SERIES CATEGORY", the group of a line or a band data-s="SERIES", and so has its name
 * in the legend. One <g data-box="TOP BOTTOM"> says between which pixels the plot lies, its
 * data-axis="LEAST GREATEST" what the values at its ends are (from the bottom to the top, or
 * with data-lying from the left to the right, where categories go down).
 */
void chart_page(struct buf *out, const struct chart *chart);

void chart_css(struct buf *out);
void chart_patterns(struct buf *out);
