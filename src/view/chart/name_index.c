/* SPDX-License-Identifier: MIT */
#include "view/chart/name_index.h"

#include <stdlib.h>

#include "base/mem.h"

void name_index_release(struct name_index *roster)
{
    free(roster->names);
    free(roster->slots);
    arena_release(&roster->arena);
    *roster = (struct name_index){0};
}

/* The slot a name is in, or the free one where it would be. */
static size_t slot_of(const struct name_index *roster, struct str name)
{
    size_t slot = str_hash(name, 0) & (roster->slot_count - 1);
    while (roster->slots[slot] && !str_eq(roster->names[roster->slots[slot] - 1], name)) {
        slot = (slot + 1) & (roster->slot_count - 1);
    }
    return slot;
}

static void grow_name_index(struct name_index *roster)
{
    size_t count = roster->slot_count ? roster->slot_count * 2 : 64;
    free(roster->slots);
    roster->slots = mem_alloc(count, sizeof *roster->slots);
    roster->slot_count = count;
    for (size_t i = 0; i < roster->count; i++) {
        roster->slots[slot_of(roster, roster->names[i])] = i + 1;
    }
}

/* The number of a name; false if it is not there. */
static bool find_name(const struct name_index *roster, struct str name, size_t *out)
{
    size_t number = roster->slot_count ? roster->slots[slot_of(roster, name)] : 0;
    if (number) {
        *out = number - 1;
    }
    return number > 0;
}

size_t name_index_add(struct name_index *roster, struct str name)
{
    size_t number;
    if (find_name(roster, name, &number)) {
        return number;
    }
    if ((roster->count + 1) * 2 > roster->slot_count) {
        grow_name_index(roster);
    }
    roster->names =
        mem_grow(roster->names, roster->count, &roster->room, sizeof *roster->names);
    roster->names[roster->count] = arena_copy(&roster->arena, name);
    roster->slots[slot_of(roster, name)] = ++roster->count;
    return roster->count - 1;
}
