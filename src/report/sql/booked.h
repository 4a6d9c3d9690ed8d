/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Runs as the books have them: what stands after FROM, wherever runs are asked about. Each run under the
 * cluster it counts under, with the person behind its login and the metagroup it was in, where the
 * question has to do with these. Inside report/ only.
 *
 *     booked_load(facts, question, err)                        the tables it joins with
 *     booked_add(question, "\"end\"", &sql, values, err)        "(SELECT ... FROM runs ...) runs"
 */

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "facts/facts.h"
#include "report/filter.h"
#include "report/question.h"

/* Loads SQL_MEMBERSHIP_PERIODS and the table of logins, if the question has to do with them. */
int booked_load(struct facts *facts, const struct question *question,
                struct error *err) MUST_CHECK;

/*
 * With metagroups, each run has that it was in at `instant`, an expression; or, if that is NULL, a row
 * for each it was in, clipped to the time it was; then own_start and own_until are of the run itself.
 */
int booked_add(const struct question *question, const char *instant, struct buf *sql,
               struct filter_values *values, struct error *err) MUST_CHECK;

/* The column that tells one run from another, whatever it was joined with. */
const char *booked_row(const struct question *question);
