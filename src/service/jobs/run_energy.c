/* SPDX-License-Identifier: MIT */
#include "service/jobs/run_energy.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

enum { FILE_MAX_BYTES = 64 << 20 };

/* --- what the site says ------------------------------------------------------------------- */

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

enum energy_idle run_energy_idle(const struct config *config)
{
    const struct config_section *section =
        config ? config_find(config, STR("energy"), (struct str){0}) : NULL;
    const struct str name = section
                                ? config_text(section, &config_energy_keys[CONFIG_ENERGY_IDLE])
                                : (struct str){0};
    size_t idle = 0;
    while (energy_idle_name(idle) && !str_eq(name, str_of(energy_idle_name(idle)))) {
        idle++;
    }
    return idle < ENERGY_IDLES ? (enum energy_idle)idle : ENERGY_IDLE_ALLOCATION;
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
    out->idle = run_energy_idle(config);
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

/* --- runs --------------------------------------------------------------------------------- */

static double number_of(const struct table *runs, const char *id, size_t row)
{
    const size_t column = table_find(runs, id);
    return table_has(runs, column, row) ? table_real(runs, column, row) : -1;
}

struct run_energy run_energy_of(const struct table *runs, size_t row, const struct use *use,
                                const struct use_energy *seen, struct period period,
                                const struct run_energy_site *site)
{
    const struct use_figure *figure = &use->of[USE_ENERGY];
    const double start = number_of(runs, "start", row);
    if (start < 0) {
        return (struct run_energy){.grams = -1, .idle = site->idle};
    }
    const double from = fmax(start, (double)period.from);
    const double to = fmin((double)use->until, (double)period.to);
    const double share = use->held_us > 0 ? fmax(0, to - from) / use->held_us : 1;
    const struct energy_run known = {
        .wall = fmax(0, use->wall_us) * share,
        .suspended = fmax(0, use->held_us - use->wall_us) * share,
        .cpus = fmax(0, number_of(runs, "cpus", row)),
        .gpus = fmax(0, use->cards_held),
        .scheduler = figure->basis == USE_SCHEDULER ? figure->used * share : -1,
        .cards = seen->cards,
        .processors = seen->processors,
    };
    const struct energy found = energy_of(&known, &site->watts);
    return (struct run_energy){
        .energy = found,
        .grams = found.basis == ENERGY_UNKNOWN ? -1 : carbon_of(site, found.joules, from, to),
        .idle = site->idle,
    };
}

int run_energy_read(struct facts *facts, const struct table *runs, struct period period,
                    int64_t now, const struct run_energy_site *site, struct run_energy *out,
                    struct error *err)
{
    const struct use_energy_question question = {
        .runs = runs, .now = now, .window = period, .idle = site->idle};
    struct use *uses = mem_alloc(runs->row_count + 1, sizeof(*uses));
    struct use_energy *seen = mem_alloc(runs->row_count + 1, sizeof(*seen));
    int failed = use_rows_read(facts, runs, now, uses, err);
    if (!failed) {
        failed = use_energy_read(facts, &question, uses, seen, err);
    }
    for (size_t row = 0; !failed && row < runs->row_count; row++) {
        out[row] = run_energy_of(runs, row, &uses[row], &seen[row], period, site);
    }
    free(seen);
    free(uses);
    return failed;
}
