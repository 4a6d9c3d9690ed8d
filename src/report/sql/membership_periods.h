/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Who was in which metagroup when, as a table that statements join runs with. Inside report/
 * only.
 *
 * For every user, account and group that runs have together, the table SQL_MEMBERSHIP_PERIODS
 * has a row for each stretch of time in which they counted to the same metagroup, or to none:
 * without gaps and without overlaps, so that a total stays the sum of its rows. A run that
 * lasts while its user moves is split at the instant of the move.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "report/question.h"

#define SQL_MEMBERSHIP_PERIODS "moves"

/*
 * The same for prices: `rates` has the numbers of the rates for metagroups that are for it, with
 * commas around each. Its days are those of the rates' zone.
 */
#define SQL_PRICE_MEMBERS "price_members"

/* Whether a row m of one of them is about a run. */
#define SQL_SAME_MEMBER                                                                        \
    "@same(runs.\"user\", m.\"user\") AND @same(runs.account, m.account) AND "                 \
    "@same(runs.\"group\", m.\"group\")"

int membership_periods_load(struct facts *facts, const struct membership_list *members,
                            struct error *err) MUST_CHECK;
int membership_periods_load_prices(struct facts *facts, const struct rate_list *rates,
                                   struct error *err) MUST_CHECK;
