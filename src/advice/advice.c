/* SPDX-License-Identifier: MIT */
#include "advice/advice.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/attribute.h"

/* Thresholds; docs/job.md names them. */
#define SECOND 1e6
#define HOUR   (3600 * SECOND)
#define MIB    (1024.0 * 1024)
#define GIB    (1024 * MIB)

#define COVERED       0.9  /* of the run, for a conclusion from samples */
#define HALF          0.5  /* less than this share in use is worth a word */
#define IDLE          0.1  /* of the cpus at work: the run did not compute */
#define GPU_IDLE      0.05 /* the same of GPUs */
#define AT_ONCE       0.6  /* of the cpus at work at some time: it is parallel */
#define NEAR          0.9  /* of a limit, while it runs */
#define CARD_LOOKS    10   /* at a card, from which on idle at each of them counts */
#define MEMORY_LEAST  (2 * GIB)
#define MEMORY_MARGIN 1.2
#define MEMORY_MORE   1.5
#define TIME_MORE     1.5
#define TIME_LEAST    HOUR
#define TIME_MARGIN   2
#define TIME_SHARE    0.25
#define CPU_MARGIN    1.1
#define CPU_WALL      (60 * SECOND) /* shorter runs mostly start and end */
#define QUIET_LEAST   (HOUR / 2) /* without work, for a run that still runs to be said to hang */
#define QUIET_SHARE   (1.0 / 3)  /* of a run that reached its limit */
#define REACHED       0.95       /* of its time limit: it was that which ended it */

/*
 * The exit status of a shell whose program was ended by signal 9, which is how the kernel frees
 * memory.
 */
enum { KILLED_STATUS = 137, KILLED_SIGNAL = 9 };

struct findings {
    const struct advice_run *run;
    struct advice *rows;
    size_t count;
};

static struct advice *add(struct findings *out, enum advice_what what, const char *format, ...)
    PRINTF_LIKE(3, 4);
static void because(struct advice *advice, const char *format, ...) PRINTF_LIKE(2, 3);

/*
 * The last row is overwritten if there are more than fit, which the rules below do not reach.
 */
static struct advice *add(struct findings *out, enum advice_what what, const char *format, ...)
{
    struct advice *row = &out->rows[out->count < ADVICE_MAX ? out->count++ : ADVICE_MAX - 1];
    va_list args;
    *row = (struct advice){.what = what};
    va_start(args, format);
    (void)vsnprintf(row->cause, sizeof(row->cause), format, args);
    va_end(args);
    return row;
}

static void because(struct advice *advice, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(advice->reason, sizeof(advice->reason), format, args);
    va_end(args);
}

/*
 * Of samples that cover less than all of it, what may be otherwise than they show: stated as a
 * risk.
 */
static void state_risk(struct advice *row, double covered)
{
    row->risk = fmax(0, 1 - covered);
    if (row->risk >= 0.005) {
        const size_t used = strlen(row->reason);
        (void)snprintf(row->reason + used, sizeof(row->reason) - used,
                       "; %.0f %% of its time were not seen", ceil(100 * row->risk - 1e-9));
    }
}

double advice_round_memory(double bytes)
{
    const double step = bytes <= 4 * GIB ? 256 * MIB : GIB;
    return fmax(step, ceil(bytes / step - 1e-9) * step);
}

double advice_round_time(double us)
{
    const double quarter = HOUR / 4;
    return fmax(quarter, ceil(us / quarter - 1e-9) * quarter);
}

static const char *clock_text(double us, char text[32])
{
    const long long seconds = (long long)(us / SECOND);
    (void)snprintf(text, 32, "%02lld:%02lld:%02lld", seconds / 3600, seconds / 60 % 60,
                   seconds % 60);
    return text;
}

/* "1.5 GiB" */
static const char *size_text(double bytes, char text[32])
{
    (void)snprintf(text, 32, bytes < GIB ? "%.0f MiB" : "%.1f GiB",
                   bytes / (bytes < GIB ? MIB : GIB));
    return text;
}

/* --- what is known ------------------------------------------------------------------------ */

static bool knows_cpus(const struct advice_run *run)
{
    return run->seen.cpus > 0 && run->seen.at_work >= 0 && run->cpu_covered >= COVERED;
}

