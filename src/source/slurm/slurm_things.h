/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Nodes, partitions and reservations as Slurm reports them: slurmrestd's /slurm/.../nodes,
 * partitions and reservations, `sinfo --json` of 21.08 and 22.05 and `scontrol show ... --json`
 * of later versions, which are the same documents; and `scontrol show ...`, which is lines of
 * Key=Value, one a thing with -o.
 *
 * `sinfo --json` from 23.02 on reports groups of nodes in a partition. What is not the same for
 * all nodes of a group is absent: which of them has the least and which the most is not
 * recorded. With -N or -e no group has such differences.
 */

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"
#include "record/inventory_item.h"
#include "source/source.h"

/*
 * Reads all of an answer and adds what it says to `out`; texts are in the arena. An answer that
 * is not whole, that is of something else, or that says it failed is an error; a thing without
 * a name is one, too: a listing without something would be taken for the end of it. `zone` is
 * that of times in text; NULL is UTC.
 */
int slurm_things_read(enum inventory_item_kind kind, struct str answer, const struct zone *zone,
                      struct arena *arena, struct inventory_item_list *out,
                      struct error *err) MUST_CHECK;

/*
 * For slurm_groups.c: "gpu:a100:4(S:0-1),shard:8", where an empty list is of a node without
 * any; and the cores.
 */
void slurm_things_put_gpus(struct str gres, struct arena *arena, struct inventory_item *node);
void slurm_things_put_cores(int64_t sockets, int64_t cores, struct inventory_item *node);

/* Files of these kinds can be imported. */
extern const struct source_things slurm_things;

/*
 * The class of a node's state: "MIXED+DRAIN", "idle*", "DOWN+DRAIN+NOT_RESPONDING",
 * "ALLOCATED+POWERING_UP", as scontrol, sinfo or slurmrestd (joined with +) write it.
 */
enum node_class slurm_node_class(struct str state);
