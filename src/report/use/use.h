/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a run used: the one definition. Every command, page and rule that shows or judges what a
 * run used reads `struct use`; none of them chooses between accounting and samples by itself.
 *
 * How to use it, with runs that a listing returned (it needs the columns USE_FIELDS, in any
 * order):
 *
 *     struct use *uses = mem_alloc(table.row_count + 1, sizeof(*uses));
 *     failed = use_rows_read(facts, &table, now, uses, err);      (use_rows.h)
 *     const struct use_figure *cpu = &uses[row].of[USE_CPU];
 *     if (cpu->concludes) ... cpu->used / (cpus * use_time(&uses[row], USE_CPU)) is its efficiency
 *     else if (cpu->at_least) ... show "at least"; conclude nothing
 *
 * use_share() is the share of what was allocated, or below 0 where nothing may be concluded.
 *
 * TELLERS. The scheduler records a figure for the whole run. Samples are of looks: moments at
 * which a sampler saw the run on a node, by the counters of its control group, or, where there
 * are none, by its processes. The kernel keeps the peak memory of a control group itself. This
 * file chooses between them; it knows neither store nor form.
 *
 * COVERAGE is sampled node-time over the node-time of the run, from 0 to 1; for GPUs card-time.
 * It is computed in use_looks.h, where the interval that a look stands for is defined. From
 * USE_ENOUGH on, samples stand for the run: what they counted is divided by the coverage.
 * Below, what they counted is a lower bound, of which nothing follows: no share, no advice, no
 * rule; and what the scheduler recorded stands.
 *
 * COUNTS (cpu time, GPU time, bytes): the scheduler's figure stands unless it is absent or only
 * a lower bound, or samples that cover enough of the run counted more than that: counters may
 * miss work, but never invent it. ENERGY (use_energy.h): a scheduler records that of whole
 * nodes, also where others share them; samples that cover enough are nearer to the run.
 *
 * PEAKS (memory, GPU memory): the highest that anybody recorded: the scheduler, the kernel's
 * counter, a look. The kernel's counter includes file cache (`with_cache`).
 *
 * A lower bound (`at_least`) is shown as "at least" and is the basis of nothing.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"

/*
 * The share of a run that has to be sampled: what was not seen can then change the share of a
 * resource that a run used by at most a fifth. Higher would rule out runs of less than ten
 * intervals of a sampler, since nobody looks between the last look and the end.
 */
#define USE_ENOUGH 0.8

enum use_resource {
    USE_CPU,        /* cpu time in microseconds */
    USE_MEMORY,     /* bytes, the most of each node added up */
    USE_GPU,        /* GPU time in microseconds */
    USE_GPU_MEMORY, /* bytes, the most of each card added up */
    USE_READ,       /* bytes */
    USE_WRITTEN,    /* bytes */
    USE_IO,         /* both: all that a scheduler records */
    USE_ENERGY,     /* joules */
    USE_RESOURCES
};

/* In a joule: the unit of runs. */
#define USE_MILLIJOULES 1e3

enum use_basis {
    USE_UNKNOWN,
    USE_SCHEDULER,
    USE_CGROUP,    /* counters of control groups */
    USE_KERNEL,    /* the peak that the kernel keeps for control groups */
    USE_PROCESSES, /* processes that were seen, added up */
    USE_CARDS,     /* GPUs */
    USE_COUNTERS,  /* of energy: those of processors and GPUs */
};

/* "scheduler", "cgroup", ...; "" of USE_UNKNOWN. */
const char *use_basis_name(enum use_basis basis);