/* Known to have done nothing: what is not known is not idle. */
static bool gpus_did_nothing(const struct advice_run *run)
{
    return run->seen.gpus <= 0 || (run->seen.gpus_at_work >= 0 && run->gpu_covered >= COVERED &&
                                   run->seen.gpus_at_work < GPU_IDLE * run->seen.gpus);
}

static bool gpus_worked(const struct advice_run *run)
{
    return run->seen.gpus > 0 && run->seen.gpus_at_work >= GPU_IDLE * run->seen.gpus;
}

static bool cpus_did_nothing(const struct advice_run *run)
{
    return knows_cpus(run) && run->seen.at_work < IDLE * run->seen.cpus &&
           run->seen.at_work < 0.9;
}

static bool did_nothing(const struct advice_run *run)
{
    return cpus_did_nothing(run) && gpus_did_nothing(run);
}

/*
 * Whether it is known that it worked: cpus that wait beside GPUs of which nothing is known do
 * not show it.
 */
static bool worked(const struct advice_run *run)
{
    return gpus_worked(run) || (knows_cpus(run) && !cpus_did_nothing(run));
}

static bool knows_cards(const struct advice_run *run)
{
    return run->seen.gpus > 0 && run->seen.gpus_unused >= 0 &&
           run->seen.gpus_unused <= run->seen.gpus && run->gpu_looks >= CARD_LOOKS &&
           run->gpu_covered >= COVERED;
}

/* The peak is an upper bound of what was needed, but for the time after the last reading. */
static bool peak_bounds(const struct advice_run *run)
{
    return run->peak > 0 && run->peak_counted && !run->peak_at_least &&
           run->peak_covered >= COVERED;
}

/* --- memory ------------------------------------------------------------------------------- */

static bool was_killed(const struct advice_run *run)
{
    return run->end == ADVICE_FAILED &&
           (run->exit_code == KILLED_STATUS || run->signal == KILLED_SIGNAL);
}

static void ask_more_memory(struct findings *out, struct advice *row)
{
    const struct advice_run *run = out->run;
    row->wanted = MEMORY_MORE * fmax(run->mem, run->peak);
    if (row->wanted <= 0) {
        row->what = ADVICE_SAY;
        return;
    }
    because(row, run->mem > 0 ? "half as much again as it had, rounded up"
                              : "half as much again as it was seen to have, rounded up");
}

/*
 * True if it was, or may have been, short of memory: then nothing else is said of its memory.
 */
static bool find_out_of_memory(struct findings *out)
{
    const struct advice_run *run = out->run;
    if (run->end == ADVICE_OUT_OF_MEMORY) {
        ask_more_memory(out, add(out, ADVICE_MEMORY, "it ran out of memory"));
        return true;
    }
    if (run->oom_kills > 0) {
        ask_more_memory(out, add(out, ADVICE_MEMORY,
                                 "%.0f of its processes %s killed for lack of memory%s",
                                 run->oom_kills, run->oom_kills == 1 ? "was" : "were",
                                 run->end == ADVICE_COMPLETED ? ", though it completed" : ""));
        return true;
    }
    if (!was_killed(run)) {
        return false;
    }
    if (run->mem > 0 && run->peak >= NEAR * run->mem) {
        ask_more_memory(out, add(out, ADVICE_MEMORY,
                                 "it was killed (signal 9) with its memory nearly full, as "
                                 "programs are that run out of it"));
    } else if (run->mem > 0 && peak_bounds(run) && run->peak < HALF * run->mem) {
        add(out, ADVICE_SAY,
            "it was killed (signal 9), and not for lack of memory, of which it had more than "
            "twice its peak");
    } else {
        add(out, ADVICE_SAY,
            "it was killed (signal 9), as programs are that run out of memory; that it did is "
            "not recorded");
    }
    return true;
}

