/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A look at a node in the words of sonar: JSON of its format 0, type "sample". Jobs of a batch
 * system have epoch 0; other processes are grouped by their process group, with an epoch that
 * grows at each boot. Numbers that are known are written even if they are 0, since sonar's
 * readers take absent for 0 and ours do not. Beyond the format there are `task`, of a job that
 * is one of an array by its cgroup; a job by its control group, with `cgroup` (and `scope`, if
 * it has no number) and without processes; and `counters` of the node and of cards. Their keys
 * are the members of struct sample.
 */

#include "base/json.h"
#include "sampler/node_sample.h"

/* Writes one object; the line break after it is the caller's. */
void sonar_write(struct json *json, const struct node_sample *look);
