/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What was to be reached beside what was: the targets of the books (books/target.h) that are about the
 * rows of an answer. Inside service/ only.
 *
 * A row is about a target when it is about the same measure and about just those runs: the target's filters
 * are what the row's dimensions and the question's filters say together. Such a row gets two columns
 * behind the measure: <measure>_target, how much was to be reached in the row's time as far as it
 * has passed, in proportion where the target is for a longer or shorter time; and <measure>_of_target, the
 * share of it that was. Where rows have several targets there are more of them, numbered from 2 on.
 */

#include "report/question.h"
#include "service/service.h"

enum { AIMS_MAX = 4 }; /* of a row; older ones first */

/*
 * Adds the columns to `table`, the answer to `question` with names as they are in the records, and a line to
 * the notes for each target. Nothing where there is none.
 */
int aims_add(const struct service *service, const struct question *question,
             struct table *table, struct answer *notes, struct error *err) MUST_CHECK;
