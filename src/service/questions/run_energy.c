/* SPDX-License-Identifier: MIT */
#include "service/questions/run_energy.h"

#include <math.h>

#include "base/buf.h"
#include "base/file.h"
#include "report/tables/energy.h"

enum { FILE_MAX_BYTES = 64 << 20 };

/* --- what the site says ---------------------------------------------------------------------------- */

static int read_series(const char *path, const struct zone *zone, struct carbon *out,
                       struct error *err)
{
    struct buf text;
    buf_init(&text, FILE_MAX_BYTES);
    int failed = file_read(path, &text, err);
    if (!failed && (failed = carbon_read(buf_str(&text), zone, out, err))) {
        failed = error_prepend(err, "'%s': ", path);
    }
    buf_release(&text);
    return failed;
}

int run_energy_site_read(const struct config *config, const struct zone *zone,
                         struct run_energy_site *out, struct error *err)
{
    const struct config_key *keys = config_energy_keys;
    *out = (struct run_energy_site){.grams = -1};
    int failed = config ? config_check_plain(config, err) : 0;
    const struct config_section *section =
        config ? config_find(config, STR("energy"), (struct str){0}) : NULL;
    if (failed || !section) {
        return failed;
    }
    out->watts.cpu = (double)config_number(section, &keys[CONFIG_ENERGY_CPU], 0);
    out->watts.gpu = (double)config_number(section, &keys[CONFIG_ENERGY_GPU], 0);
    out->overhead = (double)config_number(section, &keys[CONFIG_ENERGY_OVERHEAD], 0) / 100;
    out->grams = (double)config_number(section, &keys[CONFIG_ENERGY_CARBON], -1);
    const struct str path = config_text(section, &keys[CONFIG_ENERGY_CARBON_FILE]);
    return path.ptr ? read_series(path.ptr, zone, &out->series, err) : 0;
}

void run_energy_site_release(struct run_energy_site *site)
{
    carbon_release(&site->series);
}

/* Grams of so much energy; below 0: not known. */
static double carbon_of(const struct run_energy_site *site, double joules, double from,
                        double to)
{
    const double grams = site->series.count > 0
                             ? carbon_mean(&site->series, (int64_t)from, (int64_t)to)
                             : site->grams;
    return grams < 0 ? -1 : joules / JOULES_A_KWH * (1 + site->overhead) * grams;
}

/* --- a run ------------------------------------------------------------------------------------------ */

static double scaled(const struct table *seen, size_t column, size_t row, double coverage)
{
    return table_has(seen, column, row) ? table_real(seen, column, row) / coverage : -1;
}

/* What samples say of the part of the run that `within` is. */
static void add_sampled(const struct table *seen, const struct sampled_run *within,
                        struct energy_run *out)
{
    size_t at = 0;
    double up_to = 0;
    if (!sampled_find(seen, within, &at, &up_to)) {
        return;
    }
    const double length =
        table_real(seen, SAMPLED_LAST, at) - table_real(seen, SAMPLED_FIRST, at);
    const double coverage = fmin(1, length / (within->end - within->start));
    if (coverage > 0) {
        out->cards = scaled(seen, ENERGY_USE_CARDS, at, coverage);
        out->processors = scaled(seen, ENERGY_USE_PROCESSORS, at, coverage);
    }
}

struct run_energy run_energy_of(const struct recorded_run *run, struct period period,
                                const struct table *seen, const struct run_energy_site *site)
{
    struct sampled_run within = run->run;
    within.start = fmax(within.start, (double)period.from);
    within.end = fmin(within.end, (double)period.to);
    const double length = run->run.end - run->run.start;
    const double share =
        length > 0 ? fmin(1, fmax(0, (within.end - within.start) / length)) : 1;
    struct energy_run known = {
        .wall = run->wall * share,
        .cpus = run->cpus,
        .gpus = run->gpus,
        .scheduler = run->joules > 0 ? run->joules * share : run->joules,
        .cards = -1,
        .processors = -1,
    };
    add_sampled(seen, &within, &known);
    const struct energy found = energy_of(&known, &site->watts);
    return (struct run_energy){found,
                               found.basis == ENERGY_UNKNOWN
                                   ? -1
                                   : carbon_of(site, found.joules, within.start, within.end)};
}
