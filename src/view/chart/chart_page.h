/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * An answer as one HTML page: the picture, the table under it, the notes. Nothing is fetched
 * from anywhere and nothing runs: it can be mailed, archived and printed, and is dark where the
 * reader's screen is.
 */

#include "base/buf.h"
#include "base/str.h"
#include "base/zone.h"
#include "table/table.h"
#include "view/chart/chart.h"

struct chart_page {
    const char *title;         /* NULL: the table's, else "stint" */
    const struct chart *chart; /* NULL: no picture */
    const struct table *table;
    struct str notes; /* lines */
    const struct zone *zone;
    bool header;  /* headings of the table */
    bool records; /* a field a line, absent ones left out, rather than a row */
};

void chart_page_write(struct buf *out, const struct chart_page *page);
