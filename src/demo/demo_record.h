/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A run that has ended becomes a record: names are put to what the cluster knew by number, its
 * use is drawn, it is counted, and it is written.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "demo/demo.h"
#include "demo/demo_job.h"
#include "demo/demo_people.h"
#include "demo/demo_queue.h"
#include "demo/demo_writer.h"

/* What the cluster keeps of a run while it runs. */
struct demo_running {
    struct demo_request job; /* with the task that runs */
    struct demo_fate fate;
    int64_t start_s;
    uint32_t grant;     /* of its pool; DEMO_NO_GRANT if it had no slots */
    uint32_t next_free; /* the cluster's: it keeps those that are free in a list */
};

enum { DEMO_HOST_MAX = 24 };

struct demo_host {
    char name[DEMO_HOST_MAX]; /* not terminated */
    size_t length;
};

/* Everything but hosts is borrowed. */
struct demo_record {
    const struct demo_people *people;
    const struct demo_cluster_kind *kind;
    const struct demo_pool *pools;
    struct demo_writer *writer;
    struct demo_cluster_summary *summary;
    struct demo_host *hosts[DEMO_POOLS_MAX];
    struct demo_part parts[DEMO_PARTS_MAX]; /* of the run being written */
};

/* Names the nodes of a pool. */
void demo_record_hosts(struct demo_record *record, size_t pool, uint32_t nodes);
void demo_record_release(struct demo_record *record);

/* Counts and writes a run; its slots must not have been given back yet. */
int demo_record_write(struct demo_record *record, const struct demo_running *running,
                      struct demo_random *random, struct error *err) MUST_CHECK;
