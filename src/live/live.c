/* SPDX-License-Identifier: MIT */
#include "live/live.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/calendar.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "facts/inventory.h"
#include "facts/snapshot.h"
#include "ingest/ingest.h"
#include "live/nomad/nomad.h"
#include "live/sge/sge_live.h"
#include "live/slurm/slurm_live.h"

const struct live_driver *const live_drivers[] = {
    &nomad_live,
    &sge_live_driver,
    &slurm_live_driver,
    NULL,
};

static const char *driver_name(size_t index)
{
    return live_drivers[index] ? live_drivers[index]->name : NULL;
}

const struct config_key live_keys[] = {
    {.name = "scheduler",
     .type = CONFIG_CHOICE,
     .name_at = driver_name,
     .required = true,
     .help = "what runs it"},
    {.name = "zone",
     .type = CONFIG_ZONE,
     .help =
         "time zone of the scheduler's clock, where it tells times without one; default the "
         "site's"},
    {.name = "every",
     .type = CONFIG_DURATION,
     .fallback = "60",
     .help = "how often stint pull --every asks"},
    {.name = "since",
     .type = CONFIG_INSTANT,
     .help = "how far back the first pull asks for what has happened; default all there is"},
    {.name = "timeout",
     .type = CONFIG_DURATION,
     .fallback = "5m",
     .help = "longest time to wait for one answer"},
};

const size_t live_key_count = COUNT_OF(live_keys);

const struct live_driver *live_find(struct str name)
{
    for (size_t i = 0; live_drivers[i]; i++) {
        if (str_eq(name, str_of(live_drivers[i]->name))) {
            return live_drivers[i];
        }
    }
    return NULL;
}

const struct config_key *live_key(const char *name)
{
    for (size_t i = 0; i < live_key_count; i++) {
        if (strcmp(live_keys[i].name, name) == 0) {
            return &live_keys[i];
        }
    }
    return NULL;
}

static bool means_nothing(const struct live_driver *driver, const struct config_key *key)
{
    return driver->no_since && key == live_key("since");
}

struct config_key *live_all_keys(const struct live_driver *driver, size_t *count)
{
    struct config_key *keys = mem_alloc(live_key_count + driver->key_count, sizeof(*keys));
    *count = 0;
    for (size_t i = 0; i < live_key_count; i++) {
        if (!means_nothing(driver, &live_keys[i])) {
            keys[(*count)++] = live_keys[i];
        }
    }
    for (size_t i = 0; i < driver->key_count; i++) {
        keys[(*count)++] = driver->keys[i];
    }
    return keys;
}

/* A wish that would come to nothing is refused, rather than passed over. */
static int refuse_since(const struct config *config, const struct config_section *section,
                        const struct live_driver *driver, struct error *err)
{
    for (size_t i = 0; driver->no_since && i < section->entry_count; i++) {
        if (str_eq(section->entries[i].key, STR("since"))) {
            return error_set(
                err, ERROR_INPUT, "'%s' line %u: 'since' means nothing to the scheduler %s: %s",
                config->path, section->entries[i].line, driver->name, driver->no_since);
        }
    }
    return 0;
}

/*
 * Without a scheduler it is not known what the keys take. But whether any scheduler has such keys is: in most cases
 * the one that is missing is there, misspelt.
 */
static int missing_scheduler(const struct config *config, const struct config_section *section,
                             struct error *err)
{
    char names[CONFIG_TYPE_MAX];
    size_t count = live_key_count;
    for (size_t i = 0; live_drivers[i]; i++) {
        count += live_drivers[i]->key_count;
    }
    struct config_key *keys = mem_alloc(count, sizeof(*keys));
    memcpy(keys, live_keys, sizeof(live_keys));
    count = live_key_count;
    for (size_t i = 0; live_drivers[i]; i++) {
        for (size_t k = 0; k < live_drivers[i]->key_count; k++) {
            keys[count++] = live_drivers[i]->keys[k];
        }
    }
    int failed = config_check_keys(config, section, keys, count, err);
    free(keys);
    return failed ? failed
                  : error_set(err, ERROR_INPUT,
                              "'%s' line %u: this section wants 'scheduler = ...', one of: %s",
                              config->path, section->line,
                              config_type_name(live_key("scheduler"), names));
}

