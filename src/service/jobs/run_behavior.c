/* SPDX-License-Identifier: MIT */
#include "service/jobs/run_behavior.h"

#include <math.h>
#include <stddef.h>

#include "base/attribute.h"

/* A run with fewer cpus at work than this on each node does nothing but wait. */
#define RESTS 0.05

/* Cpus at work up to which a stretch of time counts as serial. */
#define ALONE 1.1

static double number_of(const struct table *runs, const char *id, size_t row, double absent)
{
    const size_t column = table_find(runs, id);
    return column < runs->column_count && table_has(runs, column, row)
               ? table_real(runs, column, row)
               : absent;
}

static bool text_is(const struct table *runs, const char *id, size_t row, const char *text)
{
    const size_t column = table_find(runs, id);
    return column < runs->column_count && table_has(runs, column, row) &&
           str_eq(runs->columns[column].cells[row].text, str_of(text));
}

/* --- what samples show -------------------------------------------------------------------- */

/*
 * A time that the kernel counts on each node (a member of it), as a share of the run: of the
 * node where it is largest.
 */
static double share_of_time(const struct job_samples *samples, size_t member)
{
    double most = -1;
    for (size_t i = 0; i < samples->looks.node_count && samples->use.wall_us > 0; i++) {
        const char *node = (const char *)&samples->looks.nodes[i];
        const double time = *(const double *)(const void *)(node + member);
        most = time >= 0 ? fmax(most, time / samples->use.wall_us) : most;
    }
    return most;
}

/* Mean number of cpus at work; below 0: not known. */
static double cpus_of(const struct use_node *node)
{
    return node->cpu_us >= 0 && node->cpu_covered_us > 0 ? node->cpu_us / node->cpu_covered_us
                                                         : -1;
}

/* All nodes that it held were seen, for enough of the time. */
static bool saw_all_nodes(const struct table *runs, size_t row,
                          const struct job_samples *samples)
{
    return samples->use.of[USE_CPU].coverage >= USE_ENOUGH &&
           (double)samples->looks.node_count >= number_of(runs, "node_count", row, 1);
}

static double balance_of(const struct job_samples *samples)
{
    double least = HUGE_VAL, most = 0;
    for (size_t i = 0; i < samples->looks.node_count; i++) {
        const double cpus = cpus_of(&samples->looks.nodes[i]);
        if (cpus < 0) {
            return -1;
        }
        least = fmin(least, cpus);
        most = fmax(most, cpus);
    }
    return most > 0 ? least / most : -1;
}

/* From its stretches of time, how many of them had one cpu at work or less. */
static double alone_of(const struct job_samples *samples)
{
    const struct table *line = &samples->timeline;
    const size_t column = table_find(line, "cpus_at_work");
    size_t known = 0, alone = 0;
    for (size_t row = 0; column < line->column_count && row < line->row_count; row++) {
        if (table_has(line, column, row)) {
            alone += table_real(line, column, row) <= ALONE;
            known++;
        }
    }
    return known > 0 ? (double)alone / (double)known : -1;
}

/* Cards that were held and never used; below 0: not all of them were looked at often enough. */
static double unused_cards(const struct table *runs, size_t row,
                           const struct job_samples *samples)
{
    const double gpus = number_of(runs, "gpus", row, 0);
    return gpus > 0 && (double)samples->looks.card_count >= gpus &&
                   samples->use.of[USE_GPU].coverage >= USE_ENOUGH
               ? fmax(0, samples->use.cards_idle)
               : -1;
}

/* Mean number of GPUs at work while it was not suspended: when it was, they could not. */
static double gpus_at_work(const struct table *runs, size_t row, const struct use *use)
{
    const double mean = use_mean(use, USE_GPU);
    return mean >= 0 && use->wall_us > 0
               ? fmin(number_of(runs, "gpus", row, mean), mean * use->held_us / use->wall_us)
               : mean;
}

