/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a look needs beside the files of the kernel: the clock, and what knows GPUs. NVIDIA's
 * library is loaded once and stays loaded; a node without it gets no warning, since it may have
 * no GPUs.
 */

#include <stdbool.h>
#include <stdint.h>

#include "sampler/node_sample.h"

/* What is kept from one look to the next. */
struct gpu_probe {
    const char *root;   /* where the node's files are; borrowed */
    bool may_run_tools; /* nvidia-smi is asked where the library is not found */
    bool asked;         /* whether the library was looked for */
    struct nvml *nvml;  /* NULL: it is not there */
};

int64_t gpu_probe_now_us(void);

/* Adds the GPUs of this machine to a look, with the processes on them. */
void gpu_probe_gpus(struct gpu_probe *senses, struct node_sample *look);
void gpu_probe_release(struct gpu_probe *senses);
