/* SPDX-License-Identifier: MIT */
#include "advice/hog.h"

#include "base/attribute.h"
#include "support/expect.h"

#define HOUR 3600e6
#define GIB  (1024.0 * 1024 * 1024)

#define HELD 100 /* it breaks the rule by what it holds: what it used is no matter */

struct hog_case {
    const char *name, *rule;
    struct hog_run run;
    double share, lost; /* share below 0: it breaks nothing */
};

static const struct hog_case hog_cases[] = {
    {"a GPU that does nothing",
     "idle-gpus",
     {.wall = 4 * HOUR, .gpus = 2, .gpu_used = 0, .cpus = 8, .cpu_used = 0},
     0,
     8 * HOUR},
    {"a GPU that works a little",
     "idle-gpus",
     {.wall = 4 * HOUR, .gpus = 1, .gpu_used = 0.3 * HOUR},
     -1,
     0},
    {"a GPU of which nothing is known",
     "idle-gpus",
     {.wall = 4 * HOUR, .gpus = 1, .gpu_used = -1},
     -1,
     0},
    {"a GPU held for a moment",
     "idle-gpus",
     {.wall = 0.9 * HOUR, .gpus = 1, .gpu_used = 0},
     -1,
     0},
    {"no GPU", "idle-gpus", {.wall = 4 * HOUR, .gpu_used = 0}, -1, 0},
    {"cpus that do nothing",
     "idle-cpus",
     {.wall = 2 * HOUR, .cpus = 10, .cpu_used = HOUR, .gpu_used = -1},
     0.05,
     19 * HOUR},
    {"one cpu is the least there is",
     "idle-cpus",
     {.wall = 2 * HOUR, .cpus = 1, .cpu_used = 0},
     -1,
     0},
    {"cpus beside a GPU wait for it",
     "idle-cpus",
     {.wall = 2 * HOUR, .cpus = 8, .cpu_used = 0, .gpus = 1, .gpu_used = 2 * HOUR},
     -1,
     0},
    {"cpus that work",
     "idle-cpus",
     {.wall = 2 * HOUR, .cpus = 10, .cpu_used = 2 * HOUR},
     -1,
     0},
    {"memory that lies there",
     "unused-memory",
     {.wall = 2 * HOUR, .mem = 100 * GIB, .mem_peak = 10 * GIB},
     0.1,
     90 * GIB * 2 * HOUR},
    {"a little memory does not matter",
     "unused-memory",
     {.wall = 2 * HOUR, .mem = 15 * GIB, .mem_peak = 0.1 * GIB},
     -1,
     0},
    {"memory of which nothing is known",
     "unused-memory",
     {.wall = 2 * HOUR, .mem = 100 * GIB, .mem_peak = -1},
     -1,
     0},
    {"one that hangs",
     "dead-weight",
     {.running = true, .wall = 10 * HOUR, .cpus = 4, .cpu_used = 0.1 * HOUR, .gpu_used = -1},
     0.0025,
     39.9 * HOUR},
    {"one that has ended hangs no more",
     "dead-weight",
     {.wall = 10 * HOUR, .cpus = 4, .cpu_used = 0, .gpu_used = -1},
     -1,
     0},
    {"one that works on its GPU",
     "dead-weight",
     {.running = true, .wall = 10 * HOUR, .cpus = 4, .cpu_used = 0, .gpu_used = HOUR},
     -1,
     0},
    {"a week for a minute",
     "long-limits",
     {.completed = true, .wall = HOUR / 60, .time_limit = 168 * HOUR},
     1.0 / 60 / 168,
     1},
    {"a week for three days",
     "long-limits",
     {.completed = true, .wall = 72 * HOUR, .time_limit = 168 * HOUR},
     -1,
     0},
    {"one that failed had reasons",
     "long-limits",
     {.wall = HOUR, .time_limit = 168 * HOUR},
     -1,
     0},
    {"a short one", "short-runs", {.wall = 5e6}, 0, 1},
    {"a minute is not short", "short-runs", {.wall = 60e6}, -1, 0},
    {"cpus that compute beside an idle GPU",
     "cpu-hogs",
     {.wall = HOUR, .gpus = 1, .gpu_used = 0, .cpus = 8, .cpu_used = 7 * HOUR},
     0,
     HOUR},
    {"cpus and GPU that both wait are no cpu hog",
     "cpu-hogs",
     {.wall = HOUR, .gpus = 1, .gpu_used = 0, .cpus = 8, .cpu_used = HOUR},
     -1,
     0},
    {"a GPU that works beside its cpus",
     "cpu-hogs",
     {.wall = HOUR, .gpus = 1, .gpu_used = 0.5 * HOUR, .cpus = 8, .cpu_used = 7 * HOUR},
     -1,
     0},
    {"cpus of a node with GPUs, without one",
     "without-gpus",
     {.wall = HOUR, .cpus = 8, .node_cpus = 64, .gpu_nodes = true},
     HELD,
     8 * HOUR},
    {"a few cpus of it",
     "without-gpus",
     {.wall = HOUR, .cpus = 6, .node_cpus = 64, .gpu_nodes = true},
     -1,
     0},
    {"on a node without GPUs",
     "without-gpus",
     {.wall = HOUR, .cpus = 64, .node_cpus = 64},
     -1,
     0},
    {"with a GPU",
     "without-gpus",
     {.wall = HOUR, .cpus = 64, .gpus = 1, .node_cpus = 64, .gpu_nodes = true},
     -1,
     0},
    {"half of a partition for a day",
     "too-big",
     {.wall = 24 * HOUR, .cpus = 500, .partition_cpus = 1000},
     HELD,
     12000 * HOUR},
    {"half of it for less",
     "too-big",
     {.wall = 23 * HOUR, .cpus = 500, .partition_cpus = 1000},
     -1,
     0},
    {"of a partition of which nothing is known",
     "too-big",
     {.wall = 24 * HOUR, .cpus = 500},
     -1,
     0},
    {"little of a large node",
     "too-small",
     {.wall = HOUR, .cpus = 15, .node_cpus = 64},
     HELD,
     15 * HOUR},
    {"a quarter of it is enough",
     "too-small",
     {.wall = HOUR, .cpus = 16, .node_cpus = 64},
     -1,
     0},
    {"a GPU is reason enough",
     "too-small",
     {.wall = HOUR, .cpus = 1, .gpus = 1, .node_cpus = 64},
     -1,
     0},
    {"short ones add up", "vampires", {.wall = 300e6, .cpus = 2}, HELD, 600e6},
    {"those of ten minutes do not", "vampires", {.wall = 600e6, .cpus = 2}, -1, 0},
};

static void a_rule_is_broken_or_not(void **state)
{
    const struct hog_case *row = *state;
    const size_t at = hog_find(row->rule);
    double share = 0, lost = 0;
    expect_true(at < hog_rule_count);
    const bool breaks = hog_rules[at].breaks(&hog_rules[at], &row->run, &share, &lost);
    expect_int(breaks, row->share >= 0);
    if (breaks) {
        expect_double(share, row->share == HELD ? -1 : row->share, 1e-9);
        expect_double(lost / (row->lost > 0 ? row->lost : 1), row->lost > 0, 1e-9);
    }
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, a_rule_is_broken_or_not, hog_cases);
    return suite_run(&suite, "hog");
}
