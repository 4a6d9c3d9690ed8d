/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * HTCondor's history: the schedd's history file (job ads, a line that begins with *** after each),
 * its epoch history, what condor_history prints with -long, -json, -jsonl and -xml, and the lines
 * with bars that the scripts of APEL make of it.
 *
 * What distinguishes runs. The history has one ad for a job, when it leaves the queue, which adds up
 * all its attempts; the epoch history has one ad for each attempt. So
 *
 *   - `job` is ClusterId, `task` ProcId, and `job_key` GlobalJobId: schedds of one pool number their
 *     jobs each from 1,
 *   - `attempt` is the last start in microseconds (JobCurrentStartDate). A job that never
 *     started has a negative number instead, a hash of when it was queued and left.
 */

#include "source/source.h"

extern const struct source_driver htcondor_driver;
