/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/limit.h"
#include "sampler/sonar_writer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any bytes as each of the files about the node: what is told of it is JSON, and numbers are none below 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    struct node_sample look;
    struct buf out;
    node_sample_init(&look, 0);
    look.cluster = text;
    struct node *node = &look.node;
    (void)node_read_stat(node, text, 100, &look.arena);
    (void)node_read_meminfo(node, text);
    (void)node_read_loadavg(node, text);
    (void)node_read_uptime(node, text, 100);
    (void)node_read_diskstats(node, text, &look.arena);
    bool holds = node->cpu_count <= LIMIT_CPUS && node->boot >= 0 && node->uptime_ticks >= 0;
    for (unsigned i = 0; i < SYSTEM_FIELD_COUNT; i++) {
        holds &= !look_has(&node->values, i) || node->values.at[i] >= 0;
    }
    buf_init(&out, LIMIT_OUTPUT);
    struct json json = {.out = &out};
    sonar_write(&json, &look);
    json_t *read = json_loadb(out.ptr, out.len, JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, NULL);
    if (!holds || !read) {
        abort();
    }
    json_decref(read);
    buf_release(&out);
    node_sample_release(&look);
    return 0;
}
