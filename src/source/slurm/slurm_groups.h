/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The rows of `sinfo --json` since 23.02: nodes of one partition and one state, with the least
 * and the most of what they have. Inside source/ only.
 */

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "record/inventory_item.h"

/* The list of them in a document. */
#define SLURM_GROUPS "sinfo"

/* Adds the nodes of a row, each with what is the same for all of them; without a class. */
int slurm_group_read(struct str text, struct arena *arena, struct inventory_item_list *out,
                     struct error *err) MUST_CHECK;

/*
 * Makes one of the nodes that stand in several rows, for they are in several partitions. In the
 * order of names.
 */
int slurm_groups_merge(struct inventory_item_list *nodes, struct arena *arena,
                       struct error *err) MUST_CHECK;
