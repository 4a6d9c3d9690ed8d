/* SPDX-License-Identifier: MIT */
#include "ingest/extent_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The row of a cluster, or the place where it belongs. */
static size_t find_extent_place(const struct extent_set *set, struct str cluster)
{
    size_t low = 0, high = set->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (str_compare(set->rows[middle].cluster, cluster) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_at(const struct extent_set *set, size_t at, struct str cluster)
{
    return at < set->count && str_eq(set->rows[at].cluster, cluster);
}

static void insert(struct extent_set *set, size_t at, struct journal_extent row)
{
    set->rows = mem_grow(set->rows, set->count, &set->room, sizeof(*set->rows));
    memmove(set->rows + at + 1, set->rows + at, (set->count - at) * sizeof(*set->rows));
    row.cluster = arena_copy(&set->arena, row.cluster);
    set->rows[at] = row;
    set->count++;
}

bool extent_set_add(struct extent_set *set, struct str cluster, int64_t first, int64_t last)
{
    const size_t at =
        is_at(set, set->last, cluster) ? set->last : find_extent_place(set, cluster);
    if (!is_at(set, at, cluster)) {
        insert(set, at, (struct journal_extent){cluster, first, last});
    }
    struct journal_extent *row = &set->rows[at];
    row->first_time = first < row->first_time ? first : row->first_time;
    row->last_time = last > row->last_time ? last : row->last_time;
    set->last = at;
    return set->count >= EXTENT_SET_FULL;
}

bool extent_set_add_run(struct extent_set *set, const struct run *run)
{
    static const enum run_field instants[] = {RUN_submit, RUN_start, RUN_end, RUN_seen};

    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < COUNT_OF(instants); i++) {
        int64_t at;
        memcpy(&at, (const char *)run + run_fields[instants[i]].offset, sizeof(at));
        if (run_has(run, instants[i])) {
            first = at < first ? at : first;
            last = at > last ? at : last;
        }
    }
    return first <= last && extent_set_add(set, run->cluster, first, last);
}

void extent_set_clear(struct extent_set *set)
{
    set->count = set->last = 0;
    arena_reset(&set->arena);
}

void extent_set_release(struct extent_set *set)
{
    free(set->rows);
    arena_release(&set->arena);
    *set = (struct extent_set){0};
}
