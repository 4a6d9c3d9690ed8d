/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/attribute.h"
#include "base/calendar.h"
#include "base/limit.h"
#include "service/jobs/job_samples.h"
#include "service/jobs/job_screen.h"
#include "service/jobs/run_behavior.h"

/* How a scheduler is asked for less or more: formats for a number or a text. */
struct flags {
    const char *source;
    /* of runs whose request, as it was recorded, has this word in it; NULL: of all others */
    const char *asked;
    const char *time;   /* of HH:MM:SS */
    const char *memory; /* of a size like 4G */
    const char *cpus;
    const char *one_cpu; /* for one of them; NULL: as for others */
    const char *nodes;   /* NULL: it has no such request */
    const char *gpus;

    enum { MEMORY_OF_RUN, MEMORY_OF_NODE, MEMORY_OF_CPU, MEMORY_OF_CHUNK } memory_of;

    const char *mib, *gib; /* its words for the units; without gib everything is in MiB */
    bool no_seconds;       /* times are HH:MM */
    bool virtual_memory; /* its limit is of address space, which is larger than memory in use */
    bool environment;    /* cpus are those of a parallel environment, which the run names */
};

/*
 * Chunks, each with its own cpus and memory; beside them memory cannot be requested for the
 * run.
 */
#define PBS_SELECT "Resource_List.select="

/* The first that fits a run holds for it. */
static const struct flags all_flags[] = {
    {.source = "slurm",
     .time = "--time=%s",
     .memory = "--mem=%s",
     .cpus = "--cpus-per-task=%d or --ntasks=%d",
     .nodes = "--nodes=%d",
     .gpus = "--gpus=%d",
     .memory_of = MEMORY_OF_NODE,
     .mib = "M",
     .gib = "G"},
    {.source = "sge",
     .time = "-l h_rt=%s",
     .memory = "-l h_vmem=%s",
     .cpus = "-pe NAME %d",
     .one_cpu = "one slot, without -pe",
     .gpus = "-l gpu=%d",
     .memory_of = MEMORY_OF_CPU,
     .mib = "M",
     .gib = "G",
     .virtual_memory = true,
     .environment = true},
    {.source = "pbs",
     .asked = PBS_SELECT,
     .time = "-l walltime=%s",
     .memory = "mem=%s in -l select",
     .cpus = "-l select=1:ncpus=%d",
     .gpus = "%d as ngpus in all of -l select",
     .memory_of = MEMORY_OF_CHUNK,
     .mib = "mb",
     .gib = "gb"},
    {.source = "pbs",
     .asked = "Resource_List.nodes=",
     .time = "-l walltime=%s",
     .memory = "-l mem=%s",
     .cpus = "-l nodes=1:ppn=%d",
     .gpus = "%d as gpus in all of -l nodes",
     .mib = "mb",
     .gib = "gb"},
    {.source = "pbs",
     .time = "-l walltime=%s",
     .memory = "-l mem=%s",
     .cpus = "-l ncpus=%d",
     .gpus = "-l ngpus=%d",
     .mib = "mb",
     .gib = "gb"},
    {.source = "lsf",
     .time = "-W %s",
     .memory = "-M %s",
     .cpus = "-n %d",
     .gpus = "-gpu num=%d",
     .mib = "M",
     .gib = "G",
     .no_seconds = true},
    {.source = "htcondor",
     .memory = "request_memory = %s",
     .cpus = "request_cpus = %d",
     .gpus = "request_gpus = %d",
     .mib = "M",
     .gib = "G"},
    {.source = "nomad",
     .memory = "memory = %s",
     .cpus = "cores = %d",
     .gpus = "count = %d of its GPU device",
     .mib = ""},
};

static struct str text_of(const struct job_screen *screen, const char *id, size_t row)
{
    return job_has(screen, id, row)
               ? screen->runs->columns[job_column(screen->runs, id)].cells[row].text
               : STR("");
}

/* What follows a word in a text; null if it is not in it. */
static struct str behind(struct str text, struct str word)
{
    for (; text.len >= word.len; text.ptr++, text.len--) {
        if (memcmp(text.ptr, word.ptr, word.len) == 0) {
            return (struct str){text.ptr + word.len, text.len - word.len};
        }
    }
    return (struct str){0};
}

