/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "live/sge/sge_live.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any bytes as what qhost lists: every node has a name, a state and a class, every queue counts its nodes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct inventory_item_list nodes = {0}, partitions = {0};
    struct error err = {0};
    int failed = sge_hosts_read((struct str){(const char *)data, size}, &arena, &nodes,
                                &partitions, &err);
    bool holds = !failed || err.text[0] != '\0';
    for (size_t i = 0; i < nodes.count; i++) {
        const struct inventory_item_value *values = nodes.rows[i].values;
        holds &= values[NODE_node].has && values[NODE_state].has && values[NODE_class].has;
    }
    for (size_t i = 0; i < partitions.count; i++) {
        holds &= partitions.rows[i].values[PARTITION_node_count].integer > 0;
    }
    if (!holds) {
        abort();
    }
    inventory_item_list_release(&nodes);
    inventory_item_list_release(&partitions);
    arena_release(&arena);
    return 0;
}
