/* SPDX-License-Identifier: MIT */

/*
 * The document of `qhost -q -xml`:
 *
 *     <qhost ...>
 *      <host name='n1'>
 *        <hostvalue name='num_proc'>32</hostvalue>
 *        <hostvalue name='mem_total'>251.5G</hostvalue>
 *        <queue name='all.q'>
 *          <queuevalue qname='all.q' name='slots'>32</queuevalue>
 *          <queuevalue qname='all.q' name='slots_used'>4</queuevalue>
 *          <queuevalue qname='all.q' name='state_string'>d</queuevalue>
 *        </queue>
 *      </host>
 *
 * A host does not have a state of its own: it is that of its queues. "-" is a value nobody
 * knows; a host that has none is not there. The host 'global' stands for all of them.
 */

#include <stdio.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/scan.h"
#include "live/sge/sge_live.h"
#include "source/common/xml.h"

/* What was read of one host so far. */
struct host {
    struct inventory_item *node;
    struct buf partitions, state;
    int64_t slots, used;
    size_t queues, unreachable, disabled, broken;
    bool answers; /* it has reported its load */
};

/* One queue on the host. */
struct instance {
    struct str queue, state;
    int64_t slots, used;
};

static void add_queue(struct inventory_item_list *partitions, const struct instance *instance)
{
    struct inventory_item *found = NULL;
    for (size_t i = 0; i < partitions->count && !found; i++) {
        if (str_eq(partitions->rows[i].values[PARTITION_partition].text, instance->queue)) {
            found = &partitions->rows[i];
        }
    }
    if (!found) {
        found = inventory_item_list_add(partitions);
        INVENTORY_ITEM_SET_TEXT(found, PARTITION_partition, instance->queue);
        INVENTORY_ITEM_SET_INT(found, PARTITION_node_count, 0);
        INVENTORY_ITEM_SET_INT(found, PARTITION_cpus, 0);
    }
    found->values[PARTITION_node_count].integer++;
    found->values[PARTITION_cpus].integer += instance->slots;
}

static bool has_letter(struct str state, const char *letters)
{
    for (size_t i = 0; i < state.len; i++) {
        if (strchr(letters, state.ptr[i])) {
            return true;
        }
    }
    return false;
}

/*
 * u not reached; d D disabled by hand or calendar, s S C suspended: takes nothing; E c in
 * error.
 */
static void end_queue(struct host *host, const struct instance *instance,
                      struct inventory_item_list *partitions)
{
    host->queues++;
    host->slots += instance->slots;
    host->used += instance->used;
    host->unreachable += has_letter(instance->state, "u");
    host->broken += has_letter(instance->state, "Ec");
    host->disabled += has_letter(instance->state, "dDsSC");
    buf_addf(&host->partitions, "%s%.*s", host->partitions.len ? "," : "",
             STR_ARG(instance->queue));
    if (instance->state.len > 0) {
        buf_addf(&host->state, "%s%.*s=%.*s", host->state.len ? "," : "",
                 STR_ARG(instance->queue), STR_ARG(instance->state));
    }
    add_queue(partitions, instance);
}

static enum node_class class_of(const struct host *host)
{
    if (!host->answers || (host->queues > 0 && host->unreachable == host->queues)) {
        return NODE_CLASS_DOWN;
    }
    if (host->queues == 0) {
        return NODE_CLASS_UNKNOWN; /* an execution host that no queue uses */
    }
    if (host->broken == host->queues) {
        return NODE_CLASS_FAILED;
    }
    if (host->disabled + host->broken + host->unreachable >= host->queues) {
        return host->used > 0 ? NODE_CLASS_DRAINING : NODE_CLASS_DRAINED;
    }
    const struct inventory_item_value *cpus = &host->node->values[NODE_cpus];
    const int64_t room = cpus->has && cpus->integer < host->slots ? cpus->integer : host->slots;
    return host->used == 0      ? NODE_CLASS_IDLE
           : host->used >= room ? NODE_CLASS_ALLOCATED
                                : NODE_CLASS_MIXED;
}

