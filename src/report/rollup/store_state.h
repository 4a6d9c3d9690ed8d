/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How things stand in a store, as far as the plan of a question depends on it. It is asked once
 * a snapshot: with roll-ups, which remember it, it is one statement that reads no run. Inside
 * report/ only.
 */

#include <stdbool.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/zone.h"
#include "facts/facts.h"

struct store_state {
    /* there are roll-ups for the days of this zone, and nothing has changed since */
    bool rolled_up;
    bool open; /* there are runs that have not ended */
    /* roll-ups tell what is not recorded (missing_rollup.h); older ones do not */
    bool omissions;
    bool suspended; /* some run was suspended for some time */
};

int store_state_read(struct facts *facts, const struct zone *zone, struct store_state *out,
                     struct error *err) MUST_CHECK;
