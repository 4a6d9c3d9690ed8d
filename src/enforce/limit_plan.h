/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The plan: what should hold less what does hold. A pure function of the balances, the
 * scheduler's answer and what stint has set before.
 *
 * What an account may still start, its room, is what it has free (its balance without what
 * running jobs hold) and the overdraft it may take. The limits that follow:
 *
 *     limit          used + what running jobs may still use + room, in billing minutes
 *     hold, refuse   0 while there is no room; else what was set before
 *
 * What the site itself has set stays in force where it is stricter, and is what is restored:
 * also what somebody sets while stint's limit is there. What stint has set is taken back as
 * soon as it should not be there, whatever else keeps an account from being touched.
 *
 * Both used and what running jobs may still use are the scheduler's own numbers, asked at the
 * same moment as the limit. So it does not matter how usage came about: before the account was
 * opened, decayed, or reset. A limit is never below what running jobs need, unless the
 * scheduler never ends any for it, or the site says that it may.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "books/books.h"
#include "enforce/enforce.h"
#include "enforce/limit_owner.h"
#include "enforce/saved_limits.h"

/* A name that draws on an account of the bank, and what that account may still start. */
struct limit_plan_demand {
    struct str account; /* of the bank */
    struct str parent;  /* of the bank, that pays for it; the null string: none */
    enum enforce_kind kind;
    struct str name;
    struct str under; /* of a cap: the scheduler's account in which a user is limited */
    bool unlimited;
    int64_t room; /* micro-SU; zero or below: nothing more may start */
};

struct limit_plan_question {
    const struct enforce_driver *driver;
    enum enforce_mode mode;
    bool ends_running;
    int64_t tolerance; /* micro-SU by which a limit may differ */
    struct str never;  /* patterns, separated by commas or blanks; the null string: none */
    bool release;      /* restore everything, whatever the balances are */
    /* only this account of the bank, or of the scheduler; the null string: all */
    struct str account;
    const struct limit_plan_demand *demands;
    size_t demand_count;
    const struct limit_plan_demand *caps; /* of users in accounts that draw */
    size_t cap_count;
    const struct enforce_states *states; /* sorted */
    const struct saved_limits_list *kept;
};

enum limit_plan_action {
    PLAN_NONE,    /* it is as it should be */
    PLAN_SET,     /* a limit is set */
    PLAN_RESTORE, /* what was set before is set again */
    PLAN_FORGET,  /* nothing to set: it is as before, or somebody else's by now */
    PLAN_ACTIONS,
};

const char *limit_plan_action_name(enum limit_plan_action action);

enum limit_plan_outcome {
    PLAN_SHOWN, /* it was not to be carried out */
    PLAN_DONE,
    PLAN_FAILED,
    PLAN_NOT_TRIED, /* others failed before it */
    PLAN_WITHHELD,  /* a guard keeps it from being done */
    PLAN_OUTCOMES,
};

const char *limit_plan_outcome_name(enum limit_plan_outcome outcome);

struct limit_plan_row {
    const struct limit_plan_demand *demand; /* NULL: none draws on it any more */
    struct enforce_target target;
    enum enforce_mode mode;
    const struct enforce_state *state; /* NULL: the scheduler does not list it */
    const struct saved_limits *kept;   /* NULL: nothing of it is stint's */
    struct owner owner;
    const char *untouched; /* why it is left alone; NULL: it is not */
    bool stricter;         /* the site's own limit is, and stays in force */
    /*
     * the mode by whose limit nothing may start, that is not stint's, though there is room;
     * ENFORCE_MODES: none
     */
    enum enforce_mode foreign;
    struct str override; /* the quality of service that counts instead; the null string: none */
    enum limit_plan_action action;
    struct enforce_value now, to;
    bool tightens; /* less may start afterwards */
    bool stops;    /* nothing may start afterwards, and something might now */

    /* of guards and of carrying it out */
    enum limit_plan_outcome outcome;
    const char *why; /* in the plan's arena */
    bool asked;      /* again, afterwards */
    struct enforce_value found;
    int64_t step; /* in the books */
};

struct limit_plan {
    struct limit_plan_row *rows; /* by account of the bank, then target */
    size_t count;
    struct arena arena;
};

/* Borrows from the question. `out` is released also when it fails. */
void limit_plan_make(const struct limit_plan_question *question, struct limit_plan *out);
void limit_plan_release(struct limit_plan *plan);

bool limit_plan_is_step(const struct limit_plan_row *row); /* something is to be done */

/* Micro-SU by which a limit may differ: no less than what is lost where minutes are whole. */
int64_t limit_plan_tolerance(enum enforce_mode mode, int64_t micro);

/* Whether nothing may start now. */
bool limit_plan_stops_now(const struct limit_plan_row *row);

/* Micro-SU that the scheduler lets start; false: it sets no limit, or does not say. */
bool limit_plan_enforced(const struct limit_plan_row *row, int64_t *out);

/*
 * By how many micro-SU the scheduler lets start more (below zero: less) than the bank shows;
 * false: they cannot be compared.
 */
bool limit_plan_drift(const struct limit_plan_row *row, int64_t *out);

/*
 * The same of what holds after the plan was carried out: what the scheduler reported then, or
 * what was set.
 */
bool limit_plan_drift_left(const struct limit_plan_row *row, int64_t *out);

struct limit_plan_work {
    const struct enforce_driver *driver;
    const struct enforce_site *site;
    struct books *books;
    struct str who;
    int64_t (*now)(void);
};

/*
 * Carries out what is not withheld, what loosens first. Each step is recorded before and after;
 * the scheduler is asked again at the end. After two failures in a row the rest is not tried.
 * Fails if the books cannot be written; what failed at the scheduler is in the rows.
 */
int limit_plan_apply(struct limit_plan *plan, const struct limit_plan_work *work,
                     struct error *err) MUST_CHECK;

/* Writes down how steps ended whose process was killed, by what the scheduler says now. */
int limit_plan_recover(const struct limit_plan_work *work, const struct enforce_states *states,
                       struct error *err) MUST_CHECK;
