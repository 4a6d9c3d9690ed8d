/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a look needs beside the files of the kernel: the clock, and what knows GPUs. NVIDIA's library is loaded once and stays; where
 * there is none, nothing is said, since a node without GPUs is none to complain about.
 */

#include <stdbool.h>
#include <stdint.h>

#include "sampler/look.h"

/* What is kept from one look to the next. */
struct senses {
    const char *root;   /* where the node's files are; borrowed */
    bool may_run_tools; /* nvidia-smi is asked where the library is not found */
    bool asked;         /* whether the library was looked for */
    struct nvml *nvml;  /* NULL: it is not there */
};

int64_t senses_now_us(void);

/* Adds the GPUs of this machine to a look, with the processes on them. */
void senses_gpus(struct senses *senses, struct look *look);
void senses_release(struct senses *senses);