static const struct flags *find_flags(const struct job_screen *screen, size_t row)
{
    const struct str request = text_of(screen, "request", row);
    for (size_t i = 0; i < COUNT_OF(all_flags); i++) {
        const struct flags *one = &all_flags[i];
        if (job_is(screen, "source", row, one->source) &&
            (!one->asked || behind(request, str_of(one->asked)).ptr)) {
            return one;
        }
    }
    return NULL;
}

/*
 * How many chunks were asked for, if all are alike: 2 of 2:ncpus=8, and 0 of
 * 2:ncpus=8+1:ncpus=1.
 */
static double chunks_of(const struct job_screen *screen, size_t row)
{
    struct str rest = behind(text_of(screen, "request", row), STR(PBS_SELECT));
    const struct str list = str_cut(&rest, ' ');
    double count = 0;
    if (list.len > 0 && memchr(list.ptr, '+', list.len)) {
        return 0;
    }
    for (size_t i = 0; i < list.len && list.ptr[i] >= '0' && list.ptr[i] <= '9'; i++) {
        count = 10 * count + (list.ptr[i] - '0');
    }
    return count > 0 ? count : 1;
}

/* A format of the table above; the only texts that go into it are made here. */
static void add_flag(struct buf *out, const char *format, const char *text)
{
    const struct str all = str_of(format);
    for (size_t i = 0; i < all.len; i++) {
        if (all.ptr[i] == '%') {
            buf_addz(out, text);
            i++;
        } else {
            buf_addc(out, all.ptr[i]);
        }
    }
}

static void add_time(struct buf *out, const struct flags *flags, double us)
{
    char text[32];
    const int64_t time = (int64_t)advice_round_time(us) / SECOND_US;
    snprintf(text, sizeof(text), "%02d:%02d%s", (int)(time / 3600), (int)(time / 60 % 60),
             flags->no_seconds ? "" : ":00");
    add_flag(out, flags->time, text);
}

/* What one flag requests of a memory of the whole run, on so many cpus. */
static double share_of_memory(const struct job_screen *screen, const struct flags *flags,
                              size_t row, double cpus, double bytes)
{
    const double nodes = job_number(screen, "node_count", row);
    const double parts = flags->memory_of == MEMORY_OF_NODE    ? nodes
                         : flags->memory_of == MEMORY_OF_CPU   ? cpus
                         : flags->memory_of == MEMORY_OF_CHUNK ? chunks_of(screen, row)
                                                               : 1;
    return bytes / (parts > 1 ? parts : 1);
}

static void add_memory(struct buf *out, const struct flags *flags, double bytes)
{
    const double mib = 1024.0 * 1024, gib = 1024 * mib;
    const double size = advice_round_memory(bytes);
    char text[32];
    if (size <= 4 * gib || !flags->gib) {
        snprintf(text, sizeof(text), "%.0f%s", size / mib, flags->mib);
    } else {
        snprintf(text, sizeof(text), "%.0f%s", size / gib, flags->gib);
    }
    add_flag(out, flags->memory, text);
    buf_addz(out, flags->memory_of == MEMORY_OF_NODE    ? " (of a node)"
                  : flags->memory_of == MEMORY_OF_CPU   ? " (of a slot)"
                  : flags->memory_of == MEMORY_OF_CHUNK ? " (of a chunk)"
                                                        : "");
}

static void add_count(struct buf *out, const char *format, double count)
{
    char text[32];
    snprintf(text, sizeof(text), "%.0f", count);
    add_flag(out, format, text);
}

/* Memory that is to be requested beside cpus: these are in one chunk then. */
static double memory_beside(const struct job_screen *screen, const struct flags *flags,
                            size_t row, const struct advice *advice)
{
    const bool of_cpus = advice->what == ADVICE_CPUS;
    const double cpus = of_cpus ? advice->wanted : job_number(screen, "cpus", row);
    return of_cpus && flags->memory_of == MEMORY_OF_CHUNK
               ? advice->memory
               : share_of_memory(screen, flags, row, cpus, advice->memory);
}

