/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One step from an empty database to the present schema: a file NNN-name.sql, embedded at
 * build. A database remembers which steps were taken; opening an older one takes the rest. A
 * step that has been released is never edited.
 */

#include <stddef.h>

struct migration {
    int number;       /* 1, 2, 3 ... without gaps */
    const char *name; /* what it does */
    const char *sql;
};
