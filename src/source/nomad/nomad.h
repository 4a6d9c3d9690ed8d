/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Nomad, in two shapes:
 *
 *   - snapshots: what a cluster looked like at an instant, one file each, whose name is that instant in
 *     UTC (2025-02-01T10:00:00.json). An object, namespace -> list of jobs, each with the allocation that
 *     counts. A snapshot is a full listing: see `listed` in source.h.
 *   - allocations, as the HTTP API gives them: one object, a list, or one a line. Beside what Nomad says of
 *     an allocation, an object may have "Node" (of /v1/node, for datacenter and clock rate), and a job that
 *     waits is an object without "ID" that has "JobID" and "Queued". The live driver writes these.
 *
 * What distinguishes runs: an allocation is a run, and its id, as `job_key`, is all that is
 * needed: it stays the same while the allocation waits, runs and ends. `attempt` is
 * NOMAD_ALLOCATION for all of them. A job that has no allocation yet is a waiting run of its
 * own, `job_key` being "job@namespace" and `attempt` its submission. It is taken away once the
 * job has started.
 */

#include "source/source.h"

enum {
    NOMAD_ALLOCATION = -1,
    NOMAD_WAITING = -2, /* a job whose submission is not known */
};

extern const struct source_driver nomad_driver;
