/* SPDX-License-Identifier: MIT */
#include "live/live.h"

#include <assert.h>
#include <stdlib.h>

#include "facts/session.h"
#include "live/pull_round.h"

struct pull_answer *pull_add(struct pull *pull, enum answer_kind kind, const char *via)
{
    assert(pull->answer_count < PULL_ANSWERS_MAX);
    struct pull_answer *answer = &pull->answers[pull->answer_count++];
    *answer = (struct pull_answer){.kind = kind, .via = via, .at = pull->now()};
    answer->spool = SPOOL_NONE;
    return answer;
}

void pull_summary_release(struct pull_summary *summary)
{
    free(summary->rows);
    *summary = (struct pull_summary){0};
}

/*
 * Where the history continues: nowhere, if the store is not there yet, or the mark is wrong
 * (said in *mended).
 */
static int find_mark(struct pull *pull, struct session *session, struct error *mended,
                     struct error *err)
{
    struct facts *facts = NULL;
    bool known = false;
    int failed = session_facts(session, FACTS_READ, &facts, err);
    if (failed == ERROR_MISSING) {
        failed = 0;
    } else if (!failed) {
        failed = pull_state_get(facts, str_of(pull->cluster), STR("history"), &pull->history,
                                &known, err);
        session_close(session);
    }
    if (known && pull_state_is_ahead(pull->history, pull->now())) {
        char at[INSTANT_TEXT_MAX];
        error_set(
            mended, ERROR_INPUT,
            "its history was marked as asked up to %s, which is ahead of this machine's clock: "
            "a clock was wrong during an earlier pull; all of its history is asked for again",
            zone_print(pull->zone, pull->history.seen_to, at));
        known = false;
    }
    if (!known) {
        pull->history = (struct pull_state){.seen_to = -1};
    }
    return failed;
}

/* That it failed is worth knowing later, if the store can be had. */
static void note_failure(struct pull_round *round, int64_t began, const struct error *why)
{
    struct pull *pull = round->pull;
    struct facts *facts = NULL;
    struct error ignored;
    const struct pull_query asking = {
        .cluster = str_of(pull->cluster),
        .what = STR("pull"),
        .via = str_of(round->driver->name),
        .at = began,
        .took_us = pull->now() - began,
        .failure = str_of(why->text),
    };
    if (why->kind == ERROR_STOPPED || why->kind == ERROR_CONFLICT ||
        session_facts(round->session, FACTS_WRITE, &facts, &ignored) != 0) {
        return;
    }
    if (facts_begin(facts, &ignored) == 0 &&
        (pull_query_put(facts, &asking, &ignored) != 0 || facts_commit(facts, &ignored) != 0)) {
        facts_rollback(facts);
    }
    session_close(round->session);
}

int live_plan(struct pull *pull, const struct live_driver *driver, struct session *session,
              struct buf *out, struct error *err)
{
    struct error mended = {0};
    int failed = find_mark(pull, session, &mended, err);
    if (!failed && mended.text[0]) {
        buf_addf(out, "  %s\n", mended.text);
    }
    if (!failed && driver->plan) {
        failed = driver->plan(pull, out, err);
    }
    if (driver->end) {
        driver->end(pull);
    }
    pull_round_forget(pull);
    arena_release(&pull->arena);
    return failed;
}

int live_try(struct pull *pull, const struct live_driver *driver, size_t *answers,
             struct error *err)
{
    pull->history = (struct pull_state){.seen_to = pull->now() - HOUR_US};
    int failed = driver->ask(pull, err);
    *answers = pull->answer_count;
    if (driver->end) {
        driver->end(pull);
    }
    pull_round_forget(pull);
    arena_release(&pull->arena);
    return failed;
}

int live_pull(struct pull *pull, const struct live_driver *driver, struct session *session,
              struct pull_summary *summary, struct error *err)
{
    struct pull_round round = {
        .pull = pull, .driver = driver, .session = session, .summary = summary};
    const int64_t began = pull->now();
    int failed;
    *summary = (struct pull_summary){0};
    do {
        failed = find_mark(pull, session, &summary->mended, err);
        if (!failed) {
            failed = pull_round_run(&round, err);
        }
        arena_reset(&pull->arena);
    } while (!failed && pull->more);
    if (driver->end) {
        driver->end(pull);
    }
    if (failed) {
        note_failure(&round, began, err);
    }
    pull_round_forget(pull);
    arena_release(&pull->arena);
    return failed;
}
