/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs a question of the catalogue with the site's definitions (memberships, cluster rules,
 * rates, coverage). All operations ask this way. Inside service/ only.
 */

#include "books/display.h"
#include "report/coverage.h"
#include "report/question.h"
#include "service/core/service.h"

/*
 * question_ask, with what the books say: which metagroup, which cluster runs count under, and
 * what people call the values of dimensions; and with what time there are data of, so that
 * nothing else is taken for zero.
 */
int query_context_ask(const struct service *service, struct facts *facts,
                      const struct question *question, struct table *answer,
                      struct error *err) MUST_CHECK;

/* What the books have to say to a question. */
struct query_context {
    struct membership_list members;
    struct people_list people;
    struct cluster_rules rules;
    struct capacity_list capacities;
    struct display_list names;
    struct coverage coverage;
    struct rate_list rates;
    struct zone *rate_zone; /* of the bank */
};

/*
 * Puts it into the question, for what is not asked with query_context_ask.
 * query_context_release is due in any case, after the last use of the question.
 */
int query_context_read(const struct service *service, struct facts *facts,
                       struct question *question, struct query_context *with,
                       struct error *err) MUST_CHECK;
void query_context_release(struct query_context *with);

/* Puts what people read beside what the scheduler says. */
void query_context_show_names(const struct query_context *with, struct table *table);

/*
 * What time there are data of, as of `now`, of the clusters a filter picks, less the gaps that
 * the books know of. Released by the caller, also when it fails.
 */
int query_context_coverage(const struct service *service, struct facts *facts,
                           const struct filter *filter, int64_t now, struct coverage *out,
                           struct error *err) MUST_CHECK;

/* A line for each known gap in the period, of clusters that pass for being asked about. */
int query_context_note_gaps(const struct service *service, struct period period,
                            struct answer *answer, struct error *err) MUST_CHECK;
