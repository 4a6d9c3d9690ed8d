/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A question of the catalogue, asked with what the books know: the one way operations ask. Inside
 * service/ only.
 */

#include "books/display.h"
#include "report/coverage.h"
#include "report/question.h"
#include "service/service.h"

/*
 * question_ask, with what the books say: which metagroup, which cluster runs count under, and what people
 * call the values of dimensions; and with what time there are data of, so that nothing else is taken for zero.
 */
int informed_ask(const struct service *service, struct facts *facts,
                 const struct question *question, struct table *answer,
                 struct error *err) MUST_CHECK;

/* What the books have to say to a question. */
struct informed {
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
 * Puts it into the question, for what is not asked with informed_ask. informed_release is due in any case, after
 * the last use of the question.
 */
int informed_read(const struct service *service, struct facts *facts, struct question *question,
                  struct informed *with, struct error *err) MUST_CHECK;
void informed_release(struct informed *with);

/* Puts what people read beside what the scheduler says. */
void informed_show_names(const struct informed *with, struct table *table);

/*
 * What time there are data of, as of `now`, of the clusters a filter picks, less the gaps that the books know of. Released
 * by the caller, also when it fails.
 */
int informed_coverage(const struct service *service, struct facts *facts,
                      const struct filter *filter, int64_t now, struct coverage *out,
                      struct error *err) MUST_CHECK;

/* A line for each known gap in the period, of clusters that pass for being asked about. */
int informed_note_gaps(const struct service *service, struct period period,
                       struct answer *answer, struct error *err) MUST_CHECK;
