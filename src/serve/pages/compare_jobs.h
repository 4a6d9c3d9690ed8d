/* SPDX-License-Identifier: MIT */
#pragma once

/* Up to eight jobs side by side, on the page that compares. Inside serve/pages. */

#include "base/attribute.h"
#include "serve/pages/panel.h"

enum { SIDE_JOBS_MAX = 8 };

/* The jobs that the address names (job=a,b&job=c); those beyond the eighth are left out. */
size_t side_ids(const struct page_view *view, struct str ids[SIDE_JOBS_MAX]);

/* Adds the table to the page. An unknown job fails the page. */
int side_show(struct page_view *view, const struct str *ids, size_t count,
              struct error *err) MUST_CHECK;
