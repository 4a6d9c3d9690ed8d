/* SPDX-License-Identifier: MIT */
#include "advice/energy.h"

#include "base/attribute.h"
#include "support/expect.h"

#define HOUR 3600e6

struct energy_row {
    const char *name;
    struct energy_run run;
    struct energy_watts watts;
    enum energy_basis basis;
    double joules, measured;
};

static const struct energy_row energy_rows[] = {
    {"counters of processors",
     {HOUR, 0, 4, 0, -1, -1, 5000},
     {10, 300},
     ENERGY_SAMPLED,
     5000,
     5000},
    {"and of GPUs", {HOUR, 0, 4, 1, -1, 7000, 5000}, {10, 300}, ENERGY_SAMPLED, 12000, 12000},
    {"what was sampled is nearer than what the scheduler has of the node",
     {HOUR, 0, 4, 0, 90000, -1, 5000},
     {0, 0},
     ENERGY_SAMPLED,
     5000,
     5000},
    {"the scheduler's, without samples",
     {HOUR, 0, 4, 0, 90000, -1, -1},
     {10, 300},
     ENERGY_SCHEDULER,
     90000,
     90000},
    {"and where a part was not sampled",
     {HOUR, 0, 4, 1, 90000, -1, 5000},
     {10, 300},
     ENERGY_SCHEDULER,
     90000,
     90000},
    {"an estimate", {HOUR, 0, 4, 0, -1, -1, -1}, {10, 300}, ENERGY_ESTIMATED, 144000, 0},
    {"an estimate of GPUs beside measured processors",
     {HOUR, 0, 4, 1, -1, -1, 5000},
     {10, 300},
     ENERGY_ESTIMATED,
     1085000,
     5000},
    {"0 of the scheduler is no measurement",
     {HOUR, 0, 4, 0, 0, -1, -1},
     {10, 300},
     ENERGY_ESTIMATED,
     144000,
     0},
    {"nothing is estimated by nothing",
     {HOUR, 0, 4, 0, -1, -1, -1},
     {0, 0},
     ENERGY_UNKNOWN,
     0,
     0},
    {"nor a part", {HOUR, 0, 4, 1, -1, -1, 5000}, {10, 0}, ENERGY_UNKNOWN, 0, 0},
    {"nor of cpus nobody knows", {HOUR, 0, 0, 0, -1, -1, -1}, {10, 300}, ENERGY_UNKNOWN, 0, 0},
};

static void energy_is_from_the_best_that_is_known(void **state)
{
    const struct energy_row *row = *state;
    const struct energy found = energy_of(&row->run, &row->watts);
    expect_int(found.basis, row->basis);
    expect_double(found.joules, row->joules, 1e-6);
    expect_double(found.measured, row->measured, 1e-6);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_ROWS(&suite, energy_is_from_the_best_that_is_known, energy_rows);
    return suite_run(&suite, "energy");
}
