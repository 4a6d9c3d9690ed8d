/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Names of nodes as schedulers shorten them: "c[1-3,07-09],g1" is c1 c2 c3 c07 c08 c09 g1. A
 * name may have several brackets ("r[1-2]n[1-4]") and text after them. A range counts in the
 * width of its first number where that begins with a zero. Without brackets it is a plain list
 * with commas.
 *
 * An item may end in the number of cpus of each of its nodes: "c1*8,c[2-3]*4".
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct hostlist_node {
    struct str name;
    int64_t cpus; /* 0 where the list does not say */
};

struct hostlist {
    struct hostlist_node *nodes; /* in the order of the text, repeats included */
    size_t count;
    /* of all nodes together; 0: the list does not say it of each of them */
    int64_t cpus;
};

/*
 * Reads all of `text`; names are the arena's, or lie in `text`. False if it is not a list of
 * names (an empty name, a blank, a bracket or range that cannot be), or if there would be more
 * than LIMIT_HOSTS of them, or one longer than LIMIT_HOST_NAME: then nothing is known of it.
 * More than LIMIT_HOST_CPUS in all are not believed: the names are kept.
 */
bool hostlist_read(struct str text, struct arena *arena, struct hostlist *out);

/* Each name once, in order; the cpus of repeats are added up. */
void hostlist_sort(struct hostlist *list);

/*
 * Whether a list that can be read has this name. A list that cannot have it is not expanded, so
 * that many can be asked. The arena is for the time of the call.
 */
bool hostlist_has(struct str text, struct str name, struct arena *arena);
