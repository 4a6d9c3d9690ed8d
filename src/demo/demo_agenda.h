/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What will happen when: a heap of (time, what), the earliest first. Things of the same second
 * come out in the order they went in, so that nothing depends on the shape of the heap.
 */

#include <stddef.h>
#include <stdint.h>

struct demo_event {
    int64_t time_s;
    uint32_t order;
    uint32_t what;
};

struct demo_agenda {
    struct demo_event *events; /* owned */
    size_t count, room;
    uint32_t order; /* of the next to go in; may wrap, see demo_agenda.c */
};

/* A zeroed struct is an empty agenda. */
void demo_agenda_add(struct demo_agenda *agenda, int64_t time_s, uint32_t what);

/* The first; it must not be empty. */
struct demo_event demo_agenda_take(struct demo_agenda *agenda);
void demo_agenda_release(struct demo_agenda *agenda);

/* Time of the first, or INT64_MAX. */
static inline int64_t demo_agenda_first(const struct demo_agenda *agenda)
{
    return agenda->count > 0 ? agenda->events[0].time_s : INT64_MAX;
}
