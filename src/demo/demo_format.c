/* SPDX-License-Identifier: MIT */
#include "demo/demo_format.h"

#include <string.h>

const struct demo_format *const demo_formats[] = {&demo_as_sge, &demo_as_slurm, NULL};

const struct demo_format *demo_format_find(const char *name)
{
    for (const struct demo_format *const *format = demo_formats; *format; format++) {
        if (strcmp((*format)->name, name) == 0) {
            return *format;
        }
    }
    return NULL;
}
