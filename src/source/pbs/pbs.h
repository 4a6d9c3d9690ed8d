/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The daily accounting files of PBS Professional, OpenPBS and Torque: a record a line, with the
 * local time, a letter, the job's id, and pairs of key and value.
 *
 * What distinguishes runs. A job has a record when it starts (S), when it is stopped to be run
 * again (R), and when it ends (E); all three carry `start`, which one job cannot have twice. So
 *
 *   - `job` is the number before the first dot, `task` the index of an array's job (123[4], 123-4);
 *     an id that does not begin with a number is `job_key`,
 *   - `attempt` is the start in microseconds: the E record takes the place of the S record,
 *     whichever is read first,
 *   - a record without a start has a negative number instead, a hash of its letter and header time.
 */

#include "source/source.h"

extern const struct source_driver pbs_driver;

/*
 * What `qstat -t -f -F json` lists, and what it lists with -x: what waits and runs, and what
 * has ended. A running job is identified by its start, as in the accounting file; one that
 * waits has the same number as long as it waits, and all tasks of an array that wait are one
 * run. For pulling: neither is in the registry.
 */
extern const struct source_driver pbs_qstat_driver, pbs_history_driver;
