/* SPDX-License-Identifier: MIT */

/*
 * The line of a job's screen about its energy.
 */

#include "base/attribute.h"
#include "service/questions/job_screen.h"

static double number_or(const struct table *runs, const char *id, size_t row, double absent)
{
    const size_t column = job_column(runs, id);
    return table_has(runs, column, row) ? table_real(runs, column, row) : absent;
}

struct recorded_run job_energy_run(const struct table *runs, size_t row, int64_t now)
{
    const struct column *cluster = &runs->columns[job_column(runs, "cluster")];
    return (struct recorded_run){
        .run = {.cluster = cluster->present[row] ? cluster->cells[row].text : STR(""),
                .job = number_or(runs, "job_raw", row, number_or(runs, "job", row, -1)),
                .task = number_or(runs, "task", row, -1),
                .start = number_or(runs, "start", row, -1),
                .end = number_or(runs, "end", row, (double)now)},
        .wall = number_or(runs, "wall", row, 0),
        .cpus = number_or(runs, "cpus", row, 0),
        .gpus = number_or(runs, "gpus", row, 0),
        .joules = number_or(runs, "energy", row, -MILLIJOULES_A_JOULE) / MILLIJOULES_A_JOULE,
    };
}

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
        say_part(text, "processors", "RAPL, by its share of cpu time", &energy->processors);
        buf_addz(text, energy->cards.joules >= 0 ? ", " : "");
        say_part(text, "GPUs", "their counters", &energy->cards);
    }
    if (found->grams >= 0) {
        buf_addf(text, "; %.0f g CO2e", found->grams);
    }
    job_line(screen, "Energy");
}