static void end_host(struct host *host, struct arena *arena)
{
    struct inventory_item *node = host->node;
    const enum node_class class = class_of(host);
    if (host->partitions.len > 0) {
        INVENTORY_ITEM_SET_TEXT(node, NODE_partitions,
                                arena_copy(arena, buf_str(&host->partitions)));
    }
    INVENTORY_ITEM_SET_TEXT(node, NODE_state,
                            host->state.len > 0 ? arena_copy(arena, buf_str(&host->state))
                                                : node_class_name(class));
    INVENTORY_ITEM_SET_TEXT(node, NODE_class, node_class_name(class));
    if (host->queues > 0) {
        INVENTORY_ITEM_SET_INT(node, NODE_cpus_alloc, host->used);
    }
    buf_release(&host->partitions);
    buf_release(&host->state);
    *host = (struct host){0};
}

static void begin_host(struct host *host, struct str name, struct arena *arena,
                       struct inventory_item_list *nodes)
{
    *host = (struct host){.node = inventory_item_list_add(nodes)};
    INVENTORY_ITEM_SET_TEXT(host->node, NODE_node, xml_text(name, arena));
    buf_init(&host->partitions, LIMIT_TEXT_FIELD);
    buf_init(&host->state, LIMIT_TEXT_FIELD);
}

static void set_host_value(struct host *host, struct str name, struct str text)
{
    int64_t number = 0;
    if (str_eq(text, STR("-"))) {
        return;
    }
    host->answers |= str_eq(name, STR("load_avg"));
    if (str_eq(name, STR("num_proc")) && scan_int(text, &number)) {
        INVENTORY_ITEM_SET_INT(host->node, NODE_cpus, number);
    } else if (str_eq(name, STR("m_core")) && scan_int(text, &number) && number > 0) {
        INVENTORY_ITEM_SET_INT(host->node, NODE_cores, number);
    } else if (str_eq(name, STR("mem_total")) && scan_size(text, 1, &number)) {
        INVENTORY_ITEM_SET_INT(host->node, NODE_mem_bytes, number);
    } else if (str_eq(name, STR("arch_string"))) {
        INVENTORY_ITEM_SET_TEXT(host->node, NODE_os, text);
    }
}

static void set_queue_value(struct instance *instance, struct str name, struct str text)
{
    if (str_eq(name, STR("slots"))) {
        (void)scan_int(text, &instance->slots);
    } else if (str_eq(name, STR("slots_used"))) {
        (void)scan_int(text, &instance->used);
    } else if (str_eq(name, STR("state_string"))) {
        instance->state = text;
    }
}

int sge_hosts_read(struct str xml, struct arena *arena, struct inventory_item_list *nodes,
                   struct inventory_item_list *partitions, struct error *err)
{
    struct xml_tag tag;
    struct host host = {0};
    struct instance instance = {0};
    bool begun = false, ended = false;
    while (xml_next(&xml, &tag)) {
        const struct str name = xml_attribute(&tag, "name");
        const struct str text = xml_text(tag.text, arena);
        if (str_eq(tag.name, STR("qhost"))) {
            begun |= !tag.closes;
            ended |= tag.closes;
        } else if (str_eq(tag.name, STR("host")) && tag.closes && host.node) {
            end_host(&host, arena);
        } else if (str_eq(tag.name, STR("host")) && !tag.closes && !host.node &&
                   !str_eq(name, STR("global"))) {
            begin_host(&host, name, arena, nodes);
        } else if (!host.node) {
            continue;
        } else if (str_eq(tag.name, STR("hostvalue")) && !tag.closes) {
            set_host_value(&host, name, text);
        } else if (str_eq(tag.name, STR("queue")) && !tag.closes) {
            instance = (struct instance){.queue = xml_text(name, arena)};
        } else if (str_eq(tag.name, STR("queuevalue")) && !tag.closes) {
            set_queue_value(&instance, name, text);
        } else if (str_eq(tag.name, STR("queue")) && tag.closes) {
            end_queue(&host, &instance, partitions);
        }
    }
    if (host.node) {
        end_host(&host, arena);
    }
    return begun && ended ? 0
                          : error_set(err, ERROR_INPUT, "qhost did not print a list of hosts");
}
