/* SPDX-License-Identifier: MIT */
#include "source/common/hosts.h"

#include "base/limit.h"

/* Room for the names, once there are two. */
static void make_table(struct hosts *hosts)
{
    size_t slots = 4;
    while (slots < 2 * hosts->most) {
        slots *= 2;
    }
    hosts->mask = slots - 1;
    hosts->slots = arena_alloc(hosts->arena, slots * sizeof(*hosts->slots));
    hosts->names = arena_alloc(hosts->arena, hosts->most * sizeof(*hosts->names));
}

static void keep(struct hosts *hosts, struct str name)
{
    if (!hosts->names) {
        make_table(hosts);
    }
    size_t slot = (size_t)str_hash(name, 0) & hosts->mask;
    for (; hosts->slots[slot]; slot = (slot + 1) & hosts->mask) {
        if (str_eq(hosts->names[hosts->slots[slot] - 1], name)) {
            return;
        }
    }
    hosts->names[hosts->count - 1] = name;
    hosts->slots[slot] = (uint32_t)hosts->count++;
    hosts->bytes += name.len;
}

void hosts_add(struct hosts *hosts, struct str name)
{
    if (hosts->count == 0) {
        hosts->first = name;
        hosts->count = 1;
        hosts->bytes = name.len;
    } else if (!str_eq(name, hosts->last) && !str_eq(name, hosts->first)) {
        keep(hosts, name);
    }
    hosts->last = name;
}

struct str hosts_text(const struct hosts *hosts)
{
    if (hosts->count <= 1) {
        return hosts->first;
    }
    size_t size = hosts->bytes + hosts->count - 1;
    if (size > LIMIT_TEXT_FIELD) {
        return (struct str){0};
    }
    char *text = arena_alloc(hosts->arena, size);
    size_t len = hosts->first.len;
    memcpy(text, hosts->first.ptr, len);
    for (size_t i = 0; i + 1 < hosts->count; i++) {
        text[len++] = ',';
        memcpy(text + len, hosts->names[i].ptr, hosts->names[i].len);
        len += hosts->names[i].len;
    }
    return (struct str){text, len};
}
