/* SPDX-License-Identifier: MIT */
#include "live/pull_round.h"

#include <sys/stat.h>

#include "base/mem.h"
#include "facts/inventory.h"
#include "ingest/ingest.h"

static struct pull_row *add_summary_row(struct pull_summary *summary)
{
    summary->rows =
        mem_grow(summary->rows, summary->count, &summary->room, sizeof(*summary->rows));
    struct pull_row *row = &summary->rows[summary->count++];
    *row = (struct pull_row){0};
    return row;
}

static const char *what_of(const struct pull_answer *answer)
{
    switch (answer->kind) {
    case ANSWER_LISTING:
        return "queue";
    case ANSWER_HISTORY:
    case ANSWER_FILE:
        return "history";
    case ANSWER_THINGS:
        break;
    }
    return inventory_item_kinds[answer->thing].name;
}

void pull_round_forget(struct pull *pull)
{
    for (size_t i = 0; i < pull->answer_count; i++) {
        spool_close(&pull->answers[i].spool);
        inventory_item_list_release(&pull->answers[i].things);
    }
    pull->answer_count = 0;
}

/* What is written with an answer, in its transaction. */
struct companion {
    const struct pull_round *round;
    const struct pull_answer *answer;
};

static int put_asking(const struct companion *with, int64_t bytes, int64_t records,
                      struct error *err)
{
    const struct pull_answer *answer = with->answer;
    const struct pull_query asking = {
        .cluster = str_of(with->round->pull->cluster),
        .what = str_of(what_of(answer)),
        .via = str_of(answer->via),
        .at = answer->at,
        .took_us = answer->took_us,
        .bytes = bytes,
        .records = records,
    };
    return pull_query_put(with->round->facts, &asking, err);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* How far the mark may go: see live.h. It never goes back. */
static struct pull_state mark_within(const struct pull_round *round,
                                     const struct pull_answer *answer, int64_t newest)
{
    struct pull_state mark = answer->mark;
    const int64_t begun = later(round->pull->history.seen_to, answer->from);
    const int64_t most = later(begun, later(newest, round->newest));
    mark.seen_to = mark.seen_to < most ? mark.seen_to : most;
    return mark;
}

/* The mark moves with what it stands for; what was asked by number has none. */
static int put_mark(const struct companion *with, int64_t newest, struct error *err)
{
    const struct pull_answer *answer = with->answer;
    const bool is_dated = answer->kind == ANSWER_FILE && answer->mark.seen_to > 0;
    const struct pull_state mark = answer->kind == ANSWER_HISTORY
                                       ? mark_within(with->round, answer, newest)
                                   : is_dated ? answer->mark
                                              : (struct pull_state){answer->at, 0};
    return with->round->again
               ? 0
               : pull_state_put(with->round->facts, str_of(with->round->pull->cluster),
                                str_of(what_of(answer)), mark, err);
}

static int on_commit(void *companion, struct facts *facts, const struct ingest_summary *summary,
                     struct error *err)
{
    const struct companion *with = companion;
    (void)facts;
    if (summary->unfinished && with->answer->kind != ANSWER_FILE) {
        return error_set(err, ERROR_INPUT, "what %s answered ends inside a record",
                         with->answer->via);
    }
    int failed = put_mark(with, summary->last_time, err);
    return failed ? failed : put_asking(with, (int64_t)summary->bytes, summary->records, err);
}

/* A file that did not grow was asked all the same. */
static int note_unchanged(const struct companion *with, struct error *err)
{
    struct facts *facts = with->round->facts;
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = put_mark(with, 0, err)) || (failed = put_asking(with, 0, 0, err)) ||
           (failed = facts_commit(facts, err)));
    if (failed) {
        facts_rollback(facts);
    }
    return failed;
}

static void fill_row(struct pull_row *row, const struct pull_answer *answer,
                     const struct ingest_summary *in)
{
    row->what = what_of(answer);
    row->via = answer->via;
    row->took_us = answer->took_us;
    row->bytes = (int64_t)in->bytes;
    row->records = in->records;
    row->added = in->added;
    row->replaced = in->replaced;
    row->unchanged = in->unchanged;
    row->rejected = in->rejected;
}

/* A file that is there and has nothing in it yet: nothing has happened. */
static bool is_empty_file(const struct pull_answer *answer)
{
    struct stat st;
    return answer->kind == ANSWER_FILE && stat(answer->path, &st) == 0 && S_ISREG(st.st_mode) &&
           st.st_size == 0;
}

