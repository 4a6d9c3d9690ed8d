/* SPDX-License-Identifier: MIT */
#include "report/verify/node_split.h"

#include "report/use/use.h"

/* What nodes have parts of: of cpus and their time as the cpus lay, of all else the same. */
static const struct {
    enum run_field field;
    bool by_cpus;
} shared[] = {
    {RUN_cpus, true},
    {RUN_cpu_used_us, true},
    {RUN_cpu_user_us, true},
    {RUN_cpu_system_us, true},
    {RUN_gpus, false},
    {RUN_node_count, false},
    {RUN_mem_bytes, false},
    {RUN_req_mem_bytes, false},
    {RUN_disk_bytes, false},
    {RUN_billing, false},
    {RUN_gpu_used_us, false},
    {RUN_energy_mj, false},
    {RUN_mem_peak_bytes, false},
};

/*
 * Every node is listed, and their cpus are those of the run: a part for each, earlier nodes
 * higher.
 */
static void mark_cpus(struct node_split *nodes, struct arena *arena)
{
    const struct hostlist *names = &nodes->names;
    int64_t *marks = arena_alloc(arena, (names->count + 1) * sizeof(*marks));
    for (size_t i = names->count; i > 0; i--) {
        marks[i - 1] = marks[i] + names->nodes[i - 1].cpus;
    }
    nodes->marks = names->cpus > 0 ? marks : NULL;
}

void node_split_read(struct node_split *nodes, const struct run *run, struct arena *arena)
{
    const bool first = RUN_HAS(run, node), list = RUN_HAS(run, nodes);
    const bool alone = first && list && str_eq(run->node, run->nodes);
    const int64_t said = RUN_HAS(run, node_count) ? run->node_count : 0;
    *nodes = (struct node_split){.run = run, .total = said > 0 ? said : 0};
    const bool listed = list && !alone && hostlist_read(run->nodes, arena, &nodes->names);
    if (listed) {
        hostlist_sort(&nodes->names);
    } else if (first) {
        nodes->names =
            (struct hostlist){arena_alloc(arena, sizeof(struct hostlist_node)), 1, 0};
        nodes->names.nodes[0].name = run->node;
    }
    const int64_t recorded = (int64_t)nodes->names.count;
    if ((listed || alone) && nodes->total < recorded) {
        nodes->total = recorded;
    }
    if (RUN_HAS(run, cpus) && nodes->names.cpus == run->cpus && nodes->total == recorded) {
        mark_cpus(nodes, arena);
    }
    nodes->count = nodes->names.count + (nodes->total == 0 || nodes->total > recorded);
}

/*
 * What lies below a mark is rounded down, so that parts add up, and earlier nodes have what is
 * left over.
 */
wide_int node_split_share(struct node_split_parts parts, wide_int whole)
{
    return whole * parts.high / parts.of - whole * parts.low / parts.of;
}

/*
 * Nodes that are not recorded have the last parts; all of them where nobody knows how many
 * there were.
 */
static struct node_split_parts even_parts(const struct node_split *nodes, size_t index)
{
    const int64_t place = (int64_t)index, total = nodes->total;
    if (total == 0) {
        return (struct node_split_parts){1, 0, 1};
    }
    return index < nodes->names.count
               ? (struct node_split_parts){total, total - place - 1, total - place}
               : (struct node_split_parts){total, 0, total - place};
}

static struct node_split_cut cut_of(const struct node_split *nodes, size_t index)
{
    const struct node_split_parts even = even_parts(nodes, index);
    if (!nodes->marks) {
        return (struct node_split_cut){nodes->run, even, even};
    }
    const int64_t *marks = nodes->marks;
    return (struct node_split_cut){
        nodes->run, even, {marks[0], marks[index + 1], marks[index]}};
}

static void clear(struct run *run, enum run_field field)
{
    run->has[(unsigned)field / 64] &= ~(UINT64_C(1) << (unsigned)field % 64);
}

/*
 * Whether the peak is a lower bound depends on the cpus of the run, of which a part has some.
 */
static void set_basis(const struct run *run, struct run *part)
{
    const struct str basis = RUN_HAS(run, mem_basis) ? run->mem_basis : (struct str){0};
    RUN_CLEAR(part, mem_basis);
    if (use_is_lower_bound(basis.ptr, basis.len, RUN_HAS(run, cpus) ? (double)run->cpus : -1)) {
        RUN_SET(part, mem_basis, STR(USE_AT_LEAST));
    }
}

struct node_split_cut node_split_part(const struct node_split *nodes, size_t index,
                                      struct run *part)
{
    const struct node_split_cut cut = cut_of(nodes, index);
    const bool named = index < nodes->names.count;
    *part = *nodes->run;
    set_basis(nodes->run, part);
    RUN_CLEAR(part, nodes);
    RUN_CLEAR(part, node);
    if (named) {
        RUN_SET(part, node, nodes->names.nodes[index].name);
    }
    for (size_t i = 0; i < COUNT_OF(shared); i++) {
        int64_t *number =
            (int64_t *)(void *)((char *)part + run_fields[shared[i].field].offset);
        *number = (int64_t)node_split_share(shared[i].by_cpus ? cut.cpus : cut.even, *number);
        if (named && nodes->total == 0) {
            clear(part, shared[i].field);
        }
    }
    return cut;
}
