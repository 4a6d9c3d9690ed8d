/* SPDX-License-Identifier: MIT */
#include "advice/bottleneck.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/attribute.h"

/* Thresholds; docs/job.md names them. */
#define FEW_AT_WORK 0.6 /* of the cpus, at their busiest */
#define ALONE_MUCH  0.2
#define EVEN        0.8
#define STALLED     0.2
#define THROTTLED   0.05
#define GPU_STARVED 0.5
#define GPU_FULL    0.8
#define CPU_FULL    0.8

static void set_verdict(struct bottleneck *out, enum bottleneck_verdict verdict,
                        const char *format, ...) PRINTF_LIKE(3, 4);

static void set_verdict(struct bottleneck *out, enum bottleneck_verdict verdict,
                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(out->evidence, sizeof(out->evidence), format, args);
    va_end(args);
    out->verdict = verdict;
}

static void judge_threads(const struct bottleneck_run *run, struct bottleneck *out)
{
    if (run->peak < 0 || run->cpus <= 0) {
        set_verdict(out, BOTTLENECK_UNKNOWN, "no samples of its cpu time over time");
    } else if (run->cpus <= 1) {
        set_verdict(out, BOTTLENECK_UNKNOWN, "it had one cpu: run it on more to find out");
    } else if (run->peak <= FEW_AT_WORK * run->cpus) {
        set_verdict(
            out, BOTTLENECK_YES,
            "never more than %.1f of %.0f cpus were at work: more of them will not help",
            run->peak, run->cpus);
    } else {
        set_verdict(out, BOTTLENECK_NO, "up to %.1f of %.0f cpus were at work, %.1f on average",
                    run->peak, run->cpus, run->at_work);
    }
}

static void judge_serial(const struct bottleneck_run *run, struct bottleneck *out)
{
    if (run->alone < 0 || run->cpus <= 1) {
        set_verdict(out, BOTTLENECK_UNKNOWN, "%s",
                    run->cpus <= 1 ? "it had one cpu" : "no samples of its cpu time over time");
    } else if (run->alone >= ALONE_MUCH && run->peak > 1.5) {
        set_verdict(
            out, BOTTLENECK_YES,
            "one cpu or less was at work for %.0f %% of the time: that part does not become "
            "shorter",
            100 * run->alone);
    } else {
        set_verdict(out, BOTTLENECK_NO, "one cpu or less was at work for %.0f %% of the time",
                    100 * run->alone);
    }
}

static void judge_imbalance(const struct bottleneck_run *run, struct bottleneck *out)
{
    if (run->nodes < 2 || run->least_node < 0) {
        set_verdict(out, BOTTLENECK_UNKNOWN, "%s",
                    run->nodes < 2 ? "it was seen on one node" : "no samples of its nodes");
    } else {
        set_verdict(out, run->least_node < EVEN ? BOTTLENECK_YES : BOTTLENECK_NO,
                    "the node that worked least did %.0f %% of what the busiest did",
                    100 * run->least_node);
    }
}

/* A share of the time that was spent waiting. */
static void judge_stall(double share, double limit, const char *what, struct bottleneck *out)
{
    if (share < 0) {
        set_verdict(out, BOTTLENECK_UNKNOWN, "the kernel's count of it was not sampled");
    } else {
        set_verdict(out, share >= limit ? BOTTLENECK_YES : BOTTLENECK_NO,
                    "%s for %.0f %% of the time", what, 100 * share);
    }
}

/*
 * Others on the node may be why a process waits for a cpu, unless all of its own are at work.
 */
static void judge_overload(const struct bottleneck_run *run, struct bottleneck *out)
{
    if (run->cpu_stall < 0 || run->at_work < 0 || run->cpus <= 0) {
        set_verdict(out, BOTTLENECK_UNKNOWN, "the kernel's count of it was not sampled");
    } else if (run->cpu_stall >= STALLED && run->at_work >= CPU_FULL * run->cpus) {
        set_verdict(
            out, BOTTLENECK_YES,
            "some process waited for a cpu for %.0f %% of the time while all of its cpus were "
            "at "
            "work: it has more threads than cpus",
            100 * run->cpu_stall);
    } else {
        set_verdict(out, BOTTLENECK_NO, "some process waited for a cpu for %.0f %% of the time",
                    100 * run->cpu_stall);
    }
}

