/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The steps from an empty file to the present schema: sql/NNN-name.sql, embedded at build in order
 * of their numbers. A store remembers which were applied; opening an older one applies the rest,
 * each in a transaction of its own. A migration that has been released is never edited.
 */

#include <stddef.h>

struct migration {
    int number;       /* 1, 2, 3 ... without gaps */
    const char *name; /* what it does */
    const char *sql;
};

extern const struct migration migrations[];
extern const size_t migration_count;
