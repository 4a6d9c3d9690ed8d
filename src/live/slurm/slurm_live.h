/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A Slurm that runs, asked by its own programs (sacct, squeue, scontrol) or by slurmrestd; see
 * docs/sources/slurm.md.
 *
 * What has ended is asked for by when it ended, so that each run comes once and a pull costs
 * what happened since the last one. Slurm's database learns of an end with a delay, which can
 * be days while slurmdbd is down: a quick look goes back some minutes, and a deep one, once an
 * hour, for `look_back`, and for runs in any state.
 */

#include "live/live.h"

extern const struct live_driver slurm_live_driver;
