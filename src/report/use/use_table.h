/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What runs used, for statements over many runs: a table of those whose figures differ from
 * what the scheduler recorded, with which runs_source.h replaces these (question->resolved). So
 * a report by user adds up the same figures as a listing shows run by run.
 */

#include <stdbool.h>

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "facts/facts.h"
#include "facts/statement.h"
#include "report/queries/sample_energy.h"

/*
 * Makes the table for the runs that overlap the period, from the samples there are of them;
 * *any is false where it would be empty, and is then not made. `now` bounds runs without an
 * end. `energy` says how idle power is divided, where energy is asked for; NULL: it is not.
 */
int use_table_make(struct facts *facts, struct period period, int64_t now,
                   const enum energy_idle *energy, bool *any, struct error *err) MUST_CHECK;

/*
 * "coalesce(x.cpu, t.cpu_used_us) AS cpu_used_us, ...": for @replace, of runs `t` joined as
 * use_table_join writes.
 */
void use_table_replaced(struct statement *sql);
/* ", x.cpu_by AS use_cpu_by, ...": columns beside these, for column_add_resolved. */
void use_table_beside(struct statement *sql);
/* " LEFT JOIN ... x ON ...": with runs `t`. */
void use_table_join(struct statement *sql);
