/* SPDX-License-Identifier: MIT */

/*
 * sightings STORE <FILE: takes listings of nodes into a store, as a pull does, for tests of what is shown
 * of them. Lines:
 *
 *     look CLUSTER TIME                a listing begins; looks of a cluster come in order of time
 *     node|cpus|mem|gpus|gpu_type|partitions|state|class|reason|by    nothing between bars: not told
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/calendar.h"
#include "base/scan.h"
#include "facts/inventory.h"
#include "support/facts_at.h"

struct listing {
    struct facts *facts;
    struct zone *zone;
    struct arena arena;
    struct str cluster;
    int64_t at;
    struct inventory_item_list nodes;
};

static const enum node_field fields[] = {
    NODE_node,       NODE_cpus,  NODE_mem_bytes, NODE_gpus,   NODE_gpu_type,
    NODE_partitions, NODE_state, NODE_class,     NODE_reason, NODE_reason_by};

static void die(const char *what)
{
    (void)fprintf(stderr, "sightings: %s\n", what);
    exit(1);
}

static void take(struct listing *listing)
{
    struct inventory_counts counts;
    struct error err = {0};
    if (listing->cluster.ptr &&
        (facts_begin(listing->facts, &err) ||
         inventory_see(listing->facts, INVENTORY_ITEM_NODE, listing->cluster, listing->at,
                       HOUR_US, &listing->nodes, &counts, &err) ||
         facts_commit(listing->facts, &err))) {
        die(err.text);
    }
    listing->nodes.count = 0;
}

static void begin(struct listing *listing, struct str words)
{
    struct period span;
    struct error err = {0};
    take(listing);
    listing->cluster = str_cut(&words, ' ');
    if (calendar_span(words, listing->zone, 0, &span, &err) != 0) {
        die(err.text);
    }
    listing->at = span.from;
}

static void add(struct listing *listing, struct str line)
{
    struct inventory_item *node = inventory_item_list_add(&listing->nodes);
    for (size_t i = 0; i < COUNT_OF(fields) && line.ptr; i++) {
        struct str text = str_cut(&line, '|');
        int64_t number = 0;
        if (text.len > 0 &&
            inventory_item_kinds[INVENTORY_ITEM_NODE].fields[fields[i]].type == FIELD_TEXT) {
            INVENTORY_ITEM_SET_TEXT(node, fields[i], text);
        } else if (scan_size(text, 1, &number)) {
            INVENTORY_ITEM_SET_INT(node, fields[i], number);
        }
    }
}

int main(int argc, char **argv)
{
    struct listing listing = {0};
    struct error err = {0};
    char line[1024];
    if (argc != 2) {
        die("usage: sightings STORE");
    }
    if (zone_open("UTC", &listing.zone, &err) ||
        facts_at(argv[1], FACTS_WRITE, &listing.facts, &err)) {
        die(err.text);
    }
    while (fgets(line, sizeof(line), stdin)) {
        struct str text = arena_copy(&listing.arena, str_trim(str_of(line)));
        if (str_starts(text, STR("look "))) {
            begin(&listing, (struct str){text.ptr + 5, text.len - 5});
        } else if (text.len > 0) {
            add(&listing, text);
        }
    }
    take(&listing);
    facts_leave(listing.facts);
    zone_close(listing.zone);
    inventory_item_list_release(&listing.nodes);
    arena_release(&listing.arena);
    return 0;
}
