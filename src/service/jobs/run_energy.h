/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Energy and carbon of runs within a period, for `stint energy` and the screen of a job: what
 * was measured (USE_ENERGY of report/use/use.h), or else what the site's watts come to
 * (advice/energy.h). A run counts with the part of it that lies in the period. Inside service/
 * only.
 */

#include "advice/carbon.h"
#include "advice/energy.h"
#include "base/attribute.h"
#include "base/calendar.h"
#include "base/error.h"
#include "base/zone.h"
#include "config/config.h"
#include "facts/facts.h"
#include "report/queries/sample_energy.h"
#include "report/use/use_energy.h"
#include "report/use/use_rows.h"
#include "table/table.h"

#define JOULES_A_KWH 3.6e6

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

/* How [energy] of stint.conf has idle power divided; `config` may be NULL. */
enum energy_idle run_energy_idle(const struct config *config);

struct run_energy {
    struct energy energy;
    double grams; /* below 0: not known */
    enum energy_idle idle;
};

/*
 * What of the run in a row (with USE_FIELDS), of which `use` and `seen` are (use_energy.h),
 * lies in the period. What the scheduler recorded, and what watts come to, is taken in
 * proportion to the time.
 */
struct run_energy run_energy_of(const struct table *runs, size_t row, const struct use *use,
                                const struct use_energy *seen, struct period period,
                                const struct run_energy_site *site);

/* The same of each run of a table; `out` has room for them. */
int run_energy_read(struct facts *facts, const struct table *runs, struct period period,
                    int64_t now, const struct run_energy_site *site, struct run_energy *out,
                    struct error *err) MUST_CHECK;