static int unknown_scheduler(const struct config *config, const struct config_section *section,
                             struct str name, struct error *err)
{
    char names[CONFIG_TYPE_MAX];
    struct nearest nearest = nearest_to(name);
    for (size_t i = 0; live_drivers[i]; i++) {
        nearest_try(&nearest, str_of(live_drivers[i]->name));
    }
    return error_set(
        err, ERROR_INPUT, "'%s' line %u: no scheduler is called '%.*s'; %s%.*s%sthere are: %s",
        config->path, section->line, STR_ARG(name), nearest.name.ptr ? "did you mean '" : "",
        STR_ARG(nearest.name), nearest.name.ptr ? "'? " : "",
        config_type_name(live_key("scheduler"), names));
}

int live_check_section(const struct config *config, const struct config_section *section,
                       const struct live_driver **driver, struct error *err)
{
    const struct str name = config_text(section, live_key("scheduler"));
    *driver = name.ptr ? live_find(name) : NULL;
    if (!*driver) {
        return name.ptr ? unknown_scheduler(config, section, name, err)
                        : missing_scheduler(config, section, err);
    }
    int failed = refuse_since(config, section, *driver, err);
    if (failed) {
        return failed;
    }
    size_t count;
    struct config_key *keys = live_all_keys(*driver, &count);
    failed = config_check_section(config, section, keys, count, err);
    free(keys);
    return failed;
}

int live_check(const struct config *config, struct error *err)
{
    const struct live_driver *driver;
    int failed = 0;
    for (size_t i = 0; i < config->section_count && !failed; i++) {
        if (str_eq(config->sections[i].kind, STR("cluster"))) {
            failed = live_check_section(config, &config->sections[i], &driver, err);
        }
    }
    return failed;
}

int64_t live_slack(const struct config_section *section)
{
    const int64_t every = config_number(section, live_key("every"), 0);
    return every < 60 * SECOND_US ? 600 * SECOND_US : 10 * every;
}

int pull_since(const struct pull *pull, int64_t *out, struct error *err)
{
    const struct str since = config_text(pull->section, live_key("since"));
    struct period span;
    *out = INT64_MIN;
    if (since.len == 0) {
        return 0;
    }
    int failed = calendar_span(since, pull->zone, pull->now(), &span, err);
    if (!failed) {
        *out = span.from;
    }
    return failed ? error_prepend(err, "'since': ") : 0;
}

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

static struct pull_row *add_row(struct pull_summary *summary)
{
    if (summary->count == summary->room) {
        summary->room = summary->room ? summary->room * 2 : 16;
        summary->rows = mem_resize(summary->rows, summary->room, sizeof(*summary->rows));
    }
    struct pull_row *row = &summary->rows[summary->count++];
    *row = (struct pull_row){0};
    return row;
}

/* --- one pull ----------------------------------------------------------------------------------- */

/* What a round needs besides the pull itself. */
struct round {
    struct pull *pull;
    const struct live_driver *driver;
    const char *folder;
    struct pull_summary *summary;
    struct facts *facts;
    bool again; /* these answers are about what was missing */
    bool listed;
    int64_t listed_at;
    size_t listing_row; /* of the summary */
    struct snapshot_gone *gone;
    size_t gone_count;
};

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
    return thing_kinds[answer->thing].name;
}

static void forget_answers(struct pull *pull)
{
    for (size_t i = 0; i < pull->answer_count; i++) {
        spool_close(&pull->answers[i].spool);
        thing_list_release(&pull->answers[i].things);
    }
    pull->answer_count = 0;
}

/* What is written with an answer, in its transaction. */
struct companion {
    const struct round *round;
    const struct pull_answer *answer;
};

static int put_asking(const struct companion *with, int64_t bytes, int64_t records,
                      struct error *err)
{
    const struct pull_answer *answer = with->answer;
    const struct asking asking = {
        .cluster = str_of(with->round->pull->cluster),
        .what = str_of(what_of(answer)),
        .via = str_of(answer->via),
        .at = answer->at,
        .took_us = answer->took_us,
        .bytes = bytes,
        .records = records,
    };
    return asking_put(with->round->facts, &asking, err);
}

