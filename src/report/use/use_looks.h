/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Looks at runs: what samples say of each node and each card of many runs, in two statements
 * for all of them. Inside report/use and for the pages of one run; everything else reads
 * `struct use` (use_rows.h).
 *
 * A look is a moment at which a sampler saw the run on a node: by the control group of the job,
 * whichever agent read it, or by its processes, of each sampler by itself, added up. Samples
 * belong to a run if they have its cluster, its job number and a time from its start to its
 * end. Of a task of an array, known by the number of the array alone, they have to have the
 * task as well: the number of the array is also that of one of its tasks.
 *
 * The interval that a look stands for is the time since the look before it in the same stream
 * (a node by its control group, a node by the processes of one sampler, a card); of the first
 * look, since the run started. It counts as covered if it is not longer than USE_GAP_TIMES the
 * usual interval of the stream, which is the median of its intervals, or USE_GAP_LEAST_US, if
 * that is longer. The time from the last look to the end of the run is never covered: nobody
 * knows what was used in it. Intervals of one stream do not overlap, and of a node one stream
 * counts, so agents beside each other count once.
 *
 * A counter rises within an interval by the difference of two looks; at the first look by its
 * value, since it began with the run. If a control group was created again (the `generation` of
 * its samples differs) or its counter falls, it began at zero, and has risen by its value. If
 * the sum over processes falls, some have ended, and nothing is known of the interval but that
 * it was not less than 0. The share of a card that is busy at a look stands for the interval
 * before it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "facts/facts.h"
#include "report/use/use.h"
#include "table/table.h"

/* An agent that was restarted, or a look that failed, leaves a gap of two intervals. */
#define USE_GAP_TIMES 3
/*
 * The longest interval that samplers are commonly run at. Shorter gaps are no gaps, however
 * often others look beside it.
 */
#define USE_GAP_LEAST_US (INT64_C(15) * 60 * 1000000)

/* Which samples are of a run. */
struct use_span {
    struct str cluster; /* as in the samples */
    int64_t job, task;
    bool has_job, has_task;
    bool own_number;  /* `job` is that of the task alone, which samples need not have then */
    int64_t from, to; /* to its end, or now; empty: it has no looks */
};

/*
 * Whether a sample is of the task that a span in a table `u` has; it has the columns task and
 * own_number.
 */
#define USE_SPAN_SQL_TASK(s)                                                                   \
    "(u.task IS NULL OR " s ".task = u.task OR (" s ".task IS NULL AND u.own_number = 1))"

/* A node of a run. Numbers below 0 are not known. */
struct use_node {
    size_t run; /* place among the spans */
    struct str name;
    enum use_basis basis, memory_basis, io_basis;
    struct str stream, memory_stream, io_stream; /* which of its streams have these */
    int64_t looks, first, last;
    int64_t usual_us; /* interval; 0: not known */
    double cpu_covered_us, memory_covered_us, io_covered_us;
    double cpu_us;      /* in the time that is covered */
    double cpu_all_us;  /* also in intervals that are too long to count as covered */
    double cpus_peak;   /* most cpus at work in an interval */
    double memory_held; /* most at a look, without file cache */
    double memory_kept; /* most by the kernel's own counter */
    bool cached;        /* which includes file cache */
    double read, written, read_all, written_all;
    double throttled_us, oom_kills, io_stall_us, mem_stall_us, cpu_stall_us;
};

/*
 * The peak of a node: the larger of what was held at a look and what the kernel kept; below 0:
 * not known.
 */
double use_node_memory(const struct use_node *node);

/* A card of a run. */
struct use_card {
    size_t run;
    struct str node, index, uuid; /* ptr NULL: not known */
    int64_t looks, first, last, usual_us;
    double covered_us, busy_us; /* of the time that is covered */
    double most;                /* highest share of the time that a look saw it busy, 0 to 1 */
    double memory_covered_us, memory, size;
};

/* By run, then by name. Texts live as long as this. */
struct use_looks {
    struct use_node *nodes;
    size_t node_count;
    struct use_card *cards;
    size_t card_count;
    struct table texts[2];
};

/* Released by the caller, also when it fails. */
int use_looks_read(struct facts *facts, const struct use_span *spans, size_t count,
                   struct use_looks *out, struct error *err) MUST_CHECK;
void use_looks_release(struct use_looks *looks);

/*
 * Nodes of a run, whose nodes and cards begin at these places, that had neither work nor memory
 * nor a busy card while others worked; below 0: not known of each node.
 */
double use_looks_idle_nodes(const struct use_looks *looks, size_t run, size_t node,
                            size_t card);
