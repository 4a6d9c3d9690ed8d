/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Energy and carbon of a run within a period: what samples, the scheduler and the site's watts say of it (advice/energy.h), for `stint energy` and the screen of a
 * job. A run counts with the part of it that lies in the period. Inside service/ only.
 */

#include "advice/carbon.h"
#include "advice/energy.h"
#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/zone.h"
#include "config/config.h"
#include "service/questions/sampled.h"
#include "table/table.h"

#define JOULES_A_KWH        3.6e6
#define MILLIJOULES_A_JOULE 1e3

/* What [energy] of stint.conf says. */
struct run_energy_site {
    struct energy_watts watts;
    double overhead; /* share on top, in carbon */
    double grams;    /* of a kWh; below 0: not known */
    struct carbon series;
};

/* `config` may be NULL. Released by the caller, also when it fails. */
int run_energy_site_read(const struct config *config, const struct zone *zone,
                         struct run_energy_site *out, struct error *err) MUST_CHECK;
void run_energy_site_release(struct run_energy_site *site);

/* A run as it was recorded; numbers below 0 are not known. */
struct recorded_run {
    struct sampled_run run; /* of one that has not ended, `end` is now */
    double wall, cpus, gpus;
    double joules; /* as the scheduler recorded it, of all of the run */
};

struct run_energy {
    struct energy energy;
    double grams; /* below 0: not known */
};

/*
 * What of the run lies in the period. What the scheduler recorded, and what watts come to, is taken in proportion to the time; samples (of energy_use, for the same
 * period) are those of the period, scaled up to all of it.
 */
struct run_energy run_energy_of(const struct recorded_run *run, struct period period,
                                const struct table *seen, const struct run_energy_site *site);