struct bottleneck_run run_behavior_seen(const struct table *runs, size_t row,
                                        const struct job_samples *samples)
{
    const struct use *use = &samples->use;
    const bool enough = use->of[USE_CPU].coverage >= USE_ENOUGH;
    return (struct bottleneck_run){
        .cpus = number_of(runs, "cpus", row, 0),
        .nodes = (double)samples->looks.node_count,
        .at_work = use_mean(use, USE_CPU),
        .peak = enough ? use->cpus_peak : -1,
        .alone = enough ? alone_of(samples) : -1,
        .least_node = saw_all_nodes(runs, row, samples) ? balance_of(samples) : -1,
        .io_stall = share_of_time(samples, offsetof(struct use_node, io_stall_us)),
        .mem_stall = share_of_time(samples, offsetof(struct use_node, mem_stall_us)),
        .cpu_stall = share_of_time(samples, offsetof(struct use_node, cpu_stall_us)),
        .throttled = share_of_time(samples, offsetof(struct use_node, throttled_us)),
        .gpus = number_of(runs, "gpus", row, 0),
        .gpus_at_work = gpus_at_work(runs, row, use),
        .gpus_unused = unused_cards(runs, row, samples),
    };
}

/* --- the rest ----------------------------------------------------------------------------- */

/*
 * The time from one row of the timeline to the next, where nothing is missing between them; 0:
 * there is one row at most.
 */
static double width_of(const struct table *line, size_t time)
{
    double width = 0;
    for (size_t at = 1; at < line->row_count; at++) {
        const double step = table_real(line, time, at) - table_real(line, time, at - 1);
        width = width > 0 ? fmin(width, step) : step;
    }
    return width;
}

/* The looks reach the end of the run, or now: nobody can say what it did after them. */
static bool saw_its_end(const struct use *use)
{
    return (double)(use->until - use->last) <=
           fmax((double)USE_GAP_LEAST_US, USE_GAP_TIMES * use->interval_us);
}

/*
 * How long nothing had worked up to the last look, with looks all the time; below 0: not known.
 * When it was suspended is not known: that may have been all in this time.
 */
static double idle_at_end(const struct table *runs, size_t row,
                          const struct job_samples *samples)
{
    const struct table *line = &samples->timeline;
    const size_t cpus = table_find(line, "cpus_at_work"),
                 gpus = table_find(line, "gpus_at_work"), time = table_find(line, "time");
    const bool has_gpus = number_of(runs, "gpus", row, 0) > 0;
    const double rests = RESTS * fmax(1, number_of(runs, "node_count", row, 1));
    double since = -1;
    if (!saw_all_nodes(runs, row, samples) || !saw_its_end(&samples->use) ||
        cpus >= line->column_count) {
        return -1;
    }
    const double width = width_of(line, time);
    for (size_t at = line->row_count; at-- > 0;) {
        if (!table_has(line, cpus, at) || table_real(line, cpus, at) >= rests ||
            (has_gpus && (!table_has(line, gpus, at) || table_real(line, gpus, at) > 0)) ||
            (since >= 0 && since - table_real(line, time, at) > 1.5 * width)) {
            break;
        }
        since = table_real(line, time, at);
    }
    const double suspended = fmax(0, samples->use.held_us - samples->use.wall_us);
    return since < 0 ? 0 : fmax(0, (double)samples->use.last - since - suspended);
}

/* Share of the run up to which its memory was counted on every node. */
static double memory_seen(const struct table *runs, size_t row,
                          const struct job_samples *samples)
{
    const double start = number_of(runs, "start", row, 0);
    const double length = (double)samples->use.until - start;
    double share = 1;
    if (samples->use.of[USE_MEMORY].kept &&
        samples->use.of[USE_MEMORY].basis == USE_SCHEDULER) {
        return 1;
    }
    if (!saw_all_nodes(runs, row, samples) || length <= 0) {
        return 0;
    }
    for (size_t i = 0; i < samples->looks.node_count; i++) {
        share = fmin(share, ((double)samples->looks.nodes[i].last - start) / length);
    }
    return fmax(0, share);
}

