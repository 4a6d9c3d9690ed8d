/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which allotments pay for what an account used: a function of the allotments and of what was
 * used by day and cluster, so that the order in which records came in does not matter.
 *
 * Days are taken one after the other. Each draws on the allotments that hold on that day and
 * are for that cluster, in their order: soonest to end first, then narrowest. What none of them
 * covers is beyond the allotments. A day below zero, on which a closed period was corrected,
 * gives back to the first of them, else to what is beyond.
 *
 * At its end, a share of what is left of an allotment (`carry`) goes to the one that follows:
 * of those that hold then and are for all its clusters, the first in their order. Without one,
 * nothing is carried.
 */

#include <stddef.h>
#include <stdint.h>

#include "bank/ledger.h"
#include "base/attribute.h"
#include "base/error.h"

/* What was used on a day on a cluster, all users together. */
struct draw_day {
    int64_t start; /* instant the day begins */
    struct str cluster;
    int64_t amount;
};

/* What becomes of an allotment. */
struct draw_part {
    int64_t drawn;      /* what it pays */
    int64_t carried_in; /* from those before it */
    int64_t carried;    /* to the one that follows */
    size_t into;        /* its place in the list, where something is carried */
    bool over;          /* it has ended */
};

/*
 * parts[i]: of allotment i, in the order of the list; zeroed before. *owed: what none pays. An
 * allotment has what was granted to it, refunded and carried into it, and not what its pot
 * holds now. Those that end by `now` are over.
 */
int draw_share(const struct ledger_allotments *allotments, const struct draw_day *days,
               size_t day_count, int64_t now, struct draw_part *parts, int64_t *owed,
               struct error *err) MUST_CHECK;

/*
 * What expires of an account at the soonest end of its allotments that hold at `now`, if use
 * continues. Each allotment has what is in its pot. What is held is drawn first, from the
 * soonest to end, whatever its clusters; then each cluster goes on using what `uses` says it
 * used in the last `span_us` (their `start` does not count), by the rule above, also from
 * allotments that begin on the way. What will be carried over does not expire. *end: when that
 * is; INSTANT_MAX: none ends, and *expires is 0.
 */
int draw_expiring(const struct ledger_allotments *allotments, int64_t account,
                  const struct draw_day *uses, size_t use_count, int64_t span_us, int64_t held,
                  int64_t now, int64_t *end, int64_t *expires, struct error *err) MUST_CHECK;
