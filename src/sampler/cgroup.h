/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which job of a batch system a process belongs to, by the control groups it is in: schedulers make one
 * for each job and name it after the job. Where in the tree they do that is a table in cgroup.c:
 *
 *     Slurm        /slurm[_NODE]/uid_N/JOB ... and /system.slice/[NODE_]slurmstepd.scope/JOB ..., JOB = job_4711
 *     Grid Engine  /sge/4711.1, /UGE/4711.1  job and task; the only task of a job is 1
 *     PBS          /pbs_jobs.service/jobid/4711.server, .../jobs/... and older ones; 4711[3].server is a task of an array
 *     Torque       /torque/4711.server
 *
 * HTCondor names the slot, which does not tell the job. Whatever a user may make for himself, below
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

/* /proc/PID/cgroup, of version 1 or 2; the first line that tells of a job counts. */
struct batch_job cgroup_job(struct str text);
