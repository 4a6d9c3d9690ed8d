/* SPDX-License-Identifier: MIT */
#include "serve/http/reply_flow.h"

#include <string.h>
#include <unistd.h>

#include "base/limit.h"

void reply_flow_init(struct reply_flow *flow, _Atomic(uint64_t) *all)
{
    *flow = (struct reply_flow){.file = SPOOL_NONE, .all = all};
    buf_init(&flow->memory, LIMIT_OUTPUT);
}

void reply_flow_release(struct reply_flow *flow)
{
    atomic_fetch_sub(flow->all, flow->reserved);
    flow->reserved = 0;
    spool_close(&flow->file);
    buf_release(&flow->memory);
}

static size_t unread_in_memory(const struct reply_flow *flow)
{
    return flow->memory.len - flow->memory_from;
}

bool reply_flow_fits(const struct reply_flow *flow)
{
    return flow->file_from == flow->file_to && unread_in_memory(flow) <= REPLY_FLOW_MEMORY_MAX;
}

/*
 * What was taken makes room for what comes, so that memory is bounded also where a writer and a
 * reader are as fast as each other and it is never empty.
 */
void reply_flow_keep(struct reply_flow *flow, struct str bytes)
{
    if (flow->memory_from > REPLY_FLOW_MEMORY_MAX) {
        flow->memory.len = unread_in_memory(flow);
        memmove(flow->memory.ptr, flow->memory.ptr + flow->memory_from, flow->memory.len);
        flow->memory_from = 0;
    }
    buf_add(&flow->memory, bytes);
}

bool reply_flow_reserve(struct reply_flow *flow, size_t length)
{
    if (flow->no_file || flow->reserved + length > REPLY_FLOW_FILE_MAX) {
        return false;
    }
    if (atomic_fetch_add(flow->all, length) + length > REPLY_FLOW_FILES_MAX) {
        atomic_fetch_sub(flow->all, length);
        return false;
    }
    flow->reserved += length;
    return true;
}

int reply_flow_spill(struct reply_flow *flow, struct str bytes, struct error *err)
{
    int failed = flow->file.fd < 0 ? spool_open(&flow->file, err) : 0;
    return failed ? failed : spool_add(&flow->file, bytes, err);
}

void reply_flow_commit(struct reply_flow *flow, size_t length, bool failed)
{
    flow->no_file = failed;
    flow->file_to += failed ? 0 : length;
}

static ssize_t take_memory(struct reply_flow *flow, char *to, size_t room)
{
    const size_t left = unread_in_memory(flow);
    const size_t part = left < room ? left : room;
    memcpy(to, flow->memory.ptr + flow->memory_from, part);
    flow->memory_from += part;
    if (flow->memory_from == flow->memory.len) { /* what is in the file may take long to send */
        buf_release(&flow->memory);
        buf_init(&flow->memory, LIMIT_OUTPUT);
        flow->memory_from = 0;
    }
    return (ssize_t)part;
}

ssize_t reply_flow_take(struct reply_flow *flow, char *to, size_t room)
{
    if (flow->memory.len > flow->memory_from) {
        return take_memory(flow, to, room);
    }
    const uint64_t left = flow->file_to - flow->file_from;
    if (left == 0) {
        return 0;
    }
    const size_t part = left < room ? (size_t)left : room;
    const ssize_t got = pread(flow->file.fd, to, part, (off_t)flow->file_from);
    flow->file_from += got > 0 ? (uint64_t)got : 0;
    return got > 0 ? got : -1;
}

bool reply_flow_is_empty(const struct reply_flow *flow)
{
    return unread_in_memory(flow) == 0 && flow->file_from == flow->file_to;
}

size_t reply_flow_memory(const struct reply_flow *flow)
{
    return unread_in_memory(flow) > 0 ? flow->memory.room : 0;
}
