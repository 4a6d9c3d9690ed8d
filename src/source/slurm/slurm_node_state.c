/* SPDX-License-Identifier: MIT */
#include "source/slurm/slurm_things.h"

/*
 * A node's state is a base and any number of flags. What class that is follows from the first
 * rule that holds, in the order in which sinfo decides what to print; docs/sources/slurm.md has
 * the table and the reasons.
 */

enum {
    ALLOCATED = 1 << 0,
    MIXED = 1 << 1,
    IDLE = 1 << 2,
    DOWN = 1 << 3,
    NOBODY_KNOWS = 1 << 4,
    DRAIN = 1 << 5,
    FAIL = 1 << 6,
    COMPLETING = 1 << 7,
    SILENT = 1 << 8, /* does not respond */
    HELD = 1 << 9,   /* by a reservation */
    MAINTENANCE = 1 << 10,
    OFF = 1 << 11,
    UNUSABLE = 1 << 12,
    NOTED = 1 << 13, /* says nothing about its use */

    BASES = ALLOCATED | MIXED | IDLE | DOWN | NOBODY_KNOWS,
    BUSY = ALLOCATED | MIXED | COMPLETING,
};

#define WORD(word, meaning)                                                                    \
    {                                                                                          \
        {#word, sizeof(#word) - 1}, (meaning)                                                  \
    }

static const struct {
    struct str word;
    unsigned meaning;
} words[] = {
    WORD(ALLOCATED, ALLOCATED),
    WORD(ALLOC, ALLOCATED),
    WORD(MIXED, MIXED),
    WORD(MIX, MIXED),
    WORD(IDLE, IDLE),
    WORD(DOWN, DOWN),
    WORD(ERROR, DOWN),
    WORD(UNKNOWN, NOBODY_KNOWS),
    WORD(UNK, NOBODY_KNOWS),
    WORD(FUTURE, NOBODY_KNOWS),
    WORD(FUTR, NOBODY_KNOWS),
    WORD(DRAIN, DRAIN),
    WORD(DRAINED, IDLE | DRAIN),
    WORD(DRAINING, MIXED | DRAIN),
    WORD(DRNG, MIXED | DRAIN),
    WORD(FAIL, FAIL),
    WORD(FAILING, MIXED | FAIL),
    WORD(FAILG, MIXED | FAIL),
    WORD(COMPLETING, COMPLETING),
    WORD(COMP, COMPLETING),
    WORD(NOT_RESPONDING, SILENT),
    WORD(NO_RESPOND, SILENT),
    WORD(RESERVED, HELD),
    WORD(RESV, HELD),
    WORD(RES, HELD),
    WORD(BLOCKED, HELD),
    WORD(MAINT, MAINTENANCE),
    WORD(MAINTENANCE, MAINTENANCE),
    WORD(POWERED_DOWN, OFF),
    WORD(POWERING_DOWN, OFF),
    WORD(POW_DN, OFF),
    WORD(INVAL, UNUSABLE),
    WORD(INVALID_REG, UNUSABLE),
    WORD(REBOOT_ISSUED, UNUSABLE),
    WORD(REBOOT_IN_PROGRESS, UNUSABLE),
    WORD(PLANNED, NOTED),
    WORD(PLND, NOTED),
    WORD(POWERING_UP, NOTED),
    WORD(POW_UP, NOTED),
    WORD(POWER_UP, NOTED),
    WORD(POWER_DOWN, NOTED), /* asked for, not yet done */
    WORD(POWER_DRAIN, NOTED),
    WORD(REBOOT_REQUESTED, NOTED),
    WORD(REBOOT, NOTED),
    WORD(REBOOT_CANCEL, NOTED),
    WORD(CLOUD, NOTED),
    WORD(DYNAMIC, NOTED),
    WORD(DYNAMIC_FUTURE, NOTED),
    WORD(DYNAMIC_NORM, NOTED),
    WORD(EXTERNAL, NOTED),
    WORD(NET, NOTED),
    WORD(PERFCTRS, NOTED),
    WORD(NPC, NOTED),
    WORD(RESUME, NOTED),
    WORD(UNDRAIN, NOTED),
};

/* What sinfo hangs on to a state. */
static const struct {
    char mark;
    unsigned meaning;
} marks[] = {
    {'*', SILENT}, {'~', OFF},   {'%', OFF},   {'$', MAINTENANCE}, {'^', UNUSABLE},
    {'#', NOTED},  {'!', NOTED}, {'@', NOTED}, {'-', NOTED},
};

static const struct {
    unsigned any, none; /* of these, and none of those */
    enum node_class class;
} rules[] = {
    {DRAIN, 0, NODE_CLASS_DRAINED},
    {FAIL, 0, NODE_CLASS_FAILED},
    {UNUSABLE, BUSY, NODE_CLASS_DOWN},
    {DOWN, 0, NODE_CLASS_DOWN},
    {MAINTENANCE, BUSY, NODE_CLASS_MAINTENANCE},
    {OFF, BUSY, NODE_CLASS_POWERED_DOWN},
    {SILENT, BUSY, NODE_CLASS_DOWN},
    {ALLOCATED, 0, NODE_CLASS_ALLOCATED},
    {MIXED | COMPLETING, 0, NODE_CLASS_MIXED},
    {HELD, 0, NODE_CLASS_RESERVED},
    {NOBODY_KNOWS, 0, NODE_CLASS_UNKNOWN},
    {IDLE, 0, NODE_CLASS_IDLE},
};

static unsigned mark_meaning(char mark)
{
    for (size_t i = 0; i < COUNT_OF(marks); i++) {
        if (mark == marks[i].mark) {
            return marks[i].meaning;
        }
    }
    return 0;
}

static unsigned word_meaning(struct str word)
{
    unsigned meaning = 0;
    unsigned mark = 0;
    while (word.len > 0 && (mark = mark_meaning(word.ptr[word.len - 1])) != 0) {
        meaning |= mark;
        word.len--;
    }
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (str_eq_nocase(word, words[i].word)) {
            return meaning | words[i].meaning;
        }
    }
    return meaning;
}

enum node_class slurm_node_class(struct str state)
{
    unsigned meaning = word_meaning(str_cut(&state, '+'));
    meaning = meaning ? meaning : NOBODY_KNOWS; /* a base that is new to us */
    while (state.ptr) {
        meaning |= word_meaning(str_cut(&state, '+'));
    }
    /* sinfo's "reserved", "maint", "drained": a flag alone is of a node that does nothing. */
    if ((meaning & (BASES | COMPLETING)) == 0) {
        meaning |= IDLE;
    }
    /* A node that takes nothing new and still has work, for whatever reason, is draining. */
    if (meaning & (DRAIN | FAIL) && meaning & BUSY) {
        return NODE_CLASS_DRAINING;
    }
    for (size_t i = 0; i < COUNT_OF(rules); i++) {
        if (meaning & rules[i].any && !(meaning & rules[i].none)) {
            return rules[i].class;
        }
    }
    return NODE_CLASS_UNKNOWN;
}
