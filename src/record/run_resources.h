/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The field `resources` of a run: what it was given besides cpus, memory, nodes and GPUs, by the
 * scheduler's names of it, as "gres/shard=2,license/matlab=1". An empty text says that there
 * were no such resources.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Most of one resource: bytes of a burst buffer count one by one. */
#define RUN_RESOURCES_MAX (INT64_C(1) << 60)

/*
 * Whether it is such a text: pairs of a name with a slash in it and a number of at most
 * RUN_RESOURCES_MAX, none of them twice.
 */
bool run_resources_valid(struct str text);

/* How many of a resource a valid text has: 0 if it is not in it. */
int64_t run_resources_count(struct str text, struct str name);