static void find_less_memory(struct findings *out)
{
    const struct advice_run *run = out->run;
    char peak[32], mem[32];
    if (run->end != ADVICE_COMPLETED || run->mem <= MEMORY_LEAST || run->peak <= 0 ||
        run->peak >= HALF * run->mem) {
        return;
    }
    (void)size_text(run->peak, peak);
    (void)size_text(run->mem, mem);
    if (run->peak_at_least) {
        add(out, ADVICE_SAY,
            "it used at least %s of its %s of memory; how much more is not recorded, so "
            "nothing lower is advised",
            peak, mem);
    } else if (!run->peak_counted) {
        add(out, ADVICE_SAY,
            "its memory was seen at %s of %s at most; a peak between two looks would not "
            "have been seen, so nothing lower is advised from one run",
            peak, mem);
    } else if (!peak_bounds(run)) {
        add(out, ADVICE_SAY,
            "its memory peaked at %s of %s in the %.0f %% of its time that were seen: too "
            "little to advise less",
            peak, mem, floor(100 * fmax(0, run->peak_covered)));
    } else if (advice_round_memory(MEMORY_MARGIN * run->peak) < run->mem) {
        struct advice *row = add(out, ADVICE_MEMORY, "it used less than half of its memory");
        row->wanted = MEMORY_MARGIN * run->peak;
        row->risk = fmax(0, 1 - run->peak_covered);
        because(row,
                row->risk >= 0.005
                    ? "its peak%s and a margin of 20 %%; its last %.0f %% were not seen"
                    : "its peak%s and a margin of 20 %%",
                run->peak_cache ? ", file cache included," : "", ceil(100 * row->risk - 1e-9));
    }
}

/* --- time --------------------------------------------------------------------------------- */

static void find_timeout(struct findings *out)
{
    const struct advice_run *run = out->run;
    char text[32];
    if (run->time_limit > 0 && run->wall >= 0 && run->wall < REACHED * run->time_limit) {
        char quiet[32];
        const bool idle = run->idle_end > 0 && run->idle_end >= QUIET_SHARE * run->wall;
        add(out, ADVICE_SAY,
            "it was ended after %s by another limit than that of its time: of cpu time, or a "
            "deadline%s%s%s",
            clock_text(run->wall, text), idle ? "; it did nothing for the last " : "",
            idle ? clock_text(run->idle_end, quiet) : "",
            idle ? ": find out what it waited for before you request more" : "");
    } else if (run->idle_end >= QUIET_SHARE * run->wall && run->idle_end > 0) {
        add(out, ADVICE_SAY,
            "it ran into its time limit, and did nothing for the last %s of it: find out what "
            "it waited for before you request more time",
            clock_text(run->idle_end, text));
    } else if (knows_cards(run) && run->seen.gpus_unused == run->seen.gpus) {
        add(out, ADVICE_SAY,
            "it ran into its time limit, and %s did nothing: find out why the program does not "
            "use %s before you request more time",
            run->seen.gpus > 1 ? "its GPUs" : "its GPU", run->seen.gpus > 1 ? "them" : "it");
    } else if (did_nothing(run)) {
        add(out, ADVICE_SAY,
            "it ran into its time limit with %.1f of %.0f cpu%s at work: find out what it "
            "waited for before you request more time",
            run->seen.at_work, run->seen.cpus, run->seen.cpus == 1 ? "" : "s");
    } else if (!worked(run)) {
        add(out, ADVICE_SAY,
            "it ran into its time limit; whether it worked until then is not known: see its "
            "output before you request more time");
    } else if (run->time_limit > 0) {
        struct advice *row = add(out, ADVICE_TIME, "it ran into its time limit");
        row->wanted = TIME_MORE * run->time_limit;
        because(row, "half as much again rounded up, or more, or have it save its state");
    }
}

/* `longer` is by what other advice may make it take longer. */
static void find_less_time(struct findings *out, double longer)
{
    const struct advice_run *run = out->run;
    if (run->end != ADVICE_COMPLETED || run->time_limit <= TIME_LEAST || run->wall <= 0 ||
        run->wall >= TIME_SHARE * run->time_limit) {
        return;
    }
    const double factor = fmax(TIME_MARGIN, 1.25 * longer);
    if (advice_round_time(factor * run->wall) >= run->time_limit) {
        return;
    }
    struct advice *row = add(out, ADVICE_TIME, "it took less than a quarter of its time limit");
    row->wanted = factor * run->wall;
    if (factor > TIME_MARGIN) {
        because(row, "%.1f times what it took, with room for fewer cpus; it may start sooner",
                factor);
    } else {
        because(row, "twice what it took; it may start sooner");
    }
}

