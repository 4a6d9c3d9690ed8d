/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The nodes of a run, for schedulers that name a node once for each cpu, in any order: every name is
 * kept once. A zeroed struct with its arena and `most` set is empty; what it grows is the arena's.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct hosts {
    struct arena *arena;
    size_t most;       /* no more names than this will be added, repeats included */
    size_t count;      /* names kept */
    size_t bytes;      /* of these */
    struct str first;  /* the one added first */
    struct str last;   /* the one added last: repeats mostly follow each other */
    struct str *names; /* from the second on */
    uint32_t *slots;   /* hash table of indexes into names, from 1 */
    size_t mask;       /* slots less one */
};

void hosts_add(struct hosts *hosts, struct str name);

/*
 * The names with commas between them. The null string when that would be longer than a text of a run
 * may be: how many there are is known all the same.
 */
struct str hosts_text(const struct hosts *hosts);
