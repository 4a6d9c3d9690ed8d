/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What sacctmgr, sshare and scontrol print about limits, as states of accounts and users. Nothing of an answer that is not
 * understood counts: a line with other columns, a number that is none, an answer that ends in the middle of a line or is
 * without the account root, which every Slurm has, is ERROR_INPUT.
 */

#include "enforce/enforce.h"

/* Columns to ask for. */
#define SLURM_LIMITS_ASSOCS                                                                    \
    "Account,User,Partition,ParentName,GrpTRESMins,GrpTRESRunMins,GrpSubmitJobs"
#define SLURM_LIMITS_SHARES "Account,User,RawUsage,TRESRunMins"

/* sacctmgr -nP show assoc: adds to `out` and sorts it. Associations of a partition are left out. */
int slurm_limits_assocs(struct str text, struct enforce_states *out,
                        struct error *err) MUST_CHECK;

/* sshare -anP: adds what was used to states that are sorted. Those that it does not list stay uncounted. */
int slurm_limits_shares(struct str text, struct enforce_states *states,
                        struct error *err) MUST_CHECK;

/*
 * scontrol show config: whether a limit of this mode does what it is set for. ERROR_INPUT if Slurm does not enforce limits, or
 * would end running jobs at one though the site does not want that. *out_safe says that it never does.
 */
int slurm_limits_config(struct str text, enum enforce_mode mode, bool ends_running,
                        bool *out_safe, struct error *err) MUST_CHECK;
