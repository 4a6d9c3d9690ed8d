/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a look needs beside the files of the kernel: the clock, and the libraries or tools that know GPUs.
 */

#include <stdint.h>

#include "sampler/look.h"

/* What is kept from one look to the next; zeroed, nothing. */
struct taking {
    struct nvml *nvml; /* sampler's, once it was looked for; NULL: it is not there */
    bool nvml_asked;
};

int64_t taking_now_us(void);

/* Adds the GPUs of this machine to a look, with the processes on them. */
void taking_gpus(struct taking *taking, struct look *look);
void taking_release(struct taking *taking);
