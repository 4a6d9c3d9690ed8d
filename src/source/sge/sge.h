/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Grid Engine's accounting file: Sun and Son of Grid Engine, Open Grid Scheduler, Univa and
 * Altair Grid Engine (colon rows), Open and Gridware Cluster Scheduler (JSON lines or colon
 * rows).
 *
 * What distinguishes runs. A job number occurs in many rows: of array tasks, of attempts, of
 * the slave tasks of a parallel job, and of another job once the numbers have wrapped. So
 *
 *   - `job` and `task` (absent when the job is no array),
 *   - `attempt`: the start in microseconds, since one task cannot start twice at one instant;
 *     one more for an attempt that was stopped to be run again (failed 24, 25), whose successor
 *     may start in the same second. A row that never started has a negative number instead, a
 *     hash of its host, failure code, submit
 *     and end time: attempts that failed on two hosts are two runs, the same row twice is one.
 *   - a slave task's row has `part` set to its id, and its own start as `attempt`. It carries
 *     what it used and no slots: those are the job's, and are in the row of the master task.
 */

#include "source/source.h"

extern const struct source_driver sge_driver;

/*
 * What qstat lists; not among the drivers of files, since a listing says how things are at the
 * moment.
 */
extern const struct source_driver sge_qstat_driver;
