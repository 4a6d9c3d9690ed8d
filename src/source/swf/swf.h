/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The Standard Workload Format of the Parallel Workloads Archive, version 2.2: a job a line,
 * eighteen numbers, -1 for what is not known; comments before them say where and when.
 *
 * What distinguishes runs: `job`, and as `attempt` the start in microseconds, or, where the job
 * did not start, a negative number made of its submission.
 */

#include "source/source.h"

extern const struct source_driver swf_driver;