/*
 * How it is requested, in the words of the scheduler; nothing if that has none, or chunks
 * differ.
 */
static void add_request(struct buf *out, const struct job_screen *screen,
                        const struct flags *flags, size_t row, const struct advice *advice)
{
    const char *format = advice->what == ADVICE_TIME    ? flags->time
                         : advice->what == ADVICE_NODES ? flags->nodes
                         : advice->what == ADVICE_CPUS  ? flags->cpus
                         : advice->what == ADVICE_GPUS  ? flags->gpus
                                                        : flags->memory;
    const bool chunks_differ = flags->memory_of == MEMORY_OF_CHUNK &&
                               advice->what == ADVICE_MEMORY && chunks_of(screen, row) == 0;
    if (!format || advice->what == ADVICE_SAY || chunks_differ) {
        return;
    }
    if (advice->what == ADVICE_MEMORY) {
        const double cpus = job_number(screen, "cpus", row);
        add_memory(out, flags, share_of_memory(screen, flags, row, cpus, advice->wanted));
    } else if (advice->what == ADVICE_TIME) {
        add_time(out, flags, advice->wanted);
    } else if (advice->what == ADVICE_GPUS && advice->wanted == 0) {
        buf_addz(out, "none");
    } else if (advice->what == ADVICE_CPUS && advice->wanted == 1 && flags->one_cpu) {
        buf_addz(out, flags->one_cpu);
    } else if (advice->what == ADVICE_CPUS && flags->environment &&
               job_has(screen, "parallel_env", row)) {
        buf_addf(out, "-pe %.*s %.0f", STR_ARG(text_of(screen, "parallel_env", row)),
                 advice->wanted);
    } else {
        add_count(out, format, advice->wanted);
    }
    if (advice->memory > 0 && advice->wanted > 0 && flags->memory_of != MEMORY_OF_RUN) {
        buf_addz(out, " and ");
        add_memory(out, flags, memory_beside(screen, flags, row, advice));
    }
    if (advice->time > 0 && flags->time) {
        buf_addz(out, " and ");
        add_time(out, flags, advice->time);
    }
}

/* --- rows --------------------------------------------------------------------------------- */

