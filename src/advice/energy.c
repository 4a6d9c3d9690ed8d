/* SPDX-License-Identifier: MIT */
#include "advice/energy.h"

#include <math.h>
#include <stdbool.h>

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

/* A part that was measured, or that its watts come to; false if it is not known. */
static bool add_part(double measured, double held, double wall, double watts,
                     struct energy *out)
{
    if (measured >= 0) {
        out->joules += measured;
        out->measured += measured;
        return true;
    }
    out->joules += held * wall / 1e6 * watts;
    return held <= 0 || watts > 0;
}

struct energy energy_of(const struct energy_run *run, const struct energy_watts *watts)
{
    struct energy found = {0};
    /* Of a node that others share it is the node's: what was sampled is nearer to the run. */
    const bool sampled = run->processors >= 0 && (run->gpus <= 0 || run->cards >= 0);
    if (!sampled && run->scheduler > 0) {
        return (struct energy){ENERGY_SCHEDULER, run->scheduler, run->scheduler};
    }
    const bool known = add_part(run->processors, run->cpus, run->wall, watts->cpu, &found) &&
                       add_part(run->gpus > 0 ? run->cards : -1, fmax(run->gpus, 0), run->wall,
                                watts->gpu, &found) &&
                       (run->cpus > 0 || run->processors >= 0);
    if (!known) {
        return (struct energy){0};
    }
    found.basis = sampled ? ENERGY_SAMPLED : ENERGY_ESTIMATED;
    return found;
}
