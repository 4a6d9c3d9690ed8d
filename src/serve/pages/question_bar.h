/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The controls of a question: measures, intervals, what it is split by, filters as pills, the
 * period and its presets. Each has its value from the address, and what can be taken away or
 * chosen by a click is a link to the question without it or with it. Inside serve/pages.
 */

#include "serve/pages/pages.h"

/* Adds the controls to the model of the page; `chosen` is the list of measures. */
void bar_add(struct page_view *view, struct str chosen);

/* The periods that are offered by name. */
enum bar_spans {
    BAR_PAST,    /* up to now, and whole years */
    BAR_RUNNING, /* those that are not over: what will be at their end can be asked */
    BAR_NONE,
};

/* Adds only filters and period, for pages whose other controls are their own. */
void bar_add_period(struct page_view *view, enum bar_spans spans);

/* Values that a form sends for a filter that is not in the address yet. */
bool bar_is_asked_by_form(const char *name);

/*
 * The address with one value more or less: without those of this name, and with the new one, if
 * it is not empty.
 */
const char *bar_url_with(struct page_view *view, const char *name, struct str text);

/* What the rows are by: all values of the address as one list. */
struct str bar_by(const struct page_view *view);

/* The label of a measure; the id itself where no measure has that name. */
struct str bar_measure(struct str id);

/* Values of the address that are no part of the question. */
bool bar_is_aside(const char *name);

bool bar_in_list(struct str list, const char *name);
