/* SPDX-License-Identifier: MIT */
#include "sampler/clocks.h"

#include "base/zone.h"

enum { BELIEVED_S = 2 }; /* a clock that is slewed may be as far off */

/* Seconds by which the clock was set since the last look. */
static int64_t jump_since(const struct clocks *clocks, int64_t wall, int64_t steady)
{
    const int64_t jump = clocks->steady ? (wall - clocks->wall) - (steady - clocks->steady) : 0;
    const int64_t seconds = jump / SECOND_US;
    return seconds >= BELIEVED_S || seconds <= -BELIEVED_S ? seconds : 0;
}

int64_t clocks_delay(const struct clocks *clocks, int64_t wall, int64_t steady)
{
    return jump_since(clocks, wall, steady) < 0 ? SECOND_US : 0;
}

int64_t clocks_note(struct clocks *clocks, int64_t wall, int64_t steady)
{
    const int64_t jump = jump_since(clocks, wall, steady);
    clocks->wall = wall;
    clocks->steady = steady;
    clocks->set_back += jump < 0;
    return jump;
}

int64_t clocks_wait(const struct clocks *clocks, int64_t wall, int64_t every, uint64_t node)
{
    const int64_t tenth = every / 10;
    const int64_t own = tenth > 0 ? (int64_t)(node % (uint64_t)tenth) : 0;
    const int64_t since = (wall - own - clocks->set_back % 60 * SECOND_US) % every;
    const int64_t wait = every - (since < 0 ? since + every : since);
    return wait < tenth ? wait + every : wait; /* one that has just been is enough */
}
