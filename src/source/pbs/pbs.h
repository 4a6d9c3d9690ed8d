/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The daily accounting files of PBS Professional, OpenPBS and Torque: a record a line, with the
 * local time, a letter, the job's id, and pairs of key and value.
 *
 * What distinguishes runs. A job has a record when it starts (S), when it is stopped to be run again
 * (R), and when it ends (E); all three carry `start`, which one job cannot have twice. So
 *
 *   - `job` is the number before the first dot, `task` the index of an array's job (123[4], 123-4);
 *     an id that does not begin with a number is `job_key`,
 *   - `attempt` is the start in microseconds: the E record takes the place of the S record,
 *     whichever is read first,
 *   - a record without a start has a negative number instead, a hash of its letter and header time.
 */

#include "source/source.h"

extern const struct source_driver pbs_driver;
