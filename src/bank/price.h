/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The price of a run: a function of the run and the rates, in whole millionths, without a clock
 * or a store.
 *
 * The rate is the first that fits the run at its start (books/rate.h). Every line of the price
 * is rounded half up to a millionth, so that the lines that are shown add up to the price to
 * the last digit:
 *
 *     line       quantity x weight x hours, for each weight of the rate; kWh x weight; or billing x hours
 *     sum        all lines, or the largest
 *     factor     sum x factor
 *     least      at least that much
 *
 * Hours are those between start and end, without the time it was suspended.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"
#include "books/rate.h"
#include "record/run.h"

enum price_outcome {
    PRICE_CHARGED,
    PRICE_FREE, /* a rule says that it costs nothing */
    PRICE_UNKNOWN, /* no rate fits, or what the rate goes by was not recorded: for somebody to look at */
};

enum { PRICE_LINES_MAX = RATE_WEIGHTS + RATE_RESOURCES };

struct price_line {
    const char *what; /* "cpu", "billing", "license/matlab" */
    bool may_be_none; /* a GPU or another resource: a run without it pays for the others */
    bool is_energy;   /* its quantity is in millijoules, and time does not count */
    bool recorded;    /* else the quantity is not, and counts nothing */
    bool counts;      /* of RATE_MAX one does */
    int64_t quantity; /* of memory in bytes */
    int64_t weight;   /* millionths an hour */
    int64_t amount;   /* millionths */
};

struct price {
    enum price_outcome outcome;
    const char *why; /* of what is not charged */
    const struct rate *rate;
    int64_t wall_us;
    struct price_line lines[PRICE_LINES_MAX];
    size_t line_count;
    int64_t sum;    /* of the lines that count */
    int64_t amount; /* what it costs; 0 of what is not charged */
};

/* Whether a price may depend on a field of a run, other than its times, cpus and GPUs. */
bool price_goes_by(const struct rate_list *rates, enum run_field field);

/*
 * `unit` says which rates are asked: "SU", or a currency. A run without an end is priced up to
 * `until`. ERROR_LIMIT if the price does not fit an amount.
 */
int price_of(const struct rate_list *rates, const struct run *run, int64_t until,
             const struct zone *zone, struct str unit, struct price *out,
             struct error *err) MUST_CHECK;

/*
 * The same for a run that was charged by the rate `kept` before, which may be NULL: what
 * metagroup it counted to then is not asked again. Of rates for metagroups those hold that are
 * for the same as that one.
 */
int price_of_kept(const struct rate_list *rates, const struct rate *kept, const struct run *run,
                  int64_t until, const struct zone *zone, struct str unit, struct price *out,
                  struct error *err) MUST_CHECK;
