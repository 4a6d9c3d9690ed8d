/* SPDX-License-Identifier: MIT */

/*
 * The line of a job's screen about its energy.
 */

#include "base/attribute.h"
#include "service/jobs/job_screen.h"

static void say_joules(struct buf *text, double joules)
{
    static const char *const units[] = {"J", "kJ", "MJ", "GJ", "TJ"};
    size_t unit = 0;
    while (joules >= 1000 && unit + 1 < COUNT_OF(units)) {
        joules /= 1000;
        unit++;
    }
    buf_addf(text, "%.1f %s", joules, units[unit]);
}

static void say_part(struct buf *text, const char *what, const char *counted,
                     const struct energy_part *part)
{
    if (part->joules >= 0) {
        buf_addf(text, "%s ", what);
        say_joules(text, part->joules);
        buf_addf(text, " (%s)", part->estimated ? "estimated by watts" : counted);
    }
}

void job_energy(struct job_screen *screen, const struct run_energy *found)
{
    const struct energy *energy = &found->energy;
    struct buf *text = &screen->text;
    if (energy->basis == ENERGY_UNKNOWN) {
        return;
    }
    say_joules(text, energy->joules);
    buf_addf(text, ", %.3f kWh: ", energy->joules / JOULES_A_KWH);
    if (energy->basis == ENERGY_SCHEDULER) {
        buf_addz(text, "recorded by the scheduler");
    } else {
        say_part(text, "processors",
                 found->idle == ENERGY_IDLE_USE ? "RAPL, by its share of cpu time"
                                                : "RAPL, by cpu time; idle power by allocation",
                 &energy->processors);
        buf_addz(text, energy->cards.joules >= 0 ? ", " : "");
        say_part(text, "GPUs", "their counters", &energy->cards);
    }
    if (found->grams >= 0) {
        buf_addf(text, "; %.0f g CO2e", found->grams);
    }
    job_line(screen, "Energy");
}
