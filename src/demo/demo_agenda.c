/* SPDX-License-Identifier: MIT */
#include "demo/demo_agenda.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

enum { WIDTH = 4 /* children of an event: fewer levels, and neighbours share a cache line */ };

static bool before(const struct demo_event *a, const struct demo_event *b)
{
    if (a->time_s != b->time_s) {
        return a->time_s < b->time_s;
    }
    return (int32_t)(a->order - b->order) < 0; /* right across a wrap of the counter */
}

void demo_agenda_add(struct demo_agenda *agenda, int64_t time_s, uint32_t what)
{
    agenda->events =
        mem_grow(agenda->events, agenda->count, &agenda->room, sizeof(*agenda->events));
    struct demo_event event = {time_s, agenda->order++, what};
    size_t at = agenda->count++;
    while (at > 0 && before(&event, &agenda->events[(at - 1) / WIDTH])) {
        agenda->events[at] = agenda->events[(at - 1) / WIDTH];
        at = (at - 1) / WIDTH;
    }
    agenda->events[at] = event;
}

struct demo_event demo_agenda_take(struct demo_agenda *agenda)
{
    struct demo_event first = agenda->events[0];
    struct demo_event last = agenda->events[--agenda->count];
    size_t at = 0;
    for (;;) {
        size_t child = at * WIDTH + 1;
        size_t end = child + WIDTH < agenda->count ? child + WIDTH : agenda->count;
        if (child >= end) {
            break;
        }
        size_t least = child;
        for (size_t i = child + 1; i < end; i++) {
            least = before(&agenda->events[i], &agenda->events[least]) ? i : least;
        }
        if (!before(&agenda->events[least], &last)) {
            break;
        }
        agenda->events[at] = agenda->events[least];
        at = least;
    }
    agenda->events[at] = last;
    return first;
}

void demo_agenda_release(struct demo_agenda *agenda)
{
    free(agenda->events);
    *agenda = (struct demo_agenda){0};
}