static void add_memory(const struct table *runs, size_t row, const struct job_samples *samples,
                       struct advice_run *out)
{
    const struct use_figure *memory = &samples->use.of[USE_MEMORY];
    const double nodes = fmax(1, out->nodes);
    out->mem = number_of(runs, "mem", row, number_of(runs, "req_mem", row, 0));
    out->peak =
        memory->at_least ? memory->used : fmax(memory->used, samples->use.node_memory * nodes);
    out->peak_counted = memory->kept;
    out->peak_covered = memory_seen(runs, row, samples);
    out->peak_at_least = memory->at_least;
    out->peak_cache = memory->with_cache;
    out->mem_now = samples->use.node_memory_held * nodes;
}

/* Share of the run that a figure stands for: that of the scheduler for all of it. */
static double covered_of(const struct use_figure *figure)
{
    return figure->concludes && figure->basis == USE_SCHEDULER ? 1 : figure->coverage;
}

static void add_cards(const struct job_samples *samples, struct advice_run *out)
{
    const struct use_looks *looks = &samples->looks;
    out->gpu_covered = covered_of(&samples->use.of[USE_GPU]);
    for (size_t i = 0; i < looks->card_count; i++) {
        const double count = (double)looks->cards[i].looks;
        out->gpu_looks = i == 0 ? count : fmin(out->gpu_looks, count);
    }
}

static void set_end(const struct table *runs, size_t row, struct advice_run *out)
{
    static const struct {
        const char *class;
        enum advice_stage stage;
        enum advice_end end;
    } classes[] = {
        {"completed", ADVICE_ENDED, ADVICE_COMPLETED},
        {"failed", ADVICE_ENDED, ADVICE_FAILED},
        {"timeout", ADVICE_ENDED, ADVICE_TIMEOUT},
        {"oom", ADVICE_ENDED, ADVICE_OUT_OF_MEMORY},
        {"running", ADVICE_RUNNING, ADVICE_OTHER},
        {"pending", ADVICE_PENDING, ADVICE_OTHER},
    };

    out->stage = ADVICE_ENDED;
    for (size_t i = 0; i < COUNT_OF(classes); i++) {
        if (text_is(runs, "class", row, classes[i].class)) {
            out->stage = classes[i].stage;
            out->end = classes[i].end;
        }
    }
}

static double killed_processes(const struct use_looks *looks)
{
    double killed = -1;
    for (size_t i = 0; i < looks->node_count; i++) {
        if (looks->nodes[i].oom_kills >= 0) {
            killed = fmax(0, killed) + looks->nodes[i].oom_kills;
        }
    }
    return killed;
}

struct advice_run run_behavior(const struct table *runs, size_t row,
                               const struct job_samples *samples)
{
    const struct use_figure *cpu = &samples->use.of[USE_CPU];
    struct advice_run out = {
        .exit_code = (int)number_of(runs, "exit_code", row, 0),
        .signal = (int)number_of(runs, "signal", row, 0),
        .oom_kills = killed_processes(&samples->looks),
        .wall = samples->use.wall_us,
        .time_limit = number_of(runs, "time_limit", row, 0),
        .asked_cpus = number_of(runs, "req_cpus", row, 0),
        .seen = run_behavior_seen(runs, row, samples),
        .cpu_covered = covered_of(cpu),
        .nodes = number_of(runs, "node_count", row, 1),
        .idle_end = idle_at_end(runs, row, samples),
        .nodes_idle = saw_all_nodes(runs, row, samples) ? samples->use.nodes_idle : -1,
    };
    if (cpu->at_least && samples->use.wall_us > 0) {
        out.seen.at_work = cpu->used / samples->use.wall_us;
    }
    set_end(runs, row, &out);
    add_memory(runs, row, samples, &out);
    add_cards(samples, &out);
    return out;
}
