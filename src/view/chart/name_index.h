/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Names in the order in which they first came, each with its number. For view/chart only.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

struct name_index {
    struct str *names;
    size_t count, room;
    size_t *slots; /* number + 1 by hash, 0: free */
    size_t slot_count;
    struct arena arena;
};

/* A zeroed struct is an empty one. */
void name_index_release(struct name_index *roster);

/* The number of a name, which is added if it is new. The text is copied. */
size_t name_index_add(struct name_index *roster, struct str name);