static int take_runs(struct pull_round *round, struct pull_answer *answer, struct error *err)
{
    struct pull *pull = round->pull;
    struct companion with = {round, answer};
    struct ingest_summary summary = {.verdict = INGEST_UNCHANGED};
    const bool is_file = answer->kind == ANSWER_FILE;
    const struct ingest_options options = {
        .driver = answer->source,
        .source = answer->options,
        .path = is_file ? answer->path : arena_printf(&pull->arena, "pull:%s", answer->via),
        .opened = !is_file,
        .listing = answer->kind == ANSWER_LISTING,
        .cluster = pull->cluster,
        .now = pull->now(),
        .batch_bytes = answer->kind == ANSWER_LISTING ? INT64_MAX : 0,
        .companion = &with,
        .committing = on_commit,
        .stop = pull->stop,
    };
    int failed = 0;
    if (!is_file) {
        struct input *input = input_of_spool(&answer->spool, options.path);
        failed = ingest_input(round->facts, input, &options, &summary, err);
        input_close(input);
    } else if (!is_empty_file(answer)) {
        failed = ingest_file(round->facts, &options, &summary, err);
    }
    if (!failed && summary.verdict == INGEST_UNCHANGED) {
        failed = note_unchanged(&with, err);
    }
    if (failed) {
        return failed;
    }
    round->newest = later(round->newest, summary.last_time);
    round->unread |= summary.rejected > 0 && (round->again || answer->kind == ANSWER_LISTING);
    fill_row(add_summary_row(round->summary), answer, &summary);
    if (summary.rejected > 0 && !round->summary->first_reject.text[0]) {
        error_set(&round->summary->first_reject, ERROR_INPUT, "%s: %s", answer->via,
                  summary.first_reject.text);
    }
    return 0;
}

/* What a listing saw while our clock was ahead was seen by now, at most. */
static int mend_seen(struct pull_round *round, const struct pull_answer *answer,
                     struct error *err)
{
    struct facts *facts = round->facts;
    const struct str cluster = str_of(round->pull->cluster);
    struct pull_state mark;
    bool known;
    int failed = pull_state_get(facts, cluster, str_of(what_of(answer)), &mark, &known, err);
    if (failed || !known || !pull_state_is_ahead(mark, answer->at)) {
        return failed;
    }
    if (!round->summary->mended.text[0]) {
        error_set(
            &round->summary->mended, ERROR_INPUT,
            "a clock was ahead during an earlier pull; what was seen then counts as seen now");
    }
    (void)((failed = facts_begin(facts, err)) ||
           (failed = live_jobs_mend(facts, cluster, answer->at, err)) ||
           (failed = facts_commit(facts, err)));
    if (failed) {
        facts_rollback(facts);
    }
    return failed;
}

/*
 * A listing; at once after it, what it does not have: the history that follows may have more. A
 * listing of which a record could not be read says nothing of what is missing from it: that
 * record may be the one.
 */
static int take_listing(struct pull_round *round, struct pull_answer *answer, struct error *err)
{
    answer->options.seen = answer->at;
    int failed = mend_seen(round, answer, err);
    if (failed || (failed = take_runs(round, answer, err)) != 0) {
        return failed;
    }
    round->listing_row = round->summary->count - 1;
    round->listed = !round->unread;
    round->listed_at = answer->at;
    if (!round->listed) {
        return 0;
    }
    return live_jobs_missing(round->facts, str_of(round->pull->cluster), &round->pull->arena,
                             &round->gone, &round->gone_count, err);
}

/* Things that were seen while our clock was ahead were seen by now, at most. */
static int mend_things(struct pull_round *round, const struct pull_answer *answer,
                       struct error *err)
{
    const struct str cluster = str_of(round->pull->cluster), what = str_of(what_of(answer));
    struct pull_state mark;
    bool known;
    int failed = pull_state_get(round->facts, cluster, what, &mark, &known, err);
    if (failed || !known || !pull_state_is_ahead(mark, answer->at)) {
        return failed;
    }
    mark.seen_to = answer->at - 1;
    return pull_state_put(round->facts, cluster, what, mark, err);
}

static int take_things(struct pull_round *round, struct pull_answer *answer, struct error *err)
{
    struct facts *facts = round->facts;
    struct companion with = {round, answer};
    struct inventory_counts counts = {0};
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = mend_things(round, answer, err)) ||
           (failed = inventory_see(facts, answer->thing, str_of(round->pull->cluster),
                                   answer->at, live_slack(round->pull->section),
                                   &answer->things, &counts, err)) ||
           (failed = put_asking(&with, (int64_t)answer->spool.size, counts.seen, err)) ||
           (failed = facts_commit(facts, err)));
    if (failed) {
        facts_rollback(facts);
        return failed;
    }
    if (!round->summary->odd.text[0]) {
        round->summary->odd = answer->things.odd;
    }
    struct pull_row *row = add_summary_row(round->summary);
    *row = (struct pull_row){
        .what = what_of(answer),
        .via = answer->via,
        .took_us = answer->took_us,
        .bytes = (int64_t)answer->spool.size,
        .records = counts.seen,
        .added = counts.appeared,
        .replaced = counts.changed,
        .unchanged = counts.seen - counts.appeared - counts.changed,
        .vanished = counts.gone,
    };
    return 0;
}

