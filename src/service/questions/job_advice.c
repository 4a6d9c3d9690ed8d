/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "service/questions/job_samples.h"
#include "service/questions/job_screen.h"

#include "base/attribute.h"
#include "base/calendar.h"

/* Schedulers look at memory every half a minute or so: the peak of a shorter run may have been missed. */
#define SEEN_US (60.0 * (double)SECOND_US)

/* How a scheduler is asked for less or more: formats for a number or a text. */
struct flags {
    const char *source;
    const char *time;   /* of HH:MM:SS */
    const char *memory; /* of a size like 4G */
    const char *cpus;
    const char *gpus;

    enum { MEMORY_OF_RUN, MEMORY_OF_NODE, MEMORY_OF_CPU } memory_of;

    const char *mib, *gib; /* its words for the units; without gib everything is in MiB */
    bool no_seconds;       /* times are HH:MM */
};

static const struct flags all_flags[] = {
    {"slurm", "--time=%s", "--mem=%s", "--cpus-per-task=%d or --ntasks=%d", "--gpus=%d",
     MEMORY_OF_NODE, "M", "G", false},
    {"sge", "-l h_rt=%s", "-l h_vmem=%s", "-pe NAME %d", "-l gpu=%d", MEMORY_OF_CPU, "M", "G",
     false},
    {"pbs", "-l walltime=%s", "-l mem=%s", "-l ncpus=%d", "-l ngpus=%d", MEMORY_OF_RUN, "mb",
     "gb", false},
    {"lsf", "-W %s", "-M %s", "-n %d", "-gpu num=%d", MEMORY_OF_RUN, "M", "G", true},
    {"htcondor", NULL, "request_memory = %s", "request_cpus = %d", "request_gpus = %d",
     MEMORY_OF_RUN, "M", "G", false},
    {"nomad", NULL, "memory = %s", "cores = %d", "count = %d of its GPU device", MEMORY_OF_RUN,
     "", NULL, false},
};

static const struct flags *find_flags(const struct job_screen *screen, size_t row)
{
    for (size_t i = 0; i < COUNT_OF(all_flags); i++) {
        if (job_is(screen, "source", row, all_flags[i].source)) {
            return &all_flags[i];
        }
    }
    return NULL;
}

/* A format of the table above; the only texts that go into it are made here. */
static void add_flag(struct job_screen *screen, const char *format, const char *text)
{
    const struct str all = str_of(format);
    for (size_t i = 0; i < all.len; i++) {
        if (all.ptr[i] == '%') {
            buf_addz(&screen->text, text);
            i++;
        } else {
            buf_addc(&screen->text, all.ptr[i]);
        }
    }
}

/* A time in the form that schedulers take, rounded up to a quarter of an hour. */
static const char *time_text(const struct flags *flags, double us, char text[32])
{
    const int64_t quarter = 15 * 60 * SECOND_US;
    int64_t time = ((int64_t)us + quarter - 1) / quarter * quarter / SECOND_US;
    snprintf(text, 32, "%02d:%02d%s", (int)(time / 3600), (int)(time / 60 % 60),
             flags->no_seconds ? "" : ":00");
    return text;
}

/* A size rounded up: to 256 MiB below 4 GiB, to one above. */
static const char *size_text(const struct flags *flags, double bytes, char text[32])
{
    const double mib = 1024.0 * 1024, gib = 1024 * mib;
    if (bytes < 4 * gib) {
        snprintf(text, 32, "%.0f%s", ceil(bytes / (256 * mib)) * 256, flags->mib);
    } else {
        snprintf(text, 32, "%.0f%s", ceil(bytes / gib) * (flags->gib ? 1 : 1024),
                 flags->gib ? flags->gib : flags->mib);
    }
    return text;
}

/* What one flag asks for of a memory of the whole run. */
static double share_of_memory(const struct job_screen *screen, const struct flags *flags,
                              size_t row, double bytes)
{
    const double nodes = job_number(screen, "node_count", row),
                 cpus = job_number(screen, "cpus", row);
    const double parts = flags->memory_of == MEMORY_OF_NODE  ? nodes
                         : flags->memory_of == MEMORY_OF_CPU ? cpus
                                                             : 1;
    return bytes / (parts > 1 ? parts : 1);
}

/*
 * The peak of the whole run that advice goes by. Where samples know the nodes apart, the one that has most counts for all: what is asked
 * for is the same on each.
 */
static double peak_of(const struct job_screen *screen, size_t row)
{
    const double peak = job_number(screen, "mem_peak", row);
    const double nodes = fmax(1, job_number(screen, "node_count", row));
    return screen->samples ? fmax(peak, screen->samples->use.node_memory * nodes) : peak;
}

