/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * SVG to pixels, by librsvg and cairo. Both are loaded on first use, as DuckDB is
 * (facts/duckdb/duck.h): a machine that never makes a PNG needs neither, and no start waits for
 * them.
 */

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

enum { PNG_SCALE = 2 }; /* pixels a unit of the SVG: sharp on screens and in print */

/*
 * Adds the picture as PNG to `out`, `width` x `height` units of the SVG on white. ERROR_MISSING
 * says which package to install when there is no librsvg.
 */
int png_draw(struct buf *out, struct str svg, double width, double height,
             struct error *err) MUST_CHECK;
