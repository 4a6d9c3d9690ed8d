/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The billing units that Slurm will record for a job (`billing` of AllocTRES), by the weights of
 * its partition: what a rate with --how recorded goes by before there is a record.
 *
 * Slurm adds up in floating point, in the order of its resources, and drops the fraction. The
 * same is done here, so that the numbers are the same.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "record/run.h"

/* Which of the resources of nodes (cpus, memory, nodes, GRES) are billed. */
enum billing_largest {
    BILLING_SUM,      /* all together */
    BILLING_LARGEST,  /* PriorityFlags=MAX_TRES: the largest; licences and others beside it */
    BILLING_AND_GRES, /* MAX_TRES_GRES: GRES, and the largest of the others */
};

/*
 * Of a run with its cpus, and memory, nodes, GPUs and `resources` where these have a weight.
 * `weights` is TRESBillingWeights; empty: a unit for each cpu. ERROR_INPUT if they cannot be
 * read, ERROR_MISSING if the run does not say how much it has of what has a weight.
 */
int billing_of(struct str weights, enum billing_largest largest, const struct run *run,
               int64_t *out, struct error *err) MUST_CHECK;
