/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a scheduler would have recorded of one run of the demo site, and the formats it can be
 * written in.
 *
 * To add a format: a file demo_as_<name>.c that ends with its `const struct demo_format`, a
 * declaration and a row in demo_format.c. It gets everything the site knows; what its scheduler
 * would not record, it leaves out.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* What became of a run. */
enum demo_outcome {
    DEMO_DONE,          /* exit status 0 */
    DEMO_EXITED,        /* another exit status of its own */
    DEMO_CRASHED,       /* a signal of its own making */
    DEMO_OUT_OF_MEMORY, /* killed at its memory limit */
    DEMO_OUT_OF_TIME,   /* killed at its run time limit */
    DEMO_DELETED,       /* by its owner */
    DEMO_NOT_STARTED,   /* failed before it began: no start, no end, no use */
    DEMO_RESTARTED,     /* ended when its node failed; the next run of the job follows */
    DEMO_OUTCOMES,
};

/* Measured use, of a run or of one of its parts. */
struct demo_use {
    int64_t user_us, system_us; /* cpu time */
    int64_t wait_io_us;
    int64_t mem_micro_gb_s; /* GB x cpu seconds, times a million */
    int64_t io_micro_gb;    /* GB read and written, times a million */
    int64_t vmem_bytes;     /* peak of virtual memory */
    int64_t rss_kb;         /* peak of the largest process */
    int64_t faults, major_faults;
    int64_t blocks_in, blocks_out;
    int64_t switches, forced_switches;
};

/* The part of a parallel run on one of its nodes. */
struct demo_part {
    struct str host;
    int64_t slots;
    struct demo_use use; /* zero unless the run is split */
};

enum { DEMO_PARTS_MAX = 64 };

struct demo_run {
    struct str cluster, queue, host; /* host: the master's */
    struct str user, group, department;
    struct str project;  /* empty if none was named */
    struct str name;     /* bytes as given: mostly ASCII, some UTF-8, few latin-1 */
    struct str parallel; /* parallel environment; empty for serial runs */
    int64_t job, task;   /* task is 0 outside arrays */
    int64_t attempt;     /* 0, or how many runs of the same job and task ended early before */
    int64_t submit_s, start_s, end_s; /* epoch seconds; start and end are 0 if it never began */
    int64_t slots, gpus;
    int64_t limit_s;       /* run time asked for */
    int64_t limit_vmem_mb; /* memory asked for, a slot */
    bool asks_queue;       /* the queue was asked for by name */
    enum demo_outcome outcome;
    int exit_status;     /* 128 + signal after a signal */
    struct demo_use use; /* of the whole run, or of what ran on `host` if it is split */
    bool split;          /* the scheduler kept a record of each part, with its own use */
    const struct demo_part *parts; /* on the nodes but `host`; none if it ran on one */
    size_t part_count;
};

struct demo_format {
    const char *name;   /* as in demo_plan.format */
    const char *file;   /* its name in a cluster's folder */
    const char *header; /* what the file begins with */

    /*
     * Writes the rows of a run at `at` and returns their end. There is room for DEMO_ROW_MAX
     * bytes a row; a run has 2 + part_count rows at most.
     */
    char *(*append)(char *at, const struct demo_run *run);

    /* How many rows that is. */
    int64_t (*rows)(const struct demo_run *run);
};

enum { DEMO_ROW_MAX = 1024 };

/* All formats, NULL-terminated, in the order they are shown. */
extern const struct demo_format *const demo_formats[];

extern const struct demo_format demo_as_sge;
extern const struct demo_format demo_as_slurm;

/* The format of this name, or NULL. */
const struct demo_format *demo_format_find(const char *name);
