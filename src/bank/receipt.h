/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The receipt of an account and a period: the runs it was charged for, the rates and all else
 * that a price goes by, the amounts, and the head of the ledger, as one JSON document. Who
 * holds it and the scheduler's accounting files can compute every amount again without the
 * store that made it.
 *
 *     receipt_read(text, &receipt, err)
 *     receipt_take_run(&receipt, &run, err)       for every run of the accounting files
 *     receipt_finish(&receipt)                    what is in the receipt and not in the files
 *     receipt.findings
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bank/ledger.h"
#include "bank/usage.h"
#include "base/arena.h"
#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/zone.h"
#include "books/cluster_rule.h"
#include "books/kind.h"
#include "books/rate.h"

/* The rates of an epoch: rows of the kind `rate`, as the books have them. */
struct receipt_rates {
    int64_t epoch;
    struct kind_row *rows;
    size_t count;
    struct rate_list list; /* the same for price.h */
};

struct receipt_run {
    struct str run, user, cluster; /* null strings: absent */
    struct str rate;               /* its name */
    int64_t version, epoch;
    bool is_charged; /* it has a charge now; else what counts is all of earlier records */
    int64_t amount;  /* of that charge */
    int64_t counted; /* in the period, of all its lines */
    int64_t earlier; /* of that, what comes from lines that were taken back since, and these */
    int64_t floor;   /* the first day that was open when it was charged; INT64_MIN: all were */
    bool seen;       /* it is among the accounting files */
};

struct receipt {
    struct str account, zone_name;
    int64_t first, last; /* days of the bank's calendar: [first, last) */
    int64_t link;        /* of the chain; 0: none */
    struct str head;
    struct ledger_draw_row *draws; /* of the account */
    size_t draw_count;
    struct cluster_rules rules;
    struct receipt_rates *rates;
    size_t rate_count;
    struct receipt_run *runs; /* by name */
    size_t run_count;
    /* Runs that the draws name, and that are not charged to the account; by name. */
    struct str *elsewhere;
    size_t elsewhere_count;
    int64_t total;

    struct zone *zone; /* from here on, of one that was read */
    struct usage usage;
    struct str *findings; /* a sentence each */
    size_t finding_count;
    int64_t recomputed; /* SU that the accounting files give */
    struct arena arena;
};

void receipt_release(struct receipt *receipt);

/* Adds a finding; the text has to last. */
void receipt_find(struct receipt *receipt, const char *text);

/* The document. Fails where it is longer than `out` may be. */
int receipt_write(const struct receipt *receipt, struct buf *out, struct error *err) MUST_CHECK;

/* Reads one. ERROR_INPUT says what is wrong with it. `out` is released also when it fails. */
int receipt_read(struct str text, struct receipt *out, struct error *err) MUST_CHECK;

/*
 * A run of the accounting files: what it costs and counts in the period, beside what the
 * receipt says.
 */
int receipt_take_run(struct receipt *receipt, const struct run *run,
                     struct error *err) MUST_CHECK;

/* After the last: runs of the receipt that no accounting file has, and sums. */
void receipt_finish(struct receipt *receipt);
