/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the plots of all kinds share: a place to write lines to, text that fits, marks that can
 * be distinguished, and a canvas of dots. For view/plot only.
 */

#include "base/buf.h"
#include "view/chart/chart.h"
#include "view/chart/scale.h"
#include "view/plot/plot.h"

struct sketch {
    struct buf *out;
    const struct chart *chart;
    struct plot_style style;
    struct buf words; /* for one text at a time */
};

void plot_bars(struct sketch *sketch);   /* bar, stacked, pie, histogram */
void plot_lines(struct sketch *sketch);  /* line, area */
void plot_points(struct sketch *sketch); /* scatter */
void plot_boxes(struct sketch *sketch);
void plot_heat(struct sketch *sketch);
void plot_calendar(struct sketch *sketch);

/* Adds text that does nothing but take its place, in exactly `width` columns. */
void sketch_left(struct sketch *sketch, struct str text, size_t width);
void sketch_right(struct sketch *sketch, struct str text, size_t width);

/* Ends the line, without blanks at its end. */
void sketch_end(struct sketch *sketch);

/* Columns of the text as sketch_left would show it, uncut. */
size_t sketch_width(struct sketch *sketch, struct str text);

/* The widest name of the categories, or of the series, but no more than `most`. */
size_t sketch_names(struct sketch *sketch, bool series, size_t most);

/* A value as text, in sketch->words: to be used at once. */
struct str sketch_value(struct sketch *sketch, enum unit unit, double value);
struct str sketch_tick(struct sketch *sketch, const struct scale *scale, double value);

/* Adds a mark `count` times, in the colour of a series if there is colour. */
void sketch_mark(struct sketch *sketch, const char *mark, size_t count, size_t series,
                 bool others);

/* The marks of a series: what its bar is filled with, and its points. */
const char *sketch_fill(const struct sketch *sketch, size_t series, bool others);
const char *sketch_dot(const struct sketch *sketch, size_t series, bool others);

/* What stands for a target in a bar, and in a picture of lines: a mark of its own for each. */
const char *sketch_target(const struct sketch *sketch, size_t target, bool upright);

/* Lines with the marks and names of the targets; nothing without targets. */
void sketch_targets(struct sketch *sketch, bool upright);

/* Lines with the marks and names of the series. */
void sketch_legend(struct sketch *sketch, const char *(*mark)(const struct sketch *sketch,
                                                              size_t series, bool others));

/*
 * A canvas of columns x rows characters; the places of dots are shares of 0..1 from the lower
 * left.
 */
struct canvas {
    size_t columns, rows;
    unsigned char *dots;   /* braille: eight a character */
    const char **marks;    /* or a mark of a series; NULL: none */
    unsigned char *series; /* whose it is, + 1 */
};

void canvas_init(struct canvas *canvas, size_t columns, size_t rows);
void canvas_release(struct canvas *canvas);
void canvas_dot(struct canvas *canvas, double x, double y, size_t series);
void canvas_line(struct canvas *canvas, double x1, double y1, double x2, double y2,
                 size_t series);
void canvas_mark(struct canvas *canvas, double x, double y, const char *mark, size_t series);

/* Prints it with the ticks of an upright axis at its left, which take `label` columns. */
void canvas_print(struct sketch *sketch, const struct canvas *canvas, const struct scale *scale,
                  size_t label);