static void advise_memory(struct job_screen *screen, const struct flags *flags, size_t row)
{
    char text[32];
    const double peak = peak_of(screen, row);
    const double given = job_has(screen, "mem", row) ? job_number(screen, "mem", row)
                                                     : job_number(screen, "req_mem", row);
    const bool out = job_is(screen, "class", row, "oom");
    const double gib = 1024.0 * 1024 * 1024;
    double wanted = 0;
    if (out) {
        wanted = 1.5 * fmax(given, peak);
        buf_addz(&screen->text, "it ran out of memory");
    } else if (job_is(screen, "class", row, "completed") && peak > 0 && given > 2 * gib &&
               job_number(screen, "wall", row) > SEEN_US && peak < 0.5 * given) {
        wanted = 1.2 * peak;
        buf_addz(&screen->text, "it used less than half of its memory");
    }
    if (wanted > 0) {
        buf_addz(&screen->text, ": ask for ");
        add_flag(screen, flags->memory,
                 size_text(flags, share_of_memory(screen, flags, row, wanted), text));
        buf_addz(&screen->text, flags->memory_of == MEMORY_OF_NODE  ? " (of a node)"
                                : flags->memory_of == MEMORY_OF_CPU ? " (of a slot)"
                                                                    : "");
        buf_addz(&screen->text, out ? ", half as much again as it had, rounded up"
                                    : ", its peak and a margin of 20 %");
    }
    job_line(screen, "Advice");
}

static void advise_time(struct job_screen *screen, const struct flags *flags, size_t row)
{
    char text[32];
    const double limit = job_number(screen, "time_limit", row),
                 wall = job_number(screen, "wall", row);
    if (!flags->time || limit <= 0) {
        return;
    }
    if (job_is(screen, "class", row, "timeout")) {
        buf_addz(&screen->text, "it ran into its time limit: ask for ");
        add_flag(screen, flags->time, time_text(flags, 1.5 * limit, text));
        buf_addz(&screen->text,
                 ", half as much again rounded up, or more, or have it save its state");
    } else if (job_is(screen, "class", row, "completed") && limit > (double)HOUR_US &&
               wall < 0.25 * limit) {
        buf_addz(&screen->text, "it took less than a quarter of its time limit: with ");
        add_flag(screen, flags->time, time_text(flags, 2 * wall, text));
        buf_addz(&screen->text, ", twice what it took, it may start sooner");
    }
    job_line(screen, "Advice");
}

static void advise_cpus(struct job_screen *screen, const struct flags *flags, size_t row)
{
    char text[32];
    const double cpus = job_number(screen, "cpus", row), wall = job_number(screen, "wall", row),
                 used = wall > 0 ? job_number(screen, "cpu_used", row) / wall : 0;
    if (job_is(screen, "class", row, "completed") && job_has(screen, "cpu_used", row) &&
        cpus > 1 && wall > SEEN_US && used < 0.5 * cpus) {
        snprintf(text, sizeof(text), "%.0f", fmax(1, ceil(used * 1.1)));
        buf_addz(&screen->text, "less than half of its cpus worked: ask for ");
        add_flag(screen, flags->cpus, text);
        buf_addz(&screen->text,
                 ", what worked and a margin of 10 %, or check that it runs in parallel");
    }
    job_line(screen, "Advice");
}

/* Only samples know cards apart, and only where they saw the run nearly to its end. */
static void advise_gpus(struct job_screen *screen, const struct flags *flags, size_t row)
{
    char text[32];
    const struct job_samples *samples = screen->samples;
    const double gpus = job_number(screen, "gpus", row);
    const double idle = samples ? samples->cards_idle : 0;
    if (!samples || idle < 1 || idle > gpus || !job_is(screen, "class", row, "completed") ||
        job_number(screen, "wall", row) < 600.0 * (double)SECOND_US) {
        return;
    }
    if (idle < gpus) {
        buf_addf(&screen->text, "%.0f of its %.0f GPUs did nothing: ask for ", idle, gpus);
        snprintf(text, sizeof(text), "%.0f", gpus - idle);
        add_flag(screen, flags->gpus, text);
    } else {
        buf_addz(&screen->text, gpus > 1 ? "its GPUs did nothing: ask for none"
                                         : "its GPU did nothing: ask for none");
    }
    job_line(screen, "Advice");
}

void job_advice(struct job_screen *screen, size_t row)
{
    const struct flags *flags = find_flags(screen, row);
    if (flags) {
        advise_memory(screen, flags, row);
        advise_time(screen, flags, row);
        advise_cpus(screen, flags, row);
        advise_gpus(screen, flags, row);
    }
}
