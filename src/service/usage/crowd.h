/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Sums that are shown without a login tell nothing of anybody: they are of whole days of the
 * site's calendar, over a period and in intervals that are not too short, so that two of them
 * do not differ by somebody's job; and a row that is of too few users has no numbers. How
 * coarse they are is a property of the caller (struct caller_crowd); others are not restricted.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "report/question.h"
#include "service/core/service.h"

/*
 * Moves the ends of the period back to the beginnings of days, and asks for the users of each
 * row; *added: by a measure at the end that was not asked for. ERROR_DENIED: the period or its
 * intervals are shorter than what is shown, or of another calendar.
 */
int crowd_limit(const struct service *service, struct question *question, bool *added,
                struct error *err) MUST_CHECK;

/* Takes the numbers out of rows of too few users, and the measure that was added; says so. */
void crowd_hide(const struct service *service, bool added, struct answer *answer);
