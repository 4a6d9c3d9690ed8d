/* SPDX-License-Identifier: MIT */

/*
 * The ads of `condor_status -json`, one for each slot. A partitionable slot has what is left of
 * it in Cpus, Memory and GPUs, and all it began with in TotalSlotCpus and so on; the dynamic
 * slots that were cut from it are ads of their own, and are not counted again. A static slot is
 * given to a job as a whole, or not.
 */

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/scan.h"
#include "live/htcondor/htcondor_live.h"
#include "source/common/members.h"

/* An amount that may not be known. */
struct amount {
    bool known;
    int64_t sum;
};

enum resource { CPUS, MEMORY, GPUS, RESOURCE_COUNT };

/* What is read of one slot. */
struct slot {
    struct str machine, type, state, activity, gpu_type, system;
    struct amount left[RESOURCE_COUNT], total[RESOURCE_COUNT];
    int64_t since;
    bool offline;
};

static const struct {
    const char *left, *total;
    int64_t unit;
} resources[RESOURCE_COUNT] = {
    [CPUS] = {"Cpus", "TotalSlotCpus", 1},
    [MEMORY] = {"Memory", "TotalSlotMemory", INT64_C(1) << 20},
    [GPUS] = {"GPUs", "TotalSlotGPUs", 1},
};

static void set_amount(struct amount *amount, struct str text, int64_t unit)
{
    int64_t number = 0;
    if (scan_int(text, &number) && number >= 0 && number <= INT32_MAX) {
        *amount = (struct amount){true, number * unit};
    }
}

static void read_member(void *context, struct str name, enum member_kind kind, struct str text)
{
    struct slot *slot = context;

    const struct {
        const char *name;
        struct str *out;
    } texts[] = {
        {"Machine", &slot->machine},
        {"SlotType", &slot->type},
        {"State", &slot->state},
        {"Activity", &slot->activity},
        {"GPUs_DeviceName", &slot->gpu_type},
        {"CUDADeviceName", &slot->gpu_type},
        {"OpSysAndVer", &slot->system},
    };

    if (kind == MEMBER_TRUE && str_eq(name, STR("Offline"))) {
        slot->offline = true;
    } else if (kind == MEMBER_NUMBER && str_eq(name, STR("EnteredCurrentState"))) {
        (void)scan_int(text, &slot->since);
    } else if (kind == MEMBER_NUMBER) {
        for (size_t i = 0; i < RESOURCE_COUNT; i++) {
            if (str_eq(name, str_of(resources[i].left))) {
                set_amount(&slot->left[i], text, resources[i].unit);
            } else if (str_eq(name, str_of(resources[i].total))) {
                set_amount(&slot->total[i], text, resources[i].unit);
            }
        }
    } else if (kind == MEMBER_TEXT) {
        for (size_t i = 0; i < COUNT_OF(texts); i++) {
            if (str_eq(name, str_of(texts[i].name)) && text.len > 0) {
                *texts[i].out = text;
            }
        }
    }
}

/* A machine while its slots are added up. */
struct machine {
    struct str name, state, gpu_type, system;
    struct amount has[RESOURCE_COUNT], given[RESOURCE_COUNT];
    size_t slots, drained, retiring, shut, offline, claimed;
    int64_t since;
};

struct machines {
    struct machine *rows;
    size_t count, room;
};

static struct machine *find_machine(struct machines *machines, struct str name)
{
    for (size_t i = machines->count; i > 0; i--) {
        if (str_eq(machines->rows[i - 1].name, name)) {
            return &machines->rows[i - 1];
        }
        if (machines->count - i > 64) {
            break; /* the slots of a machine follow each other */
        }
    }
    machines->rows =
        mem_grow(machines->rows, machines->count, &machines->room, sizeof(*machines->rows));
    struct machine *machine = &machines->rows[machines->count++];
    *machine = (struct machine){.name = name};
    return machine;
}

static void add_amount(struct amount *sum, struct amount part)
{
    if (part.known) {
        *sum = (struct amount){true, sum->sum + part.sum};
    }
}

static bool is_type(const struct slot *slot, const char *type)
{
    return str_eq_nocase(slot->type, str_of(type));
}

static void add_resources(struct machine *machine, const struct slot *slot, bool claimed)
{
    for (size_t i = 0; i < RESOURCE_COUNT; i++) {
        const struct amount left = slot->left[i];
        const struct amount total = slot->total[i].known ? slot->total[i] : left;
        struct amount given = {0};
        if (is_type(slot, "Partitionable")) {
            const bool fits = total.known && left.known && left.sum <= total.sum;
            given = (struct amount){fits, fits ? total.sum - left.sum : 0};
        } else if (total.known) {
            given = (struct amount){true, claimed ? total.sum : 0};
        }
        add_amount(&machine->has[i], total);
        add_amount(&machine->given[i], given);
    }
}

static void add_state(struct machine *machine, struct str state, struct arena *arena)
{
    if (state.len > 0 &&
        (machine->state.len == 0 ||
         !memmem(machine->state.ptr, machine->state.len, state.ptr, state.len))) {
        machine->state =
            str_of(arena_printf(arena, "%.*s%s%.*s", STR_ARG(machine->state),
                                machine->state.len > 0 ? "," : "", STR_ARG(state)));
    }
}

