/* SPDX-License-Identifier: MIT */
#include "agent/read_schedule.h"

bool read_schedule_is_due(struct read_schedule *turn, unsigned card, uint64_t holder)
{
    const bool first = !turn->begun;
    const bool due = first || holder != turn->holder || ++turn->looks >= READ_SCHEDULE_LOOKS;
    turn->begun = true;
    turn->holder = holder;
    if (due) {
        turn->looks = first ? card % READ_SCHEDULE_LOOKS : 0;
    }
    return due;
}
