/* SPDX-License-Identifier: MIT */

/*
 * The documents of `pbsnodes -a -F json` and `qstat -Q -f -F json`.
 *
 * What PBS calls a node is a virtual node: "n1[0]" and "n1[1]" are parts of the host "n1",
 * which may be listed besides, with no cpus of its own. Runs have hosts, and so have we: parts
 * are added up.
 */

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/scan.h"
#include "live/pbs/pbs_live.h"
#include "source/pbs/pbs_document.h"
#include "source/pbs/pbs_record.h"

/* An amount that may not be known: of parts, the sum. */
struct amount {
    bool known;
    int64_t sum;
};

/* One virtual node. */
struct part {
    struct arena *arena;
    struct str state, comment, changed, queue, arch, gpu_type, jobs;
    struct buf features;
    struct amount cpus, mem, gpus, pcpus;            /* that it has */
    struct amount cpus_given, mem_given, gpus_given; /* that are given to jobs */
    bool says_given;                                 /* what is not there is not given */
    bool has_jobs;
};

static void set_count(struct amount *amount, struct str text)
{
    int64_t number = 0;
    if (scan_int(text, &number) && number >= 0 && number <= INT32_MAX) {
        *amount = (struct amount){true, number};
    }
}

static void set_size(struct amount *amount, struct str text)
{
    int64_t bytes = 0;
    if (pbs_size(text, &bytes) && bytes < INT64_MAX / 4) {
        *amount = (struct amount){true, bytes};
    }
}

static bool is_gpu_type(struct str name)
{
    return str_eq(name, STR("gpu_type")) || str_eq(name, STR("gputype")) ||
           str_eq(name, STR("gpu_model"));
}

static void read_available(struct part *part, const struct pbs_member *member)
{
    if (str_eq(member->name, STR("ncpus"))) {
        set_count(&part->cpus, member->text);
    } else if (str_eq(member->name, STR("ngpus"))) {
        set_count(&part->gpus, member->text);
    } else if (str_eq(member->name, STR("mem"))) {
        set_size(&part->mem, member->text);
    } else if (str_eq(member->name, STR("arch"))) {
        part->arch = member->text;
    } else if (str_eq(member->name, STR("Qlist"))) {
        part->queue = member->text;
    } else if (is_gpu_type(member->name)) {
        part->gpu_type = member->text;
    } else if (str_eq(member->text, STR("True"))) {
        buf_addf(&part->features, "%s%.*s", part->features.len > 0 ? "," : "",
                 STR_ARG(member->name));
    }
}

static void read_given(struct part *part, const struct pbs_member *member)
{
    if (str_eq(member->name, STR("ncpus"))) {
        set_count(&part->cpus_given, member->text);
    } else if (str_eq(member->name, STR("ngpus"))) {
        set_count(&part->gpus_given, member->text);
    } else if (str_eq(member->name, STR("mem"))) {
        set_size(&part->mem_given, member->text);
    }
}

static void read_node_member(void *context, const struct pbs_member *member)
{
    struct part *part = context;
    if (str_eq(member->group, STR("resources_available"))) {
        read_available(part, member);
    } else if (str_eq(member->group, STR("resources_assigned"))) {
        read_given(part, member);
    } else if (str_eq(member->group, STR("jobs"))) {
        part->has_jobs = true;
    } else if (member->group.ptr) {
        return;
    } else if (str_eq(member->name, STR("resources_assigned"))) {
        part->says_given = true;
    } else if (str_eq(member->name, STR("jobs"))) {
        part->has_jobs |= member->text.len > 1 && !str_eq(member->text, STR("[]"));
    } else if (str_eq(member->name, STR("state"))) {
        part->state = member->text;
    } else if (str_eq(member->name, STR("comment"))) {
        part->comment = member->text;
    } else if (str_eq(member->name, STR("last_state_change_time"))) {
        part->changed = member->text;
    } else if (str_eq(member->name, STR("queue"))) {
        part->queue = member->text;
    } else if (str_eq(member->name, STR("pcpus"))) {
        set_count(&part->pcpus, member->text);
    }
}

