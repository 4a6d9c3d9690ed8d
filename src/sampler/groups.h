/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What jobs use, by the counters of their control groups, of version 1 and 2: they count all
 * processes of a job, those that came and went between two looks, too. Which groups are a job's
 * is in sampler/cgroup.h; which files are read, and what they say, are rows of a table in
 * groups.c. The group that holds those of all jobs is read as well, after them, so that it
 * never has less than its jobs.
 *
 * The folders are gone through at each look, since nothing reports new ones at less cost; their
 * files stay open.
 */

#include <stddef.h>

#include "base/buf.h"
#include "record/sample.h"
#include "sampler/cgroup.h"

/* What was read of a group; what is not known is absent. */
struct group {
    struct batch_job job; /* known, or there is a name */
    char *name;           /* or NULL; owned */
    int64_t uid;          /* -1: not known */
    bool holds_jobs;      /* of all jobs together; the name is its path */
    bool by_sluid;        /* the name is the SLUID of a job of Slurm */
    struct sample values;
    struct group_files *files; /* inside groups.c only */
};

struct groups {
    int root; /* the folder of the node, borrowed */
    struct group *rows;
    size_t count, room;
    size_t folders; /* that the last look went through */
    bool cut;       /* there were more than LIMIT_GROUPS */
    /*
     * a hash of the id of this boot, set by the caller; 0: not known, and then nor are
     * generations
     */
    uint64_t boot;
};

void groups_init(struct groups *groups, int root);
void groups_release(struct groups *groups);

/* Looks for groups and reads them; `text` is for files. */
void groups_look(struct groups *groups, struct buf *text);

/* Where control groups are mounted that have counters, in words for people; none: false. */
bool groups_describe(int root, struct buf *out);
