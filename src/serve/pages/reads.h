/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The large numbers at the head of a page: what was used in the period, its change against the
 * time before, and how it went. Inside serve/pages.
 */

#include "serve/pages/panel.h"

struct reads_ask {
    const char *measures; /* "gpu_hours,cpu_hours,jobs" */
    const char *filter;   /* what the page is about, as a query: "group={}"; "": everything */
    const char *period;   /* as a query; "": that of the page */
    /* by which it is one of many, whose share and rank are shown; NULL: it is not */
    const char *dimension;
    /* the caller sees all of it: of a part, a share or a target would say something else */
    bool whole;
};

/* Adds a panel to list "panels" of `list`. A failure is said in the panel, and returned. */
int reads_add(struct page_view *view, struct model *list, const struct reads_ask *ask,
              struct error *err) MUST_CHECK;
