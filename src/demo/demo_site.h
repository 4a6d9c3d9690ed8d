/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The demo site as const tables: its clusters with their nodes and queues, and the habits its
 * people have. Nothing here is drawn by chance; demo_people.h makes persons out of it,
 * demo_job.h jobs, and the size of the machine follows from the number of runs
 * (demo_machine.h).
 *
 * To add a cluster, a queue or a habit: add a row in demo_site.c. A habit gives every cluster a
 * weight, so a new cluster wants a look at every habit.
 */

#include <stdbool.h>
#include <stdint.h>

#include "demo/demo_clock.h"

enum {
    DEMO_CLUSTERS = 3,
    DEMO_POOLS_MAX = 2,  /* of a cluster */
    DEMO_QUEUES_MAX = 6, /* of a cluster */
    DEMO_SIZES_MAX = 4,  /* of a habit */
    DEMO_NAMES_MAX = 6,  /* of a habit */
    DEMO_NODE_SLOTS_MAX = 127,
};

/* Nodes of one kind. A slot is never given twice, nor is a GPU. */
struct demo_pool_kind {
    const char *prefix; /* of host names */
    uint16_t slots;     /* of a node */
    uint16_t gpus;      /* of a node; each keeps slots / gpus slots for itself */
    uint32_t mem_mb;    /* of a node */
};

/* Queues are tried in the order of the table: the first that takes a job gets it. */
struct demo_queue_kind {
    const char *name; /* NULL ends the list */
    uint8_t pool;
    bool express;     /* is served before the others */
    bool interactive; /* for sessions at a terminal only, and they go nowhere else */
    bool parallel;    /* for jobs over several nodes only */
    uint32_t limit_s; /* longest run time */
};

struct demo_cluster_kind {
    const char *name;
    uint16_t share;      /* of all runs, in thousandths */
    uint16_t load;       /* how full it is meant to be on average, in thousandths */
    uint16_t trend_from; /* activity at the start and the end of the period: */
    uint16_t trend_to;   /* only their ratio matters */
    uint16_t grown_at;   /* when new nodes came, thousandths of the period; 0 is never */
    uint16_t before;     /* nodes there were before, in thousandths of all */
    uint32_t first_job;  /* number of the first job */
    const char *smp;     /* parallel environment on one node */
    const char *mpi;     /* over several */
    bool parts;          /* writes a record for each slave task of mpi jobs */
    /* the second, for large memory, may be absent */
    struct demo_pool_kind pools[DEMO_POOLS_MAX];
    struct demo_queue_kind queues[DEMO_QUEUES_MAX];
};

/* How somebody computes. */
struct demo_habit {
    const char *name;
    uint16_t people; /* weight among people; 0: there is just one of them */
    enum demo_rhythm rhythm;
    uint16_t clusters[DEMO_CLUSTERS]; /* share of their work on each, in thousandths */
    uint16_t arrays;                  /* thousandths of submissions that are arrays */
    uint16_t tasks;                   /* typical number of tasks of an array */

    struct {
        uint16_t slots; /* or GPUs on a cluster that has them */
        uint16_t weight;
    } sizes[DEMO_SIZES_MAX];

    bool mpi; /* more than one slot may span nodes */
    bool interactive;
    uint32_t wall_s;                   /* typical run time */
    uint16_t spread;                   /* of the run time, see demo_random_around */
    uint16_t efficiency;               /* cpu time / (slots x wall), in thousandths */
    uint16_t failures;                 /* exit codes and crashes, in thousandths */
    uint32_t mem_mb;                   /* typical use of memory a slot */
    uint16_t asks;                     /* requested / used memory, in percent */
    uint16_t io_mb;                    /* read and written in a minute of cpu time */
    const char *names[DEMO_NAMES_MAX]; /* of jobs */
};

extern const struct demo_cluster_kind demo_site_clusters[DEMO_CLUSTERS];

/* The first DEMO_HABITS_CERTAIN are there however few people the site has. */
enum { DEMO_HABITS = 15, DEMO_HABITS_CERTAIN = 10 };
extern const struct demo_habit demo_site_habits[DEMO_HABITS];