/* What each teller says of one resource of one run. A number below 0 is not known. */
struct use_tellers {
    double recorded;        /* by the scheduler, of the whole run */
    bool recorded_at_least; /* that is a lower bound: use_is_lower_bound */
    bool recorded_kept;     /* that is a peak that the kernel kept: use_is_kept */
    double sampled; /* a count: in the time that is covered; a peak: the most at looks */
    double counted; /* of counts: in all the time between looks, however far apart; at least */
    enum use_basis sampled_by;
    double kept;    /* of peaks: the most by the kernel's own counter */
    bool all_kept;  /* the kernel has it of every node with looks */
    bool cached;    /* it includes file cache */
    double covered; /* share of the run's node-time or card-time, 0 to 1 */
};

/* One resource of one run, resolved. */
struct use_figure {
    double used; /* below 0: not known. Of memory the peak */
    enum use_basis basis;
    double coverage; /* of the samples, whatever the basis is */
    bool at_least;   /* a lower bound: concludes nothing */
    bool concludes;  /* known, and shares, advice and rules may be based on it */
    bool with_cache; /* of memory: file cache is in it */
    bool kept;       /* of memory: no peak between two looks was missed */
};

/*
 * mem_basis of a peak that is only a lower bound, where samples saw more than the scheduler
 * recorded.
 */
#define USE_AT_LEAST "at-least"

/*
 * Whether a peak that was measured so (mem_basis of the run) is only a lower bound: of one task
 * or process of several.
 */
bool use_is_lower_bound(const char *mem_basis, size_t length, double cpus);

/*
 * Whether a peak that was measured so missed nothing: the kernel kept it, for the whole run.
 * What schedulers record otherwise is polled, or of one step of several: it may be too low, can
 * raise a request and never lowers one.
 */
bool use_is_kept(const char *mem_basis, size_t length);

/* The choice. */
struct use_figure use_resolve(enum use_resource resource, const struct use_tellers *tellers);

/* Looks at a card from which on it is known what it did: fewer may all have met a pause. */
enum { USE_CARD_LOOKS = 10 };

/* All of a run. Numbers below 0 are not known. */
struct use {
    struct use_figure of[USE_RESOURCES];
    /* from start to `until`; without suspension */
    double held_us, wall_us;
    /* its end; of a run without one, up to when it is known to have run; 0: not known */
    int64_t until;
    bool so_far;         /* it has no end: figures are up to `until` */
    size_t nodes, cards; /* with looks */
    /* that it held, as recorded, but not fewer than those with looks; below 0: not known */
    double nodes_held, cards_held;
    /* peak of the node that had the most, by samples; and whether file cache is in that */
    double node_memory;
    bool node_memory_cached;
    /* without file cache, at looks: of the node that had the most; of each node, added up */
    double node_memory_held, memory_held;
    double cards_idle; /* of which no look saw any use, nor the memory of a program */
    double nodes_idle; /* without work and memory while others worked, of those with looks */
    /* most cpus at work between two looks, of each node, added up */
    double cpus_peak;
    double interval_us;  /* from one look to the next, usually; 0: not known */
    int64_t first, last; /* looks of nodes or cards; 0: none */
};

/*
 * How long the run had this resource: a run that is suspended has no cpus, but holds its nodes,
 * memory and GPUs. Below 0: not known.
 */
double use_time(const struct use *use, enum use_resource resource);

/*
 * Share of what was allocated (for times: number x use_time); below 0 where nothing may be
 * concluded or none was allocated.
 */
double use_share(const struct use_figure *figure, double allocated);

/* What fields of a run show in place of what the scheduler recorded. */
struct use_shown {
    double used;       /* below 0: what was recorded stands, or nothing is known */
    const char *basis; /* of it; NULL likewise */
    double sampled;    /* coverage; below 0: no look was made of it */
};

struct use_shown use_shown(const struct use *use, enum use_resource resource);

/*
 * The mean number of cpus or GPUs at work, while the run had them; below 0 where nothing may be
 * concluded.
 */
double use_mean(const struct use *use, enum use_resource resource);

/* Whether what its GPUs did is known by enough looks, or by the scheduler. */
bool use_saw_cards_often(const struct use *use);
