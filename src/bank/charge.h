/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Charges as a function of the facts. For each run the charge that ought to be there is worked
 * out (price.h), compared with the one that is, and the difference posted: so importing again,
 * records that come late or are corrected, a process that is killed, all lead to the same
 * ledger, and nothing is charged twice.
 *
 * A run that has ended is charged to the account it draws on (ledger.h): the first, by its
 * user, its project and its account, that was open when it started. A run that has not ended
 * holds a lien: its price at its time limit, or, without one, up to the end of the day. Where
 * nothing was heard of its end a day after its limit, the lien ends; what comes later is
 * charged all the same. Runs that no rate fits, or whose rate goes by what was not recorded,
 * are counted and not charged.
 *
 * What was charged stays when a rate changes: a run whose record changes is priced by the rates
 * that its charge was made by (pins.h); only CHARGING_ALL goes by those of today. All of a call
 * is one transaction of the books, with how far the change feed was read.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/zone.h"
#include "books/books.h"
#include "facts/facts.h"
#include "facts/session.h"

enum charging_which {
    CHARGING_CHANGED, /* runs that changed since the last time */
    CHARGING_OF_NAME, /* those of a name that now draws on an account */
    CHARGING_MISSING, /* all that started at `since` or later and are not charged */
    CHARGING_ALL,     /* all that started at `since` or later, by the rates of today */
};

/* What a call posts to an account, or would. */
struct charging_difference {
    int64_t account;
    int64_t lines;               /* of runs */
    int64_t taken_back, charged; /* not below zero */
};

struct charging_plan {
    struct charging_difference *rows; /* of accounts with lines, by number */
    size_t count;
};

void charging_plan_release(struct charging_plan *plan);

struct charging_wish {
    enum charging_which which;
    const char *kind; /* CHARGING_OF_NAME: account, project or user */
    struct str name;
    int64_t since;
    int64_t until; /* CHARGING_ALL: runs that started before; 0: all */
    struct str who, why;
    int64_t now;
    struct charging_plan
        *plan;      /* or NULL; filled, and released by the caller also when it fails */
    bool plan_only; /* everything is worked out and nothing changed */
};

struct charging_result {
    int64_t runs;      /* that were looked at */
    int64_t charged;   /* charges that were posted */
    int64_t reversed;  /* charges that were taken back */
    int64_t liens;     /* of runs that have not ended */
    int64_t timed_out; /* liens that were ended because their runs' limits are long over */
    int64_t unpriced;  /* runs that ought to be charged, and whose price is not known */
    char why[ERROR_TEXT_MAX]; /* of the first of these */
    int64_t entries;          /* of the ledger */
    /* The facts are not those that were read before: all runs were looked at. */
    bool restarted;
};

/* Whether there is anything to charge to: an account. */
int charging_is_on(struct books *books, bool *on, struct error *err) MUST_CHECK;

/*
 * One transaction of the books, begun before the facts are asked, so that two at once see what
 * the other did. `zone` is the site's; the bank keeps the one it began with, since its days are
 * of it.
 */
int charging_run(struct books *books, struct session *session, const struct zone *zone,
                 const struct charging_wish *wish, struct charging_result *out,
                 struct error *err) MUST_CHECK;

/* The same inside a transaction of the caller, who commits it or not. */
int charging_run_within(struct books *books, struct session *session, const struct zone *zone,
                        const struct charging_wish *wish, struct charging_result *out,
                        struct error *err) MUST_CHECK;

/*
 * Settles an account, or with 0 all of them, without looking at runs: after a grant, a
 * transfer, an end. Inside a transaction of the caller.
 */
int charging_settle(struct books *books, const struct zone *zone, int64_t account, int64_t now,
                    struct str who, struct error *err) MUST_CHECK;

/*
 * Charges beside what the records of their runs and their rates give: what `stint bank check`
 * says of them.
 */
struct charging_comparison {
    struct str *rows; /* a sentence each; of many differences the first ones */
    size_t count;
    int64_t runs;      /* that were compared */
    int64_t differing; /* of these */
    int64_t missing;   /* runs that were charged and are not among the facts */
    bool behind;       /* changes of runs were not charged yet: nothing was compared */
    struct arena arena;
};

/* Run by run, without changing anything. `out` is released also when it fails. */
int charging_compare(struct books *books, struct session *session, const struct zone *zone,
                     int64_t now, struct charging_comparison *out,
                     struct error *err) MUST_CHECK;
void charging_comparison_release(struct charging_comparison *comparison);

/*
 * Whether the facts are those that charging has read: false after they were made again or
 * restored from an older backup, until the next charging_run.
 */
int charging_follows(struct books *books, struct facts *facts, bool *follows,
                     struct error *err) MUST_CHECK;

/*
 * Whether the facts were once others than those that were charged: then some that were charged
 * may still be missing.
 */
int charging_was_restarted(struct books *books, bool *was, struct error *err) MUST_CHECK;

/* Whether some changes of runs are not charged yet. */
int charging_is_behind(struct books *books, struct session *session, bool *behind,
                       struct error *err) MUST_CHECK;

/* The number of the last round of charging; 0: none. */
int charging_last_round(struct books *books, int64_t *out, struct error *err) MUST_CHECK;

/* The zone of the bank's days: the one it began with, else the site's. The caller closes it. */
int charging_zone(struct books *books, const struct zone *site, struct zone **out,
                  struct error *err) MUST_CHECK;