/* The mark moves with what it stands for; what was asked by number has none. */
static int put_mark(const struct companion *with, struct error *err)
{
    const struct pull_answer *answer = with->answer;
    const struct mark mark =
        answer->kind == ANSWER_HISTORY ? answer->mark : (struct mark){answer->at, 0};
    return with->round->again ? 0
                              : mark_put(with->round->facts, str_of(with->round->pull->cluster),
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
    int failed = put_mark(with, err);
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
    (void)((failed = put_mark(with, err)) || (failed = put_asking(with, 0, 0, err)) ||
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

static int take_runs(struct round *round, struct pull_answer *answer, struct error *err)
{
    struct pull *pull = round->pull;
    struct companion with = {round, answer};
    struct ingest_summary summary = {.verdict = INGEST_UNCHANGED};
    const bool is_file = answer->kind == ANSWER_FILE;
    const struct ingest_options options = {
        .driver = answer->source,
        .source = answer->options,
        .path = is_file ? answer->path : arena_printf(&pull->arena, "pull:%s", answer->via),
        .fd = answer->spool.fd,
        .opened = !is_file,
        .listing = answer->kind == ANSWER_LISTING,
        .cluster = pull->cluster,
        .now = pull->now(),
        .batch_bytes = answer->kind == ANSWER_LISTING ? INT64_MAX : 0,
        .companion = &with,
        .committing = on_commit,
        .stop = pull->stop,
    };
    int failed = is_empty_file(answer) ? 0 : ingest_file(round->facts, &options, &summary, err);
    if (!failed && summary.verdict == INGEST_UNCHANGED) {
        failed = note_unchanged(&with, err);
    }
    if (failed) {
        return failed;
    }
    fill_row(add_row(round->summary), answer, &summary);
    if (summary.rejected > 0 && !round->summary->first_reject.text[0]) {
        error_set(&round->summary->first_reject, ERROR_INPUT, "%s: %s", answer->via,
                  summary.first_reject.text);
    }
    return 0;
}

/* A listing; at once after it, what it lacks: the history that follows may tell of more. */
static int take_listing(struct round *round, struct pull_answer *answer, struct error *err)
{
    answer->options.seen = answer->at;
    int failed = take_runs(round, answer, err);
    if (failed) {
        return failed;
    }
    round->listed = true;
    round->listed_at = answer->at;
    round->listing_row = round->summary->count - 1;
    return snapshot_missing(round->facts, str_of(round->pull->cluster), &round->pull->arena,
                            &round->gone, &round->gone_count, err);
}

static int take_things(struct round *round, struct pull_answer *answer, struct error *err)
{
    struct facts *facts = round->facts;
    struct companion with = {round, answer};
    struct inventory_counts counts = {0};
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = inventory_see(facts, answer->thing, str_of(round->pull->cluster),
                                   answer->at, live_slack(round->pull->section),
                                   &answer->things, &counts, err)) ||
           (failed = put_asking(&with, (int64_t)answer->spool.size, counts.seen, err)) ||
           (failed = facts_commit(facts, err)));
    if (failed) {
        facts_rollback(facts);
        return failed;
    }
    struct pull_row *row = add_row(round->summary);
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
static int take_answers(struct round *round, struct error *err)
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

static int cap_gone(struct round *round, struct error *err)
{
    struct facts *facts = round->facts;
    struct snapshot_caps caps;
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = snapshot_cap(facts, str_of(round->pull->cluster), round->listed_at,
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
static void list_missing(struct round *round)
{
    struct pull *pull = round->pull;
    struct missing *missing =
        arena_alloc(&pull->arena, (round->gone_count + 1) * sizeof(*missing));
    for (size_t i = 0; i < round->gone_count; i++) {
        const struct snapshot_gone *g = &round->gone[i];
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
static int take_records(struct round *round, struct error *err)
{
    struct facts *facts = round->facts;
    int64_t taken;
    int failed = facts_begin(facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = snapshot_supersede(facts, str_of(round->pull->cluster), &taken, err)) ||
           (failed = facts_commit(facts, err)));
    if (failed) {
        facts_rollback(facts);
    }
    return failed;
}

/* The store is open while answers are taken and at no other time. */
static int take_round(struct round *round, bool cap, struct error *err)
{
    int failed = facts_open(round->folder, FACTS_WRITE, &round->facts, err);
    if (failed) {
        return failed;
    }
    (void)((failed = take_answers(round, err)) || (failed = take_records(round, err)));
    if (!failed && round->listed && !round->pull->more) {
        if (!cap) { /* the history has told of some of them */
            failed = snapshot_still_open(round->facts, str_of(round->pull->cluster),
                                         round->gone, &round->gone_count, err);
        }
        if (!failed && cap) {
            failed = cap_gone(round, err);
        }
    }
    facts_close(round->facts);
    round->facts = NULL;
    forget_answers(round->pull);
    return failed;
}

/* Asks once more, by number, for what vanished; then what goes on even so is ended. */
static int ask_again(struct round *round, struct error *err)
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

static int one_round(struct round *round, struct error *err)
{
    struct pull *pull = round->pull;
    const bool can_ask_again = round->driver->again != NULL;
    pull->more = false;
    round->listed = false;
    round->gone_count = 0;
    int failed = round->driver->ask(pull, err);
    if (!failed) {
        failed = take_round(round, !can_ask_again, err);
    }
    if (!failed && can_ask_again && round->listed && !pull->more && round->gone_count > 0) {
        failed = ask_again(round, err);
    }
    forget_answers(pull);
    return failed;
}

/* Where the history goes on. A store that is not there yet has no mark. */
static int find_mark(struct pull *pull, const char *folder, struct error *err)
{
    struct facts *facts = NULL;
    bool known = false;
    int failed = facts_open(folder, FACTS_READ, &facts, err);
    if (failed == ERROR_MISSING) {
        failed = 0;
    } else if (!failed) {
        failed =
            mark_get(facts, str_of(pull->cluster), STR("history"), &pull->history, &known, err);
        facts_close(facts);
    }
    if (!known) {
        pull->history = (struct mark){.seen_to = -1};
    }
    return failed;
}

/* That it failed is worth knowing later, if the store can be had. */
static void note_failure(struct round *round, int64_t began, const struct error *why)
{
    struct pull *pull = round->pull;
    struct facts *facts = NULL;
    struct error ignored;
    const struct asking asking = {
        .cluster = str_of(pull->cluster),
        .what = STR("pull"),
        .via = str_of(round->driver->name),
        .at = began,
        .took_us = pull->now() - began,
        .failure = str_of(why->text),
    };
    if (why->kind == ERROR_STOPPED || why->kind == ERROR_CONFLICT ||
        facts_open(round->folder, FACTS_WRITE, &facts, &ignored) != 0) {
        return;
    }
    if (facts_begin(facts, &ignored) == 0 &&
        (asking_put(facts, &asking, &ignored) != 0 || facts_commit(facts, &ignored) != 0)) {
        facts_rollback(facts);
    }
    facts_close(facts);
}

int live_plan(struct pull *pull, const struct live_driver *driver, const char *folder,
              struct buf *out, struct error *err)
{
    int failed = find_mark(pull, folder, err);
    if (!failed && driver->plan) {
        failed = driver->plan(pull, out, err);
    }
    if (driver->end) {
        driver->end(pull);
    }
    forget_answers(pull);
    arena_release(&pull->arena);
    return failed;
}

int live_pull(struct pull *pull, const struct live_driver *driver, const char *folder,
              struct pull_summary *summary, struct error *err)
{
    struct round round = {.pull = pull, .driver = driver, .folder = folder, .summary = summary};
    const int64_t began = pull->now();
    int failed;
    *summary = (struct pull_summary){0};
    do {
        failed = find_mark(pull, folder, err);
        if (!failed) {
            failed = one_round(&round, err);
        }
        arena_reset(&pull->arena);
    } while (!failed && pull->more);
    if (driver->end) {
        driver->end(pull);
    }
    if (failed) {
        note_failure(&round, began, err);
    }
    forget_answers(pull);
    arena_release(&pull->arena);
    return failed;
}
