/* SPDX-License-Identifier: MIT */
#include "enforce/limit_owner.h"

struct owner owner_of(const struct enforce_driver *driver, const struct enforce_state *state,
                      const struct saved_limits *kept, enum enforce_mode mode,
                      struct enforce_value now)
{
    const struct enforce_mark *mark =
        state && state->marks[mode].is ? &state->marks[mode] : NULL;
    struct owner owner = {.claimed = mark || kept, .marked = mark != NULL, .before = now};
    if (mark) {
        owner.own = now.is && now.n == mark->set;
    } else if (kept) {
        owner.own = saved_limits_is_own(kept, now) && !(driver->marks && kept->marked);
    }
    if (owner.own) {
        owner.before = mark ? mark->before : kept->before;
    }
    return owner;
}
