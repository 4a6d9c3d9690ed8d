/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The table of pages. A page that is more than its panels has a function that adds to the
 * model. Inside serve/pages.
 *
 * To add a page: a row in pages.c, a template in web/pages/ if those that are there do not do,
 * and a row in tests/sh/test_pages.sh.
 */

#include "serve/pages/panel.h"

struct page_row {
    const char *path; /* "/user/": what follows is what it is about; "/jobs": nothing follows */
    const char *title;    /* "User" */
    const char *template; /* in web/pages */
    const struct panel *panels;
    size_t panel_count;
    const char *period; /* its default, as from= takes it; NULL: it has none */
    /* adds what panels do not have; NULL: nothing. A failure is the page's */
    int (*fill)(struct page_view *view, struct error *err);
    unsigned menu; /* rights of those whose menu has it; unset: nobody's */
};

extern const struct page_row page_rows[];
extern const size_t page_row_count;

/* The dimensions that forms offer; NULL after the last. */
const char *explore_dimension(size_t index);

int page_explore(struct page_view *view, struct error *err) MUST_CHECK;
int page_jobs(struct page_view *view, struct error *err) MUST_CHECK;
int page_job(struct page_view *view, struct error *err) MUST_CHECK;
int page_asks(struct page_view *view, struct error *err) MUST_CHECK;
int page_compare(struct page_view *view, struct error *err) MUST_CHECK;
int page_search(struct page_view *view, struct error *err) MUST_CHECK;
int page_suggest(struct page_view *view, struct error *err) MUST_CHECK;
int page_soonest(struct page_view *view, struct error *err) MUST_CHECK;
int page_me(struct page_view *view, struct error *err) MUST_CHECK;
int page_tables(struct page_view *view, struct error *err) MUST_CHECK;
int page_admin(struct page_view *view, struct error *err) MUST_CHECK;
int page_answer_any(struct page_view *view, struct error *err) MUST_CHECK;
int page_thing(struct page_view *view, struct error *err) MUST_CHECK;
int page_user(struct page_view *view, struct error *err) MUST_CHECK;
int page_report(struct page_view *view, struct error *err) MUST_CHECK;
int page_bank(struct page_view *view, struct error *err) MUST_CHECK;
int page_bank_account(struct page_view *view, struct error *err) MUST_CHECK;
int page_requests(struct page_view *view, struct error *err) MUST_CHECK;
int page_quote(struct page_view *view, struct error *err) MUST_CHECK;
int page_overview(struct page_view *view, struct error *err) MUST_CHECK;
int page_attention(struct page_view *view, struct error *err) MUST_CHECK;
int page_measures(struct page_view *view, struct error *err) MUST_CHECK;
