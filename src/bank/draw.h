/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which allotments pay for what an account used: a function of the allotments and of what was used by day and cluster, so
 * that the order in which records came in does not matter.
 *
 * Days are taken one after the other. Each draws on the allotments that hold on that day and are for that cluster, in
 * their order: soonest to end first, then narrowest. What none of them covers is beyond the allotments.
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

/*
 * drawn[i]: what allotment i, in the order of the list, pays; *over: what none pays. An allotment has what was granted to
 * it, and not what its pot holds now.
 */
int draw_share(const struct ledger_allotments *allotments, const struct draw_day *days,
               size_t day_count, int64_t *drawn, int64_t *over, struct error *err) MUST_CHECK;
