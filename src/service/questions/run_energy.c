/* SPDX-License-Identifier: MIT */
#include "service/questions/run_energy.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"

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
    const struct str idle = config_text(section, &keys[CONFIG_ENERGY_IDLE]);
    for (size_t i = 0; energy_idle_name(i); i++) {
        out->idle = str_eq(idle, str_of(energy_idle_name(i))) ? (enum energy_idle)i : out->idle;
    }
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

/* --- runs ---------------------------------------------------------------------------------------- */

/* A run as it was recorded; numbers below 0 are not known. */
struct recorded {
    double wall, cpus, gpus, nodes, memory;
    double joules; /* by the scheduler, of all of the run */
    bool started;
};

static double number_of(const struct table *runs, const char *id, size_t row, double absent)
{
    const size_t column = table_find(runs, id);
    return table_has(runs, column, row) ? table_real(runs, column, row) : absent;
}

static struct recorded recorded_of(const struct table *runs, size_t row)
{
    const double joules = number_of(runs, "energy", row, -1);
    return (struct recorded){
        .wall = number_of(runs, "wall", row, 0),
        .cpus = number_of(runs, "cpus", row, 0),
        .gpus = number_of(runs, "gpus", row, 0),
        .nodes = number_of(runs, "node_count", row, -1),
        .memory = number_of(runs, "mem", row, -1),
        .joules = joules < 0 ? -1 : joules / MILLIJOULES_A_JOULE,
        .started = number_of(runs, "start", row, -1) >= 0,
    };
}

/* On each of its nodes. */
static struct energy_held held_of(const struct recorded *run, const struct use_span *span)
{
    const double nodes = run->nodes > 0 ? run->nodes : 1;
    return (struct energy_held){
        .span = *span,
        .cpus = run->cpus > 0 ? run->cpus / nodes : -1,
        .mem_bytes = run->memory > 0 ? run->memory / nodes : -1,
    };
}

/*
 * Joules of the window, by a count that covers enough of the run; below 0: it does not. `parts` is how many nodes or cards the run
 * has, `length` and `within` how long it is, and how much of that lies in the window.
 */
static double joules_of(const struct energy_count *count, double parts, double length,
                        double within)
{
    const double all = parts * length;
    if (count->us <= 0 || all <= 0 || count->us / all < USE_ENOUGH) {
        return -1;
    }
    const double missing = fmax(0, parts * within - count->window_us);
    return count->window_joules + missing * (count->joules / count->us);
}

static struct run_energy energy_in(const struct recorded *run, const struct use_span *span,
                                   const struct energy_seen *seen, struct period period,
                                   const struct run_energy_site *site)
{
    if (!run->started) {
        return (struct run_energy){.grams = -1, .idle = site->idle};
    }
    const double from = fmax((double)span->from, (double)period.from);
    const double to = fmin((double)span->to, (double)period.to);
    const double length = (double)(span->to - span->from), within = fmax(0, to - from);
    const double share = length > 0 ? within / length : 1;
    const double nodes = run->nodes > 0 ? run->nodes : (double)seen->nodes;
    const struct energy_run known = {
        .wall = run->wall * share,
        .cpus = run->cpus,
        .gpus = run->gpus,
        .scheduler = run->joules > 0 ? run->joules * share : run->joules,
        .cards = joules_of(&seen->cards, run->gpus, length, within),
        .processors = joules_of(&seen->processors, nodes, length, within),
    };
    const struct energy found = energy_of(&known, &site->watts);
    return (struct run_energy){
        .energy = found,
        .grams = found.basis == ENERGY_UNKNOWN ? -1 : carbon_of(site, found.joules, from, to),
        .idle = site->idle,
    };
}

int run_energy_read(struct facts *facts, const struct run_energy_rows *rows, int64_t now,
                    const struct run_energy_site *site, struct run_energy *out,
                    struct error *err)
{
    const struct table *runs = rows->runs;
    const size_t count = runs->row_count - rows->first;
    struct arena arena = {0};
    struct use_span *all = mem_alloc(runs->row_count + 1, sizeof(*all));
    const struct use_span *spans = all + rows->first;
    struct energy_held *held = mem_alloc(count + 1, sizeof(*held));
    struct energy_seen *seen = mem_alloc(count + 1, sizeof(*seen));
    use_rows_spans(runs, now, &arena, all);
    for (size_t i = 0; i < count; i++) {
        const struct recorded run = recorded_of(runs, rows->first + i);
        held[i] = held_of(&run, &spans[i]);
    }
    int failed = energy_read(facts, held, count, rows->period, site->idle, seen, err);
    for (size_t i = 0; !failed && i < count; i++) {
        const struct recorded run = recorded_of(runs, rows->first + i);
        out[i] = energy_in(&run, &spans[i], &seen[i], rows->period, site);
    }
    free(seen);
    free(held);
    free(all);
    arena_release(&arena);
    return failed;
}
