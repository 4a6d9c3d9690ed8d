/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Where a run stands: it started, never did, or waits still. Every run of every source has to be in exactly one of
 * these: one that is in none is in no answer, and nobody would notice.
 */

#include "record/run.h"

static inline bool standing_is(const struct run *run, enum run_class class)
{
    return RUN_HAS(run, class) && str_eq(run->class, run_class_name(class));
}

/* Whether its class says that it waits, runs or is suspended. */
static inline bool standing_is_current(const struct run *run)
{
    return standing_is(run, CLASS_PENDING) || standing_is(run, CLASS_RUNNING) ||
           standing_is(run, CLASS_SUSPENDED);
}

/* What is wrong with a run, or NULL. */
static inline const char *standing_fault(const struct run *run)
{
    if (!RUN_HAS(run, class)) {
        return "has no class";
    }
    if (RUN_HAS(run, end) && standing_is_current(run)) {
        return "has an end though its class says that it is not over";
    }
    if (RUN_HAS(run, start)) {
        return standing_is(run, CLASS_PENDING) ? "started though it waits" : NULL;
    }
    if (!RUN_HAS(run, submit) && !RUN_HAS(run, end)) {
        return NULL; /* a record without any time cannot say */
    }
    if (RUN_HAS(run, cpus) || (RUN_HAS(run, cpu_used_us) && run->cpu_used_us > 0)) {
        return "has cpus or used some though it never started";
    }
    return standing_is(run, CLASS_COMPLETED) ? "completed without a start" : NULL;
}
