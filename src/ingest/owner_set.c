/* SPDX-License-Identifier: MIT */
#include "ingest/owner_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { FIRST_SLOTS = 64 };

static uint64_t hash_of(const struct owner *owner)
{
    return str_hash(owner->parts[OWNER_LOGIN], str_hash(owner->cluster, 0));
}

/* The slot of an owner, or the free one where it belongs. */
static size_t *find_owner_slot(const struct owner_set *set, const struct owner *owner)
{
    size_t at = hash_of(owner) & (set->slot_count - 1);
    for (; set->slots[at]; at = (at + 1) & (set->slot_count - 1)) {
        const struct owner *there = &set->owners[set->slots[at] - 1];
        if (str_eq(there->parts[OWNER_LOGIN], owner->parts[OWNER_LOGIN]) &&
            str_eq(there->cluster, owner->cluster)) {
            break;
        }
    }
    return &set->slots[at];
}

/* Half of the slots stay free; there is room for as many owners. */
static void grow_slots(struct owner_set *set)
{
    set->slot_count = set->slot_count ? set->slot_count * 2 : FIRST_SLOTS;
    free(set->slots);
    set->slots = mem_alloc(set->slot_count, sizeof(*set->slots));
    set->owners = mem_resize(set->owners, set->slot_count / 2, sizeof(*set->owners));
    for (size_t i = 0; i < set->count; i++) {
        *find_owner_slot(set, &set->owners[i]) = i + 1;
    }
}

/* As facts/owners.h has it: the later one, of two at once the greater. */
static bool is_newer(const struct owner *a, const struct owner *b)
{
    if (a->reported_at != b->reported_at) {
        return a->reported_at > b->reported_at;
    }
    const int names = str_compare(a->parts[OWNER_NAME], b->parts[OWNER_NAME]);
    return names ? names > 0 : str_compare(a->parts[OWNER_EMAIL], b->parts[OWNER_EMAIL]) > 0;
}

static void copy(struct owner_set *set, const struct owner *owner, struct owner *out)
{
    set->copied++;
    *out = (struct owner){.cluster = arena_copy(&set->arena, owner->cluster),
                          .reported_at = owner->reported_at};
    for (size_t i = 0; i < OWNER_PARTS; i++) {
        if (owner->parts[i].ptr) {
            out->parts[i] = arena_copy(&set->arena, owner->parts[i]);
        }
    }
}

static bool same_parts(const struct owner *a, const struct owner *b)
{
    return str_eq(a->parts[OWNER_NAME], b->parts[OWNER_NAME]) &&
           str_eq(a->parts[OWNER_EMAIL], b->parts[OWNER_EMAIL]);
}

bool owner_set_add(struct owner_set *set, const struct owner *owner)
{
    if (2 * (set->count + 1) > set->slot_count) {
        grow_slots(set);
    }
    size_t *slot = find_owner_slot(set, owner);
    if (*slot == 0) {
        copy(set, owner, &set->owners[set->count++]);
        *slot = set->count;
    } else if (is_newer(owner, &set->owners[*slot - 1])) {
        struct owner *there = &set->owners[*slot - 1];
        if (same_parts(owner, there)) {
            there->reported_at = owner->reported_at; /* no need for a second copy */
        } else {
            copy(set, owner, there);
        }
    }
    return set->copied >= OWNER_SET_FULL;
}

void owner_set_clear(struct owner_set *set)
{
    set->count = set->copied = 0;
    arena_reset(&set->arena);
    if (set->slots) {
        memset(set->slots, 0, set->slot_count * sizeof(*set->slots));
    }
}

void owner_set_release(struct owner_set *set)
{
    free(set->owners);
    free(set->slots);
    arena_release(&set->arena);
    *set = (struct owner_set){0};
}
