/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Inside of the PBS driver: what its files share. Read docs/sources/pbs.md first.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"
#include "record/run.h"
#include "source/common/hosts.h"

/* What a value is: how it is checked, and what becomes of a key that stands there twice. */
enum pbs_kind {
    PBS_TEXT,   /* the first one is believed */
    PBS_TIME,   /* seconds since 1970; must be a number */
    PBS_COUNT,  /* must be a number */
    PBS_AMOUNT, /* a size, a duration, a list of hosts: two that differ refuse the record */
};

/* X(key, text, kind): the keys we read. */
#define PBS_KEYS(X)                                                                            \
    X(USER, "user", TEXT)                                                                      \
    X(GROUP, "group", TEXT)                                                                    \
    X(ACCOUNT, "account", TEXT)                                                                \
    X(PROJECT, "project", TEXT)                                                                \
    X(JOBNAME, "jobname", TEXT)                                                                \
    X(QUEUE, "queue", TEXT)                                                                    \
    X(RESV_ID, "resvID", TEXT)                                                                 \
    X(RESV_NAME, "resvname", TEXT)                                                             \
    X(OWNER, "owner", TEXT)                                                                    \
    X(CTIME, "ctime", TIME)                                                                    \
    X(QTIME, "qtime", TIME)                                                                    \
    X(ETIME, "etime", TIME)                                                                    \
    X(START, "start", TIME)                                                                    \
    X(END, "end", TIME)                                                                        \
    X(EXIT_STATUS, "Exit_status", COUNT)                                                       \
    X(RUN_COUNT, "run_count", COUNT)                                                           \
    X(EXEC_HOST, "exec_host", AMOUNT)                                                          \
    X(EXEC_VNODE, "exec_vnode", AMOUNT)                                                        \
    X(EXEC_GPUS, "exec_gpus", AMOUNT)                                                          \
    X(EXECUTION_SLOTS, "total_execution_slots", COUNT)                                         \
    X(LIST_NCPUS, "Resource_List.ncpus", AMOUNT)                                               \
    X(LIST_PROCS, "Resource_List.procs", AMOUNT)                                               \
    X(LIST_NODES, "Resource_List.nodes", AMOUNT)                                               \
    X(LIST_NEEDNODES, "Resource_List.neednodes", AMOUNT)                                       \
    X(LIST_NODECT, "Resource_List.nodect", AMOUNT)                                             \
    X(LIST_SELECT, "Resource_List.select", AMOUNT)                                             \
    X(LIST_WALLTIME, "Resource_List.walltime", AMOUNT)                                         \
    X(LIST_CPUT, "Resource_List.cput", AMOUNT)                                                 \
    X(LIST_MEM, "Resource_List.mem", AMOUNT)                                                   \
    X(LIST_PMEM, "Resource_List.pmem", AMOUNT)                                                 \
    X(LIST_VMEM, "Resource_List.vmem", AMOUNT)                                                 \
    X(LIST_PVMEM, "Resource_List.pvmem", AMOUNT)                                               \
    X(LIST_NGPUS, "Resource_List.ngpus", AMOUNT)                                               \
    X(LIST_GPUS, "Resource_List.gpus", AMOUNT)                                                 \
    X(LIST_GPU, "Resource_List.gpu", AMOUNT)                                                   \
    X(LIST_GPU_TYPE, "Resource_List.gpu_type", TEXT)                                           \
    X(LIST_GPU_MODEL, "Resource_List.gpu_model", TEXT)                                         \
    X(USED_CPUT, "resources_used.cput", AMOUNT)                                                \
    X(USED_MEM, "resources_used.mem", AMOUNT)                                                  \
    X(USED_VMEM, "resources_used.vmem", AMOUNT)                                                \
    X(USED_WALLTIME, "resources_used.walltime", AMOUNT)                                        \
    X(USED_NCPUS, "resources_used.ncpus", AMOUNT)

