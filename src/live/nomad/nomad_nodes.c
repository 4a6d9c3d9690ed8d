/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/mem.h"
#include "live/nomad/nomad_api.h"

/*
 * Nodes, what is known of them, and how much of each is in use.
 */

#define NODES_PATH "/v1/nodes?resources=true&os=true"

struct node {
    json_t *document;
    int64_t mhz;  /* held by allocations */
    int64_t runs; /* allocations that hold something */
};

struct nomad_nodes {
    struct node *rows;
    size_t count, room;
    json_t *places; /* id -> index of `rows` */
};

struct nomad_nodes *nomad_nodes_new(void)
{
    struct nomad_nodes *nodes = mem_alloc(1, sizeof(*nodes));
    nodes->places = json_object();
    return nodes;
}

void nomad_nodes_free(struct nomad_nodes *nodes)
{
    if (!nodes) {
        return;
    }
    for (size_t i = 0; i < nodes->count; i++) {
        json_decref(nodes->rows[i].document);
    }
    json_decref(nodes->places);
    free(nodes->rows);
    free(nodes);
}

static int keep_node(void *context, json_t *object, struct str text, struct error *err)
{
    struct nomad_nodes *nodes = context;
    const struct str id = nomad_api_text(object, "ID");
    (void)text;
    if (id.len == 0) {
        return error_set(err, ERROR_INPUT, "Nomad returned a node without an ID");
    }
    nodes->rows = mem_grow(nodes->rows, nodes->count, &nodes->room, sizeof(*nodes->rows));
    json_object_setn_new(nodes->places, id.ptr, id.len, json_integer((json_int_t)nodes->count));
    nodes->rows[nodes->count++] = (struct node){.document = json_incref(object)};
    return 0;
}

int nomad_nodes_ask(struct nomad_nodes *nodes, struct nomad_api *api, struct error *err)
{
    struct nomad_answer answer;
    int failed = nomad_api_ask(api, NODES_PATH, 0, &answer, err);
    if (!failed) {
        failed = nomad_api_each(&answer, NODES_PATH, keep_node, nodes, err);
    }
    buf_release(&answer.body);
    return failed;
}

static struct node *find_node(const struct nomad_nodes *nodes, struct str id)
{
    const json_t *place = id.len > 0 ? json_object_getn(nodes->places, id.ptr, id.len) : NULL;
    return place ? &nodes->rows[json_integer_value(place)] : NULL;
}

json_t *nomad_nodes_find(const struct nomad_nodes *nodes, struct str id)
{
    static const char *const kept[] = {"Name", "Datacenter", "NodeResources"};
    const struct node *node = find_node(nodes, id);
    if (!node) {
        return NULL;
    }
    json_t *found = json_object();
    for (size_t i = 0; i < COUNT_OF(kept); i++) {
        json_t *value = json_object_get(node->document, kept[i]);
        if (i < 2 && value) {
            json_object_set(found, kept[i], value);
        } else if (json_object_get(value, "Cpu")) { /* not the devices and networks */
            json_object_set_new(found, kept[i],
                                json_pack("{s:O}", "Cpu", json_object_get(value, "Cpu")));
        }
    }
    return found;
}

void nomad_nodes_use(struct nomad_nodes *nodes, const json_t *allocation)
{
    struct node *node = find_node(nodes, nomad_api_text(allocation, "NodeID"));
    json_t *tasks = json_object_get(json_object_get(allocation, "AllocatedResources"), "Tasks");
    const char *name;
    json_t *task;
    if (!node) {
        return;
    }
    node->runs++;
    json_object_foreach(tasks, name, task)
    {
        const int64_t mhz = nomad_api_number(json_object_get(task, "Cpu"), "CpuShares", 0);
        node->mhz += mhz < INT32_MAX ? mhz : 0;
    }
}

/* --- things ------------------------------------------------------------------------------- */

/* Out of use by somebody's word: draining while something is left on it. */
static enum node_class class_of(const struct node *node)
{
    const json_t *document = node->document;
    const struct str status = nomad_api_text(document, "Status");
    const json_t *total = json_object_get(json_object_get(document, "NodeResources"), "Cpu");
    const json_t *kept = json_object_get(json_object_get(document, "ReservedResources"), "Cpu");
    const int64_t mhz =
        nomad_api_number(total, "CpuShares", 0) - nomad_api_number(kept, "CpuShares", 0);
    if (str_eq(status, STR("down")) || str_eq(status, STR("disconnected"))) {
        return NODE_CLASS_DOWN;
    }
    if (!str_eq(status, STR("ready"))) {
        return NODE_CLASS_UNKNOWN;
    }
    if (json_is_true(json_object_get(document, "Drain")) ||
        str_eq(nomad_api_text(document, "SchedulingEligibility"), STR("ineligible"))) {
        return node->runs > 0 ? NODE_CLASS_DRAINING : NODE_CLASS_DRAINED;
    }
    return node->runs == 0               ? NODE_CLASS_IDLE
           : mhz > 0 && node->mhz >= mhz ? NODE_CLASS_ALLOCATED
                                         : NODE_CLASS_MIXED;
}

