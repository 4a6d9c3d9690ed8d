/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Asks nvidia-smi, where it is on the PATH, for the cards of this node and for the processes on
 * them. Each question has its time; one that fails is a trouble of the look. A node without the
 * tool has no GPUs, and that is no trouble.
 */

#include "sampler/node_sample.h"

void nvidia_look(struct node_sample *look);
