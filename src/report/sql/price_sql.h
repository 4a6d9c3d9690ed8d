/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The price of runs in SQL: the same numbers as bank/price.h works out for one run, to the last
 * millionth, for all of them at once. Inside report/ only.
 */

#include "facts/statement.h"
#include "report/question.h"

/*
 * "(SELECT runs.*, ... AS price_su, ... AS price_cost FROM " and ") runs": what stands before
 * and after runs that have all their fields. Absent where no rate fits, or where what the rate
 * goes by was not recorded.
 */
void price_sql_begin(const struct question *question, struct statement *sql);
void price_sql_end(const struct question *question, struct statement *sql);
