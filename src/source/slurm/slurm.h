/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Slurm's accounting as its tools print it: `sacct -P` text with any columns, `sacct --json`
 * and the job lists of slurmrestd's slurmdb, from 21.08 on.
 *
 * What distinguishes runs. A job number occurs again: for each run of a requeued or resized job
 * (-D shows them all), for the tasks of an array, the components of a heterogeneous job, and
 * another job once the numbers have wrapped. So
 *
 *   - `job`: the number people know. Of an array task that of the array, with `task`; of a
 *     component that of the leader, with `het`. The number Slurm keeps for itself is `job_raw`.
 *   - `attempt`: the submit time in microseconds, which Slurm sets again whenever it requeues or resizes a
 *     job; its own database has job and submit time as a unique key. It is known from the first
 *     moment, so a job seen waiting, running and ended is one run. Where the file has no submit
 *     time, the start stands for it, else -1.
 *
 * The tasks of an array that still wait are one record with a `task_count` and no `task`.
 *
 * A job and its steps are one record: what it was given is the job's, what it used is measured
 * in its steps.
 */

#include "source/source.h"

extern const struct source_driver slurm_driver;
