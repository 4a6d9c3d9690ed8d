/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Enforcement: what the bank shows is what the scheduler lets start.
 *
 * What should hold follows from balances, what does hold is asked of the scheduler, and the
 * difference is a plan (limit_plan.h), which guards may withhold in part (guard.h). Carrying it
 * out records each step in the books before and after (saved_limits.h), so that what was set
 * before can be restored, and a run that was killed half way is completed by the next.
 *
 * A driver knows one scheduler: how to ask for all limits in a fixed number of calls, and how
 * to set one. To add one: a folder here with a file that ends with its `const struct
 * enforce_driver`, a row in enforce_drivers.c, its name among the choices of `driver` in
 * config/config.c, its part of docs/enforcement.md.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/stop.h"
#include "base/str.h"
#include "config/config.h"

/* How the runs of an account without balance are kept from starting. */
enum enforce_mode {
    ENFORCE_LIMIT,  /* the scheduler counts itself, up to the balance */
    ENFORCE_HOLD,   /* they wait */
    ENFORCE_REFUSE, /* they cannot be submitted; those that wait may start */
    ENFORCE_JOBS, /* they wait, by another limit: what hold uses where its own has no effect */
    ENFORCE_MODES,
};

const char *enforce_mode_name(enum enforce_mode mode);

/* A limit of the scheduler, of its account or of a user in it: a number, or none. */
struct enforce_value {
    bool is;
    int64_t n;
};

static inline bool enforce_value_eq(struct enforce_value a, struct enforce_value b)
{
    return a.is == b.is && (!a.is || a.n == b.n);
}

/*
 * What a scheduler itself keeps beside a limit that stint set, so that whose it is can be told
 * without the books: they may have been restored from a dump that is older than the limit.
 */
struct enforce_mark {
    bool is;
    struct enforce_value before; /* what is restored in the end */
    int64_t set;                 /* what stint set; another value is somebody else's */
};

/* What a limit can be on: the kinds of names that draw on accounts of the bank. */
enum enforce_kind { ENFORCE_ACCOUNT, ENFORCE_PROJECT, ENFORCE_USER, ENFORCE_KINDS };

const char *enforce_kind_name(enum enforce_kind kind);
enum enforce_kind enforce_kind_of(struct str name); /* ENFORCE_KINDS: none */

struct enforce_target {
    enum enforce_kind kind;
    struct str name;
    /* of a user: the account in which the limit is; the null string: in all */
    struct str under;
};

int enforce_target_compare(const struct enforce_target *a, const struct enforce_target *b);

/* What the scheduler says of a target. */
struct enforce_state {
    struct enforce_target target;
    struct str parent; /* the account that this account is a part of; the null string: none */
    struct enforce_value values[ENFORCE_MODES]; /* of the limit that each mode sets */
    struct enforce_mark marks[ENFORCE_MODES];
    /*
     * a quality of service whose own limit counts instead of the one of that mode; the null
     * string: none
     */
    struct str overrides[ENFORCE_MODES];
    bool counted;        /* the scheduler says what was used */
    int64_t used_s;      /* billing seconds used, running jobs included so far */
    int64_t running_min; /* billing minutes that running jobs may still use */
};

/* A quality of service that jobs may ask for. */
struct enforce_qos {
    struct str name;
    /* bit 1 << mode whose limit on an account has no effect on jobs in it */
    unsigned overrides;
    int64_t usage_factor; /* millionths by which the scheduler multiplies usage */
    bool usable;          /* somebody may use it */
};

struct enforce_states {
    struct enforce_state *rows; /* by target, once sorted */
    size_t count;
    struct enforce_qos *qos; /* by name */
    size_t qos_count;
    bool safe; /* the scheduler never ends a running job for a limit that is too low */
    struct arena arena;
};

/* Most accounts and users that a scheduler may list. */
enum { ENFORCE_STATES_MAX = 4000000 };

/* A zeroed row at the end; NULL if there are too many. */
struct enforce_state *enforce_states_add(struct enforce_states *states);
void enforce_states_sort(struct enforce_states *states);
const struct enforce_state *enforce_states_find(const struct enforce_states *states,
                                                const struct enforce_target *target);
void enforce_states_release(struct enforce_states *states);

/* One [enforce NAME] of stint.conf, and what drivers work with. */
struct enforce_site {
    struct str cluster;                   /* NAME */
    const struct config_section *section; /* checked */
    const struct config_section *asked;   /* [cluster NAME], checked; NULL: none */
    enum enforce_mode mode;
    bool ends_running;
    bool releases; /* only what was set before is set, however the scheduler is configured */
    const struct stop *stop; /* may be NULL */
};

/* Of a section that was checked. */
struct enforce_site enforce_site_of(const struct config *config,
                                    const struct config_section *section,
                                    const struct stop *stop);

/*
 * A text of the section, else the one of the same name in [cluster NAME], else the null string.
 */
struct str enforce_site_text(const struct enforce_site *site, enum config_enforce_key key);

/* One change of a limit. */
struct enforce_change {
    struct str account; /* of the bank; the null string: none draws on it any more */
    struct enforce_target target;
    enum enforce_mode mode;
    struct enforce_value before; /* what is restored in the end */
    struct enforce_value from, to;
    bool marked;   /* the scheduler keeps a mark beside it, until it is restored */
    bool restores; /* `to` is the site's own value: a mark is taken away */
};

struct enforce_driver {
    const char *name;
    const char *const
        *limits;    /* what it calls the limit of each mode; NULL: they have no names */
    unsigned modes; /* bit 1 << mode of those that it has */
    unsigned kinds; /* bit 1 << kind of targets that it can limit */

    /*
     * a target that it does not list is not there; else one that it does not list has no limit
     */
    bool lists_all;

    bool marks; /* what it sets is marked as stint's: see enforce_mark */

    /*
     * All limits that hold. NULL: it cannot be asked, and what was set last counts. `out` is
     * released also on failure.
     */
    int (*ask)(const struct enforce_site *site, struct enforce_states *out,
               struct error *err) MUST_CHECK;

    /* Sets or takes away one limit; or all of a plan at once. One of the two is there. */
    int (*set)(const struct enforce_site *site, const struct enforce_change *change,
               struct error *err) MUST_CHECK;
    int (*set_all)(const struct enforce_site *site, const struct enforce_change *changes,
                   size_t count, struct error *err) MUST_CHECK;

    /* The command by which somebody makes the change by hand, in the arena. NULL: none. */
    const char *(*command)(const struct enforce_site *site, const struct enforce_change *change,
                           struct arena *arena);
};

extern const struct enforce_driver *const enforce_drivers[]; /* NULL-terminated */
const struct enforce_driver *enforce_driver_find(struct str name);

/* Whether a driver has the mode that the section asks for; ERROR_INPUT says which it has. */
int enforce_driver_check(const struct enforce_driver *driver, const struct enforce_site *site,
                         struct error *err) MUST_CHECK;
