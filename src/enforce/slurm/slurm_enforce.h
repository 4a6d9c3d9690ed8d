/* SPDX-License-Identifier: MIT */
#pragma once

#include "enforce/enforce.h"

/*
 * Slurm, by a fixed number of calls of sshare, sacctmgr and scontrol, whatever the number of
 * accounts. The limits of the modes:
 *
 *     limit   GrpTRESMins=billing      counts what is used; other resources in it stay as they are
 *     hold    GrpTRESRunMins=billing=0 nothing starts; what runs ends by itself
 *     refuse  GrpSubmitJobs=0          nothing is submitted; what waits may start, and what
 *                                      runs ends by itself
 *     jobs    GrpJobs=0                as hold, where a quality of service has a
 *                                      GrpTRESRunMins=billing of its own
 */
extern const struct enforce_driver slurm_enforce_driver;
