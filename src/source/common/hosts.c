/* SPDX-License-Identifier: MIT */
#include "source/common/hosts.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/limit.h"

enum { CPUS_TEXT_MAX = 24 }; /* bytes of "*8", terminated */

/* Room for the names, once there are two. */
static void make_table(struct hosts *hosts)
{
    size_t slots = 4;
    while (slots < 2 * hosts->most) {
        slots *= 2;
    }
    hosts->mask = slots - 1;
    hosts->slots = arena_alloc(hosts->arena, slots * sizeof(*hosts->slots));
    hosts->nodes = arena_alloc(hosts->arena, hosts->most * sizeof(*hosts->nodes));
}

/* The place of a name that is not the first: from 1. */
static size_t keep(struct hosts *hosts, struct str name)
{
    if (!hosts->nodes) {
        make_table(hosts);
    }
    size_t slot = (size_t)str_hash(name, 0) & hosts->mask;
    for (; hosts->slots[slot]; slot = (slot + 1) & hosts->mask) {
        if (str_eq(hosts->nodes[hosts->slots[slot] - 1].name, name)) {
            return hosts->slots[slot];
        }
    }
    hosts->nodes[hosts->count - 1].name = name;
    hosts->bytes += name.len;
    hosts->slots[slot] = (uint32_t)hosts->count;
    return hosts->count++;
}

static size_t place_of(struct hosts *hosts, struct str name)
{
    if (hosts->count == 0) {
        hosts->first = name;
        hosts->count = 1;
        hosts->bytes = name.len;
        return 0;
    }
    if (str_eq(name, hosts->last)) {
        return hosts->last_at;
    }
    return str_eq(name, hosts->first) ? 0 : keep(hosts, name);
}

void hosts_add(struct hosts *hosts, struct str name, int64_t cpus)
{
    hosts->last_at = place_of(hosts, name);
    hosts->last = name;
    int64_t *sum =
        hosts->last_at == 0 ? &hosts->first_cpus : &hosts->nodes[hosts->last_at - 1].cpus;
    hosts->silent |= cpus < 0;
    if (cpus > 0 && __builtin_add_overflow(*sum, cpus, sum)) {
        *sum = INT64_MAX;
    }
}

static struct hostlist_node node_at(const struct hosts *hosts, size_t index)
{
    return index == 0 ? (struct hostlist_node){hosts->first, hosts->first_cpus}
                      : hosts->nodes[index - 1];
}

/* Whether its nodes have different numbers of cpus, which are those of the run. */
static bool is_uneven(const struct hosts *hosts, int64_t cpus)
{
    int64_t left = cpus <= LIMIT_HOST_CPUS ? cpus : 0;
    bool differ = false;
    for (size_t i = 0; left >= 0 && i < hosts->count; i++) {
        const int64_t own = node_at(hosts, i).cpus;
        differ |= own != hosts->first_cpus;
        left = own <= left ? left - own : -1;
    }
    return differ && left == 0 && !hosts->silent;
}

static struct str write_list(const struct hosts *hosts, bool counted)
{
    size_t size = hosts->bytes + hosts->count * (counted ? CPUS_TEXT_MAX : 1);
    char *text = arena_alloc(hosts->arena, size);
    size_t len = 0;
    for (size_t i = 0; i < hosts->count; i++) {
        const struct hostlist_node node = node_at(hosts, i);
        if (i > 0) {
            text[len++] = ',';
        }
        memcpy(text + len, node.name.ptr, node.name.len);
        len += node.name.len;
        if (counted) {
            len += (size_t)snprintf(text + len, size - len, "*%" PRId64, node.cpus);
        }
    }
    return (struct str){text, len};
}

struct str hosts_text(const struct hosts *hosts, int64_t cpus)
{
    if (hosts->count <= 1) {
        return hosts->first;
    }
    if (hosts->bytes + hosts->count - 1 > LIMIT_TEXT_FIELD) {
        return (struct str){0};
    }
    struct str text = {0};
    if (is_uneven(hosts, cpus)) {
        text = write_list(hosts, true);
    }
    return text.ptr && text.len <= LIMIT_TEXT_FIELD ? text : write_list(hosts, false);
}
