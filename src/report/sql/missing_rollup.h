/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The roll-up of what is not recorded (report/queries/missing_fields.h): for every day and
 * cluster how many runs started, how many were running when it began and how long runs took,
 * apart by which measures they cannot enter. A small table, by which an answer from roll-ups
 * says what it leaves out without looking at runs. Of runs that have ended. Inside report/
 * only.
 *
 * Columns: begins, cluster, mask, runs, carried, time. A measure has a bit of the mask;
 * MISSING_ROLLUP_UNENDED is that of runs whose end is not recorded.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/statement.h"
#include "report/question.h"

#define MISSING_ROLLUP_TABLE IDENTIFIER("rollup_omission")

enum { MISSING_ROLLUP_UNENDED = 0 };

/* The number of the bit of this measure, below zero if it has no bit. */
int missing_rollup_bit(const struct measure *measure);

/* "mask has the bit", as a condition. */
void missing_rollup_add_bit(struct statement *sql, int bit);

/* "... AS mask": that of a run. */
void missing_rollup_add_mask(struct statement *sql);

/* Makes the table again, empty. */
int missing_rollup_make_table(struct facts *facts, struct error *err) MUST_CHECK;

/* The conditions behind its columns, as text that changes when one of them does. */
void missing_rollup_add_signature(struct statement *sql);

/* Makes whole days of the calendar again. */
int missing_rollup_roll(struct facts *facts, const struct zone *zone, struct period days,
                        struct error *err) MUST_CHECK;
