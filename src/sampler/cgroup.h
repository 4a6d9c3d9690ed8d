/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which job of a batch system a process belongs to, by the control groups it is in: schedulers
 * make one for each job and name it after the job. Where in the tree they do that is a table in
 * cgroup.c:
 *
 *     Slurm        /slurm[_NODE]/uid_N/JOB and /system.slice/[NODE_]slurmstepd.scope/JOB, where
 *                  JOB = job_4711; from 26.05 on also an id of 14 characters without the
 *                  number, the SLUID: cgroup_sluid, sampler/steps.h
 *     Grid Engine  /sge/4711.1, /UGE/4711.1  job and task; the only task of a job is 1
 *     PBS          /pbs_jobs.service/jobid/4711.server, .../jobs/... and older ones;
 *                  4711[3].server is a task of an array
 *     Torque       /torque/4711.server
 *
 * HTCondor names the slot and Nomad the allocation, which have no number; these, and the slices
 * of users, are owners of groups all the same. Whatever a user may make for himself, below
 * /user.slice, is not believed.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* A job of a batch system; zeroed, none is known. */
struct batch_job {
    int64_t number;
    int64_t task; /* of an array, where it is separate from its number */
    bool known, has_task;
};

/* /proc/PID/cgroup, of version 1 or 2; the first line that names a job counts. */
struct batch_job cgroup_job(struct str text);

/*
 * The SLUID of the job of Slurm in /proc/PID/cgroup; the null string if its group is not named
 * so. In the text.
 */
struct str cgroup_sluid(struct str text);

/* Whom a group belongs to, with all that is below it. */
struct cgroup_owner {
    struct batch_job job; /* known, or there is a name: */
    /*
     * of an allocation of Nomad, a slot of HTCondor, a user's slice, a job of Slurm by its
     * SLUID; in the path
     */
    struct str name;
    bool by_sluid;
    int64_t uid; /* of a user's slice, and of jobs of Slurm in version 1; -1: not known */
};

/*
 * Whether the group at this path, below where groups are mounted, is the whole of somebody's.
 */
bool cgroup_owner(struct str path, struct cgroup_owner *out);

/*
 * Whether the group at this path holds the groups of all jobs of a scheduler:
 * /system.slice/slurmstepd.scope, /slurm, /sge. Its counters include jobs that have ended, so
 * they know of jobs that nobody looked at.
 */
bool cgroup_holds_jobs(struct str path);
