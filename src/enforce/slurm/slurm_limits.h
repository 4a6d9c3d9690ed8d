/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What sacctmgr, sshare and scontrol print about limits, as states of accounts and users.
 * Nothing of an answer that is not understood counts: a line with other columns, a number that
 * is not one, an answer that ends in the middle of a line or is without the account root, which
 * every Slurm has, is ERROR_INPUT.
 */

#include "enforce/enforce.h"

/*
 * The mark beside a limit that stint set: two resources that no job ever has, in a list of
 * limits of the same association. `pages` is what was set before and 2, or 1 for no limit;
 * `vmem` is what stint set and 1. Slurm 22.05 has no comment of an association that could say
 * so, and these are set by the same call as the limit, or not at all.
 */
#define SLURM_LIMITS_BEFORE "pages"
#define SLURM_LIMITS_SET    "vmem"

enum { SLURM_LIMITS_NO_LIMIT = 1, SLURM_LIMITS_BEFORE_ADDS = 2, SLURM_LIMITS_SET_ADDS = 1 };

/* Columns to ask for. */
#define SLURM_LIMITS_ASSOCS                                                                    \
    "Account,User,Partition,ParentName,GrpTRESMins,GrpTRESRunMins,GrpSubmitJobs,GrpTRES,"      \
    "GrpJobs,MaxTRES,QOS"
#define SLURM_LIMITS_SHARES "Account,User,RawUsage,TRESRunMins"
#define SLURM_LIMITS_QOS    "Name,GrpTRESMins,GrpTRESRunMins,GrpSubmitJobs,GrpJobs,UsageFactor"

/* sacctmgr -nP show qos: those that there are, in the order of their names. */
int slurm_limits_qos(struct str text, struct enforce_states *out, struct error *err) MUST_CHECK;

/*
 * sacctmgr -nP show assoc: adds to `out` and sorts it. Associations of a partition are left
 * out. What limits of the qualities of service that users may use override is told of the users
 * and of every account above them.
 */
int slurm_limits_assocs(struct str text, struct enforce_states *out,
                        struct error *err) MUST_CHECK;

/*
 * scontrol -o show partition, after both: one whose quality of service has limits overrides
 * those of all.
 */
int slurm_limits_partitions(struct str text, struct enforce_states *states,
                            struct error *err) MUST_CHECK;

/*
 * sshare -anP: adds what was used to states that are sorted. Those that it does not list stay
 * uncounted.
 */
int slurm_limits_shares(struct str text, struct enforce_states *states,
                        struct error *err) MUST_CHECK;

/*
 * scontrol show config: whether a limit of this mode does what it is set for. ERROR_INPUT if
 * Slurm does not enforce limits, or would end running jobs at one though the site does not want
 * that. *out_safe says that it never does.
 */
int slurm_limits_config(struct str text, enum enforce_mode mode, bool ends_running,
                        bool *out_safe, struct error *err) MUST_CHECK;
