/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Names of nodes as schedulers shorten them: "c[1-3,07-09],g1" is c1 c2 c3 c07 c08 c09 g1. A name may
 * have several brackets ("r[1-2]n[1-4]") and text after them. A range counts in the width of its first
 * number where that begins with a zero. Without brackets it is a plain list with commas.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"

struct hostlist {
    struct str *names; /* in the order of the text, repeats included */
    size_t count;
};

/*
 * Reads all of `text`; names are the arena's, or lie in `text`. False if it is not a list of names (an
 * empty name, a blank, a bracket or range that cannot be), or if there would be more than LIMIT_HOSTS of
 * them, or one longer than LIMIT_HOST_NAME: then nothing is known of it.
 */
bool hostlist_read(struct str text, struct arena *arena, struct hostlist *out);
