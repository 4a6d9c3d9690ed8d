/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Cpu time of jobs that no sample of a job has: of jobs that began and ended between two
 * samples, and of each job after its last one. The control group that holds all jobs of a node
 * (kind `jobs`, record/sample.h) has counted it: it is what that group used more than the jobs
 * that were seen in it.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"
#include "report/queries/sample_listing.h"
#include "table/table.h"

/* Columns; a row a node with such samples, by cluster and node. */
enum unattributed {
    UNATTRIBUTED_CLUSTER,
    UNATTRIBUTED_NODE,
    UNATTRIBUTED_FIRST, /* samples of the group of all jobs */
    UNATTRIBUTED_LAST,
    UNATTRIBUTED_CPU,  /* microseconds between them that no job has */
    UNATTRIBUTED_JOBS, /* microseconds between them of all jobs together */
};

/*
 * Between the first and the last such sample of each node in the question's period. Of its
 * filter, conditions on cluster and node are applied; false is returned by unattributed_fits
 * for one with others, since what is attributed to nobody has no user and no job.
 *
 * A counter that begins at zero again counts from there: what it had reached after the sample
 * before is lost, and is not in the result.
 */
bool unattributed_fits(const struct sample_listing *question);
int unattributed_ask(struct facts *facts, const struct sample_listing *question,
                     struct table *out, struct error *err) MUST_CHECK;
