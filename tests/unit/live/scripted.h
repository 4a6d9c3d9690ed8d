/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A scheduler that a test writes down: what it lists, what it tells of the past, how it fails. Its answers are
 * rows as `sacct -P` prints them, read by the source driver slurm, so that all but the asking is real.
 */

#include <string.h>

#include "live/live.h"
#include "support/expect.h"

#define SCRIPT_HEADER "JobID|Submit|Start|End|State|AllocCPUS|User\n"

/* Seconds since 1970 at which scripts begin: 2026-01-01. */
#define SCRIPT_EPOCH INT64_C(1767225600)

struct script {
    const char *queue;   /* rows of the listing; NULL: it is not asked */
    const char *history; /* rows; NULL: it is not asked */
    const char *again;   /* rows told when asked by number */
    const char *raw;     /* in place of the history: these bytes */
    const char *fails;   /* asking fails with these words */
    const char *again_fails;
    const struct inventory_item_list *nodes; /* NULL: they are not asked */
    unsigned rounds_left;                    /* of history still to come */

    /* what was asked */
    unsigned asked, question_again;
    size_t missing_count;
    int64_t missing_job;
    int64_t history_from;
};

static struct script script;
static int64_t script_clock;

static inline int64_t script_now(void)
{
    return script_clock;
}

static inline int script_answer(struct pull *pull, enum answer_kind kind, const char *via,
                                const char *text, bool raw, struct error *err)
{
    struct pull_answer *answer = pull_add(pull, kind, via);
    answer->source = source_find(STR("slurm"));
    answer->options.zone = pull->zone;
    answer->took_us = 1000;
    answer->mark = (struct pull_state){.seen_to = script_clock};
    int failed = spool_open(&answer->spool, err);
    if (!failed && !raw) {
        failed = spool_add(&answer->spool, STR(SCRIPT_HEADER), err);
    }
    if (!failed) {
        failed = spool_add(&answer->spool, str_of(text), err);
    }
    return failed ? failed : spool_rewind(&answer->spool, err);
}

static inline int script_ask(struct pull *pull, struct error *err)
{
    int failed = 0;
    script.asked++;
    script.history_from = pull->history.seen_to;
    if (script.queue) {
        failed = script_answer(pull, ANSWER_LISTING, "squeue", script.queue, false, err);
    }
    if (!failed && script.fails) {
        return error_set(err, ERROR_IO, "%s", script.fails);
    }
    if (!failed && (script.history || script.raw)) {
        failed = script_answer(pull, ANSWER_HISTORY, "sacct",
                               script.raw ? script.raw : script.history, script.raw, err);
    }
    if (!failed && script.nodes) {
        struct pull_answer *answer = pull_add(pull, ANSWER_THINGS, "sinfo");
        answer->thing = INVENTORY_ITEM_NODE;
        for (size_t i = 0; i < script.nodes->count; i++) {
            *inventory_item_list_add(&answer->things) = script.nodes->rows[i];
        }
    }
    pull->more = script.rounds_left > 0;
    script.rounds_left -= script.rounds_left > 0;
    return failed;
}

static inline int script_again(struct pull *pull, struct error *err)
{
    script.question_again++;
    script.missing_count = pull->missing_count;
    script.missing_job = pull->missing[0].job;
    if (script.again_fails) {
        return error_set(err, ERROR_IO, "%s", script.again_fails);
    }
    return script_answer(pull, ANSWER_HISTORY, "sacct", script.again ? script.again : "", false,
                         err);
}

static const struct live_driver scripted_driver = {
    .name = "scripted",
    .summary = "a scheduler of a test",
    .ask = script_ask,
    .again = script_again,
};
