/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Things a cluster has, besides runs: nodes, partitions, reservations. A sighting says what one
 * of them was like at an instant; the facts make stretches of time out of sightings
 * (facts/inventory.h).
 *
 * The lists below are the one description of what a thing carries: the enums, the tables of the
 * facts (a test compares them), what `stint nodes` shows and its docs are made from them. To
 * add a field: a row here, the column in a new migration of sql/facts/schema.
 *
 * Absent is absent, as in a run.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"
#include "record/run.h"
#include "record/unit.h"

/*
 * X(kind, member, id, type, unit, label, doc); the first is the thing's name, its identity in a
 * cluster
 */
#define NODE_FIELDS(X)                                                                         \
    X(NODE, node, "node", TEXT, NONE, "Node", "name of the node")                              \
    X(NODE, cpus, "cpus", INT, COUNT, "CPUs", "cpus the scheduler can allocate")               \
    X(NODE, cores, "cores", INT, COUNT, "Cores", "number of cores")                            \
    X(NODE, mem_bytes, "mem", INT, BYTES, "Memory", "memory")                                  \
    X(NODE, disk_bytes, "disk", INT, BYTES, "Disk", "local disk")                              \
    X(NODE, gpus, "gpus", INT, COUNT, "GPUs", "GPUs")                                          \
    X(NODE, gpu_type, "gpu_type", TEXT, NONE, "GPU type", "model of the GPUs")                 \
    X(NODE, partitions, "partitions", TEXT, NONE, "Partitions",                                \
      "partitions or queues it serves, separated by commas")                                   \
    X(NODE, features, "features", TEXT, NONE, "Features", "features of the node")              \
    X(NODE, os, "os", TEXT, NONE, "System", "operating system")                                \
    X(NODE, state, "state", TEXT, NONE, "State",                                               \
      "state as reported by the source, with flags")                                           \
    X(NODE, class, "class", TEXT, NONE, "Class", "state in terms common to all sources")       \
    X(NODE, reason, "reason", TEXT, NONE, "Reason", "why it is down or drained")               \
    X(NODE, reason_by, "reason_by", TEXT, NONE, "By", "who set the reason")                    \
    X(NODE, reason_at, "reason_at", INT, INSTANT, "Reason set",                                \
      "when the scheduler says that the reason was set")

/*
 * The same for what changes all the time: a sighting that differs in nothing else does not end
 * a stretch. Only the last sighting is kept.
 */
#define NODE_MOMENTARY_FIELDS(X)                                                               \
    X(NODE, cpus_alloc, "cpus_alloc", INT, COUNT, "CPUs alloc",                                \
      "cpus that the scheduler says it has allocated now")                                     \
    X(NODE, mem_alloc_bytes, "mem_alloc", INT, BYTES, "Mem alloc",                             \
      "memory that the scheduler says it has allocated now")                                   \
    X(NODE, gpus_alloc, "gpus_alloc", INT, COUNT, "GPUs alloc",                                \
      "GPUs that the scheduler says it has allocated now")

#define PARTITION_FIELDS(X)                                                                    \
    X(PARTITION, partition, "partition", TEXT, NONE, "Partition",                              \
      "name of the partition or queue")                                                        \
    X(PARTITION, state, "state", TEXT, NONE, "State", "state as reported by the source")       \
    X(PARTITION, nodes, "nodes", TEXT, NONE, "Nodes", "nodes as the source lists them")        \
    X(PARTITION, node_count, "node_count", INT, COUNT, "Node count", "number of nodes")        \
    X(PARTITION, cpus, "cpus", INT, COUNT, "CPUs", "number of cpus")                           \
    X(PARTITION, max_wall_us, "max_wall", INT, SECONDS, "Longest", "longest run time allowed") \
    X(PARTITION, is_default, "is_default", INT, NONE, "Default", "1: the default partition")   \
    X(PARTITION, max_nodes, "max_nodes", INT, COUNT, "Most nodes",                             \
      "most nodes that a job may have")                                                        \
    X(PARTITION, default_wall_us, "default_wall", INT, SECONDS, "Default limit",               \
      "time limit of a job that does not say one")                                             \
    X(PARTITION, def_mem_cpu_bytes, "def_mem_per_cpu", INT, BYTES, "Memory a CPU",             \
      "memory for each cpu of a job that does not say how much")                               \
    X(PARTITION, def_mem_node_bytes, "def_mem_per_node", INT, BYTES, "Memory a node",          \
      "memory on each node of a job that does not say how much")                               \
    X(PARTITION, whole_nodes, "whole_nodes", INT, NONE, "Whole nodes",                         \
      "1: jobs are given whole nodes")                                                         \
    X(PARTITION, billing_weights, "billing_weights", TEXT, NONE, "Billing weights",            \
      "what the scheduler bills for each resource; empty: a unit for each cpu")                \
    X(PARTITION, billing_largest, "billing_largest", INT, NONE, "Largest billed",              \
      "of the resources of nodes is billed: 0 the sum, 1 the largest, 2 all GRES and the "     \
      "largest of the others")

