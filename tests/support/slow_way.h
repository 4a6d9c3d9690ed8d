/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The measures of a report, the slow and obvious way: from an array of runs, one measure after the
 * other, one run after the other. Knows nothing of SQL, nor of the catalogue but its ids: what a
 * measure means is written down here a second time.
 *
 * The time that a row of a report is about is a list of stretches that do not touch each other's
 * inside: one for a period or bucket, many for the Mondays of a year.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/calendar.h"
#include "record/run.h"
#include "table/table.h"

struct slow_time {
    const struct period *stretches; /* in order */
    size_t count;
    int64_t now;
};

struct slow_runs {
    const struct run *const *runs;
    size_t count;
    bool on_nodes; /* each is the `run` of a struct slow_part */
};

/* Of `hands` it has `count`, from `first` on. */
struct slow_hands {
    int64_t hands, first, count;
};

/* A run on one of its nodes, or on those that are not recorded. */
struct slow_part {
    struct run run; /* what it had there */
    const struct run *whole;
    struct slow_hands even, cpus; /* of cpus and their time the latter */
};

struct slow_value {
    bool known;
    bool is_real;
    wide_int number;
    double real;
};

enum { SLOW_NODES_MAX = 8 };

/* The names of the nodes of a run that are recorded, each once, in order. */
size_t slow_names(const struct run *run, struct str names[SLOW_NODES_MAX]);

/* A run as it was on each of its nodes, and last, where some are not recorded, on those. */
size_t slow_on_nodes(const struct run *run, struct slow_part on[SLOW_NODES_MAX]);

/* The value of the measure with this id. */
struct slow_value slow_answer(const char *id, struct slow_runs runs, struct slow_time time);

/* Whether these runs have anything to say to this measure, if only that something is unknown. */
bool slow_has(const char *id, struct slow_runs runs, struct slow_time time);
