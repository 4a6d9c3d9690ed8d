/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * PBS Professional and OpenPBS, asked live: qstat lists what waits and runs, pbsnodes the
 * nodes, pbs_rstat the reservations; what has ended is in the accounting files, or in the
 * history that the server keeps. Inside live/ only.
 */

#include "live/live.h"

extern const struct live_driver pbs_live_driver;

/*
 * Readers of what programs print, with TZ=UTC; texts are in the arena, and `second` is not
 * used. ERROR_INPUT if it is not what it should be.
 *
 *   pbs_nodes_read         pbsnodes -a -F json
 *   pbs_queues_read        qstat -Q -f -F json
 *   pbs_reservations_read  pbs_rstat -f
 */
int pbs_nodes_read(struct str text, struct arena *arena, struct inventory_item_list *nodes,
                   struct inventory_item_list *second, struct error *err) MUST_CHECK;
int pbs_queues_read(struct str text, struct arena *arena,
                    struct inventory_item_list *partitions, struct inventory_item_list *second,
                    struct error *err) MUST_CHECK;
int pbs_reservations_read(struct str text, struct arena *arena,
                          struct inventory_item_list *reservations,
                          struct inventory_item_list *second, struct error *err) MUST_CHECK;
