/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One pass of charging over runs, shared by the files that make it up: what a run ought to be
 * charged (charge_price.c), posting the difference (charge.c), comparing without posting
 * (charge_compare.c).
 */

#include "bank/charge.h"
#include "bank/charge_lines.h"
#include "bank/closings.h"
#include "bank/ledger.h"
#include "bank/name_ids.h"
#include "bank/pins.h"
#include "bank/usage.h"
#include "base/buf.h"
#include "books/cluster_rule.h"
#include "facts/changed_runs.h"
#include "facts/changes.h"

/* A set of runs, by hashes of their names: there may be millions. */
struct seen {
    uint64_t *rows; /* bit 0: whether it is in the set; 0: a free place */
    size_t count, room;
};

void seen_set(struct seen *seen, struct str run, bool on);

/* One call, on its way. */
struct pass {
    struct books *books;
    struct zone *zone; /* of the bank's days */
    const struct charging_wish *wish;
    struct charging_result *result;
    struct rate_list rates;
    struct pins pins;
    /* some charges stay with earlier rates, or with the metagroup that they were made for */
    bool keeps_pins;
    int64_t pinned; /* runs that are priced by earlier rates, and not by the present ones */
    struct name_ids texts; /* of runs that may have to be priced by earlier rates */
    struct ledger_draws draws;
    struct ledger_accounts accounts;
    size_t *by_id; /* index of an account in `accounts`, by its number */
    size_t by_id_count;
    bool *touched;                           /* which accounts have to be settled */
    struct charging_difference *differences; /* of each account; NULL: nobody wants them */
    struct cluster_rules rules;
    struct changed_columns columns; /* of runs, that are read */
    struct name_ids names;
    struct str cluster; /* of the last run, and its number */
    int64_t cluster_id;
    struct usage usage;
    struct closings closings;
    struct lates lates; /* what is posted for closed days */
    struct charge_lines_batch lines;
    bool fresh;            /* nothing was ever charged */
    struct name_ids liens; /* runs that hold one; all of them, if all_liens */
    bool all_liens;
    int64_t sought; /* liens that were looked for in the books */
    int64_t round;
    struct changes_position upto;           /* the end of the change feed */
    bool first;                             /* nothing of the change feed was read before */
    struct buf id;                          /* of the run at hand */
    struct charging_comparison *comparison; /* or NULL: nothing is posted */
    struct seen seen;                       /* charged runs that the facts have */
};

/* How long after the limit of a run its lien is kept: records of ends come late. */
#define LIEN_GRACE_US DAY_US

/* What a run ought to be charged. */
struct charge {
    struct packed_line line; /* amount 0: nothing; its rate is that of the price */
    bool is_ended, is_unpriced;
    struct str cluster; /* that it counts under */
    int64_t lien;       /* of a run that has not ended */
    int64_t lien_until; /* its end at its limit; 0: it has none */
};

/* A run as it ought to be charged; one without a price is counted in the result. */
void pass_want(struct pass *pass, struct run *run, struct charge *out);

/* What earlier rates may go by. Text is kept for as long as the pass. */
struct charge_lines_price pass_price_input(struct pass *pass, const struct run *run,
                                           struct str cluster, bool is_unpriced);

/* For charge_lines.h: prices a line by the rates that its run was charged by. */
int pass_reprice(void *context, const struct charge_lines_price *input,
                 const struct packed_line *last, struct packed_line *wanted,
                 struct error *err) MUST_CHECK;

/* Reads everything that a pass goes by. Released also when it fails. */
int pass_prepare(struct pass *pass, const struct zone *site, struct error *err) MUST_CHECK;
void pass_release(struct pass *pass);

/* For a table_sink: charges the runs of a chunk, or compares them. */
int pass_take_chunk(void *context, const struct table *chunk, struct error *err) MUST_CHECK;
