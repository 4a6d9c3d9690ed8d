/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Jobs of a Slurm whose processes are not in control groups of their own (proctrack/linuxproc),
 * and of one that names the groups by SLUID in place of the job's number.
 *
 * Slurm has a daemon of root for each step of a job on a node, `slurmstepd`, with the job's
 * number in its title. What is below it belongs to the job: the kernel says so, and no user can
 * change it. A process that left its parents (setsid, nohup) is asked for its environment,
 * where Slurm has put SLURM_JOB_ID. Users can write into their own environment: it is believed
 * only if a step of that job runs on the node, and as the user of the process. So nobody can
 * give work to somebody else's job; of their own jobs on the same node users can choose one.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "sampler/node_sample.h"

/*
 * The job in the title of a step's daemon, "slurmstepd: [4711.batch]", as in /proc/PID/cmdline;
 * 0: none.
 */
int64_t steps_title_job(struct str cmdline);

/*
 * The job that an environment (/proc/PID/environ) names, if it does not name another user than
 * `uid`; 0: none.
 */
int64_t steps_environment_job(struct str environment, int64_t uid);

/* Whether a process may be the daemon of a step: it has the name, and was started by root. */
bool steps_may_be_daemon(const struct process *process);

/* Returns the job that the environment of a process names; 0: none, or it may not be read. */
typedef int64_t steps_ask(void *context, const struct process *process);

/*
 * Gives each process of the look its job where it is not known. `daemon_of` and `sluid` of the
 * processes are set; `ask` is called for few, and only where there are steps at all.
 */
void steps_assign(struct node_sample *look, steps_ask *ask, void *context);

/* The job whose control group has this SLUID, by the step daemon in it; 0: not known. */
int64_t steps_sluid_job(const struct node_sample *look, struct str sluid);