#define RESERVATION_FIELDS(X)                                                                  \
    X(RESERVATION, reservation, "reservation", TEXT, NONE, "Reservation", "its name")          \
    X(RESERVATION, start, "start", INT, INSTANT, "Start", "when it begins")                    \
    X(RESERVATION, end, "end", INT, INSTANT, "End", "when it ends")                            \
    X(RESERVATION, nodes, "nodes", TEXT, NONE, "Nodes", "nodes as the source lists them")      \
    X(RESERVATION, node_count, "node_count", INT, COUNT, "Node count", "number of nodes")      \
    X(RESERVATION, cpus, "cpus", INT, COUNT, "CPUs", "cpus held")                              \
    X(RESERVATION, users, "users", TEXT, NONE, "Users", "who may use it")                      \
    X(RESERVATION, accounts, "accounts", TEXT, NONE, "Accounts", "accounts that may use it")   \
    X(RESERVATION, partition, "partition", TEXT, NONE, "Partition", "partition it is in")      \
    X(RESERVATION, flags, "flags", TEXT, NONE, "Flags",                                        \
      "as reported by the source; MAINT is planned down time")

#define INVENTORY_ITEM_ENUM(kind, member, id, type, unit, label, doc) kind##_##member,

enum node_field {
    NODE_FIELDS(INVENTORY_ITEM_ENUM) NODE_MOMENTARY_FIELDS(INVENTORY_ITEM_ENUM) NODE_FIELD_COUNT
};

enum partition_field { PARTITION_FIELDS(INVENTORY_ITEM_ENUM) PARTITION_FIELD_COUNT };

enum reservation_field { RESERVATION_FIELDS(INVENTORY_ITEM_ENUM) RESERVATION_FIELD_COUNT };

#undef INVENTORY_ITEM_ENUM

enum inventory_item_kind {
    INVENTORY_ITEM_NODE,
    INVENTORY_ITEM_PARTITION,
    INVENTORY_ITEM_RESERVATION,
    INVENTORY_ITEM_KIND_COUNT
};

enum { INVENTORY_ITEM_FIELDS_MAX = 20 };

struct inventory_item_field {
    const char *member; /* column in the facts */
    const char *id;     /* name in outputs */
    const char *label, *doc;
    enum field_type type;
    enum unit unit;
    bool momentary; /* of the last sighting; a change does not end a stretch */
};

struct inventory_item_description {
    const char *name;  /* "node" */
    const char *table; /* of the facts: "nodes" */
    const struct inventory_item_field *fields;
    size_t field_count;
};

extern const struct inventory_item_description inventory_item_kinds[INVENTORY_ITEM_KIND_COUNT];

struct inventory_item_value {
    bool has;

    union {
        int64_t integer;
        struct str text; /* borrowed */
    };
};

/* What one thing was like. */
struct inventory_item {
    struct inventory_item_value values[INVENTORY_ITEM_FIELDS_MAX]; /* by the kind's enum */
};

#define INVENTORY_ITEM_SET_TEXT(thing, field, x)                                               \
    ((thing)->values[field] = (struct inventory_item_value){.has = true, .text = (x)})
#define INVENTORY_ITEM_SET_INT(thing, field, x)                                                \
    ((thing)->values[field] = (struct inventory_item_value){.has = true, .integer = (x)})

/* A list that grows. Zeroed it is empty; text must outlive it. */
struct inventory_item_list {
    struct inventory_item *rows;
    size_t count, room;
    /* the first thing, or field of one, that was left out, as a sentence; empty: none was */
    struct error odd;
};

/* a new, zeroed row */
struct inventory_item *inventory_item_list_add(struct inventory_item_list *list);
void inventory_item_list_release(struct inventory_item_list *list);

/* What state a node is in, in words that hold for every scheduler. */
enum node_class {
    NODE_CLASS_ALLOCATED, /* wholly in use */
    NODE_CLASS_MIXED,     /* partly in use */
    NODE_CLASS_IDLE,
    NODE_CLASS_RESERVED,     /* held by a reservation, not in use */
    NODE_CLASS_MAINTENANCE,  /* held by a reservation for maintenance */
    NODE_CLASS_DRAINING,     /* still in use, takes nothing new */
    NODE_CLASS_DRAINED,      /* out of use by an operator's word */
    NODE_CLASS_DOWN,         /* out of use, does not answer or was set so */
    NODE_CLASS_FAILED,       /* said to be broken */
    NODE_CLASS_POWERED_DOWN, /* switched off to save power; would come when needed */
    NODE_CLASS_UNKNOWN,      /* an unknown state */
    NODE_CLASS_COUNT,
};

struct str node_class_name(enum node_class class);
