/* SPDX-License-Identifier: MIT */
#include "fuzz/driver.h"
#include "live/htcondor/htcondor_live.h"
#include "source/htcondor/htcondor.h"

/* Any bytes as what condor_q, condor_history -epochs and condor_status print. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct source_options options = {.seen = 1};
    struct arena arena = {0};
    struct inventory_item_list nodes = {0};
    struct error err = {0};
    (void)fuzz_driver_with(&htcondor_queue_driver, &options, data, size);
    (void)fuzz_driver_with(&htcondor_epochs_driver, &options, data, size);
    const int failed =
        htcondor_slots_read((struct str){(const char *)data, size}, &arena, &nodes, NULL, &err);
    must(failed ? err.text[0] != '\0' : true);
    for (size_t i = 0; i < nodes.count; i++) {
        const struct inventory_item_value *values = nodes.rows[i].values;
        must(values[NODE_node].has && values[NODE_state].has && values[NODE_class].has);
    }
    inventory_item_list_release(&nodes);
    arena_release(&arena);
    return 0;
}