static const struct heading headings[] = {
    {"about", "About", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    {"resource", "Resource", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION},
    {"amount", "Amount", CELL_REAL, UNIT_NONE, COLUMN_BESIDE},
    {"request", "Request", CELL_TEXT, UNIT_NONE, COLUMN_BESIDE},
    {"risk", "Risk", CELL_REAL, UNIT_RATIO, COLUMN_BESIDE},
    {"text", "Text", CELL_TEXT, UNIT_NONE, COLUMN_PROSE},
};

enum { ABOUT, RESOURCE, AMOUNT, REQUEST, RISK, TEXT };

/* By enum job_advice_about: the word of programs, and the label of a line of the screen. */
static const struct {
    const char *word, *label;
} abouts[] = {
    [JOB_ADVICE_LIMIT] = {"limit", "Limited by"},
    [JOB_ADVICE_WAIT] = {"wait", "Waits as"},
    [JOB_ADVICE] = {"advice", "Advice"},
};

size_t job_advice_row(struct table *out, enum job_advice_about about, struct str text)
{
    const size_t row = table_row(out);
    table_set_text(out, ABOUT, row, str_of(abouts[about].word));
    table_set_text(out, TEXT, row, text);
    return row;
}

/* An amount of the whole run as it would be requested, in bytes, seconds or a number. */
static double amount_of(const struct job_screen *screen, const struct flags *flags, size_t row,
                        const struct advice *advice)
{
    if (advice->what == ADVICE_TIME) {
        return advice_round_time(advice->wanted) / (double)SECOND_US;
    }
    if (advice->what != ADVICE_MEMORY || !flags) {
        return advice->wanted;
    }
    const double one =
        share_of_memory(screen, flags, row, job_number(screen, "cpus", row), advice->wanted);
    return advice_round_memory(one) * (advice->wanted / one);
}

static void set_amount(struct table *out, size_t to, const struct advice *advice, double amount)
{
    static const char *const resources[] = {
        [ADVICE_SAY] = "",      [ADVICE_MEMORY] = "memory", [ADVICE_TIME] = "time",
        [ADVICE_CPUS] = "cpus", [ADVICE_NODES] = "nodes",   [ADVICE_GPUS] = "gpus",
    };

    if (advice->what == ADVICE_SAY) {
        return;
    }
    table_set_text(out, RESOURCE, to, str_of(resources[advice->what]));
    table_set_real(out, AMOUNT, to, amount);
    table_set_real(out, RISK, to, advice->risk);
}

/* That what is advised is more than there is now. */
static void add_bounds(struct buf *out, const struct job_screen *screen,
                       const struct flags *flags, size_t row, const struct advice *advice)
{
    const double largest = job_largest_memory(screen), longest = job_longest_time(screen, row);
    const double memory = advice->what == ADVICE_MEMORY && flags->memory_of == MEMORY_OF_NODE
                              ? share_of_memory(screen, flags, row, 1, advice->wanted)
                              : 0;
    if (largest > 0 && advice_round_memory(memory) > largest) {
        buf_addz(out, "; no node of its cluster has so much");
    }
    if (longest > 0 && advice->what == ADVICE_TIME &&
        advice_round_time(advice->wanted) > longest) {
        buf_addz(out, "; its partition does not allow so much");
    }
}

static void add_advice(const struct job_screen *screen, const struct flags *flags, size_t row,
                       const struct advice *advice, struct table *out)
{
    struct buf request, text;
    buf_init(&request, LIMIT_OUTPUT);
    buf_init(&text, LIMIT_OUTPUT);
    if (flags) {
        add_request(&request, screen, flags, row, advice);
    }
    buf_addz(&text, advice->cause);
    if (request.len > 0) {
        buf_addf(&text, ": ask for %.*s", STR_ARG(buf_str(&request)));
    }
    if (advice->reason[0] && (request.len > 0 || advice->what == ADVICE_NODES)) {
        buf_addf(&text, ", %s", advice->reason);
    }
    if (request.len > 0) {
        add_bounds(&text, screen, flags, row, advice);
    }
    const size_t to = job_advice_row(out, JOB_ADVICE, buf_str(&text));
    set_amount(out, to, advice, amount_of(screen, flags, row, advice));
    if (request.len > 0) {
        table_set_text(out, REQUEST, to, buf_str(&request));
    }
    buf_release(&request);
    buf_release(&text);
}

/* What limited it, where nothing above says so already. */
static void add_limits(const struct bottleneck_run *seen, struct table *out)
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
            char text[BOTTLENECK_TEXT_MAX + 64];
            snprintf(text, sizeof(text), "%s: %s", bottleneck_name(shown[i]), one->evidence);
            job_advice_row(out, JOB_ADVICE_LIMIT, str_of(text));
        }
    }
}

void job_advice_find(const struct job_screen *screen, size_t row, struct table *out)
{
    const struct flags *flags = find_flags(screen, row);
    struct advice found[ADVICE_MAX];
    table_columns(out, headings, COUNT_OF(headings));
    if (job_is(screen, "class", row, "pending")) {
        job_pending(screen, row, out);
        return;
    }
    struct advice_run run = run_behavior(screen->runs, row, screen->samples);
    run.peak_counted = run.peak_counted && !(flags && flags->virtual_memory);
    add_limits(&run.seen, out);
    const size_t count = advice_find(&run, found);
    for (size_t i = 0; i < count; i++) {
        add_advice(screen, flags, row, &found[i], out);
    }
}

void job_advice(struct job_screen *screen, size_t row)
{
    struct table found = {0};
    if (!screen->samples) {
        return;
    }
    job_advice_find(screen, row, &found);
    for (size_t i = 0; i < found.row_count; i++) {
        const struct str word = found.columns[ABOUT].cells[i].text;
        size_t about = 0;
        while (!str_eq(word, str_of(abouts[about].word))) {
            about++;
        }
        buf_add(&screen->text, found.columns[TEXT].cells[i].text);
        job_line(screen, abouts[about].label);
    }
    table_release(&found);
}
