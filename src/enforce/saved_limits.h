/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What was set at the scheduler before stint set a limit, and every step that stint took, in
 * the books. A step is written in a transaction of its own before it is tried; so whenever a
 * process is killed, what was set before is known, and so is what may have been changed.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "books/books.h"
#include "enforce/enforce.h"

/* A limit that is stint's at present. */
struct saved_limits {
    struct enforce_target target;
    enum enforce_mode mode;
    struct enforce_value before; /* restored in the end */
    bool known, trying;
    struct enforce_value value; /* if known: what stint set last */
    struct enforce_value next;  /* if trying: what was being set, and may or may not be */
    int64_t at;
    bool marked; /* the scheduler has a mark beside it, without which it is somebody else's */
};

struct saved_limits_list {
    struct saved_limits *rows; /* by target, then mode */
    size_t count;
    struct arena arena;
};

/* Those of a cluster. `out` is released also when it fails. */
int saved_limits_list_read(struct books *books, struct str cluster,
                           struct saved_limits_list *out, struct error *err) MUST_CHECK;
void saved_limits_list_release(struct saved_limits_list *list);
const struct saved_limits *saved_limits_list_find(const struct saved_limits_list *list,
                                                  const struct enforce_target *target,
                                                  enum enforce_mode mode);

/* Whether a limit that was found is stint's own: not one that somebody else has set since. */
bool saved_limits_is_own(const struct saved_limits *kept, struct enforce_value found);

/* How a step ended. */
struct saved_limits_end {
    bool done;
    bool restored;              /* done, and nothing of it is stint's any more */
    bool asked;                 /* the scheduler was, afterwards */
    struct enforce_value found; /* what it said */
    const char *why;            /* of what failed; NULL: nothing to say */
    int64_t at;
};

/* Each is a transaction of its own. */
int saved_limits_begin(struct books *books, struct str cluster,
                       const struct enforce_change *change, int64_t at, struct str who,
                       int64_t *step, struct error *err) MUST_CHECK;
int saved_limits_finish(struct books *books, struct str cluster, int64_t step,
                        const struct enforce_change *change, const struct saved_limits_end *end,
                        struct error *err) MUST_CHECK;

/*
 * A limit is stint's no longer: it is as before already, or somebody else has set another
 * since.
 */
int saved_limits_forget(struct books *books, struct str cluster,
                        const struct enforce_target *target, enum enforce_mode mode,
                        struct error *err) MUST_CHECK;

/* Steps without a recorded end: their process was killed. */
struct saved_limits_steps {
    struct saved_limits_step {
        int64_t id;
        struct enforce_change change;
    } * rows;

    size_t count;
    struct arena arena;
};

int saved_limits_steps_open(struct books *books, struct str cluster,
                            struct saved_limits_steps *out, struct error *err) MUST_CHECK;
void saved_limits_steps_release(struct saved_limits_steps *steps);

/* What running runs of a cluster hold of each account of the bank, by its number. */
struct saved_limits_helds {
    struct saved_limits_held {
        int64_t account, amount;
    } * rows;

    size_t count;
};

int saved_limits_helds_read(struct books *books, struct str cluster,
                            struct saved_limits_helds *out, struct error *err) MUST_CHECK;
void saved_limits_helds_release(struct saved_limits_helds *helds);
