/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The table below a question's picture: with intervals these are its columns, and behind the
 * numbers stand their sum, each row's share of it, and how much it changed against another
 * period. Inside serve/pages.
 */

#include "base/attribute.h"
#include "serve/pages/panel.h"

/*
 * What the table says about all of its rows together, in the words of people; empty: nothing.
 */
struct pivot_sum {
    const char *total;  /* "757,312.4" */
    const char *change; /* "12.4 %"; of the same sum in the other period */
    bool more;          /* it is more than then */
    size_t rows;        /* without the one that sums up */
};

/* The rows that are shown: with those that sum up, which are always there. */
struct pivot_part {
    size_t skip, most;
};

/*
 * Asks the report again with its intervals as columns, and the comparison with the period
 * `with`, unless that is empty, and adds the table to list "panels". What cannot be compared is
 * shown without it.
 */
int pivot_show(struct page_view *view, const char *title, const struct request_value *values,
               size_t count, struct str with, struct pivot_part part, struct pivot_sum *sum,
               struct error *err) MUST_CHECK;
