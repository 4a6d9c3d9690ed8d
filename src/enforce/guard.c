/* SPDX-License-Identifier: MIT */
#include "enforce/guard.h"

#include <inttypes.h>

#include "base/zone.h"

static void withhold(struct limit_plan_row *row, const char *why)
{
    row->outcome = PLAN_WITHHELD;
    row->why = why;
}

/* Why nothing is changed; NULL: it may be. */
static const char *switched_off(const struct guard *guard, struct limit_plan *plan)
{
    if (guard->off) {
        return "enforcement is switched off: 'off = yes' in stint.conf";
    }
    return guard->stop_file
               ? arena_printf(&plan->arena, "enforcement is switched off while '%s' exists",
                              guard->stop_file)
               : NULL;
}

/* "61 minutes", or "90 seconds" of what is short. */
static const char *length(struct limit_plan *plan, int64_t us)
{
    const bool is_short = us < 120 * SECOND_US;
    const int64_t count = us / (is_short ? SECOND_US : 60 * SECOND_US);
    return arena_printf(&plan->arena, "%" PRId64 " %s%s", count, is_short ? "second" : "minute",
                        count == 1 ? "" : "s");
}

/* Why nobody is stopped by these data; NULL: they will do. */
static const char *data_fall_short(const struct guard *guard, struct limit_plan *plan)
{
    const int64_t age = guard->now - guard->facts_at;
    if (guard->facts_at < 0) {
        return "there are no data of this cluster: stint pull, or stint import";
    }
    if (age > guard->max_age_us) {
        return arena_printf(
            &plan->arena,
            "the data are %s old, and max_age allows %s: stint pull, or stint import",
            length(plan, age), length(plan, guard->max_age_us));
    }
    return guard->covered
               ? NULL
               : "data of the time before now are missing: see stint doctor and stint "
                 "gap list";
}

/*
 * Accounts that may be stopped in one go: one always may, so that a site with few accounts can
 * enforce at all.
 */
static int64_t most(const struct guard *guard, size_t accounts)
{
    int64_t share = (int64_t)accounts * guard->max_share / 100;
    share = share < 1 ? 1 : share;
    return share < guard->max_accounts ? share : guard->max_accounts;
}

static bool is_open(const struct limit_plan_row *row)
{
    return limit_plan_is_step(row) && row->outcome == PLAN_SHOWN;
}

static void withhold_stops(const struct guard *guard, struct limit_plan *plan)
{
    int64_t stops = 0;
    for (size_t i = 0; i < plan->count; i++) {
        stops += is_open(&plan->rows[i]) && plan->rows[i].stops;
    }
    const int64_t allowed = most(guard, plan->count);
    if (stops <= allowed) {
        return;
    }
    const char *why = arena_printf(
        &plan->arena,
        "%" PRId64 " of %zu would be stopped in one go, and max_accounts and max_share allow "
        "%" PRId64 ": look at the balances, or raise them",
        stops, plan->count, allowed);
    for (size_t i = 0; i < plan->count; i++) {
        if (is_open(&plan->rows[i]) && plan->rows[i].stops) {
            withhold(&plan->rows[i], why);
        }
    }
}

void guard_apply(const struct guard *guard, struct limit_plan *plan)
{
    const char *off = switched_off(guard, plan);
    const char *data = data_fall_short(guard, plan);
    for (size_t i = 0; i < plan->count; i++) {
        struct limit_plan_row *row = &plan->rows[i];
        if (is_open(row) && off) {
            withhold(row, off);
        } else if (is_open(row) && row->tightens && data) {
            withhold(row, data);
        }
    }
    withhold_stops(guard, plan);
}
