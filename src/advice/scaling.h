/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Does the work scale? From times of the same work at several sizes.
 *
 * Two laws are tried. Amdahl's, of the same work on more cpus: T(n) = a + b / n, where a / (a +
 * b) is the share that does not become shorter (serial). Gustafson's, of work that grows with
 * the cpus: T(n) = a + b * n would be time that grows with the size; work that scales has b =
 * 0. Which of the two the times follow is found out by how they fall or stay.
 *
 * Errors count by their share of the time, so that short and long runs count the same. What
 * noise hides is said not to be known: fewer than three sizes, a serial share whose interval of
 * confidence (95 %) is wider than SCALING_WIDTH_MAX, or a size that does not follow the law.
 */

#include <stdbool.h>
#include <stddef.h>

#define SCALING_WIDTH_MAX 0.2

struct scaling_run {
    double cpus, wall; /* both above 0; wall in any unit */
};

enum scaling_verdict {
    SCALING_FEW_SIZES, /* fewer than three different numbers of cpus */
    SCALING_NOISE, /* the times differ as much at one size as between sizes, or follow no law */
    SCALING_STRONG, /* the same work, shorter on more cpus */
    SCALING_WEAK,   /* work that grows with the cpus: times stay about the same */
    SCALING_NONE,   /* more cpus do not make it shorter, or make it longer */
};

struct scaling {
    enum scaling_verdict verdict;
    size_t runs, sizes;
    /* T(n) = fixed + shared / n, in the unit of wall */
    double fixed, shared;
    double serial, serial_low, serial_high; /* share, 0 to 1, with its interval */
    bool certain; /* the interval is narrow, and the times follow the law */
    /* how much longer it takes per doubling of cpus, where work grows: 0 is not at all */
    double growth;
    double scatter; /* standard deviation of the errors, as a share of the time */
    /* most cpus at which half of them are of use; HUGE_VAL: there is no such limit */
    double knee;
};

/* `runs` is sorted by cpus on return. */
void scaling_fit(struct scaling_run *runs, size_t count, struct scaling *out);

/* By the law that was found, what one cpu would take over what n take. */
double scaling_speedup(const struct scaling *scaling, double cpus);
