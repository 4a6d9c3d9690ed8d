/* SPDX-License-Identifier: MIT */
#include "record/inventory_item.h"

#include <stdlib.h>
#include <string.h>

#include "base/attribute.h"
#include "base/mem.h"

#define THING_ROW(kind, member, id, type, unit, label, doc)                                    \
    {#member, id, label, doc, FIELD_##type, UNIT_##unit, false},
#define MOMENTARY_ROW(kind, member, id, type, unit, label, doc)                                \
    {#member, id, label, doc, FIELD_##type, UNIT_##unit, true},
static const struct inventory_item_field node_fields[] = {
    NODE_FIELDS(THING_ROW) NODE_MOMENTARY_FIELDS(MOMENTARY_ROW)};
static const struct inventory_item_field partition_fields[] = {PARTITION_FIELDS(THING_ROW)};
static const struct inventory_item_field reservation_fields[] = {RESERVATION_FIELDS(THING_ROW)};

_Static_assert(COUNT_OF(node_fields) <= INVENTORY_ITEM_FIELDS_MAX,
               "struct thing has room for a node");
_Static_assert(COUNT_OF(partition_fields) <= INVENTORY_ITEM_FIELDS_MAX, "and for a partition");
_Static_assert(COUNT_OF(reservation_fields) <= INVENTORY_ITEM_FIELDS_MAX,
               "and for a reservation");

const struct inventory_item_description inventory_item_kinds[INVENTORY_ITEM_KIND_COUNT] = {
    [INVENTORY_ITEM_NODE] = {"node", "nodes", node_fields, COUNT_OF(node_fields)},
    [INVENTORY_ITEM_PARTITION] = {"partition", "partitions", partition_fields,
                                  COUNT_OF(partition_fields)},
    [INVENTORY_ITEM_RESERVATION] = {"reservation", "reservations", reservation_fields,
                                    COUNT_OF(reservation_fields)},
};

struct inventory_item *inventory_item_list_add(struct inventory_item_list *list)
{
    list->rows = mem_grow(list->rows, list->count, &list->room, sizeof(*list->rows));
    struct inventory_item *thing = &list->rows[list->count++];
    memset(thing, 0, sizeof(*thing));
    return thing;
}

void inventory_item_list_release(struct inventory_item_list *list)
{
    free(list->rows);
    *list = (struct inventory_item_list){0};
}

struct str node_class_name(enum node_class class)
{
    static const char *const names[NODE_CLASS_COUNT] = {
        [NODE_CLASS_ALLOCATED] = "allocated",
        [NODE_CLASS_MIXED] = "mixed",
        [NODE_CLASS_IDLE] = "idle",
        [NODE_CLASS_RESERVED] = "reserved",
        [NODE_CLASS_MAINTENANCE] = "maintenance",
        [NODE_CLASS_DRAINING] = "draining",
        [NODE_CLASS_DRAINED] = "drained",
        [NODE_CLASS_DOWN] = "down",
        [NODE_CLASS_FAILED] = "failed",
        [NODE_CLASS_POWERED_DOWN] = "powered_down",
        [NODE_CLASS_UNKNOWN] = "unknown",
    };
    return str_of(names[class]);
}
