/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A look at a node in the words of sonar: JSON of its format 0, type "sample". Jobs of a batch system
 * have epoch 0; other processes are grouped by their process group, with an epoch that grows at each
 * boot. Numbers that are known are written even if they are 0, since sonar's readers take absent for 0
 * and ours do not. Beyond the format there is `task`, of a job that is one of an array by its cgroup.
 */

#include "base/json.h"
#include "sampler/look.h"

/* Writes one object; the line break after it is the caller's. */
void sonar_write(struct json *json, const struct look *look);
