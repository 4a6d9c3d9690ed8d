/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the records of a batch report about the owners of jobs, each login once, on the way into
 * facts/owners.h. Not thread-safe: the import holds its lock.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "record/owner.h"

/* When so many were copied the batch had better end. */
enum { OWNER_SET_FULL = 1 << 16 };

struct owner_set {
    /* by cluster and login, each once: the one that owners.h would keep */
    struct owner *owners;
    size_t count, copied;
    size_t *slots; /* by hash: index + 1; 0: free */
    size_t slot_count;
    struct arena arena;
};

/* Copies what is recorded, unless it is known. Returns true when OWNER_SET_FULL is reached. */
bool owner_set_add(struct owner_set *set, const struct owner *owner);

/* Starts over, for the next batch. */
void owner_set_clear(struct owner_set *set);
void owner_set_release(struct owner_set *set);
