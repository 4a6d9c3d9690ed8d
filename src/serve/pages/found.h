/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a text that somebody types may mean: a job, names that contain it, measures, pages,
 * commands, and questions about the first name. The same list is the page of a search and what
 * is suggested while one types. Inside serve/pages.
 */

#include "serve/pages/panel.h"

/* How much is looked for. */
enum found_depth {
    FOUND_QUICK, /* a few of each, for every key that is pressed */
    FOUND_ALL,   /* as many as a page takes */
};

/* Adds list "found" of groups, each with its rows; it is empty where nothing is found. */
void found_add(struct page_view *view, struct str wanted, enum found_depth depth);

/* Whether the text is the number or the id of a job, and the address of its page. */
bool found_is_job(struct str wanted);
void found_job_url(const struct page_view *view, struct str wanted, struct buf *url);
