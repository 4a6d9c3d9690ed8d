/* SPDX-License-Identifier: MIT */
#include "source/slurm/slurm_groups.h"

#include <stdlib.h>

#include "base/limit.h"
#include "source/slurm/slurm_json.h"
#include "source/slurm/slurm_things.h"

/* What is given by its least and its most. */
static const struct {
    const char *least, *most;
    int field;
    enum slurm_json_unit unit;
} amounts[] = {
    {"cpus.minimum", "cpus.maximum", NODE_cpus, SLURM_UNIT_SMALL},
    {"memory.minimum", "memory.maximum", NODE_mem_bytes, SLURM_UNIT_MIB},
    {"disk.minimum", "disk.maximum", NODE_disk_bytes, SLURM_UNIT_MIB},
};

static const struct {
    const char *where;
    int field;
} texts[] = {
    {"partition.name", NODE_partitions},
    {"partition", NODE_partitions},
    {"features.total", NODE_features},
    {"reason.description", NODE_reason},
    {"reason", NODE_reason},
};

/* A number that is the same for all nodes of the group. */
static bool common(const json_t *row, const char *least, const char *most, int64_t *out)
{
    int64_t other = 0;
    return slurm_json_number_at(row, least, out) && slurm_json_number_at(row, most, &other) &&
           *out == other && *out >= 0;
}

static void put_amounts(const json_t *row, struct inventory_item *node)
{
    int64_t number = 0, sockets = 0, cores = 0;
    for (size_t i = 0; i < COUNT_OF(amounts); i++) {
        if (common(row, amounts[i].least, amounts[i].most, &number) &&
            slurm_json_scale(amounts[i].unit, &number) && number > 0) {
            INVENTORY_ITEM_SET_INT(node, amounts[i].field, number);
        }
    }
    if (common(row, "sockets.minimum", "sockets.maximum", &sockets) &&
        common(row, "cores.minimum", "cores.maximum", &cores)) {
        slurm_things_put_cores(sockets, cores, node);
    }
}

static void put_texts(const json_t *row, struct arena *arena, struct inventory_item *node)
{
    struct str text = {0};
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        if (!node->values[texts[i].field].has &&
            slurm_json_text(slurm_json_find(row, texts[i].where), ',', arena, &text) &&
            text.len > 0) {
            INVENTORY_ITEM_SET_TEXT(node, texts[i].field, text);
        }
    }
    if (slurm_json_text(slurm_json_find(row, "node.state"), '+', arena, &text)) {
        INVENTORY_ITEM_SET_TEXT(node, NODE_state, text);
    }
    if (slurm_json_find(row, "gres.total")) {
        text = (struct str){0};
        (void)slurm_json_text(slurm_json_find(row, "gres.total"), ',', arena, &text);
        slurm_things_put_gpus(text, arena, node);
    }
}

int slurm_group_read(struct str text, struct arena *arena, struct inventory_item_list *out,
                     struct error *err)
{
    json_error_t where;
    struct inventory_item common_to_all = {0};
    json_t *row = json_loadb(text.ptr, text.len, 0, &where);
    if (!row) {
        return error_set(err, ERROR_INPUT, "the answer is not JSON: %s", where.text);
    }
    put_amounts(row, &common_to_all);
    put_texts(row, arena, &common_to_all);
    const json_t *names = slurm_json_find(row, "nodes.nodes"), *name;
    size_t i;
    int64_t total = 0;
    json_array_foreach(names, i, name)
    {
        struct inventory_item *node = inventory_item_list_add(out);
        *node = common_to_all;
        if (json_string_length(name) > 0) {
            INVENTORY_ITEM_SET_TEXT(node, NODE_node,
                                    arena_copy(arena, (struct str){json_string_value(name),
                                                                   json_string_length(name)}));
        }
    }
    const bool known = slurm_json_number_at(row, "nodes.total", &total);
    const size_t given = json_array_size(names);
    json_decref(row);
    return known && (size_t)total != given
               ? error_set(
                     err, ERROR_INPUT,
                     "the answer names %zu of %lld nodes of a group; ask by: sinfo -N --json",
                     given, (long long)total)
               : 0;
}

static int by_name(const void *a, const void *b)
{
    const struct inventory_item *x = a, *y = b;
    const int order = str_compare(x->values[NODE_node].text, y->values[NODE_node].text);
    return order
               ? order
               : str_compare(x->values[NODE_partitions].text, y->values[NODE_partitions].text);
}

/* The second partition of a node, or a further one. */
static int add_partition(struct inventory_item *node, struct str partition, struct arena *arena,
                         struct error *err)
{
    const struct str before = node->values[NODE_partitions].text;
    if (before.len + partition.len >= LIMIT_TEXT_FIELD) {
        return error_set(err, ERROR_LIMIT, "node '%.*s' has partitions of more than %d KiB",
                         STR_ARG(node->values[NODE_node].text), LIMIT_TEXT_FIELD >> 10);
    }
    INVENTORY_ITEM_SET_TEXT(
        node, NODE_partitions,
        before.len == 0
            ? partition
            : str_of(arena_printf(arena, "%.*s,%.*s", STR_ARG(before), STR_ARG(partition))));
    return 0;
}

int slurm_groups_merge(struct inventory_item_list *nodes, struct arena *arena,
                       struct error *err)
{
    size_t kept = 0;
    int failed = 0;
    if (nodes->count > 0) {
        qsort(nodes->rows, nodes->count, sizeof(*nodes->rows), by_name);
    }
    for (size_t i = 0; !failed && i < nodes->count; i++) {
        const struct inventory_item *node = &nodes->rows[i];
        const struct inventory_item *before = i ? &nodes->rows[i - 1] : NULL;
        if (!before || !str_eq(before->values[NODE_node].text, node->values[NODE_node].text)) {
            nodes->rows[kept++] = *node;
        } else if (by_name(before, node) != 0) {
            failed = add_partition(&nodes->rows[kept - 1], node->values[NODE_partitions].text,
                                   arena, err);
        }
    }
    nodes->count = kept;
    return failed;
}
