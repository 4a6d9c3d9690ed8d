/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Who breaks a rule of `stint hogs`, and with what: a case is a login of a cluster and a rule,
 * its evidence the runs or processes. Inside service/ only.
 */

#include "report/queries/waste.h"
#include "service/hogs/hog_site.h"
#include "service/jobs/run_rows.h"

#define HOG_FIELDS                                                                             \
    "user,id,class,mem,gpus,time_limit,cluster,partition,start,end,qos,nodes,node_count,node," \
    "cpus,job,job_raw,task,req_cpus," USE_FIELDS

/* How large the nodes of a partition are. */
struct hog_partition {
    struct str cluster, name;
    double nodes; /* that are known, if those are all; 0: they are not */
    double cpus, largest;
    double least_cpus, least_mem, least_gpus; /* of its smallest node; 0: not known */
    double cpus_per_gpu, mem_per_gpu;         /* of the node that has most */
    bool all_gpus;
};

/* All that cases are found in. Texts of it live until hog_world_release. */
struct hog_world {
    struct run_rows rows;  /* of HOG_FIELDS */
    struct table pauses;   /* waste_pauses */
    struct table nodes;    /* waste_nodes */
    struct table listed;   /* waste_partitions */
    struct table sessions; /* waste_sessions */
    struct table zombies;  /* waste_zombies */
    struct answer in_use;  /* utilization by cluster and day; no rows where it is not known */
    const struct zone *zone;
    struct hog_partition *partitions;
    size_t partition_count;
};

/* Released by the caller, also when it fails. */
int hog_world_read(struct service *service, const struct request *request, struct facts *facts,
                   struct hog_world *out, struct error *err) MUST_CHECK;
void hog_world_release(struct hog_world *world);

/* A run or process that breaks a rule. */
struct hog_item {
    struct str user;
    struct str cluster; /* "": not known */
    struct str what;    /* the run's id, or a program */
    int64_t start;      /* 0: not known */
    double share;       /* below 0: no matter */
    double lost, held;
    int64_t count; /* runs or processes */
};

struct hog_case {
    struct str user, cluster;
    const struct hog_item *items; /* the largest first */
    size_t item_count;
    int64_t runs;
    double lost, held;
    double share; /* mean; below 0: no matter */
};

struct hog_cases {
    struct hog_case *rows; /* the largest first */
    size_t count;
    struct hog_item *items;
    size_t item_count, item_room;
};

void hog_cases_find(const struct hog_world *world, const struct hog_site_rule *site,
                    struct hog_cases *out);
void hog_cases_release(struct hog_cases *cases);
