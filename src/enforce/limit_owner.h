/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whose a limit is that a scheduler shows: stint's, or the site's. The mark beside it
 * (enforce_mark) decides where there is one, since the books may be older or newer than what
 * the scheduler has; else what the books say that stint has set.
 */

#include "enforce/enforce.h"
#include "enforce/saved_limits.h"

struct owner {
    bool claimed; /* a mark or the books name it as stint's */
    bool own;     /* and it is what stint has set: nobody has changed it since */
    bool marked;
    struct enforce_value before; /* what the site itself has set last */
};

/* `state` and `kept` may be NULL; `now` is the limit that was found. */
struct owner owner_of(const struct enforce_driver *driver, const struct enforce_state *state,
                      const struct saved_limits *kept, enum enforce_mode mode,
                      struct enforce_value now);
