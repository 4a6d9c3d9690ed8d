/* SPDX-License-Identifier: MIT */
#pragma once

/* What reading (config_read.c), checking (config_check.c) and asking (config.c) share. */

#include "config/config.h"

/* A line of a file, for messages. */
struct config_place {
    const char *name;
    unsigned line;
};

/* ERROR_INPUT, with the place before the sentence. */
int config_wrong(const struct config_place *at, struct error *err, const char *format, ...)
    PRINTF_LIKE(3, 4);

const struct config_entry *config_entry_of(const struct config_section *section,
                                           struct str key); /* NULL: it is not set */
