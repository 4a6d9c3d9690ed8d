/* SPDX-License-Identifier: MIT */
#include "agent/taking.h"

#include <string.h>
#include <time.h>

#include "agent/nvidia.h"
#include "agent/nvml.h"
#include "base/zone.h"
#include "sampler/amd.h"
#include "sampler/holder.h"

int64_t taking_now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * SECOND_US + now.tv_nsec / 1000;
}

/* A driver that does not answer is asked again at each look: it may be loaded later. */
static void look_at_nvidia(struct taking *taking, struct look *look)
{
    struct error err;
    int failed = 0;
    if (!taking->nvml && !taking->asked) {
        failed = nvml_open(&taking->nvml, &err);
        taking->asked = !failed || failed == ERROR_MISSING;
    }
    if (taking->nvml) {
        nvml_look(taking->nvml, look);
    } else if (taking->may_run_tools) {
        nvidia_look(look);
    } else if (failed && failed != ERROR_MISSING) {
        look_trouble(look, "%s", err.text);
    }
}

void taking_gpus(struct taking *taking, struct look *look)
{
    /* Libraries and tools tell of the machine they run on, which another root is not. */
    if (strcmp(taking->root, "/") == 0) {
        look_at_nvidia(taking, look);
    }
    amd_look(look, taking->root);
    look_add_strangers(look);
    holder_find(look, taking->root);
}

void taking_release(struct taking *taking)
{
    nvml_close(taking->nvml);
    taking->nvml = NULL;
}
