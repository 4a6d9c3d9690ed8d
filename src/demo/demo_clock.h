/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * When the people of the demo site work: hours of the day, weekends, public holidays, summer,
 * Christmas, and the weeks before a deadline. A rhythm is a kind of life; the clock says how
 * active each rhythm is in each hour of a period, in thousandths of a busy hour.
 *
 * Holidays are those of no particular country of western Europe. Pure: the same period and zone
 * give the same hours.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/calendar.h"
#include "base/zone.h"

enum demo_rhythm {
    DEMO_RHYTHM_OFFICE,  /* weekdays from nine to five */
    DEMO_RHYTHM_NIGHT,   /* evenings and nights, weekends too */
    DEMO_RHYTHM_MACHINE, /* pipelines: all hours, most at night */
    DEMO_RHYTHM_STUDENT, /* afternoons and evenings of the term, most before its end */
    DEMO_RHYTHM_COUNT,
};

struct demo_hour {
    uint16_t activity[DEMO_RHYTHM_COUNT]; /* thousandths, at most DEMO_ACTIVITY_MAX */
    bool closed;                          /* maintenance: nothing is started */
};

enum { DEMO_ACTIVITY_MAX = 4000, DEMO_HOUR_S = 3600 };

/* The hours of a period, from its start; the last may be a part of one. */
struct demo_clock {
    int64_t from_s; /* epoch seconds */
    int64_t to_s;
    size_t count;
    struct demo_hour *hours; /* owned */
};

/* `zone` may be NULL for UTC. */
void demo_clock_init(struct demo_clock *clock, struct period period, const struct zone *zone);
void demo_clock_release(struct demo_clock *clock);

/* The single hour that `local_s` (seconds since 1970 by the wall clock) lies in. */
struct demo_hour demo_clock_hour(int64_t local_s);
