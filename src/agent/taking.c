/* SPDX-License-Identifier: MIT */
#include "agent/taking.h"

#include <time.h>

#include "agent/nvidia.h"
#include "base/zone.h"

int64_t taking_now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * SECOND_US + now.tv_nsec / 1000;
}

void taking_gpus(struct taking *taking, struct look *look)
{
    (void)taking;
    nvidia_look(look);
    look_add_strangers(look);
}

void taking_release(struct taking *taking)
{
    (void)taking;
}
