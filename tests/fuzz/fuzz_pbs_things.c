/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "live/pbs/pbs_live.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool has_names(const struct inventory_item_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!list->rows[i].values[0].has) {
            return false;
        }
    }
    return true;
}

/* Any bytes as what pbsnodes, qstat -Q and pbs_rstat print: every thing has a name, every node a state and a class. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct str text = {(const char *)data, size};
    struct arena arena = {0};
    struct inventory_item_list nodes = {0}, queues = {0}, reservations = {0};
    struct error err = {0};
    bool holds = pbs_nodes_read(text, &arena, &nodes, NULL, &err) == 0 || err.text[0] != '\0';
    holds &= pbs_queues_read(text, &arena, &queues, NULL, &err) == 0 || err.text[0] != '\0';
    holds &= pbs_reservations_read(text, &arena, &reservations, NULL, &err) == 0 ||
             err.text[0] != '\0';
    holds &= has_names(&nodes) && has_names(&queues) && has_names(&reservations);
    for (size_t i = 0; i < nodes.count; i++) {
        holds &= nodes.rows[i].values[NODE_state].has && nodes.rows[i].values[NODE_class].has;
    }
    if (!holds) {
        abort();
    }
    inventory_item_list_release(&nodes);
    inventory_item_list_release(&queues);
    inventory_item_list_release(&reservations);
    arena_release(&arena);
    return 0;
}
