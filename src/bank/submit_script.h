/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A job that somebody is about to submit: what sbatch or qsub would be given, or the lines of a
 * batch script that say the same (#SBATCH, #$). What it says of cpus, memory, GPUs, nodes, time
 * other resources and names becomes a run that has not started, for bank/price.h. Options that say nothing
 * about these are passed over; those that nobody here knows are named.
 *
 *     struct submit_script batch = {0};
 *     failed = submit_script_read_script(&batch, text, err);
 *     failed = failed ? failed         (words after a script, or alone)
 *                     : submit_script_read_words(&batch, SUBMIT_SCRIPT_SLURM, words, n, err);
 *     failed = failed ? failed : submit_script_finish(&batch, err);
 *     ... batch.run, batch.tasks ...
 *
 * Of an option that comes twice the last holds, so words after a script override it, as they do
 * for sbatch. Text of the run is borrowed from what was read, and from the struct, which stays where
 * it is.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "record/run.h"

enum submit_script_scheduler {
    SUBMIT_SCRIPT_SLURM,
    SUBMIT_SCRIPT_SGE,
    SUBMIT_SCRIPT_SCHEDULERS
};

/* Numbers as they were said; 0: not said. */
struct submit_script_said {
    int64_t tasks, cpus_per_task, cpus_per_gpu, nodes, tasks_per_node;
    int64_t slots; /* of Grid Engine */
    int64_t mem_per_node, mem_per_cpu, mem_per_gpu;
    int64_t gpus, gpus_per_node, gpus_per_task;
};

enum {
    SUBMIT_SCRIPT_UNKNOWN_MAX = 8,
    SUBMIT_SCRIPT_OTHERS_MAX = 8,
    SUBMIT_SCRIPT_TEXT_MAX = 512
};

/* Another resource than cpus, memory and GPUs: gres/shard, license/matlab. */
struct submit_script_other {
    const char *kind; /* "gres/", "license/" */
    struct str name;
    int64_t count;

    enum submit_script_per { SUBMIT_SCRIPT_JOB, SUBMIT_SCRIPT_NODE, SUBMIT_SCRIPT_TASK } per;
};

struct submit_script {
    struct run run;   /* after submit_script_finish; req_wall_us is its time limit */
    int64_t tasks;    /* of the array; 1 for a job that is not one */
    bool whole_nodes; /* it asks for nodes alone, whatever they have */
    bool all_memory;  /* --mem=0: of its nodes, whatever they have */
    /* options that are not understood, as they were given; of more than that the first */
    struct str unknown[SUBMIT_SCRIPT_UNKNOWN_MAX];
    size_t unknown_count;
    struct submit_script_said said; /* so far */
    struct submit_script_other others[SUBMIT_SCRIPT_OTHERS_MAX];
    size_t other_count;
    char resources[SUBMIT_SCRIPT_TEXT_MAX]; /* text of the run's */
};

/* The words of a command line. ERROR_USAGE names the option whose value cannot be read. */
int submit_script_read_words(struct submit_script *batch,
                             enum submit_script_scheduler scheduler, const struct str *words,
                             size_t count, struct error *err) MUST_CHECK;

/*
 * The lines of a script; *scheduler is what they are for. ERROR_INPUT if it has neither, or
 * some of both.
 */
int submit_script_read_script(struct submit_script *batch, struct str text,
                              enum submit_script_scheduler *scheduler,
                              struct error *err) MUST_CHECK;

/* Works out what the run has of everything. ERROR_LIMIT if that is more than a run can have. */
int submit_script_finish(struct submit_script *batch, struct error *err) MUST_CHECK;