static void put_text(struct inventory_item *thing, enum node_field field, struct str text,
                     struct arena *arena)
{
    if (text.len > 0) {
        INVENTORY_ITEM_SET_TEXT(thing, field, arena_copy(arena, text));
    }
}

static void put_mib(struct inventory_item *thing, enum node_field field, const json_t *object,
                    const char *name)
{
    const int64_t mib = nomad_api_number(object, name, -1);
    if (mib >= 0 && mib < INT64_C(1) << 40) {
        INVENTORY_ITEM_SET_INT(thing, field, mib << 20);
    }
}

static void put_cpus(struct inventory_item *thing, const json_t *cpu)
{
    const int64_t cores = nomad_api_number(cpu, "TotalCpuCores", 0);
    const int64_t given = (int64_t)json_array_size(json_object_get(cpu, "ReservableCpuCores"));
    if (cores > 0) {
        INVENTORY_ITEM_SET_INT(thing, NODE_cores, cores);
        INVENTORY_ITEM_SET_INT(thing, NODE_cpus, given > 0 && given < cores ? given : cores);
    }
}

static void put_gpus(struct inventory_item *thing, const json_t *resources, struct arena *arena)
{
    const json_t *device;
    size_t i;
    int64_t gpus = 0;
    struct str model = STR("");
    json_array_foreach(json_object_get(resources, "Devices"), i, device)
    {
        if (str_eq(nomad_api_text(device, "Type"), STR("gpu"))) {
            const struct str name = nomad_api_text(device, "Name");
            gpus += (int64_t)json_array_size(json_object_get(device, "Instances"));
            model = model.len == 0 || str_eq(model, name) ? name : STR("mixed");
        }
    }
    if (json_is_object(resources)) {
        INVENTORY_ITEM_SET_INT(thing, NODE_gpus, gpus);
    }
    put_text(thing, NODE_gpu_type, model, arena);
}

/* "ready", "ready+drain", "ready+ineligible", "down". */
static struct str state_of(const json_t *document, struct arena *arena)
{
    const struct str status = nomad_api_text(document, "Status");
    const bool drains = json_is_true(json_object_get(document, "Drain"));
    const bool shut =
        str_eq(nomad_api_text(document, "SchedulingEligibility"), STR("ineligible"));
    return str_of(arena_printf(arena, "%.*s%s", STR_ARG(status),
                               drains ? "+drain"
                               : shut ? "+ineligible"
                                      : ""));
}

/* Class and pool, by which jobs choose nodes. */
static struct str features_of(const json_t *document, struct arena *arena)
{
    const struct str class = nomad_api_text(document, "NodeClass"),
                     pool = nomad_api_text(document, "NodePool");
    return class.len == 0 || pool.len == 0
               ? (class.len > 0 ? class : pool)
               : str_of(arena_printf(arena, "%.*s,%.*s", STR_ARG(class), STR_ARG(pool)));
}

/*
 * When it went out of reach; of a drain, the document has the time as text in some versions
 * only.
 */
static void put_stamp(const struct node *node, struct inventory_item *thing)
{
    const int64_t at = nomad_api_number(node->document, "StatusUpdatedAt", 0);
    if (class_of(node) == NODE_CLASS_DOWN && at > 0 && at < INT32_MAX * INT64_C(64)) {
        INVENTORY_ITEM_SET_INT(thing, NODE_reason_at, at * SECOND_US);
    }
}

static void put_node(const struct node *node, struct arena *arena, struct inventory_item *thing)
{
    const json_t *document = node->document;
    const json_t *resources = json_object_get(document, "NodeResources");
    const struct str name = nomad_api_text(document, "Name");
    put_text(thing, NODE_node, name.len > 0 ? name : nomad_api_text(document, "ID"), arena);
    put_cpus(thing, json_object_get(resources, "Cpu"));
    put_mib(thing, NODE_mem_bytes, json_object_get(resources, "Memory"), "MemoryMB");
    put_mib(thing, NODE_disk_bytes, json_object_get(resources, "Disk"), "DiskMB");
    put_gpus(thing, resources, arena);
    put_text(thing, NODE_partitions, nomad_api_text(document, "Datacenter"), arena);
    put_text(thing, NODE_features, features_of(document, arena), arena);
    put_text(thing, NODE_os, nomad_api_text(json_object_get(document, "Attributes"), "os.name"),
             arena);
    put_text(thing, NODE_state, state_of(document, arena), arena);
    INVENTORY_ITEM_SET_TEXT(thing, NODE_class, node_class_name(class_of(node)));
    put_text(thing, NODE_reason, nomad_api_text(document, "StatusDescription"), arena);
    put_stamp(node, thing);
}

void nomad_nodes_list(const struct nomad_nodes *nodes, struct arena *arena,
                      struct inventory_item_list *out)
{
    for (size_t i = 0; i < nodes->count; i++) {
        put_node(&nodes->rows[i], arena, inventory_item_list_add(out));
    }
}
