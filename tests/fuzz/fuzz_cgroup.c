/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "sampler/cgroup.h"
#include "sampler/field.h"
#include "sampler/steps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any bytes as what says which job a process is of: a job has a number, and nobody else has a task. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct batch_job job = cgroup_job((struct str){(const char *)data, size});
    if (job.known ? job.number <= 0 || job.number >= LOOK_COUNT_MAX || job.task < 0
                  : job.number != 0 || job.has_task) {
        abort();
    }
    if (!job.has_task && job.task != 0) {
        abort();
    }
    const struct str text = {(const char *)data, size}, sluid = cgroup_sluid(text);
    if (sluid.ptr && sluid.len != 14) {
        abort();
    }
    if (steps_title_job(text) < 0 || steps_environment_job(text, 1000) < 0) {
        abort();
    }
    return 0;
}
