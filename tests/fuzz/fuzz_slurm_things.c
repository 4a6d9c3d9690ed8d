/* SPDX-License-Identifier: MIT */
#include "base/limit.h"
#include "fuzz/driver.h"
#include "source/slurm/slurm_things.h"

/* Any bytes as an answer about nodes, partitions or reservations: the first says which. */

static void check_things(const struct inventory_item_list *list,
                         const struct inventory_item_description *about)
{
    for (size_t i = 0; i < list->count; i++) {
        must(list->rows[i].values[0].has);
        for (size_t k = 0; k < about->field_count; k++) {
            const struct inventory_item_value *value = &list->rows[i].values[k];
            if (value->has && about->fields[k].type == FIELD_TEXT) {
                /* no weights: a unit for each cpu */
                must(value->text.len > 0 ||
                     strcmp(about->fields[k].id, "billing_weights") == 0);
                must(value->text.len <= LIMIT_TEXT_FIELD && str_is_utf8(value->text));
            } else if (value->has) {
                must(value->integer >= 0);
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct inventory_item_list list = {0};
    struct error err = {0};
    if (size == 0) {
        return 0;
    }
    enum inventory_item_kind kind = data[0] % INVENTORY_ITEM_KIND_COUNT;
    struct str text = {(const char *)data + 1, size - 1};
    if (slurm_things_read(kind, text, NULL, &arena, &list, &err)) {
        must(err.text[0] != '\0');
    } else {
        check_things(&list, &inventory_item_kinds[kind]);
    }
    inventory_item_list_release(&list);
    arena_release(&arena);
    return 0;
}