/* --- states ------------------------------------------------------------------------------- */

/*
 * What a word of a state means for a part that it is said of; the first row that fits counts.
 */
enum standing { FREE, FULL, RESERVED, MAINTENANCE, ASLEEP, OFFLINE, UNKNOWN, DOWN, STANDINGS };

static const struct {
    const char *word;
    enum standing standing;
} words[] = {
    {"down", DOWN},
    {"stale", DOWN},
    {"unresolvable", DOWN},
    {"offline", OFFLINE},
    {"offline_by_mom", OFFLINE},
    {"maintenance", MAINTENANCE},
    {"sleep", ASLEEP},
    {"state-unknown", UNKNOWN},
    {"provisioning", UNKNOWN},
    {"wait-provisioning", UNKNOWN},
    {"resv-exclusive", RESERVED},
    {"job-exclusive", FULL},
    {"job-busy", FULL},
    {"busy", FREE}, /* its load is high: takes nothing now, however little is given */
    {"free", FREE},
};

static bool has_word(struct str state, const char *word)
{
    while (state.ptr) {
        if (str_eq(str_trim(str_cut(&state, ',')), str_of(word))) {
            return true;
        }
    }
    return false;
}

static enum standing standing_of(struct str state)
{
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (has_word(state, words[i].word)) {
            return words[i].standing;
        }
    }
    return UNKNOWN;
}

/* --- hosts -------------------------------------------------------------------------------- */

/* A host while its parts are added up. */
struct host {
    struct str name;
    struct str state, comment, queue, arch, gpu_type, features;
    struct amount cpus, mem, gpus, cpus_given, mem_given, gpus_given;
    size_t parts, standing[STANDINGS];
    bool has_jobs;
    int64_t changed; /* the latest of them; 0: not known */
};

static void add_amount(struct amount *sum, struct amount part)
{
    if (part.known) {
        *sum = (struct amount){true, sum->sum + part.sum};
    }
}

/*
 * What is given of something that a node has; where PBS lists what is given, what it leaves out
 * is not.
 */
static struct amount given_of(const struct part *part, struct amount given, struct amount has)
{
    return given.known || !part->says_given || !has.known ? given : (struct amount){true, 0};
}

static void set_first(struct str *out, struct str text)
{
    if (out->len == 0) {
        *out = text;
    }
}

/* "free" and "offline" of two parts are "free,offline". */
static struct str add_state(struct str all, struct str state, struct arena *arena)
{
    struct buf out;
    buf_init(&out, LIMIT_TEXT_FIELD);
    buf_add(&out, all);
    while (state.ptr) {
        const struct str word = str_trim(str_cut(&state, ','));
        const char *name = arena_text(arena, word);
        if (word.len > 0 && !has_word(buf_str(&out), name)) {
            buf_addf(&out, "%s%s", out.len > 0 ? "," : "", name);
        }
    }
    all = arena_copy(arena, buf_str(&out));
    buf_release(&out);
    return all;
}

static void add_part(struct host *host, const struct part *part)
{
    int64_t changed = 0;
    const struct amount cpus = part->cpus.known ? part->cpus : part->pcpus;
    host->state = add_state(host->state, part->state, part->arena);
    add_amount(&host->cpus, cpus);
    add_amount(&host->mem, part->mem);
    add_amount(&host->gpus, part->gpus);
    add_amount(&host->cpus_given, given_of(part, part->cpus_given, cpus));
    add_amount(&host->mem_given, given_of(part, part->mem_given, part->mem));
    add_amount(&host->gpus_given, given_of(part, part->gpus_given, part->gpus));
    set_first(&host->comment, part->comment);
    set_first(&host->queue, part->queue);
    set_first(&host->arch, part->arch);
    set_first(&host->gpu_type, part->gpu_type);
    set_first(&host->features, arena_copy(part->arena, buf_str(&part->features)));
    host->has_jobs |= part->has_jobs;
    if (pbs_time(part->changed, NULL, &changed) && changed > host->changed) {
        host->changed = changed;
    }
    /* The host itself is listed with no cpus where it has parts that have them. */
    if (!cpus.known || cpus.sum > 0 || part->has_jobs) {
        host->parts++;
        host->standing[standing_of(part->state)]++;
    }
}

