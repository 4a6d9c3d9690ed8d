/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Resources that were allocated and not used, of the runs that ended in the period, with all of
 * their time. A run's cpu time is cpus x time from start to end, without suspension.
 *
 * Nothing is lost twice: the hours of a run that failed, ran into its time limit or its memory
 * limit are lost as such, whatever it used; of the others what they did not use is lost, where
 * they tell it.
 */

#include "report/question.h"

enum unused_hours {
    UNUSED_HOURS_GIVEN, /* cpu time of all runs */
    UNUSED_HOURS_KNOWN, /* of those that tell what they used */
    UNUSED_HOURS_IDLE,  /* given - used of these; below zero when they used more */
    UNUSED_HOURS_UNUSED, /* what a run did not use, of those that did not fail, time out or run out of memory;
                       a run that used more than it was given makes up for no other */
    UNUSED_HOURS_FAILED,  /* cpu time of the runs that failed */
    UNUSED_HOURS_TIMEOUT, /* ... that ran into their time limit */
    UNUSED_HOURS_OOM,     /* ... that ran into their memory limit */
    UNUSED_HOURS_CPU,     /* unused + failed + timeout + oom */
    UNUSED_HOURS_MEM_GIVEN, /* memory given or asked for x time, of the runs that tell their peak */
    UNUSED_HOURS_MEM,       /* ... beyond their peak x time, likewise for each run */
    UNUSED_HOURS_COUNT,
};

/*
 * Columns for the dimensions, then one for each of enum unused_hours, in its order; the largest
 * `by` first.
 */
int unused_hours_ask(struct facts *facts, const struct question *question, enum unused_hours by,
                     struct table *answer, struct error *err) MUST_CHECK;
