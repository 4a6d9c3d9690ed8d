/* SPDX-License-Identifier: MIT */
#include "report/check/on_nodes.h"

#include <stdlib.h>

#include "table/table.h"

/* What nodes have parts of. */
static const enum run_field shared[] = {
    RUN_cpus,        RUN_gpus,     RUN_node_count,     RUN_mem_bytes,   RUN_req_mem_bytes,
    RUN_disk_bytes,  RUN_billing,  RUN_cpu_used_us,    RUN_cpu_user_us, RUN_cpu_system_us,
    RUN_gpu_used_us, RUN_energy_j, RUN_mem_peak_bytes,
};

static int by_text(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static void sort_once(struct hostlist *names)
{
    size_t kept = 0;
    qsort(names->names, names->count, sizeof(*names->names), by_text);
    for (size_t i = 0; i < names->count; i++) {
        if (kept == 0 || !str_eq(names->names[kept - 1], names->names[i])) {
            names->names[kept++] = names->names[i];
        }
    }
    names->count = kept;
}

void on_nodes_read(struct on_nodes *nodes, const struct run *run, struct arena *arena)
{
    const bool first = RUN_HAS(run, node), list = RUN_HAS(run, nodes);
    const bool alone = first && list && str_eq(run->node, run->nodes);
    const int64_t said = RUN_HAS(run, node_count) ? run->node_count : 0;
    *nodes = (struct on_nodes){.run = run, .total = said > 0 ? said : 0};
    const bool listed = list && !alone && hostlist_read(run->nodes, arena, &nodes->names);
    if (listed) {
        sort_once(&nodes->names);
    } else if (first) {
        nodes->names = (struct hostlist){arena_alloc(arena, sizeof(struct str)), 1};
        nodes->names.names[0] = run->node;
    }
    const int64_t recorded = (int64_t)nodes->names.count;
    if ((listed || alone) && nodes->total < recorded) {
        nodes->total = recorded;
    }
    nodes->count = nodes->names.count + (nodes->total == 0 || nodes->total > recorded);
}

/* What lies below a mark is rounded down, so that parts add up, and earlier nodes have what is left over. */
static int64_t cut_off(const struct on_nodes_cut *cut, wide_int whole)
{
    return (int64_t)(whole * cut->high / cut->of - whole * cut->low / cut->of);
}

/* Nodes that are not recorded have the last parts; all of them where nobody knows how many there were. */
static struct on_nodes_cut cut_of(const struct on_nodes *nodes, size_t index)
{
    const int64_t place = (int64_t)index, total = nodes->total;
    if (total == 0) {
        return (struct on_nodes_cut){nodes->run, 1, 0, 1};
    }
    return index < nodes->names.count
               ? (struct on_nodes_cut){nodes->run, total, total - place - 1, total - place}
               : (struct on_nodes_cut){nodes->run, total, 0, total - place};
}

static void clear(struct run *run, enum run_field field)
{
    run->has[(unsigned)field / 64] &= ~(UINT64_C(1) << (unsigned)field % 64);
}

struct on_nodes_cut on_nodes_part(const struct on_nodes *nodes, size_t index, struct run *part)
{
    const struct on_nodes_cut cut = cut_of(nodes, index);
    const bool named = index < nodes->names.count;
    *part = *nodes->run;
    RUN_CLEAR(part, nodes);
    RUN_CLEAR(part, node);
    if (named) {
        RUN_SET(part, node, nodes->names.names[index]);
    }
    for (size_t i = 0; i < COUNT_OF(shared); i++) {
        int64_t *number = (int64_t *)(void *)((char *)part + run_fields[shared[i]].offset);
        *number = cut_off(&cut, *number);
        if (named && nodes->total == 0) {
            clear(part, shared[i]);
        }
    }
    return cut;
}
