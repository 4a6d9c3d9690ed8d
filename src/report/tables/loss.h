/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What was given to runs and not turned to account, of the runs that ended in the period, with all of
 * their time. A run's cpu time is cpus x time from start to end, without suspension.
 *
 * Nothing is lost twice: the hours of a run that failed, ran into its time limit or its memory limit
 * are lost as such, whatever it used; of the others what they did not use is lost, where they tell it.
 */

#include "report/question.h"

enum loss {
    LOSS_GIVEN, /* cpu time of all runs */
    LOSS_KNOWN, /* of those that tell what they used */
    LOSS_IDLE,  /* given - used of these; below zero when they used more */
    LOSS_UNUSED, /* what a run did not use, of those that did not fail, time out or run out of memory;
                       a run that used more than it was given makes up for no other */
    LOSS_FAILED,    /* cpu time of the runs that failed */
    LOSS_TIMEOUT,   /* ... that ran into their time limit */
    LOSS_OOM,       /* ... that ran into their memory limit */
    LOSS_CPU,       /* unused + failed + timeout + oom */
    LOSS_MEM_GIVEN, /* memory given or asked for x time, of the runs that tell their peak */
    LOSS_MEM,       /* ... beyond their peak x time, likewise for each run */
    LOSS_COUNT,
};

/*
 * Columns for the dimensions, then one for each of enum loss, in its order; the largest `by` first.
 */
int loss_ask(struct facts *facts, const struct question *question, enum loss by,
             struct table *answer, struct error *err) MUST_CHECK;
