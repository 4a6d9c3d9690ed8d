/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the drawings of all kinds share: the sheet and its pens, looks that can be distinguished
 * without colour, legends and axes. For view/chart only.
 *
 * Places are in pixels from the upper left corner. Classes name the rules of series_style.c's
 * style sheet.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "view/chart/chart.h"
#include "view/chart/scale.h"

struct box {
    double x, y, width, height;
};

struct sheet {
    struct buf *out;
    const struct chart *chart;
    struct box body;  /* between the head and the notes */
    struct buf words; /* for one text at a time */
    bool bare;        /* on a page, which says itself what it shows */
    bool fluid;       /* on a page, as wide as there is room: see below */
    bool lean;        /* so many marks that each is written without a tip of its own */
    struct box plot;  /* of a fluid sheet, set by sheet_plot */
};

/*
 * A fluid sheet is drawn for a nominal width, as others are, but written so that it fits any:
 * what lies in the plot in percent of the plot's width, what lies beside it in pixels from its
 * edge. Heights, letters and lines keep their size. A drawer says with sheet_plot what the plot
 * is before it draws on it, and puts paths between pen_stretch_begin and pen_stretch_end; pens
 * do the rest.
 */
void sheet_plot(struct sheet *sheet, struct box plot);
void pen_stretch_begin(struct sheet *sheet);
void pen_stretch_end(struct sheet *sheet);

/*
 * Says how values lie on a fluid sheet, for the script of the page; without scale, that there
 * is no axis for them.
 */
void sheet_axis(struct sheet *sheet, const struct scale *scale, bool upright);

/*
 * How wide the sheet must be taken to be where writing must not touch: its own width, or that
 * of a narrow panel.
 */
double sheet_width_least(const struct sheet *sheet);

/* How a kind is drawn. */
struct drawer {
    double (*height)(const struct sheet *sheet); /* of the body */
    void (*draw)(struct sheet *sheet);
    bool legend; /* series are named in the head, if there are several */
    /* their lines are drawn, and named in the head: there nothing lies in the way */
    bool targets;
    bool fluid; /* it can be drawn on a fluid sheet; else it keeps its size there, too */
};

/* More marks than this are lean. */
enum { MARKS_MANY = 400 };

extern const struct drawer bar_drawer, stacked_drawer, line_drawer, area_drawer, pie_drawer,
    histogram_drawer, box_drawer, scatter_drawer, heat_drawer, calendar_drawer;

/* --- pens --- */

enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

/* Where a text stands, and which part of it stands there. */
struct spot {
    double x, y;
    enum anchor anchor;
};

enum { TEXT_SIZE = 12, TITLE_SIZE = 18, SUBTITLE_SIZE = 13, NOTE_SIZE = 11 };

/* `class` is a literal; `extra` is markup for the tag, NULL for none. */
void pen_rect(struct sheet *sheet, struct box box, const char *class, const char *extra);
void pen_line(struct sheet *sheet, double x1, double y1, double x2, double y2,
              const char *class);
void pen_text(struct sheet *sheet, double x, double y, const char *class, enum anchor anchor,
              struct str text);

/* The same in at most `width`, with an ellipsis and all of it in a tip if it is longer. */
void pen_text_fit(struct sheet *sheet, struct spot spot, const char *class, struct str text,
                  double width);

/*
 * Begins the mark of a value: a group whose tip is "category: value", or "category, more:
 * value", shown where a pointer rests on it. On a fluid sheet it says to the script which value
 * it is. pen_tip_end ends it.
 */
void pen_tip_begin(struct sheet *sheet, size_t series, size_t category, struct str more);
void pen_tip_end(struct sheet *sheet);

/* A value in sheet->words, to be used at once. */
struct str words_value(struct sheet *sheet, enum unit unit, double value);
struct str words_tick(struct sheet *sheet, const struct scale *scale, double value);

/* --- looks --- */

enum { LOOK_COUNT = 8 };

/* Index of the look of a slice; the one for "others" is LOOK_COUNT. */
size_t look_of(size_t index, bool others);

/* That of a series: the chart's own if it is the only one. */
size_t look_series(const struct chart *chart, size_t series);

/* Adds the colour alone: ` NAME="#..."`. */
void look_colour(struct buf *out, const char *name, size_t look);

