/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Chance that can be repeated, and runs made of it: with everything that real ones have, and every
 * oddity that a record can show, far more often than it does.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/zone.h"
#include "record/run.h"

struct chance {
    uint64_t state;
};

/* The same seed gives the same numbers. */
void chance_init(struct chance *chance, uint64_t seed);
int64_t chance_below(struct chance *chance, int64_t limit); /* 0 <= n < limit */
bool chance_of(struct chance *chance, int percent);

/*
 * An instant from the end of 2023 to the spring of 2025: half of them on the hour around midnights at
 * which clocks change, years begin or months end in `zone`, so that edges are met exactly.
 */
int64_t chance_instant(struct chance *chance, const struct zone *zone);

/* A run; its text lives for ever. run_check has not seen it. */
struct run chance_run(struct chance *chance, const struct zone *zone);

/*
 * What a source of this kind may have of the run of a story: where stories are equal it is a record of the same run, submitted at
 * the same time, and started at about the same time; whether it waits, runs or has ended, and all else, is by chance.
 */
struct run chance_record(struct chance *chance, enum run_origin origin, int64_t story,
                         const struct zone *zone);
