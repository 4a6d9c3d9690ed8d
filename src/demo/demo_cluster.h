/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One cluster of the demo site, lived through from the start of the period to its end: people
 * submit, jobs wait and run, what ends is written.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "demo/demo.h"
#include "demo/demo_clock.h"
#include "demo/demo_people.h"
#include "demo/demo_writer.h"

/* Everything is borrowed. */
struct demo_cluster_plan {
    size_t cluster; /* index in demo_site_clusters */
    uint64_t seed;
    int64_t runs; /* exactly so many are written */
    const struct demo_people *people;
    const struct demo_clock *clock;
    struct demo_writer *writer;
    demo_progress *progress; /* or NULL */
    void *context;
    int64_t done, total; /* runs written before, and of all clusters: for progress */
};

/* Fills all of *summary but path and bytes. */
int demo_cluster_live(const struct demo_cluster_plan *plan,
                      struct demo_cluster_summary *summary, struct error *err) MUST_CHECK;
