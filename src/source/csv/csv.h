/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Anything with a record a line: tables with a line of titles (CSV and the like), or JSON
 * objects. A map the site writes says which column is which field of a run; docs/sources/csv.md
 * has its words.
 *
 * What distinguishes runs: `job` (or `job_key`), `task`, and as `attempt` the start in
 * microseconds, or, without one, a negative number made of submission and end.
 */

#include "source/source.h"

extern const struct source_driver csv_driver;
