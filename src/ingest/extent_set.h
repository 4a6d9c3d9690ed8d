/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * From when to when there are data of each cluster that the records of a batch name. They are
 * few as a rule, and the records of one follow each other.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "facts/journal.h"
#include "record/run.h"

struct extent_set {
    struct journal_extent *rows; /* by cluster */
    size_t count, room;
    size_t last; /* the row that was widened last */
    struct arena arena;
};

/* A batch with as many clusters is large enough. */
enum { EXTENT_SET_FULL = 1024 };

/*
 * Widens the extent of a cluster to these instants. True: the set is full, and goes on growing.
 */
bool extent_set_add(struct extent_set *set, struct str cluster, int64_t first, int64_t last);

/* The same with all instants that a run has. */
bool extent_set_add_run(struct extent_set *set, const struct run *run);

void extent_set_clear(struct extent_set *set);
void extent_set_release(struct extent_set *set);