static void judge_gpus(const struct bottleneck_run *run, struct bottleneck *out)
{
    /* Those that the program never looked at do not wait for anything. */
    const double unused = fmax(0, run->gpus_unused);
    const double of = run->gpus > unused ? run->gpus - unused : run->gpus;
    const double busy = of > 0 ? run->gpus_at_work / of : 0;
    if (run->gpus <= 0) {
        set_verdict(out, BOTTLENECK_NO, "it had none");
    } else if (run->gpus_at_work < 0) {
        set_verdict(out, BOTTLENECK_UNKNOWN, "no samples of its GPUs");
    } else if (of < run->gpus && busy >= GPU_STARVED) {
        set_verdict(
            out, BOTTLENECK_NO,
            "%.0f of %.0f GPUs did nothing at all, and the others were busy %.0f %% of the "
            "time",
            unused, run->gpus, 100 * busy);
    } else if (busy >= GPU_FULL) {
        set_verdict(out, BOTTLENECK_NO, "GPUs were busy %.0f %% of the time: they set the pace",
                    100 * busy);
    } else if (busy >= GPU_STARVED) {
        set_verdict(out, BOTTLENECK_NO, "GPUs were busy %.0f %% of the time", 100 * busy);
    } else if (run->at_work < 0 || run->cpus <= 0) {
        set_verdict(out, BOTTLENECK_YES,
                    "GPUs were busy %.0f %% of the time: they wait for something", 100 * busy);
    } else if (run->at_work >= CPU_FULL * run->cpus) {
        set_verdict(
            out, BOTTLENECK_YES,
            "GPUs were busy %.0f %% of the time while all cpus worked: they wait for the cpus, "
            "more of which would help",
            100 * busy);
    } else {
        set_verdict(
            out, BOTTLENECK_YES,
            "GPUs were busy %.0f %% of the time, and cpus were free: they wait for something "
            "else",
            100 * busy);
    }
}

const char *bottleneck_name(enum bottleneck_cause cause)
{
    static const char *const names[BOTTLENECK_CAUSES] = {
        [BOTTLENECK_THREADS] = "too few threads",
        [BOTTLENECK_SERIAL] = "serial parts",
        [BOTTLENECK_IMBALANCE] = "imbalance between nodes",
        [BOTTLENECK_IO] = "disks",
        [BOTTLENECK_MEMORY] = "memory pressure",
        [BOTTLENECK_BANDWIDTH] = "memory bandwidth",
        [BOTTLENECK_GPUS] = "starving GPUs",
        [BOTTLENECK_THROTTLED] = "throttled cpus",
        [BOTTLENECK_OVERLOAD] = "too many threads",
    };
    return names[cause];
}

void bottleneck_find(const struct bottleneck_run *run, struct bottleneck out[BOTTLENECK_CAUSES])
{
    judge_threads(run, &out[BOTTLENECK_THREADS]);
    judge_serial(run, &out[BOTTLENECK_SERIAL]);
    judge_imbalance(run, &out[BOTTLENECK_IMBALANCE]);
    judge_stall(run->io_stall, STALLED, "processes waited for disks", &out[BOTTLENECK_IO]);
    judge_stall(run->mem_stall, STALLED, "processes waited for memory",
                &out[BOTTLENECK_MEMORY]);
    set_verdict(
        &out[BOTTLENECK_BANDWIDTH], BOTTLENECK_UNKNOWN,
        "samples do not show it, since cpus that wait for memory count as at work; perf or "
        "likwid measure it");
    judge_gpus(run, &out[BOTTLENECK_GPUS]);
    judge_stall(run->throttled, THROTTLED, "it was stopped by the limit of its cpus",
                &out[BOTTLENECK_THROTTLED]);
    judge_overload(run, &out[BOTTLENECK_OVERLOAD]);
}
