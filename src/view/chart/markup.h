/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Text on its way into SVG and HTML, and how much room it takes there.
 */

#include "base/buf.h"
#include "base/str.h"

/*
 * Adds `text` escaped, for content and for quoted attributes alike. What XML does not allow or
 * what turns the direction of writing is shown as U+FFFD: a name cannot leave its place.
 */
void markup_text(struct buf *out, struct str text);

/*
 * About how wide the text is in a sans-serif font of that size. Fonts differ, so it is computed
 * with a wide one.
 */
double markup_width(struct str text, double size);

/*
 * The part at the start that fits `width` with an ellipsis after it; all of it if it fits.
 * `*cut` says which.
 */
struct str markup_fit(struct str text, double size, double width, bool *cut);

/* Takes the next line of at most `width` off `rest`, broken at a blank where there is one. */
struct str markup_line(struct str *rest, double size, double width);

/* A coordinate: two places at most, no more than needed. What is not finite is 0. */
void markup_number(struct buf *out, double value);
