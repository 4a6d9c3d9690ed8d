/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Grid Engine, asked live: qstat lists what waits and runs, qhost the nodes and queues, and the
 * accounting file says what has ended. Inside live/ only.
 */

#include "live/live.h"

extern const struct live_driver sge_live_driver;

/*
 * Reads what `qhost -q -xml` printed: nodes, and queues as partitions. ERROR_INPUT if that is
 * not what it is. Text is in the arena.
 */
int sge_hosts_read(struct str xml, struct arena *arena, struct inventory_item_list *nodes,
                   struct inventory_item_list *partitions, struct error *err) MUST_CHECK;
