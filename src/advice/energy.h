/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How much energy a run used, from the best that is known: counters of its GPUs and its part of
 * the processors' (samples), what the scheduler measured, or an estimate by what it held. What
 * it is based on is always said.
 */

#include <stdbool.h>
#include <stddef.h>

/* What is known; below 0 is not known. Joules, microseconds. */
struct energy_run {
    double wall;      /* in which it had its cpus */
    double suspended; /* and held only its GPUs */
    double cpus, gpus;
    double scheduler;  /* as the scheduler recorded it */
    double cards;      /* counters of its GPUs, scaled up to the whole run */
    double processors; /* its part of the counters of its nodes' processors, likewise */
};

/* For estimates, of a cpu or GPU that is held; 0: nothing is estimated by it. */
struct energy_watts {
    double cpu, gpu;
};

enum energy_basis {
    ENERGY_UNKNOWN,
    ENERGY_SAMPLED,
    ENERGY_SCHEDULER,
    ENERGY_ESTIMATED, /* all of it, or a part */
    ENERGY_BASES
};

const char *energy_basis_name(enum energy_basis basis);

/* What processors or GPUs took; below 0: it is not known by itself. */
struct energy_part {
    double joules;
    bool estimated;
};

struct energy {
    enum energy_basis basis;
    double joules;
    double measured; /* of these, what is not estimated */
    struct energy_part processors, cards;
};

struct energy energy_of(const struct energy_run *run, const struct energy_watts *watts);
