/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * NVIDIA's cards by its management library, which comes with the driver and is loaded when it
 * is there (libnvidia-ml.so.1): no program is started, and what nvidia-smi takes a tenth of a
 * second for costs some milliseconds. What is asked of a card are rows of a table in nvml.c.
 * What a card does not know is absent; one that is lost is reported as failing.
 *
 * With MIG, the instances are cards of their own beside the one they are parts of, by their own
 * UUIDs: their memory and processes are known, their utilisation is not.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "sampler/node_sample.h"

struct nvml;

/* ERROR_MISSING: there is no such library here. Other failures are those of the driver. */
int nvml_open(struct nvml **out, struct error *err) MUST_CHECK;
void nvml_close(struct nvml *nvml); /* accepts NULL */

/* Adds cards and the processes on them to a look; what went wrong are its troubles. */
void nvml_look(struct nvml *nvml, struct node_sample *look);

/*
 * Adds the counter of energy of the cards whose turn it is (read_schedule.h), after nvml_look
 * and after it is known who holds them. It takes the driver longer than all else that is asked.
 */
void nvml_look_at_energy(struct nvml *nvml, struct node_sample *look);

/* How many cards there are. */
size_t nvml_count(const struct nvml *nvml);
