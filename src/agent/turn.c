/* SPDX-License-Identifier: MIT */
#include "agent/turn.h"

bool turn_is_due(struct turn *turn, unsigned card, uint64_t holder)
{
    const bool first = !turn->begun;
    const bool due = first || holder != turn->holder || ++turn->looks >= TURN_LOOKS;
    turn->begun = true;
    turn->holder = holder;
    if (due) {
        turn->looks = first ? card % TURN_LOOKS : 0;
    }
    return due;
}
