/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the cluster of a job that is about to be submitted says of it: which partition it would
 * run in, what that gives to jobs that do not say, what its nodes have, and what it bills. All
 * of it by the listings of the last pull. Inside service/ only.
 */

#include "bank/submit_script.h"
#include "service/core/service.h"

struct quote_site {
    struct table partitions, nodes; /* as they are now; empty: not known */
};

/* Reads the listings of a cluster, the null string: of all. A store that is not there has none. */
int quote_site_read(struct service *service, struct str cluster, struct quote_site *out,
                    struct error *err) MUST_CHECK;
void quote_site_release(struct quote_site *site);

/*
 * Completes the run of a job by its partition: cluster, time limit, memory, what whole nodes
 * have, billing units. What follows from the largest of nodes that differ is said in a note.
 * Without a partition that is known nothing changes.
 */
int quote_site_complete(const struct quote_site *site, struct submit_script *batch,
                        struct answer *answer, struct error *err) MUST_CHECK;