static enum node_class class_of_use(const struct host *host)
{
    const bool used = host->has_jobs || (host->cpus_given.known && host->cpus_given.sum > 0);
    if (host->standing[FULL] == host->parts) {
        return NODE_CLASS_ALLOCATED;
    }
    if (host->standing[RESERVED] == host->parts) {
        return used ? NODE_CLASS_ALLOCATED : NODE_CLASS_RESERVED;
    }
    return !used ? NODE_CLASS_IDLE
           : host->cpus.known && host->cpus_given.known &&
                   host->cpus_given.sum >= host->cpus.sum
               ? NODE_CLASS_ALLOCATED
               : NODE_CLASS_MIXED;
}

static enum node_class class_of(const struct host *host)
{
    const size_t *standing = host->standing;
    const size_t out = standing[DOWN] + standing[OFFLINE] + standing[UNKNOWN] +
                       standing[MAINTENANCE] + standing[ASLEEP];
    if (host->parts == 0) {
        return NODE_CLASS_UNKNOWN;
    }
    if (out < host->parts) {
        return class_of_use(host);
    }
    return standing[DOWN] == host->parts          ? NODE_CLASS_DOWN
           : standing[UNKNOWN] == host->parts     ? NODE_CLASS_UNKNOWN
           : standing[MAINTENANCE] == host->parts ? NODE_CLASS_MAINTENANCE
           : standing[ASLEEP] == host->parts      ? NODE_CLASS_POWERED_DOWN
           : host->has_jobs                       ? NODE_CLASS_DRAINING
                                                  : NODE_CLASS_DRAINED;
}

static bool is_out(enum node_class class)
{
    return class == NODE_CLASS_DOWN || class == NODE_CLASS_DRAINED ||
           class == NODE_CLASS_DRAINING || class == NODE_CLASS_MAINTENANCE;
}

static void set_text(struct inventory_item *thing, unsigned field, struct str text)
{
    if (text.len > 0) {
        INVENTORY_ITEM_SET_TEXT(thing, field, text);
    }
}

static void set_amount(struct inventory_item *thing, unsigned field, struct amount amount)
{
    if (amount.known) {
        INVENTORY_ITEM_SET_INT(thing, field, amount.sum);
    }
}

static void end_host(const struct host *host, struct inventory_item_list *nodes)
{
    struct inventory_item *node = inventory_item_list_add(nodes);
    const enum node_class class = class_of(host);
    INVENTORY_ITEM_SET_TEXT(node, NODE_node, host->name);
    INVENTORY_ITEM_SET_TEXT(node, NODE_state,
                            host->state.len > 0 ? host->state : STR("unknown"));
    INVENTORY_ITEM_SET_TEXT(node, NODE_class, node_class_name(class));
    set_amount(node, NODE_cpus, host->cpus);
    set_amount(node, NODE_mem_bytes, host->mem);
    set_amount(node, NODE_gpus, host->gpus);
    set_amount(node, NODE_cpus_alloc, host->cpus_given);
    set_amount(node, NODE_mem_alloc_bytes, host->mem_given);
    set_amount(node, NODE_gpus_alloc, host->gpus_given);
    set_text(node, NODE_gpu_type, host->gpu_type);
    set_text(node, NODE_partitions, host->queue);
    set_text(node, NODE_features, host->features);
    set_text(node, NODE_os, host->arch);
    set_text(node, NODE_reason, host->comment);
    if (is_out(class) && host->changed > 0) {
        INVENTORY_ITEM_SET_INT(node, NODE_reason_at, host->changed);
    }
}

/* "n1[0]" is a part of n1. */
static struct str host_name(struct str name)
{
    const char *open =
        name.len > 2 && name.ptr[name.len - 1] == ']' ? str_byte(name, '[') : NULL;
    return open && open > name.ptr ? (struct str){name.ptr, (size_t)(open - name.ptr)} : name;
}

