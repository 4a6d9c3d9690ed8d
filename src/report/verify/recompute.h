/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The same numbers several ways, to see whether they agree.
 *
 * A *cut* is a way of dividing a period: not at all, by user, into months. A *way* answers for
 * a cut: by the SQL of questions, or row by row in C (row_sums.h). For every cut, each way is
 * compared with the first, cell by cell; and for each way, what may be summed is summed over
 * the rows of the cut and compared with the total. Equal means equal: only ratios may differ,
 * in the last digits of a double.
 *
 * Reads every run once, some thousands at a time. Memory grows with the number of users,
 * partitions and days, not with that of runs.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "facts/facts.h"
#include "report/catalog.h"
#include "table/table.h"

struct recompute_cut {
    const char *name;      /* "by user" */
    const char *dimension; /* NULL: none */
    enum bucket bucket;
};

/* Two numbers that should be one. */
struct recompute_difference {
    const struct recompute_cut *cut;
    const char *sides[2];          /* who says so: "by question", "row by row" */
    const struct measure *measure; /* NULL: one side has no such row at all */
    struct str row;       /* the row's name; the null string for a total, "---" for absent */
    struct table numbers; /* a column and a row for each side; absent where unknown */
};

/* What was compared, and how often it differed. */
struct recompute_comparison {
    const struct recompute_cut *cut;
    const char *sides[2];
    size_t rows, measures, differences;
};

struct recompute {
    struct facts *facts;
    const struct zone *zone;
    struct period period;
    int64_t now;
    void *watcher; /* given back to the functions below */
    void (*differs)(void *watcher, const struct recompute_difference *difference);
    void (*compared)(void *watcher, const struct recompute_comparison *comparison);
    bool (*progress)(void *watcher, int64_t done, int64_t total); /* false: stop; may be NULL */
};

/* Compares everything. Differences are no failure; being stopped is: ERROR_STOPPED. */
int recompute(const struct recompute *recompute, struct error *err) MUST_CHECK;