/*
 * What it is to request of memory beside fewer cpus or GPUs: what is advised, or what it had.
 */
static double memory_beside(const struct findings *out)
{
    for (size_t i = 0; i < out->count; i++) {
        if (out->rows[i].what == ADVICE_MEMORY) {
            return out->rows[i].wanted;
        }
    }
    return fmax(0, out->run->mem);
}

/* --- cpus and nodes ----------------------------------------------------------------------- */

/* How many are enough: those that worked at once, if that is known, or on average. */
static double enough_cpus(const struct bottleneck_run *seen)
{
    return seen->peak >= 0 ? fmax(1, ceil(fmax(seen->peak, seen->at_work) - 0.2))
                           : fmax(1, ceil(CPU_MARGIN * seen->at_work - 0.1));
}

static void say_few_cpus(struct findings *out, struct advice *row)
{
    const struct bottleneck_run *seen = &out->run->seen;
    const bool one = row->wanted == 1 && seen->at_work > HALF;
    if (one && seen->peak >= 0) {
        (void)snprintf(row->cause, sizeof(row->cause),
                       "it is serial: never more than one of its %.0f cpus worked", seen->cpus);
    } else if (one) {
        (void)snprintf(row->cause, sizeof(row->cause),
                       "one of its %.0f cpus worked on average, as with a serial program",
                       seen->cpus);
    } else if (seen->peak >= 0) {
        (void)snprintf(row->cause, sizeof(row->cause),
                       "never more than %.1f of its %.0f cpus worked", seen->peak, seen->cpus);
    } else {
        (void)snprintf(row->cause, sizeof(row->cause),
                       "%.1f of its %.0f cpus worked on average", seen->at_work, seen->cpus);
    }
}

/* Returns by what it may take longer if this is followed: 1 is not at all. */
static double find_few_cpus(struct findings *out)
{
    const struct advice_run *run = out->run;
    const struct bottleneck_run *seen = &run->seen;
    if (seen->peak > AT_ONCE * seen->cpus) {
        add(out, ADVICE_SAY,
            "it works in bursts: up to %.1f of its %.0f cpus worked at once, %.1f on average; "
            "with fewer cpus the bursts take longer",
            seen->peak, seen->cpus, seen->at_work);
        return 1;
    }
    if (run->nodes > 1) {
        add(out, ADVICE_SAY,
            "%.1f of its %.0f cpus worked on average, on %.0f nodes: check that it runs in "
            "parallel on all of them",
            seen->at_work, seen->cpus, run->nodes);
        return 1;
    }
    const double enough = enough_cpus(seen);
    if (enough >= seen->cpus) {
        return 1;
    }
    if (run->asked_cpus > 0 && enough >= run->asked_cpus) {
        if (seen->cpus > 2 * run->asked_cpus) { /* else they are the threads of a core */
            add(out, ADVICE_SAY,
                "it was allocated %.0f cpus, though it asked for %.0f: whole nodes are "
                "allocated where it runs, or it asked for them",
                seen->cpus, run->asked_cpus);
        }
        return 1;
    }
    struct advice *row = add(out, ADVICE_CPUS, "%s", "");
    const double longer = 1 + seen->at_work / enough;
    row->wanted = enough;
    row->memory = memory_beside(out);
    say_few_cpus(out, row);
    if (run->time_limit > 0 && run->wall * longer > run->time_limit) {
        row->time = run->wall * longer;
    }
    because(row,
            "or check that it runs in parallel; if it worked in short bursts it takes up to "
            "%.1f times as long",
            longer);
    state_risk(row, run->cpu_covered);
    return longer;
}

