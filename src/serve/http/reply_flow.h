/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Bytes of a long reply between the worker that writes them and the connection that sends them:
 * in memory up to REPLY_FLOW_MEMORY_MAX, beyond that in a temporary file (base/spool.h), so
 * that a client that does not read holds no worker. What a reply may have in its file, and what
 * all of them may have together, is limited; where that is used up, the worker has to wait.
 *
 * One thread writes, one reads, under a lock of the caller. Only reply_flow_spill, which writes
 * the file, is called without it:
 *
 *     if (reply_flow_fits(flow)) reply_flow_keep(flow, bytes);
 *     else if (reply_flow_reserve(flow, bytes.len)) {
 *         unlock; failed = reply_flow_spill(flow, bytes, err); lock;
 *         reply_flow_commit(flow, bytes.len, failed);
 *     }
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/spool.h"
#include "base/str.h"

enum { REPLY_FLOW_MEMORY_MAX = 1 << 20 };

#define REPLY_FLOW_FILE_MAX  UINT64_C(0x10000000) /* bytes of one reply in its file */
#define REPLY_FLOW_FILES_MAX UINT64_C(0x80000000) /* of all replies together */

struct reply_flow {
    struct buf memory; /* read from `memory_from` on; comes before what is in the file */
    size_t memory_from;
    struct spool file;
    uint64_t file_from, file_to; /* what is in the file and can be read */
    uint64_t reserved;           /* of `all` */
    bool no_file;                /* it could not be written */
    _Atomic(uint64_t) *all;      /* bytes in files, of all flows */
};

void reply_flow_init(struct reply_flow *flow, _Atomic(uint64_t) *all);
void reply_flow_release(struct reply_flow *flow);

/* Whether more can be kept in memory: nothing is in the file, and little is unread. */
bool reply_flow_fits(const struct reply_flow *flow);
void reply_flow_keep(struct reply_flow *flow, struct str bytes);

/*
 * Whether the file may have so many more; they count from now on, until the flow is released.
 */
bool reply_flow_reserve(struct reply_flow *flow, size_t length);
int reply_flow_spill(struct reply_flow *flow, struct str bytes, struct error *err) MUST_CHECK;

/* What reply_flow_spill wrote can be read; if it failed, nothing more goes to the file. */
void reply_flow_commit(struct reply_flow *flow, size_t length, bool failed);

/* Takes up to `room` bytes in their order; 0: none now; below 0: the file cannot be read. */
ssize_t reply_flow_take(struct reply_flow *flow, char *to, size_t room);
bool reply_flow_is_empty(const struct reply_flow *flow);

/* Bytes of memory that it takes for what was not read; 0: all of that is in the file. */
size_t reply_flow_memory(const struct reply_flow *flow);
