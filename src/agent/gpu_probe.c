/* SPDX-License-Identifier: MIT */
#include "agent/gpu_probe.h"

#include <string.h>
#include <time.h>

#include "agent/nvidia.h"
#include "agent/nvml.h"
#include "base/zone.h"
#include "sampler/amd.h"
#include "sampler/gpu_owner.h"

int64_t gpu_probe_now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * SECOND_US + now.tv_nsec / 1000;
}

/* A driver that does not answer is asked again at each look: it may be loaded later. */
static void look_at_nvidia(struct gpu_probe *senses, struct node_sample *look)
{
    struct error err;
    int failed = 0;
    if (!senses->nvml && !senses->asked) {
        failed = nvml_open(&senses->nvml, &err);
        senses->asked = !failed || failed == ERROR_MISSING;
    }
    if (senses->nvml) {
        nvml_look(senses->nvml, look);
    } else if (senses->may_run_tools) {
        nvidia_look(look);
    } else if (failed && failed != ERROR_MISSING) {
        node_sample_trouble(look, "%s", err.text);
    }
}

void gpu_probe_gpus(struct gpu_probe *senses, struct node_sample *look)
{
    /* Libraries and tools describe the machine they run on, which another root is not. */
    if (strcmp(senses->root, "/") == 0) {
        look_at_nvidia(senses, look);
    }
    amd_look(look, senses->root);
    node_sample_add_unassigned(look);
    gpu_owner_find(look, senses->root);
    if (senses->nvml) {
        nvml_look_at_energy(senses->nvml, look);
    }
}

void gpu_probe_release(struct gpu_probe *senses)
{
    nvml_close(senses->nvml);
    senses->nvml = NULL;
}