static double find_cpus(struct findings *out)
{
    const struct advice_run *run = out->run;
    const struct bottleneck_run *seen = &run->seen;
    if (run->end != ADVICE_COMPLETED || seen->cpus <= 1 || run->wall <= 0) {
        return 1;
    }
    if (run->nodes_idle > 0 && run->nodes_idle < run->nodes && run->cpu_covered >= COVERED &&
        run->wall >= CPU_WALL) {
        struct advice *row = add(out, ADVICE_NODES, "%.0f of its %.0f nodes did nothing",
                                 run->nodes_idle, run->nodes);
        row->wanted = run->nodes - run->nodes_idle;
        because(row, "or find out why its processes are not on all of them");
        state_risk(row, run->cpu_covered);
        return 1;
    }
    if (seen->at_work >= 0 && run->cpu_covered < COVERED && seen->at_work < HALF * seen->cpus) {
        add(out, ADVICE_SAY,
            "samples cover %.0f %% of its cpu time: too little to advise fewer cpus",
            floor(100 * fmax(0, run->cpu_covered)));
        return 1;
    }
    if (!knows_cpus(run) || seen->at_work >= HALF * seen->cpus ||
        (run->wall < CPU_WALL && seen->peak < 0)) {
        return 1;
    }
    return find_few_cpus(out);
}

/* --- GPUs --------------------------------------------------------------------------------- */

static void find_gpus(struct findings *out)
{
    const struct advice_run *run = out->run;
    const double gpus = run->seen.gpus, idle = run->seen.gpus_unused;
    if (run->end != ADVICE_COMPLETED || !knows_cards(run) || idle < 1) {
        return;
    }
    struct advice *row =
        idle < gpus
            ? add(out, ADVICE_GPUS, "%.0f of its %.0f GPUs did nothing", idle, gpus)
            : add(out, ADVICE_GPUS, gpus > 1 ? "its GPUs did nothing" : "its GPU did nothing");
    row->wanted = gpus - idle;
    row->memory = memory_beside(out);
    because(row, "by %.0f looks at each", run->gpu_looks);
    state_risk(row, run->gpu_covered);
}

/* --- while it runs ------------------------------------------------------------------------ */

static void find_quiet(struct findings *out)
{
    const struct advice_run *run = out->run;
    char text[32];
    const double gpus = run->seen.gpus;
    if (run->idle_end >= QUIET_LEAST) {
        add(out, ADVICE_SAY,
            "it has done nothing for the last %s: it may hang; see its output, and cancel it "
            "if "
            "it does nothing",
            clock_text(run->idle_end, text));
    } else if (knows_cards(run) && run->wall >= QUIET_LEAST && run->seen.gpus_unused == gpus) {
        add(out, ADVICE_SAY,
            "%s did nothing in %s so far: see whether the program uses %s, and cancel it if it "
            "does not",
            gpus > 1 ? "its GPUs" : "its GPU", clock_text(run->wall, text),
            gpus > 1 ? "them" : "it");
    } else if (knows_cards(run) && run->wall >= QUIET_LEAST && run->seen.gpus_unused > 0) {
        add(out, ADVICE_SAY, "%.0f of its %.0f GPUs did nothing in %s so far",
            run->seen.gpus_unused, gpus, clock_text(run->wall, text));
    }
}

static void find_running(struct findings *out)
{
    const struct advice_run *run = out->run;
    char text[32], now[32];
    if (run->oom_kills > 0) {
        add(out, ADVICE_SAY, "%.0f of its processes %s killed for lack of memory",
            run->oom_kills, run->oom_kills == 1 ? "was" : "were");
    }
    find_quiet(out);
    if (run->mem > 0 && run->mem_now >= NEAR * run->mem) {
        add(out, ADVICE_SAY,
            "its memory reached %s of %s: it is killed if it needs more than that",
            size_text(run->mem_now, now), size_text(run->mem, text));
    }
    if (run->time_limit > 0 && run->wall >= NEAR * run->time_limit) {
        add(out, ADVICE_SAY,
            "%s of its time limit are left: have it save its state, or ask the operators for "
            "more time",
            clock_text(fmax(0, run->time_limit - run->wall), text));
    }
}

size_t advice_find(const struct advice_run *run, struct advice out[ADVICE_MAX])
{
    struct findings found = {.run = run, .rows = out};
    if (run->stage == ADVICE_RUNNING) {
        find_running(&found);
    }
    if (run->stage != ADVICE_ENDED) {
        return found.count;
    }
    if (!find_out_of_memory(&found)) {
        find_less_memory(&found);
    }
    if (run->end == ADVICE_TIMEOUT) {
        find_timeout(&found);
    }
    const double longer = find_cpus(&found);
    find_less_time(&found, longer);
    find_gpus(&found);
    return found.count;
}