enum pbs_key {

#define X(key, text, kind) PBS_##key,
    PBS_KEYS(X)
#undef X
        PBS_KEY_COUNT,
};

/*
 * What no line of the accounting file becomes: a job that waits, and one that was deleted while
 * it did.
 */
enum { PBS_WAITS = 'Q', PBS_NEVER_BEGAN = 'N' };

/* A record, cut but not read; texts are views into the line. */
struct pbs_record {
    /* of the accounting file; of what qstat lists S, E, PBS_WAITS or PBS_NEVER_BEGAN */
    char letter;
    struct str id;
    struct str header;                /* MM/DD/YYYY HH:MM:SS */
    struct str values[PBS_KEY_COUNT]; /* the null string if absent; quotes taken off */
    int64_t numbers[PBS_KEY_COUNT];   /* of those that must be numbers */
    struct str request;               /* the Resource_List pairs, as they stand */
    bool odd;                         /* a key stands there twice */
};

static inline bool pbs_has(const struct pbs_record *record, enum pbs_key key)
{
    return record->values[key].len > 0;
}

/* --- pbs_pairs.c -------------------------------------------------------------------------- */

/*
 * Finds the header and letter of a line; false if it has none. `rest` is what follows the id.
 */
bool pbs_record_begin(struct str line, struct pbs_record *record, struct str *rest);

/* Reads the pairs after the id. False if one is not what it must be; the error names it. */
bool pbs_record_pairs(struct str rest, struct pbs_record *record, struct error *err);

/* The same of one pair; one that we do not read is let pass. */
bool pbs_record_keep(struct pbs_record *record, struct str key, struct str value,
                     struct error *err);

/* The instant of the header; `zone` NULL is UTC. */
int64_t pbs_header_instant(const struct pbs_record *record, const struct zone *zone);

/* --- pbs_value.c -------------------------------------------------------------------------- */

/* 15240kb, 12.27M, 1gb, 200b, 4mw (words of eight bytes); false if it is no size. */
bool pbs_size(struct str text, int64_t *bytes);

/*
 * What a list of places holds: exec_host, exec_vnode, nodes and select, each its own grammar.
 */
struct pbs_places {
    int64_t nodes; /* chunks, for what was asked for */
    int64_t cpus;  /* 0 if it does not say */
    int64_t gpus;
    int64_t mem_bytes;
    bool has_gpus, has_mem;
    struct str gpu_type;
};

/* n1/0-3,5*2+n2/7: hosts, and cpus in all; 0 cpus where the list says *0. */
bool pbs_exec_host(struct str text, struct hosts *hosts, int64_t *cpus);

/* (n1:ncpus=4:mem=1gb+n2:ncpus=4)+(n3:ncpus=8:ngpus=1). */
bool pbs_exec_vnode(struct str text, struct hosts *hosts, struct pbs_places *out);

/* 2:ppn=8:gpus=1+node7:ppn=4, and 2:ncpus=8:ngpus=1+1:ncpus=4; what it cannot read it skips. */
void pbs_chunks(struct str text, struct pbs_places *out);

/* --- pbs_code.c --------------------------------------------------------------------------- */

/* How a run ended, beside its exit status. */
struct pbs_end {
    int64_t exit_status;
    bool torque; /* negative statuses below -7 differ between the makers */
    bool over_time;
    bool over_memory;
};

int64_t pbs_code_signal(int64_t exit_status); /* 0: no signal */
enum run_class pbs_code_class(const struct pbs_end *end);

/* The null string if there is nothing to say. */
struct str pbs_code_reason(const struct pbs_end *end);

/* --- pbs_run.c ---------------------------------------------------------------------------- */

/* Fills a zeroed run. False if a value does not hold what it should; the error names it. */
bool pbs_run_fill(const struct pbs_record *record, const struct zone *zone, struct arena *arena,
                  struct run *run, struct error *err);
