/* SPDX-License-Identifier: MIT */
#include "live/programs.h"

#include <assert.h>
#include <string.h>

#include "base/limit.h"
#include "reach/program.h"

#define LIMIT_PROGRAM_ANSWER (UINT64_C(1) << 32) /* bytes on disk that a program may print */

enum { ENVIRONMENT_MAX = 8 };

static void fill_words(struct pull *pull, const struct live_programs *programs,
                       const struct live_program *program, const char *const *more,
                       const char *out[static LIVE_WORDS_MAX + 1])
{
    const struct str bin = config_text(pull->section, programs->bin);
    size_t count = 0;
    for (size_t i = 0; program->words[i] && count < LIVE_WORDS_MAX; i++) {
        out[count++] = program->words[i];
    }
    const char *const *row_words = program->more ? program->more(pull) : NULL;
    for (size_t i = 0; row_words && row_words[i] && count < LIVE_WORDS_MAX; i++) {
        out[count++] = row_words[i];
    }
    for (size_t i = 0; more && more[i] && count < LIVE_WORDS_MAX; i++) {
        out[count++] = more[i];
    }
    out[count] = NULL;
    if (bin.len > 0) {
        out[0] = arena_printf(&pull->arena, "%.*s/%s", STR_ARG(bin), program->words[0]);
    }
}

/*
 * Runs one program with `more` words behind its own. How long that took is added to *took_us.
 */
static int run_program(struct pull *pull, const struct live_programs *programs,
                       const struct live_program *program, const char *const *more,
                       struct spool *spool, int64_t *took_us, struct error *err)
{
    const char *words[LIVE_WORDS_MAX + 1];
    const char *environment[ENVIRONMENT_MAX + 2] = {"TZ=UTC"};
    for (size_t i = 0; programs->environment && programs->environment[i]; i++) {
        assert(i < ENVIRONMENT_MAX);
        environment[i + 1] = programs->environment[i];
    }
    fill_words(pull, programs, program, more, words);
    const struct program run = {
        .words = words,
        .environment = environment,
        .timeout_us = config_number(pull->section, live_key("timeout"), 0),
        .limit = live_answer_limit(pull->section, LIMIT_PROGRAM_ANSWER),
        .also_status = program->also_status,
        .stop = pull->stop,
    };
    const int64_t begun = pull->now();
    const int failed = program_run(&run, spool, err);
    *took_us += pull->now() - begun;
    return failed;
}

static int check_runs(const struct live_program *program, const struct spool *spool,
                      struct error *err)
{
    const int failed = program->check ? program->check(spool, err) : 0;
    return failed ? error_prepend(err, "%s: ", program->via) : 0;
}

static struct pull_answer *add_runs(struct pull *pull, const struct live_programs *programs,
                                    const struct live_program *program, enum answer_kind kind)
{
    struct pull_answer *answer = pull_add(pull, kind, program->via);
    answer->source = program->source;
    answer->options = (struct source_options){.zone = programs->zone, .seen = answer->at};
    answer->mark = (struct pull_state){.seen_to = answer->at};
    return answer;
}

static int ask_runs(struct pull *pull, const struct live_programs *programs,
                    const struct live_program *program, struct error *err)
{
    struct pull_answer *answer = add_runs(pull, programs, program, program->kind);
    int failed =
        run_program(pull, programs, program, NULL, &answer->spool, &answer->took_us, err);
    if (failed || (failed = check_runs(program, &answer->spool, err)) != 0) {
        return failed;
    }
    if (answer->spool.size == 0 && program->kind == ANSWER_HISTORY) { /* nothing has happened */
        spool_close(&answer->spool);
        pull->answer_count--;
    }
    return 0;
}

static int ask_things(struct pull *pull, const struct live_programs *programs,
                      const struct live_program *program, struct error *err)
{
    struct pull_answer *first = pull_add(pull, ANSWER_THINGS, program->via), *second = NULL;
    struct buf text;
    first->thing = program->first;
    if (program->has_second) {
        second = pull_add(pull, ANSWER_THINGS, program->via);
        second->thing = program->second;
        second->at = first->at;
    }
    buf_init(&text, LIMIT_OUTPUT);
    int failed =
        run_program(pull, programs, program, NULL, &first->spool, &first->took_us, err);
    if (!failed) {
        failed = spool_text(&first->spool, &text, err);
    }
    if (!failed) {
        failed = program->read(arena_copy(&pull->arena, buf_str(&text)), &pull->arena,
                               &first->things, second ? &second->things : NULL, err);
    }
    buf_release(&text);
    return failed;
}

static bool is_asked(const struct pull *pull, const struct live_program *program)
{
    return !program->is_asked || program->is_asked(pull);
}

int live_programs_ask(struct pull *pull, const struct live_programs *programs,
                      struct error *err)
{
    int failed = 0;
    for (size_t i = 0; i < programs->count && !failed; i++) {
        const struct live_program *program = &programs->rows[i];
        if (is_asked(pull, program)) {
            failed = program->kind == ANSWER_THINGS ? ask_things(pull, programs, program, err)
                                                    : ask_runs(pull, programs, program, err);
        }
    }
    return failed;
}

/*
 * One question, whose answer is added to the others; a program that knows nothing of a job says
 * nothing.
 */
static int ask_one(struct pull *pull, const struct live_programs *programs,
                   const struct live_program *program, const char *const *more,
                   struct pull_answer *answer, struct error *err)
{
    struct spool spool = SPOOL_NONE;
    int failed = run_program(pull, programs, program, more, &spool, &answer->took_us, err);
    if (!failed && spool.size > 0) {
        failed = check_runs(program, &spool, err);
        if (!failed) {
            failed = spool_join(&answer->spool, &spool, err);
        }
    }
    spool_close(&spool);
    return failed;
}

int live_programs_again(struct pull *pull, const struct live_programs *programs,
                        const struct live_program *program, size_t most,
                        const char *const *(*more)(struct pull *pull,
                                                   const struct missing *missing),
                        struct error *err)
{
    struct pull_answer *answer = add_runs(pull, programs, program, ANSWER_HISTORY);
    int failed = spool_open(&answer->spool, err);
    if (!failed && pull->missing_count > most) {
        failed = ask_one(pull, programs, program, NULL, answer, err);
    }
    for (size_t i = 0; i < pull->missing_count && pull->missing_count <= most && !failed; i++) {
        const char *const *words = more(pull, &pull->missing[i]);
        if (words) {
            failed = ask_one(pull, programs, program, words, answer, err);
        }
    }
    if (!failed) {
        failed = spool_rewind(&answer->spool, err);
    }
    if (!failed && answer->spool.size == 0) {
        spool_close(&answer->spool);
        pull->answer_count--;
    }
    return failed;
}

void live_programs_plan(struct pull *pull, const struct live_programs *programs,
                        struct buf *out)
{
    for (size_t i = 0; i < programs->count; i++) {
        const char *words[LIVE_WORDS_MAX + 1];
        if (!is_asked(pull, &programs->rows[i])) {
            continue;
        }
        fill_words(pull, programs, &programs->rows[i], NULL, words);
        buf_addz(out, " ");
        for (size_t k = 0; words[k]; k++) {
            buf_addf(out, strpbrk(words[k], "* <>\"") ? " '%s'" : " %s", words[k]);
        }
        buf_addc(out, '\n');
    }
}
