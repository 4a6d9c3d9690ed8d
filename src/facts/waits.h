/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What jobs waited for is kept from listings of the queue (facts/duckdb/wait_stretches.h), and
 * forgotten with age.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/facts.h"

/*
 * Removes the periods that ended before an instant, in a transaction of its own; *removed is
 * their number.
 */
int waits_forget(struct facts *facts, int64_t before, int64_t *removed,
                 struct error *err) MUST_CHECK;
