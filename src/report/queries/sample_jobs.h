/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What samples of processes say of jobs, a row each, where nothing else does: hosts without a
 * scheduler. A job of a batch system (epoch 0) is one over all its nodes; any other number is a
 * process group, which is of one node and one boot.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "report/queries/sample_listing.h"
#include "table/table.h"

/*
 * Period, filter and limit of the question count; the newest come first. A job is running if
 * its last sample is among the last ones of a node of its. Cpu time is what the counters of its
 * processes had reached, memory the most of each node at one moment, added up.
 */
enum sample_jobs {
    SAMPLE_JOBS_JOB,
    SAMPLE_JOBS_CLUSTER,
    SAMPLE_JOBS_NODES,
    SAMPLE_JOBS_USER,
    SAMPLE_JOBS_COMMANDS,
    SAMPLE_JOBS_STATE,
    SAMPLE_JOBS_FIRST,
    SAMPLE_JOBS_LAST,
    SAMPLE_JOBS_CPU_TIME,
    SAMPLE_JOBS_RSS,
    SAMPLE_JOBS_VMEM,
};

int sample_jobs_ask(struct facts *facts, const struct sample_listing *question,
                    struct table *out, struct error *err) MUST_CHECK;
