/* SPDX-License-Identifier: MIT */
#include "advice/bottleneck.h"

#include "base/attribute.h"
#include "support/expect.h"

struct bottleneck_row {
    const char *name;
    struct bottleneck_run run;
    enum bottleneck_cause cause;
    enum bottleneck_verdict want;
    const char *says; /* in the evidence */
};

static const struct bottleneck_row bottleneck_rows[] = {
    {"eight of sixteen cpus",
     {.peak = 8, .at_work = 7},
     BOTTLENECK_THREADS,
     BOTTLENECK_YES,
     "never more than 8.0 of 16 cpus"},
    {"all of them",
     {.peak = 16, .at_work = 15},
     BOTTLENECK_THREADS,
     BOTTLENECK_NO,
     "up to 16.0 of 16 cpus were at work, 15.0 on average"},
    {"no samples",
     {.gpus = 0},
     BOTTLENECK_THREADS,
     BOTTLENECK_UNKNOWN,
     "no samples of its cpu time"},
    {"one cpu says nothing",
     {.cpus = 1, .peak = 1},
     BOTTLENECK_THREADS,
     BOTTLENECK_UNKNOWN,
     "run it on more to find out"},
    {"a third of the time on one cpu",
     {.peak = 16, .alone = 0.33},
     BOTTLENECK_SERIAL,
     BOTTLENECK_YES,
     "for 33 % of the time: that part"},
    {"a tenth of it",
     {.peak = 16, .alone = 0.1},
     BOTTLENECK_SERIAL,
     BOTTLENECK_NO,
     "for 10 % of the time"},
    {"one node has no balance",
     {.least_node = 1},
     BOTTLENECK_IMBALANCE,
     BOTTLENECK_UNKNOWN,
     "seen on one node"},
    {"a node that does half",
     {.nodes = 4, .least_node = 0.5},
     BOTTLENECK_IMBALANCE,
     BOTTLENECK_YES,
     "did 50 % of what the busiest did"},
    {"nodes that do the same",
     {.nodes = 4, .least_node = 0.95},
     BOTTLENECK_IMBALANCE,
     BOTTLENECK_NO,
     "did 95 %"},
    {"waits for disks",
     {.io_stall = 0.4},
     BOTTLENECK_IO,
     BOTTLENECK_YES,
     "waited for disks for 40 % of the time"},
    {"does not wait for disks",
     {.io_stall = 0.01},
     BOTTLENECK_IO,
     BOTTLENECK_NO,
     "for 1 % of the time"},
    {"nobody counts waits for disks",
     {.gpus = 0},
     BOTTLENECK_IO,
     BOTTLENECK_UNKNOWN,
     "was not sampled"},
    {"memory bandwidth is never known",
     {.at_work = 16},
     BOTTLENECK_BANDWIDTH,
     BOTTLENECK_UNKNOWN,
     "perf or likwid"},
    {"cpus that cannot feed the GPU",
     {.at_work = 15, .gpus = 1, .gpus_at_work = 0.3},
     BOTTLENECK_GPUS,
     BOTTLENECK_YES,
     "they wait for the cpus"},
    {"a GPU that waits for something else",
     {.at_work = 2, .gpus = 1, .gpus_at_work = 0.3},
     BOTTLENECK_GPUS,
     BOTTLENECK_YES,
     "wait for something else"},
    {"one of two GPUs at work, the other not used at all",
     {.at_work = 2, .gpus = 2, .gpus_at_work = 0.8, .gpus_unused = 1},
     BOTTLENECK_GPUS,
     BOTTLENECK_NO,
     "1 of 2 GPUs did nothing at all, and the others were busy 80 %"},
    {"one of two GPUs that waits, the other not used at all",
     {.at_work = 2, .gpus = 2, .gpus_at_work = 0.3, .gpus_unused = 1},
     BOTTLENECK_GPUS,
     BOTTLENECK_YES,
     "wait for something else"},
    {"a GPU at work",
     {.at_work = 2, .gpus = 2, .gpus_at_work = 1.9},
     BOTTLENECK_GPUS,
     BOTTLENECK_NO,
     "they set the pace"},
    {"a GPU of which nothing is known",
     {.gpus = 1},
     BOTTLENECK_GPUS,
     BOTTLENECK_UNKNOWN,
     "no samples of its GPUs"},
    {"stopped by its limit",
     {.throttled = 0.2},
     BOTTLENECK_THROTTLED,
     BOTTLENECK_YES,
     "stopped by the limit of its cpus for 20 % of the time"},
    {"serial parts of one cpu",
     {.cpus = 1, .alone = 1},
     BOTTLENECK_SERIAL,
     BOTTLENECK_UNKNOWN,
     "it had one cpu"},
    {"nodes nobody looked at",
     {.nodes = 4},
     BOTTLENECK_IMBALANCE,
     BOTTLENECK_UNKNOWN,
     "no samples of its nodes"},
    {"waits for memory",
     {.mem_stall = 0.4},
     BOTTLENECK_MEMORY,
     BOTTLENECK_YES,
     "waited for memory for 40 % of the time"},
    {"threads in each other's way",
     {.at_work = 15.9, .peak = 16, .cpu_stall = 0.6},
     BOTTLENECK_OVERLOAD,
     BOTTLENECK_YES,
     "more threads than cpus"},
    {"threads that wait a little",
     {.at_work = 15.9, .peak = 16, .cpu_stall = 0.01},
     BOTTLENECK_OVERLOAD,
     BOTTLENECK_NO,
     "waited for a cpu for 1 % of the time"},
    {"nobody counts waits for cpus",
     {.at_work = 15.9},
     BOTTLENECK_OVERLOAD,
     BOTTLENECK_UNKNOWN,
     "was not sampled"},
    {"a GPU that waits beside cpus of which nothing is known",
     {.gpus = 1, .gpus_at_work = 0.3},
     BOTTLENECK_GPUS,
     BOTTLENECK_YES,
     "30 % of the time: they wait for something"},
    {"no GPU", {.at_work = 2}, BOTTLENECK_GPUS, BOTTLENECK_NO, "it had none"},
};

/* What a row does not set is not known. */
static struct bottleneck_run complete(struct bottleneck_run run)
{
    double *const values[] = {&run.at_work,    &run.peak,      &run.alone,
                              &run.least_node, &run.io_stall,  &run.mem_stall,
                              &run.cpu_stall,  &run.throttled, &run.gpus_at_work};
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        *values[i] = *values[i] > 0 ? *values[i] : -1;
    }
    run.cpus = run.cpus > 0 ? run.cpus : 16;
    run.nodes = run.nodes > 0 ? run.nodes : 1;
    return run;
}

static void a_cause_is_seen_or_not_or_cannot_be_told(void **state)
{
    const struct bottleneck_row *row = *state;
    struct bottleneck found[BOTTLENECK_CAUSES];
    const struct bottleneck_run run = complete(row->run);
    bottleneck_find(&run, found);
    expect_int(found[row->cause].verdict, row->want);
    expect_contains(found[row->cause].evidence, row->says);
    for (size_t i = 0; i < BOTTLENECK_CAUSES; i++) {
        expect_true(found[i].evidence[0] != '\0' &&
                    bottleneck_name((enum bottleneck_cause)i) != NULL);
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_cause_is_seen_or_not_or_cannot_be_told, bottleneck_rows);
    return suite_run(&suite, "bottleneck");
}
