/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * An answer by buckets with these as columns: a row for each group, a column for each stretch
 * of the calendar, and their sum where they may be summed. Inside service/ only.
 */

#include "report/question.h"
#include "service/core/service.h"

/* ERROR_USAGE if the question has no buckets, or more than one measure. */
int across_check(const struct question *question, struct error *err) MUST_CHECK;

/*
 * Turns answer->table, which answers the question; for people answer->shown has the same with a
 * row for all together, and a star in the heading of a bucket that is covered in part only.
 */
int across_turn(const struct service *service, struct facts *facts,
                const struct question *question, struct answer *answer,
                struct error *err) MUST_CHECK;