/* Adds ` fill="..."`: hatched in its colour unless it is settled. */
void look_fill(struct buf *out, size_t look, bool settled);

/* Adds stroke and, to tell it from other lines without colour, dashes. */
void look_stroke(struct buf *out, size_t look, bool dashed);

/* A small shape that differs from look to look, around a place. */
void look_marker(struct sheet *sheet, size_t look, double x, double y, bool hollow);

/*
 * The style sheet and the patterns of the first `looks` looks, of the others and of what is
 * absent.
 */
void look_styles(struct buf *out, size_t looks);

/* The patterns alone, which looks refer to by id. */
void look_patterns(struct buf *out, size_t looks);

/* Rules for a dark page. */
void look_dark_styles(struct buf *out);

/*
 * All rules of a page, light and dark, and the palette as variables: --c1 to --c8, --c0 for
 * others, --heat0 to --heat5.
 */
void look_page_css(struct buf *out);

/*
 * Adds the colour of a cell by its share of 0..1, or -1..0 for what is below zero: as `
 * fill="..."`, or for a page, which has other colours in the dark, as ` class="..."` in so many
 * shades.
 */
enum { LOOK_SHADES = 32 };

void look_cell(struct buf *out, double share, bool on_page);

/* --- legends and axes --- */

/*
 * Rows of swatches and names, of series and of targets; draws them if `draw`, and returns how
 * high they are: 0 if there is nothing to name.
 */
double legend_head(struct sheet *sheet, const struct drawer *drawer, double y, bool draw);

/*
 * The same as HTML, above a fluid sheet: besides, what hatching and the colours of cells mean.
 */
void legend_page(struct buf *out, const struct chart *chart);

/* What the colours of a heat map stand for. */
void heat_range(const struct chart *chart, double *least, double *greatest);

/* The class of a target's line: each has dashes of its own. */
const char *legend_dashes(const struct chart *chart, size_t target);

/* A ramp with both ends named, right-aligned at `right`. */
void legend_ramp(struct sheet *sheet, double right, double y, double least, double greatest);

/*
 * The body without what an upright axis needs at its left and above, and `right` at the other
 * side; what stands below is the caller's.
 */
struct box axis_upright_plot(struct sheet *sheet, const struct scale *scale, double right);

/* Lines across `plot` at the ticks with numbers at its left, and the label above. */
void axis_upright(struct sheet *sheet, struct box plot, const struct scale *scale,
                  const char *label);

/* Lines down `plot` at the ticks with numbers above it, and the label above those. */
void axis_level(struct sheet *sheet, struct box plot, const struct scale *scale,
                const char *label);

/* How much wider than they are letters count on a sheet that may become narrow: 1 on others. */
double axis_wider(const struct sheet *sheet);

enum {
    AXIS_LEVEL_HEIGHT = 42,
    AXIS_UPRIGHT_HEAD = 40,
    AXIS_UPRIGHT_HEAD_PAGE = 32,
    AXIS_FOOT = 44
};

/*
 * Names of the categories below `plot`, one slot each: of time by the calendar, else as they
 * are.
 */
void axis_categories(struct sheet *sheet, struct box plot);

/* Room below a plot of that width for them; of a fluid one its least. */
double axis_categories_height(const struct chart *chart, double width);

/* Grey hatching over the buckets of which nothing is recorded, as high as the plot. */
void axis_unrecorded(struct sheet *sheet, struct box plot);

/* Lines for the targets, without their names; upright: across the plot. */
void axis_targets(struct sheet *sheet, struct box plot, const struct scale *scale,
                  bool upright);

/* Least and greatest of the chart's values and targets. */
void axis_range(const struct chart *chart, bool stacked, double *least, double *greatest);

/* Where a value lies on an upright or level axis. */
double axis_y(struct box plot, const struct scale *scale, double value);
double axis_x(struct box plot, const struct scale *scale, double value);

/* Middle of a category's slot. */
double axis_slot(struct box plot, size_t count, size_t index);

/*
 * Names of the series at the right of `plot`, each near the height its series ends at and no
 * two on top of each other. `ends` has a height a series, NaN: none.
 */
void label_ends(struct sheet *sheet, struct box plot, const double *ends);
double label_ends_width(const struct chart *chart);
