/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What follows from listings: files or answers that say what all waited and ran at an instant,
 * rather than what happened. Runs of them carry that instant as `seen`.
 *
 * What a later listing does not have has vanished, and is concluded by the one rule for that
 * (facts/duckdb/vanished.h): it ended when it was last seen, or, if it waited and what it
 * waited for has started since, it is removed.
 *
 * All this follows from which listings were taken, not from their order. Vanished is not ended:
 * a sighting that comes in later, of any time, is weighed as if nothing had been concluded
 * (facts/append.h), and then it is concluded again.
 *
 * Each listing is a row of `askings` (what LISTINGS_WHAT, via LISTINGS_VIA), so that gaps
 * between them are known: what began and ended in one was never seen.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "facts/facts.h"

#define LISTINGS_WHAT "queue"
#define LISTINGS_VIA  "snapshot"

/*
 * Notes a listing of a cluster, in the transaction of its runs; once, however often it is
 * taken.
 */
int listings_note(struct facts *facts, struct str cluster, int64_t at, int64_t records,
                  struct error *err) MUST_CHECK;

/*
 * Ends what vanished of a cluster's runs of a source. Outside a transaction, with all batches
 * settled. The caller of listings_note calls this after the commit; if it is killed before, the
 * next call does it.
 */
int listings_conclude(struct facts *facts, struct str cluster, struct str source,
                      struct error *err) MUST_CHECK;

/*
 * By cluster: listings, first, last (instants), usual (the median time between two,
 * microseconds; absent where there are fewer than LISTINGS_ENOUGH).
 */
int listings_overview(struct facts *facts, struct table *out, struct error *err) MUST_CHECK;

/*
 * Times without a listing, longer than one and a half times the usual: cluster, from, to,
 * usual; latest first.
 */
int listings_gaps(struct facts *facts, struct table *out, struct error *err) MUST_CHECK;

enum { LISTINGS_ENOUGH = 3 };