struct hosts_read {
    struct host *rows;
    size_t count, room;
    bool has_parts; /* only then is a host there more than once */
};

/*
 * The host of a virtual node, a new one if it is the first. Parts of a host mostly follow each
 * other.
 */
static struct host *find_host(struct hosts_read *hosts, struct str part)
{
    const struct str name = host_name(part);
    hosts->has_parts |= name.len < part.len;
    for (size_t i = hosts->has_parts ? hosts->count : 0; i > 0; i--) {
        if (str_eq(hosts->rows[i - 1].name, name)) {
            return &hosts->rows[i - 1];
        }
    }
    hosts->rows = mem_grow(hosts->rows, hosts->count, &hosts->room, sizeof(*hosts->rows));
    struct host *host = &hosts->rows[hosts->count++];
    *host = (struct host){.name = name};
    return host;
}

int pbs_nodes_read(struct str text, struct arena *arena, struct inventory_item_list *nodes,
                   struct inventory_item_list *second, struct error *err)
{
    struct pbs_entries entries;
    struct hosts_read hosts = {0};
    struct str name, record;
    (void)second;
    if (!pbs_entries_begin(&entries, text, "nodes")) {
        return error_set(err, ERROR_INPUT, "pbsnodes did not print a list of nodes");
    }
    while (pbs_entries_next(&entries, &name, &record)) {
        struct part part = {.arena = arena};
        buf_init(&part.features, LIMIT_TEXT_FIELD);
        if (!pbs_members(record, arena, read_node_member, &part) && !nodes->odd.text[0]) {
            error_set(&nodes->odd, ERROR_INPUT,
                      "not all that pbsnodes said of '%.*s' could be read", STR_ARG(name));
        }
        add_part(find_host(&hosts, name), &part);
        buf_release(&part.features);
    }
    for (size_t i = 0; i < hosts.count; i++) {
        end_host(&hosts.rows[i], nodes);
    }
    free(hosts.rows);
    return 0;
}

/* --- queues ------------------------------------------------------------------------------- */

struct queue {
    struct str type, enabled, started, wall;
};

static void read_queue_member(void *context, const struct pbs_member *member)
{
    struct queue *queue = context;
    if (str_eq(member->group, STR("resources_max"))) {
        if (str_eq(member->name, STR("walltime"))) {
            queue->wall = member->text;
        }
    } else if (member->group.ptr) {
        return;
    } else if (str_eq(member->name, STR("queue_type"))) {
        queue->type = member->text;
    } else if (str_eq(member->name, STR("enabled"))) {
        queue->enabled = member->text;
    } else if (str_eq(member->name, STR("started"))) {
        queue->started = member->text;
    }
}

/* Queues that only pass jobs on run none. */
int pbs_queues_read(struct str text, struct arena *arena,
                    struct inventory_item_list *partitions, struct inventory_item_list *second,
                    struct error *err)
{
    struct pbs_entries entries;
    struct str name, record;
    (void)second;
    if (!pbs_entries_begin(&entries, text, "Queue")) {
        return error_set(err, ERROR_INPUT, "qstat did not print a list of queues");
    }
    while (pbs_entries_next(&entries, &name, &record)) {
        struct queue queue = {0};
        int64_t wall = 0;
        (void)pbs_members(record, arena, read_queue_member, &queue);
        if (str_eq(queue.type, STR("Route"))) {
            continue;
        }
        const bool enabled = str_eq(queue.enabled, STR("True"));
        const bool started = str_eq(queue.started, STR("True"));
        struct inventory_item *partition = inventory_item_list_add(partitions);
        INVENTORY_ITEM_SET_TEXT(partition, PARTITION_partition, name);
        INVENTORY_ITEM_SET_TEXT(partition, PARTITION_state,
                                enabled && started ? STR("started")
                                : enabled          ? STR("stopped")
                                : started          ? STR("disabled")
                                                   : STR("disabled,stopped"));
        if (scan_duration(queue.wall, &wall)) {
            INVENTORY_ITEM_SET_INT(partition, PARTITION_max_wall_us, wall);
        }
    }
    return 0;
}
