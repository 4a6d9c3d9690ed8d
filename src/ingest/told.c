/* SPDX-License-Identifier: MIT */
#include "ingest/told.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { FIRST_SLOTS = 64 };

static uint64_t hash_of(const struct owner *owner)
{
    return str_hash(owner->parts[OWNER_LOGIN], str_hash(owner->cluster, 0));
}

/* The slot of an owner, or the free one where it belongs. */
static size_t *find(const struct told *told, const struct owner *owner)
{
    size_t at = hash_of(owner) & (told->slot_count - 1);
    for (; told->slots[at]; at = (at + 1) & (told->slot_count - 1)) {
        const struct owner *there = &told->owners[told->slots[at] - 1];
        if (str_eq(there->parts[OWNER_LOGIN], owner->parts[OWNER_LOGIN]) &&
            str_eq(there->cluster, owner->cluster)) {
            break;
        }
    }
    return &told->slots[at];
}

/* Half of the slots stay free; there is room for as many owners. */
static void grow(struct told *told)
{
    told->slot_count = told->slot_count ? told->slot_count * 2 : FIRST_SLOTS;
    free(told->slots);
    told->slots = mem_alloc(told->slot_count, sizeof(*told->slots));
    told->owners = mem_resize(told->owners, told->slot_count / 2, sizeof(*told->owners));
    for (size_t i = 0; i < told->count; i++) {
        *find(told, &told->owners[i]) = i + 1;
    }
}

/* As facts/owners.h has it: the later one, of two at once the greater. */
static bool is_newer(const struct owner *a, const struct owner *b)
{
    if (a->told != b->told) {
        return a->told > b->told;
    }
    const int names = str_compare(a->parts[OWNER_NAME], b->parts[OWNER_NAME]);
    return names ? names > 0 : str_compare(a->parts[OWNER_EMAIL], b->parts[OWNER_EMAIL]) > 0;
}

static void copy(struct told *told, const struct owner *owner, struct owner *out)
{
    told->copied++;
    *out = (struct owner){.cluster = arena_copy(&told->arena, owner->cluster),
                          .told = owner->told};
    for (size_t i = 0; i < OWNER_PARTS; i++) {
        if (owner->parts[i].ptr) {
            out->parts[i] = arena_copy(&told->arena, owner->parts[i]);
        }
    }
}

static bool same_parts(const struct owner *a, const struct owner *b)
{
    return str_eq(a->parts[OWNER_NAME], b->parts[OWNER_NAME]) &&
           str_eq(a->parts[OWNER_EMAIL], b->parts[OWNER_EMAIL]);
}

bool told_add(struct told *told, const struct owner *owner)
{
    if (2 * (told->count + 1) > told->slot_count) {
        grow(told);
    }
    size_t *slot = find(told, owner);
    if (*slot == 0) {
        copy(told, owner, &told->owners[told->count++]);
        *slot = told->count;
    } else if (is_newer(owner, &told->owners[*slot - 1])) {
        struct owner *there = &told->owners[*slot - 1];
        if (same_parts(owner, there)) {
            there->told = owner->told; /* no need for a second copy */
        } else {
            copy(told, owner, there);
        }
    }
    return told->copied >= TOLD_FULL;
}

void told_clear(struct told *told)
{
    told->count = told->copied = 0;
    arena_reset(&told->arena);
    if (told->slots) {
        memset(told->slots, 0, told->slot_count * sizeof(*told->slots));
    }
}

void told_release(struct told *told)
{
    free(told->owners);
    free(told->slots);
    arena_release(&told->arena);
    *told = (struct told){0};
}
