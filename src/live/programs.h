/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A scheduler that is asked by its programs: each program is a row, and what a driver asks,
 * what it would ask and what becomes of the answers are loops over the rows. Inside live/ only.
 *
 * Programs run with TZ=UTC, so that local times which they print are in UTC.
 */

#include "live/live.h"

struct live_program {
    const char *const *words; /* NULL-terminated; the first is looked for in `bin` */
    const char *via;          /* a literal, of the answer */
    enum answer_kind kind;    /* ANSWER_LISTING, ANSWER_HISTORY or ANSWER_THINGS */

    /* Runs: who reads them. */
    const struct source_driver *source;

    /*
     * Things: who reads them, and what they are. One answer may have things of two kinds; a
     * program that gives one kind leaves `has_second` out and gets NULL. Texts live in the
     * arena. What an answer cost is said of the first.
     */
    int (*read)(struct str text, struct arena *arena, struct inventory_item_list *first,
                struct inventory_item_list *second, struct error *err) MUST_CHECK;
    enum inventory_item_kind first, second;
    bool has_second;

    /* That an answer of runs is whole; NULL: its reader sees that. */
    int (*check)(const struct spool *spool, struct error *err) MUST_CHECK;

    int also_status;                           /* an exit status that is an answer, too; or 0 */
    bool (*is_asked)(const struct pull *pull); /* NULL: always */

    /*
     * Words behind the others that the section or the mark decides; NULL-terminated. NULL:
     * none.
     */
    const char *const *(*more)(struct pull *pull);
};

struct live_programs {
    const struct live_program *rows;
    size_t count;
    const struct config_key *bin;   /* folder of the programs, if it is set */
    const char *const *environment; /* besides TZ=UTC; NULL-terminated; or NULL */
    const struct zone *zone;        /* UTC; NULL if the readers take that for it */
};

enum { LIVE_WORDS_MAX = 24 };

/*
 * Asks all rows, in their order, and adds the answers. An answer of ANSWER_HISTORY moves the
 * mark to when it was asked.
 */
int live_programs_ask(struct pull *pull, const struct live_programs *programs,
                      struct error *err) MUST_CHECK;

/*
 * Asks one row of runs about what is missing, as the answer of a history: `more` is called with
 * each missing run and gives the words to add, or NULL. Past `most` of them the row is asked
 * once without words, for everything.
 */
int live_programs_again(struct pull *pull, const struct live_programs *programs,
                        const struct live_program *program, size_t most,
                        const char *const *(*more)(struct pull *pull,
                                                   const struct missing *missing),
                        struct error *err) MUST_CHECK;

/* A line for each row that is asked, indented by two blanks. */
void live_programs_plan(struct pull *pull, const struct live_programs *programs,
                        struct buf *out);
