/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * HTCondor's history: the schedd's history file (job ads, a line that begins with *** after
 * each), its epoch history, what condor_history prints with -long, -json, -jsonl and -xml, and
 * the lines with bars that the scripts of APEL make of it.
 *
 * What distinguishes runs. The history has one ad for a job, when it leaves the queue, which
 * adds up all its attempts; the epoch history has one ad for each attempt. So
 *
 *   - `job` is ClusterId, `task` ProcId, and `job_key` GlobalJobId: schedds of one pool number their
 *     jobs each from 1,
 *   - `attempt` is the last start in microseconds (JobCurrentStartDate). A job that never
 *     started has a negative number instead, a hash of when it was queued and left.
 */

#include "source/source.h"

extern const struct source_driver htcondor_driver;

/*
 * What `condor_q -json`, `condor_history -epochs -json` and `condor_history -json` print, lists
 * of nothing included. For pulling: none is in the registry.
 */
extern const struct source_driver htcondor_queue_driver, htcondor_epochs_driver,
    htcondor_left_driver;

/* The attributes of jobs that are read, with commas between: what to ask for. */
extern const char htcondor_attributes[];
