/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Pages that ask one operation: what was wasted, what will be used, when it is busy. Each has a
 * name, one sentence about what it answers, the few choices of its operation, filters and a
 * period, and below them picture and table. Inside serve/pages.
 *
 * To add one: a row in asks.c, one in pages.c, one in link.c, and what it answers in
 * navigation.c.
 */

#include "serve/pages/pages.h"

/*
 * Adds the controls and the ways to the other pages of this kind; where a form sent a new
 * filter, the address with it.
 */
void asks_begin(struct page_view *view);
