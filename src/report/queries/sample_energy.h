/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Energy of runs by samples: the rise of the counters of GPUs while the run held them, and its
 * part of the rise of the counters of the processors of its nodes (RAPL).
 *
 * Whose energy of a node is whose, between two looks. A node whose cpus are at work for a share
 * of the time has used that share of the energy of its processors for the work; it is divided
 * by cpu time. The rest is its idle power, which is divided by one of two rules (enum
 * energy_idle): by what is allocated, so that who holds an idle node bears what it takes and
 * what nobody holds is nobody's; or among those at work, by their cpu time. Energy of memory,
 * where it is known by itself, is divided alike: by the memory that a run uses, and by what it
 * holds of the memory that nobody uses.
 *
 * Looks of all of the run are read. Of two looks between which a window begins or ends, the
 * part of the rise counts that the window has of the time between them, so that windows add up.
 * Counters that began at zero again, and looks of a node and of a job that do not go together,
 * are time of which nothing is known.
 */

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "facts/facts.h"
#include "report/use/use_looks.h"

enum energy_idle { ENERGY_IDLE_ALLOCATION, ENERGY_IDLE_USE, ENERGY_IDLES };

/* "allocation", "use"; NULL beyond the last. */
const char *energy_idle_name(size_t idle);

/* A run, and what it holds on each of its nodes; a number below 0 is not known. */
struct energy_held {
    struct use_span span;
    double cpus, mem_bytes;
};

/*
 * Joules, and the time that they are of: of all of the run, and of the window. Without time
 * nothing is known.
 */
struct energy_count {
    double joules, us; /* us: node-time or card-time */
    double window_joules, window_us;
};

struct energy_seen {
    struct energy_count processors, cards;
    int64_t nodes; /* on which its processors were measured */
};

/* One statement for all runs; `out` has room for `count`. */
int energy_read(struct facts *facts, const struct energy_held *runs, size_t count,
                struct period window, enum energy_idle idle, struct energy_seen *out,
                struct error *err) MUST_CHECK;
