/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which job holds which GPU, used or not: by the processes on it, or else by what the scheduler
 * has set in the environment of the job's processes (SLURM_JOB_GPUS has numbers of cards,
 * CUDA_VISIBLE_DEVICES counts where it has UUIDs). A card that several jobs hold is no one's.
 */

#include "sampler/node_sample.h"

/*
 * Notes job, task and user with each card (gpu.counters); when processes and uses are there.
 * `root` has proc.
 */
void gpu_owner_find(struct node_sample *look, const char *root);

/* Whether a list ("0,2-3", "GPU-1a,GPU-2b") names a card, by number or UUID. */
bool gpu_owner_names(struct str list, int64_t index, struct str uuid);
