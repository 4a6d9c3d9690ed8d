/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The way from page to page: what stands in the bar at the top, what lies behind "More", and
 * what each page answers.
 */

#include "serve/pages/pages.h"

/*
 * Adds lists "menu" and "more" of the pages that are in the caller's menu, and "here_more", the
 * one of the second that is open.
 */
void navigation_add(struct page_view *view, const struct page_row *here);

/* What a page answers, in one sentence; "" where its title says it. */
const char *navigation_about(const char *path);
