/* SPDX-License-Identifier: MIT */
#include "advice/energy.h"

#include <math.h>

const char *energy_basis_name(enum energy_basis basis)
{
    static const char *const names[ENERGY_BASES] = {
        [ENERGY_UNKNOWN] = "not recorded",
        [ENERGY_SAMPLED] = "sampled",
        [ENERGY_SCHEDULER] = "scheduler",
        [ENERGY_ESTIMATED] = "estimated",
    };
    return names[basis];
}

static const struct energy_part not_known = {-1, false};

/* A part that was measured, or that its watts come to; false if it is not known. */
static bool find_part(double measured, double held, double wall, double watts,
                      struct energy_part *out)
{
    *out = measured >= 0 ? (struct energy_part){measured, false}
                         : (struct energy_part){held * wall / 1e6 * watts, true};
    return measured >= 0 || held <= 0 || watts > 0;
}

static double measured_of(const struct energy_part *part)
{
    return part->estimated ? 0 : part->joules;
}

struct energy energy_of(const struct energy_run *run, const struct energy_watts *watts)
{
    struct energy found = {0};
    /* Of a node that others share it is the node's: what was sampled is nearer to the run. */
    const bool sampled = run->processors >= 0 && (run->gpus <= 0 || run->cards >= 0);
    if (!sampled && run->scheduler > 0) {
        return (struct energy){ENERGY_SCHEDULER, run->scheduler, run->scheduler, not_known,
                               not_known};
    }
    const bool known =
        find_part(run->processors, run->cpus, run->wall, watts->cpu, &found.processors) &&
        find_part(run->gpus > 0 ? run->cards : -1, fmax(run->gpus, 0),
                  run->wall + run->suspended, watts->gpu, &found.cards) &&
        (run->cpus > 0 || run->processors >= 0);
    if (!known) {
        return (struct energy){.processors = not_known, .cards = not_known};
    }
    found.basis = sampled ? ENERGY_SAMPLED : ENERGY_ESTIMATED;
    found.joules = found.processors.joules + found.cards.joules;
    found.measured = measured_of(&found.processors) + measured_of(&found.cards);
    if (run->gpus <= 0) {
        found.cards = not_known;
    }
    return found;
}
