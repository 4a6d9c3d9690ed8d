/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How wide each column of a table becomes on a terminal. For view/text only.
 */

#include <stdbool.h>
#include <stddef.h>

#include "table/table.h"
#include "view/text/text.h"

enum { LAYOUT_GAP = 2 }; /* blanks between columns */

struct layout {
    size_t *widths; /* one a column; owned */
    bool fits;      /* false: no choice of widths keeps the table within the terminal */
    bool cut;       /* some text is shortened for that */
};

/* Looks at every cell. */
void layout_init(struct layout *layout, const struct table *table,
                 const struct text_style *style);
void layout_release(struct layout *layout);
