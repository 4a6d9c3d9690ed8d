/* SPDX-License-Identifier: MIT */
#pragma once

/* The page of one job: what its parts share. Inside serve/pages. */

#include "serve/pages/panel.h"

/*
 * The job of a page: the records of its runs, of which the last counts, and what is said about
 * it.
 */
struct job_page {
    struct page_view *view;
    const struct table *runs;
    const struct table *said; /* label, text */
    size_t row;
    struct model *main, *side;
};

/*
 * What is recorded of it, by the name of a field; moments and lengths of time as pages have
 * them.
 */
double job_number_of(const struct job_page *job, const char *id, double otherwise);
struct str job_word(const struct job_page *job, const char *id);
bool job_is_class(const struct job_page *job, const char *class);
struct str job_line_of(const struct job_page *job, const char *label);
struct str job_in_words(const struct job_page *job, void (*say)(struct buf *out, double),
                        double amount);
struct str job_span(const struct job_page *job, double us);
struct str job_bytes(const struct job_page *job, double bytes);
struct str job_moment(const struct job_page *job, double instant);
struct str job_exact(const struct job_page *job, double instant);
struct str job_link(const struct job_page *job, const char *column);

/*
 * The name, state and owners of it; then how it went and what to change, by the rows of its
 * advice.
 */
void job_head(const struct job_page *job);
void job_verdict(const struct job_page *job, const struct table *advice);
