/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The nodes of a run, for schedulers that name a node once for each cpu, in any order: every
 * name is kept once, with its cpus added up. A zeroed struct with its arena and `most` set is
 * empty; what it grows is the arena's.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hostlist.h"
#include "base/str.h"

struct hosts {
    struct arena *arena;
    size_t most;                 /* no more names than this will be added, repeats included */
    size_t count;                /* names kept */
    size_t bytes;                /* of these */
    struct str first;            /* the one added first */
    int64_t first_cpus;          /* of it */
    struct str last;             /* the one added last: repeats mostly follow each other */
    size_t last_at;              /* its place */
    struct hostlist_node *nodes; /* from the second on */
    uint32_t *slots;             /* hash table of indexes into nodes, from 1 */
    size_t mask;                 /* slots less one */
    bool silent;                 /* a mention did not say its cpus */
};

/* `cpus` is what this mention of the node says; negative: nothing. */
void hosts_add(struct hosts *hosts, struct str name, int64_t cpus);

/*
 * The names with commas between them (base/hostlist.h); with the cpus of each where these
 * differ and add up to `cpus`, those of the run: equal ones need not be written. The null
 * string when the names would be longer than a text of a run may be: how many there are is
 * known all the same.
 */
struct str hosts_text(const struct hosts *hosts, int64_t cpus);
