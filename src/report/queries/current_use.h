/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What nodes and GPUs of each cluster do at the moment, by the samples of the last minutes. A
 * cluster without any has no row.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "table/table.h"

/*
 * Columns, by their ids: cluster, nodes, cpu_use, memory_use, gpus, gpu_use, gpu_memory_use,
 * gpus_held_idle. Uses are shares of what there is.
 */
int use_now(struct facts *facts, int64_t now, struct table *out, struct error *err) MUST_CHECK;
