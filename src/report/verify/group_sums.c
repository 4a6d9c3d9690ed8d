/* SPDX-License-Identifier: MIT */
#include "report/verify/group_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/verify/node_split.h"

enum { ROOM_FIRST = 16 };

int group_sums_init(struct group_sums *tallies, const struct recompute *recompute,
                    const struct recompute_cut *cut, struct error *err)
{
    *tallies = (struct group_sums){
        .period = recompute->period,
        .now = recompute->now,
        .zone = recompute->zone,
        .bucket = cut->bucket,
        .dimension = cut->dimension ? dimension_find(str_of(cut->dimension)) : NULL,
    };
    if (cut->bucket != BUCKET_NONE) {
        int failed = calendar_edges(recompute->period, cut->bucket, recompute->zone,
                                    &tallies->edges, &tallies->count, err);
        tallies->all = failed ? NULL : mem_alloc(tallies->count, sizeof(*tallies->all));
        return failed;
    }
    tallies->room = ROOM_FIRST;
    tallies->all = mem_alloc(tallies->room, sizeof(*tallies->all));
    tallies->names = mem_alloc(tallies->room, sizeof(*tallies->names));
    tallies->place_count = (size_t)2 * ROOM_FIRST;
    tallies->places = mem_alloc(tallies->place_count, sizeof(*tallies->places));
    tallies->count = !cut->dimension; /* a total is there even if nothing happened */
    return 0;
}

void group_sums_release(struct group_sums *tallies)
{
    free(tallies->all);
    free(tallies->edges);
    free(tallies->names);
    free(tallies->places);
    arena_release(&tallies->arena);
    *tallies = (struct group_sums){0};
}

/* Where the name's group is noted, or will be. */
static size_t *find_place(struct group_sums *tallies, struct str name)
{
    const size_t mask = tallies->place_count - 1;
    size_t at = (size_t)str_hash(name, 0) & mask;
    for (;; at = (at + 1) & mask) {
        const size_t group = tallies->places[at];
        if (group == 0) {
            return &tallies->places[at];
        }
        const struct str have = tallies->names[group - 1];
        if (str_eq(have, name) && !have.ptr == !name.ptr) {
            return &tallies->places[at];
        }
    }
}

/* Twice the room, and all groups noted again. */
static void grow_groups(struct group_sums *tallies)
{
    const size_t room = tallies->room * 2;
    tallies->all = mem_resize(tallies->all, room, sizeof(*tallies->all));
    tallies->names = mem_resize(tallies->names, room, sizeof(*tallies->names));
    memset(tallies->all + tallies->room, 0, tallies->room * sizeof(*tallies->all));
    tallies->room = room;
    free(tallies->places);
    tallies->place_count *= 2;
    tallies->places = mem_alloc(tallies->place_count, sizeof(*tallies->places));
    for (size_t i = 0; i < tallies->count; i++) {
        *find_place(tallies, tallies->names[i]) = i + 1;
    }
}

static struct row_sums *group_of(struct group_sums *tallies, struct str name)
{
    size_t *place = find_place(tallies, name);
    if (*place == 0) {
        if (tallies->count == tallies->room) {
            grow_groups(tallies);
            place = find_place(tallies, name);
        }
        tallies->names[tallies->count] =
            name.ptr ? arena_copy(&tallies->arena, name) : (struct str){0};
        *place = ++tallies->count;
    }
    return &tallies->all[*place - 1];
}

static struct str group_name(const struct field *dimension, const struct run *run)
{
    const char *member = (const char *)run + dimension->offset;
    return run_has(run, (enum run_field)(dimension - run_fields))
               ? *(const struct str *)(const void *)member
               : (struct str){0};
}

/* The bucket an instant lies in; the first or last for one outside. */
static size_t bucket_of(const struct group_sums *tallies, int64_t instant)
{
    size_t low = 0, high = tallies->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (tallies->edges[middle] <= instant) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/*
 * From the first to the last instant that a run says of itself; up to now while it has not
 * ended.
 */
static struct period span_of(const struct run *run, int64_t now)
{
    const struct {
        bool known;
        int64_t instant;
    } instants[] = {
        {RUN_HAS(run, submit), run->submit},
        {RUN_HAS(run, start), run->start},
        {RUN_HAS(run, end), run->end},
        {RUN_HAS(run, start) && !RUN_HAS(run, end), now},
    };
    struct period span = {INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < COUNT_OF(instants); i++) {
        if (instants[i].known) {
            span.from = instants[i].instant < span.from ? instants[i].instant : span.from;
            span.to = instants[i].instant > span.to ? instants[i].instant : span.to;
        }
    }
    return span;
}

static void add_to_buckets(struct group_sums *tallies, const struct run *run)
{
    const struct period span = span_of(run, tallies->now);
    if (span.from >= tallies->period.to || span.to < tallies->period.from) {
        return;
    }
    const size_t last = bucket_of(tallies, span.to);
    for (size_t i = bucket_of(tallies, span.from); i <= last; i++) {
        const struct period bucket = {
            tallies->edges[i] > tallies->period.from ? tallies->edges[i] : tallies->period.from,
            tallies->edges[i + 1] < tallies->period.to ? tallies->edges[i + 1]
                                                       : tallies->period.to,
        };
        row_sums_add(&tallies->all[i], run, bucket, tallies->now);
    }
}

/* A run counts in the group of each of its nodes. */
static void add_to_nodes(struct group_sums *tallies, const struct run *run)
{
    struct arena arena = {0};
    struct node_split nodes;
    node_split_read(&nodes, run, &arena);
    for (size_t i = 0; i < nodes.count; i++) {
        struct run part;
        const struct node_split_cut cut = node_split_part(&nodes, i, &part);
        row_sums_add_part(group_of(tallies, group_name(tallies->dimension, &part)), &part, &cut,
                          tallies->period, tallies->now);
    }
    arena_release(&arena);
}

void group_sums_add(struct group_sums *tallies, const struct run *run)
{
    if (tallies->bucket != BUCKET_NONE) {
        add_to_buckets(tallies, run);
    } else if (!tallies->dimension) {
        row_sums_add(&tallies->all[0], run, tallies->period, tallies->now);
    } else if (!row_sums_touches(run, tallies->period, tallies->now)) {
        return; /* only a run that counts makes its group known */
    } else if (dimension_is_spread(tallies->dimension)) {
        add_to_nodes(tallies, run);
    } else {
        row_sums_add(group_of(tallies, group_name(tallies->dimension, run)), run,
                     tallies->period, tallies->now);
    }
}

void group_sums_table(const struct group_sums *tallies, struct table *out)
{
    const bool named = tallies->dimension || tallies->bucket != BUCKET_NONE;
    row_sums_columns(out, named);
    for (size_t i = 0; i < tallies->count; i++) {
        const size_t row = table_row(out);
        if (tallies->bucket != BUCKET_NONE) {
            char label[BUCKET_LABEL_MAX];
            calendar_label(tallies->edges[i], tallies->bucket, tallies->zone, label);
            table_set_text(out, 0, row, str_of(label));
        } else if (named && tallies->names[i].ptr) {
            table_set_text(out, 0, row, tallies->names[i]);
        }
        row_sums_set(&tallies->all[i], out, named, row);
    }
}
