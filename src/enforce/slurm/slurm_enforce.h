/* SPDX-License-Identifier: MIT */
#pragma once

#include "enforce/enforce.h"

/*
 * Slurm, by sshare and sacctmgr, one call each, whatever the number of accounts; and scontrol, for how limits are
 * enforced. The limits of the modes:
 *
 *     limit   GrpTRESMins=billing      counts what is used; other resources in it stay as they are
 *     hold    GrpTRESRunMins=billing=0 nothing starts; what runs ends by itself
 *     refuse  GrpSubmitJobs=0          nothing is submitted; what waits may start, what runs ends by itself
 */
extern const struct enforce_driver slurm_enforce_driver;
