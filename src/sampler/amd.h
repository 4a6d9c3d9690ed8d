/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * AMD's cards by what their driver shows below /sys/class/drm; it does not show which process
 * uses which. What a card does not show is absent.
 */

#include "sampler/node_sample.h"

/* Adds the cards below `root` to a look. */
void amd_look(struct node_sample *look, const char *root);