static void add_slot(struct machines *machines, const struct slot *slot, struct arena *arena)
{
    struct machine *machine = find_machine(machines, slot->machine);
    const bool claimed =
        str_eq(slot->state, STR("Claimed")) || str_eq(slot->state, STR("Preempting"));
    machine->claimed += claimed;
    if (is_type(slot, "Dynamic")) {
        return;
    }
    machine->slots++;
    machine->offline += slot->offline;
    machine->drained += str_eq(slot->state, STR("Drained"));
    machine->retiring +=
        str_eq(slot->state, STR("Drained")) && str_eq(slot->activity, STR("Retiring"));
    machine->shut += str_eq(slot->state, STR("Owner"));
    machine->since = slot->since > machine->since ? slot->since : machine->since;
    add_state(machine, slot->state, arena);
    add_resources(machine, slot, claimed);
    if (machine->gpu_type.len == 0) {
        machine->gpu_type = slot->gpu_type;
    }
    if (machine->system.len == 0) {
        machine->system = slot->system;
    }
}

/*
 * Of one whose slots are in the state Owner, START does not let jobs in; a partitionable one
 * stays so while jobs end.
 */
static enum node_class class_of(const struct machine *machine)
{
    const struct amount has = machine->has[CPUS], given = machine->given[CPUS];
    const bool used = machine->claimed > 0 || (given.known && given.sum > 0);
    if (machine->slots == 0) {
        return used ? NODE_CLASS_MIXED : NODE_CLASS_UNKNOWN;
    }
    if (machine->offline == machine->slots) {
        return NODE_CLASS_POWERED_DOWN;
    }
    if (machine->drained + machine->shut == machine->slots) {
        return used || machine->retiring > 0 ? NODE_CLASS_DRAINING : NODE_CLASS_DRAINED;
    }
    return !used                                              ? NODE_CLASS_IDLE
           : has.known && given.known && given.sum >= has.sum ? NODE_CLASS_ALLOCATED
                                                              : NODE_CLASS_MIXED;
}

static void put_amount(struct inventory_item *node, unsigned field, struct amount amount)
{
    if (amount.known) {
        INVENTORY_ITEM_SET_INT(node, field, amount.sum);
    }
}

static void put_machine(const struct machine *machine, struct inventory_item_list *nodes)
{
    struct inventory_item *node = inventory_item_list_add(nodes);
    const enum node_class class = class_of(machine);
    INVENTORY_ITEM_SET_TEXT(node, NODE_node, machine->name);
    INVENTORY_ITEM_SET_TEXT(node, NODE_state,
                            machine->state.len > 0 ? machine->state : STR("unknown"));
    INVENTORY_ITEM_SET_TEXT(node, NODE_class, node_class_name(class));
    put_amount(node, NODE_cpus, machine->has[CPUS]);
    put_amount(node, NODE_mem_bytes, machine->has[MEMORY]);
    put_amount(node, NODE_gpus, machine->has[GPUS]);
    put_amount(node, NODE_cpus_alloc, machine->given[CPUS]);
    put_amount(node, NODE_mem_alloc_bytes, machine->given[MEMORY]);
    put_amount(node, NODE_gpus_alloc, machine->given[GPUS]);
    if (machine->gpu_type.len > 0) {
        INVENTORY_ITEM_SET_TEXT(node, NODE_gpu_type, machine->gpu_type);
    }
    if (machine->system.len > 0) {
        INVENTORY_ITEM_SET_TEXT(node, NODE_os, machine->system);
    }
    if ((class == NODE_CLASS_DRAINED || class == NODE_CLASS_DRAINING ||
         class == NODE_CLASS_POWERED_DOWN) &&
        machine->since > 0 && machine->since < INSTANT_MAX / SECOND_US) {
        INVENTORY_ITEM_SET_INT(node, NODE_reason_at, machine->since * SECOND_US);
    }
}

int htcondor_slots_read(struct str text, struct arena *arena, struct inventory_item_list *nodes,
                        struct inventory_item_list *second, struct error *err)
{
    struct machines machines = {0};
    struct str rest = str_trim(text);
    int failed = 0;
    (void)second;
    if (rest.len < 2 || rest.ptr[0] != '[' || rest.ptr[rest.len - 1] != ']') {
        return error_set(err, ERROR_INPUT, "condor_status did not print a list of slots");
    }
    while (!failed) {
        const size_t gap = members_between(rest);
        struct slot slot = {0};
        rest = (struct str){rest.ptr + gap, rest.len - gap};
        if (rest.len == 0) {
            break;
        }
        const size_t length = rest.ptr[0] == '{' ? members_length(rest) : 0;
        if (length == 0 ||
            !members_read((struct str){rest.ptr, length}, arena, read_member, &slot)) {
            failed =
                error_set(err, ERROR_INPUT, "condor_status printed a slot that is not JSON");
        } else if (slot.machine.len == 0) {
            failed =
                error_set(err, ERROR_INPUT, "condor_status printed a slot without a Machine");
        } else {
            add_slot(&machines, &slot, arena);
            rest = (struct str){rest.ptr + length, rest.len - length};
        }
    }
    for (size_t i = 0; i < machines.count && !failed; i++) {
        put_machine(&machines.rows[i], nodes);
    }
    free(machines.rows);
    return failed;
}
