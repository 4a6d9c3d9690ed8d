/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>

#include "base/attribute.h"
#include "base/calendar.h"
#include "service/questions/job_samples.h"
#include "service/questions/job_screen.h"
#include "service/questions/run_behavior.h"

/* How a scheduler is asked for less or more: formats for a number or a text. */
struct flags {
    const char *source;
    const char *time;   /* of HH:MM:SS */
    const char *memory; /* of a size like 4G */
    const char *cpus;
    const char *nodes; /* NULL: it has no such request */
    const char *gpus;

    enum { MEMORY_OF_RUN, MEMORY_OF_NODE, MEMORY_OF_CPU } memory_of;

    const char *mib, *gib; /* its words for the units; without gib everything is in MiB */
    bool no_seconds;       /* times are HH:MM */
    bool virtual_memory; /* its limit is of address space, which is larger than memory in use */
};

static const struct flags all_flags[] = {
    {"slurm", "--time=%s", "--mem=%s", "--cpus-per-task=%d or --ntasks=%d", "--nodes=%d",
     "--gpus=%d", MEMORY_OF_NODE, "M", "G", false, false},
    {"sge", "-l h_rt=%s", "-l h_vmem=%s", "-pe NAME %d", NULL, "-l gpu=%d", MEMORY_OF_CPU, "M",
     "G", false, true},
    {"pbs", "-l walltime=%s", "-l mem=%s", "-l ncpus=%d", NULL, "-l ngpus=%d", MEMORY_OF_RUN,
     "mb", "gb", false, false},
    {"lsf", "-W %s", "-M %s", "-n %d", NULL, "-gpu num=%d", MEMORY_OF_RUN, "M", "G", true,
     false},
    {"htcondor", NULL, "request_memory = %s", "request_cpus = %d", NULL, "request_gpus = %d",
     MEMORY_OF_RUN, "M", "G", false, false},
    {"nomad", NULL, "memory = %s", "cores = %d", NULL, "count = %d of its GPU device",
     MEMORY_OF_RUN, "", NULL, false, false},
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

static void add_time(struct job_screen *screen, const struct flags *flags, double us)
{
    char text[32];
    const int64_t time = (int64_t)advice_round_time(us) / SECOND_US;
    snprintf(text, sizeof(text), "%02d:%02d%s", (int)(time / 3600), (int)(time / 60 % 60),
             flags->no_seconds ? "" : ":00");
    add_flag(screen, flags->time, text);
}

/* What one flag requests of a memory of the whole run. */
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

static void add_memory(struct job_screen *screen, const struct flags *flags, size_t row,
                       double bytes)
{
    const double mib = 1024.0 * 1024, gib = 1024 * mib;
    const double size = advice_round_memory(share_of_memory(screen, flags, row, bytes));
    char text[32];
    if (size <= 4 * gib || !flags->gib) {
        snprintf(text, sizeof(text), "%.0f%s", size / mib, flags->mib);
    } else {
        snprintf(text, sizeof(text), "%.0f%s", size / gib, flags->gib);
    }
    add_flag(screen, flags->memory, text);
    buf_addz(&screen->text, flags->memory_of == MEMORY_OF_NODE  ? " (of a node)"
                            : flags->memory_of == MEMORY_OF_CPU ? " (of a slot)"
                                                                : "");
}

static void add_count(struct job_screen *screen, const char *format, double count)
{
    char text[32];
    snprintf(text, sizeof(text), "%.0f", count);
    add_flag(screen, format, text);
}

/* How it is requested, in the words of the scheduler; false if that has none. */
static bool add_request(struct job_screen *screen, const struct flags *flags, size_t row,
                        const struct advice *advice)
{
    const char *format = advice->what == ADVICE_TIME    ? flags->time
                         : advice->what == ADVICE_NODES ? flags->nodes
                         : advice->what == ADVICE_CPUS  ? flags->cpus
                         : advice->what == ADVICE_GPUS  ? flags->gpus
                                                        : flags->memory;
    if (!format || advice->what == ADVICE_SAY) {
        return false;
    }
    buf_addz(&screen->text, ": ask for ");
    if (advice->what == ADVICE_MEMORY) {
        add_memory(screen, flags, row, advice->wanted);
    } else if (advice->what == ADVICE_TIME) {
        add_time(screen, flags, advice->wanted);
    } else if (advice->what == ADVICE_GPUS && advice->wanted == 0) {
        buf_addz(&screen->text, "none");
    } else {
        add_count(screen, format, advice->wanted);
    }
    if (advice->time > 0 && flags->time) {
        buf_addz(&screen->text, " and ");
        add_time(screen, flags, advice->time);
    }
    return true;
}

static void add_advice(struct job_screen *screen, const struct flags *flags, size_t row,
                       const struct advice *advice)
{
    buf_addz(&screen->text, advice->cause);
    const bool requests = flags && add_request(screen, flags, row, advice);
    if (advice->reason[0] && (requests || advice->what == ADVICE_NODES)) {
        buf_addf(&screen->text, ", %s", advice->reason);
    }
    job_line(screen, "Advice");
}

/* What limited it, where nothing above says so already. */
static void add_limits(struct job_screen *screen, const struct bottleneck_run *seen)
{
    static const enum bottleneck_cause shown[] = {BOTTLENECK_IO, BOTTLENECK_MEMORY,
                                                  BOTTLENECK_OVERLOAD, BOTTLENECK_THROTTLED,
                                                  BOTTLENECK_GPUS};
    struct bottleneck found[BOTTLENECK_CAUSES];
    bottleneck_find(seen, found);
    for (size_t i = 0; i < COUNT_OF(shown); i++) {
        const struct bottleneck *one = &found[shown[i]];
        const bool unused = shown[i] == BOTTLENECK_GPUS && seen->gpus_unused >= seen->gpus;
        if (one->verdict == BOTTLENECK_YES && !unused) {
            buf_addf(&screen->text, "%s: %s", bottleneck_name(shown[i]), one->evidence);
            job_line(screen, "Limited by");
        }
    }
}

void job_advice(struct job_screen *screen, size_t row)
{
    const struct flags *flags = find_flags(screen, row);
    struct advice found[ADVICE_MAX];
    if (!screen->samples) {
        return;
    }
    struct advice_run run = run_behavior(screen->runs, row, screen->samples);
    run.peak_counted = run.peak_counted && !(flags && flags->virtual_memory);
    if (run.stage != ADVICE_PENDING) {
        add_limits(screen, &run.seen);
    }
    const size_t count = advice_find(&run, found);
    for (size_t i = 0; i < count; i++) {
        add_advice(screen, flags, row, &found[i]);
    }
}
