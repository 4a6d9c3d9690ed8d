/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A chart on a terminal: bars of blocks, lines of dots, shades for heat maps; in plain ASCII on
 * request. Every line fits the width. The chart is the one that view/chart draws, so what it
 * shows, folds and notes is the same.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "view/chart/chart.h"

struct plot_style {
    size_t width; /* columns; 0 is PLOT_WIDTH */
    bool ascii;
    bool colour;
};

enum { PLOT_WIDTH = 80, PLOT_WIDTH_MIN = 40, PLOT_WIDTH_MAX = 400 };

void plot_draw(struct buf *out, const struct chart *chart, const struct plot_style *style);
