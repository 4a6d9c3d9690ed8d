/* SPDX-License-Identifier: MIT */
#pragma once

/* Answers as tables, large numbers, fields and lists of a panel's model. Inside serve/pages. */

#include "serve/pages/panel.h"

enum { PANEL_ROWS_MAX = 1000 };

/*
 * The rows of the part that the page is, or the first `most`; how many there are besides is
 * said.
 */
void cells_table(const struct page_view *view, struct model *model, const struct table *table,
                 size_t most);

/* The measures of the last row. */
void cells_numbers(const struct page_view *view, struct model *model,
                   const struct table *table);

/* A list of fields for each row. */
void cells_fields(const struct page_view *view, struct model *model, const struct table *table);

/* Of an answer that is a list: each row is a label and what there is to say. */
void cells_list(const struct page_view *view, struct model *model, const struct table *table);