/* Listings first, see live.h; then in the order they were asked. */
static int take_answers(struct pull_round *round, struct error *err)
{
    struct pull *pull = round->pull;
    int failed = 0;
    for (size_t i = 0; i < pull->answer_count && !failed; i++) {
        if (pull->answers[i].kind == ANSWER_LISTING) {
            failed = take_listing(round, &pull->answers[i], err);
        }
    }
    for (size_t i = 0; i < pull->answer_count && !failed; i++) {
        struct pull_answer *answer = &pull->answers[i];
        if (answer->kind == ANSWER_THINGS) {
            failed = take_things(round, answer, err);
        } else if (answer->kind != ANSWER_LISTING) {
            failed = take_runs(round, answer, err);
        }
    }
    return failed;
}

static int cap_gone(struct pull_round *round, struct error *err)
{
    struct facts *facts = round->facts;
    struct live_jobs_caps caps;
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = live_jobs_cap(facts, str_of(round->pull->cluster), round->listed_at,
                                   round->gone, round->gone_count, &caps, err)) ||
           (failed = facts_commit(facts, err)));
    if (failed) {
        facts_rollback(facts);
    } else {
        round->summary->rows[round->listing_row].vanished = caps.capped;
    }
    return failed;
}

/* What of `gone` the history that was just taken did not explain, for the driver to ask. */
static void list_missing(struct pull_round *round)
{
    struct pull *pull = round->pull;
    struct missing *missing =
        arena_alloc(&pull->arena, (round->gone_count + 1) * sizeof(*missing));
    for (size_t i = 0; i < round->gone_count; i++) {
        const struct live_jobs_gone *g = &round->gone[i];
        missing[i] = (struct missing){
            .job = g->has_job ? g->job : -1,
            .job_raw = g->has_job_raw ? g->job_raw : -1,
            .task = g->has_task ? g->task : -1,
            .job_key = g->job_key,
            .submit = g->has_submit ? g->submit : -1,
            .start = g->has_start ? g->start : -1,
        };
    }
    pull->missing = missing;
    pull->missing_count = round->gone_count;
}

/* A record that has come may be that of a run which listings knew otherwise. */
static int take_records(struct pull_round *round, struct error *err)
{
    struct facts *facts = round->facts;
    int64_t taken;
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = live_jobs_supersede(facts, str_of(round->pull->cluster), &taken, err)) ||
           (failed = facts_commit(facts, err)));
    if (failed) {
        facts_rollback(facts);
    }
    return failed;
}

/* The store is open while answers are taken and at no other time. */
static int take_round(struct pull_round *round, bool cap, struct error *err)
{
    int failed = session_facts(round->session, FACTS_WRITE, &round->facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = take_answers(round, err)) || (failed = take_records(round, err)));
    if (!failed && round->listed && !round->pull->more) {
        if (!cap) { /* the history has reported some of them */
            failed = live_jobs_still_open(round->facts, str_of(round->pull->cluster),
                                          round->gone, &round->gone_count, err);
        }
        if (!failed && cap && !round->unread) {
            failed = cap_gone(round, err);
        }
    }
    session_close(round->session);
    round->facts = NULL;
    pull_round_forget(round->pull);
    return failed;
}

/* Asks once more, by number, for what vanished; then what has not ended even so is ended. */
static int ask_again(struct pull_round *round, struct error *err)
{
    struct pull *pull = round->pull;
    list_missing(round);
    int failed = round->driver->again(pull, err);
    round->again = true;
    if (!failed) {
        failed = take_round(round, true, err);
    }
    round->again = false;
    pull->missing = NULL;
    pull->missing_count = 0;
    return failed;
}

int pull_round_run(struct pull_round *round, struct error *err)
{
    struct pull *pull = round->pull;
    const bool can_ask_again = round->driver->again != NULL;
    pull->more = false;
    round->listed = false;
    round->unread = false;
    round->gone_count = 0;
    int failed = round->driver->ask(pull, err);
    if (!failed) {
        failed = take_round(round, !can_ask_again, err);
    }
    if (!failed && can_ask_again && round->listed && !pull->more && round->gone_count > 0) {
        failed = ask_again(round, err);
    }
    pull_round_forget(pull);
    return failed;
}
