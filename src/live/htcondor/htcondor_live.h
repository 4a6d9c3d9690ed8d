/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * HTCondor, asked live: condor_q lists what waits and runs, condor_history what has ended, an
 * attempt each, and condor_status the slots of the machines. Inside live/ only.
 */

#include "live/live.h"

extern const struct live_driver htcondor_live_driver;

/*
 * Reads what `condor_status -json` printed: a node for each machine, from its slots.
 * ERROR_INPUT if it is no list. Texts are in the arena; `second` is not used.
 */
int htcondor_slots_read(struct str text, struct arena *arena, struct inventory_item_list *nodes,
                        struct inventory_item_list *second, struct error *err) MUST_CHECK;
