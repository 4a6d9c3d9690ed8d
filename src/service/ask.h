/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A question of the catalogue, asked with what the books know: the one way operations ask. Inside
 * service/ only.
 */

#include "report/question.h"
#include "service/service.h"

/*
 * question_ask, with what the books say: which metagroup, which cluster runs count under, and, for people, what
 * to call the values of dimensions.
 */
int ask_question(const struct service *service, struct facts *facts,
                 const struct question *question, struct table *answer,
                 struct error *err) MUST_CHECK;

/* A line for each known gap in the period, of clusters that pass for being asked about. */
int ask_note_gaps(const struct service *service, struct period period, struct answer *answer,
                  struct error *err) MUST_CHECK;
