/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The accounting file of IBM Spectrum LSF, lsb.acct: a record a line, of fields with blanks
 * between them, texts in quotes.
 *
 * What distinguishes runs. A job has a JOB_FINISH record each time it finishes: once, or again
 * after it was requeued or rerun, and job numbers wrap. So
 *
 *   - `job` and `task` (the index; absent when the job is no array),
 *   - `attempt`: the start in microseconds. A record that never started has a negative number
 *     instead, a hash of its submit and event time.
 */

#include "source/source.h"

extern const struct source_driver lsf_driver;
