/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Energy and carbon of runs within a period: what samples (report/tables/energy.h), the scheduler and the site's watts say of them
 * (advice/energy.h), for `stint energy` and the screen of a job. A run counts with the part of it that lies in the period.
 *
 * Samples stand for a run where they cover as much of it as report/use/use.h requires: of the time of its nodes, and of the time of its
 * GPUs. Time of the run that they do not cover counts with its mean power, so that periods add up to the whole. Below that, nothing is
 * called measured by samples. Inside service/ only.
 */

#include "advice/carbon.h"
#include "advice/energy.h"
#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/zone.h"
#include "config/config.h"
#include "facts/facts.h"
#include "report/tables/energy.h"
#include "report/use/use_rows.h"
#include "table/table.h"

#define JOULES_A_KWH        3.6e6
#define MILLIJOULES_A_JOULE 1e3

/* What [energy] of stint.conf says. */
struct run_energy_site {
    struct energy_watts watts;
    double overhead; /* share on top, in carbon */
    double grams;    /* of a kWh; below 0: not known */
    struct carbon series;
    enum energy_idle idle;
};

/* `config` may be NULL. Released by the caller, also when it fails. */
int run_energy_site_read(const struct config *config, const struct zone *zone,
                         struct run_energy_site *out, struct error *err) MUST_CHECK;
void run_energy_site_release(struct run_energy_site *site);

struct run_energy {
    struct energy energy;
    double grams; /* below 0: not known */
    enum energy_idle idle;
};

/* Fields that a table of runs has to have. */
#define RUN_ENERGY_FIELDS "wall,mem," USE_FIELDS

/* Runs of a table, from this row on, and what of them counts. */
struct run_energy_rows {
    const struct table *runs;
    size_t first;
    struct period period;
};

/*
 * What of each run lies in the period; `out` has room for them. What the scheduler recorded, and what watts come to, is taken in proportion
 * to the time. A run without an end goes on until `now`.
 */
int run_energy_read(struct facts *facts, const struct run_energy_rows *rows, int64_t now,
                    const struct run_energy_site *site, struct run_energy *out,
                    struct error *err) MUST_CHECK;
