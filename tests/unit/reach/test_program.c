/* SPDX-License-Identifier: MIT */
#include "reach/program.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/zone.h"
#include "support/expect.h"

/* Longer than this program may run: whoever waits for it has failed. */
#define FOREVER "sleep 36000"

/* What `sh -c script` comes to. */
struct outcome {
    int failed;
    struct error err;
    char *text; /* freed by the caller; NULL on failure */
};

static struct outcome run_words(const struct program *program)
{
    struct outcome outcome = {0};
    struct spool spool;
    outcome.failed = program_run(program, &spool, &outcome.err);
    if (!outcome.failed) {
        struct buf text;
        buf_init(&text, 1 << 22);
        expect_int(spool_text(&spool, &text, &outcome.err), 0);
        outcome.text = buf_take(&text);
        buf_release(&text);
    } else {
        expect_int(spool.fd, -1);
    }
    spool_close(&spool);
    return outcome;
}

static struct outcome run_script(const char *script, struct program program)
{
    const char *const words[] = {"sh", "-c", script, NULL};
    program.words = words;
    if (program.limit == 0) {
        program.limit = 1 << 20;
    }
    return run_words(&program);
}

static void output_is_kept_and_talk_is_not(void **state)
{
    (void)state;
    struct outcome got =
        run_script("echo out; echo talk >&2; printf more", (struct program){0});
    expect_int(got.failed, 0);
    expect_text(got.text, "out\nmore");
    free(got.text);
}

static void words_are_words(void **state)
{
    (void)state;
    const char *const words[] = {"printf", "%s|", "a b", "$HOME", "`id`", NULL};
    struct outcome got = run_words(&(struct program){.words = words, .limit = 100});
    expect_text(got.text, "a b|$HOME|`id`|");
    free(got.text);
}

static void environment_is_laid_over_ours(void **state)
{
    (void)state;
    const char *const over[] = {"TZ=UTC", "STINT_NEW=1", NULL};
    expect_int(setenv("TZ", "Europe/Oslo", 1), 0);
    expect_int(setenv("STINT_OLD", "2", 1), 0);
    struct outcome got = run_script("echo $TZ $STINT_NEW $STINT_OLD; env | grep -c ^TZ=",
                                    (struct program){.environment = over});
    expect_text(got.text, "UTC 1 2\n1\n");
    free(got.text);
}

static void there_is_nothing_to_read(void **state)
{
    (void)state;
    struct outcome got = run_script("cat; echo end", (struct program){0});
    expect_text(got.text, "end\n");
    free(got.text);
}

struct failure_row {
    const char *name, *script;
    struct program program;
    int kind;
    const char *says;
};

static const struct failure_row failure_rows[] = {
    {"exit status",
     "echo half; echo first >&2; echo 'slurm: not now' >&2; exit 3",
     {0},
     ERROR_IO,
     "'sh' failed with exit status 3: slurm: not now"},
    {"silent", "exit 1", {0}, ERROR_IO, "'sh' failed with exit status 1"},
    {"signal", "kill -SEGV $$", {0}, ERROR_IO, "'sh' was terminated by signal 11"},
    {"too much",
     "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done",
     {.limit = 100000},
     ERROR_LIMIT,
     "'sh' was stopped: it wrote more than 100000 bytes"},
    {"too slow",
     "echo half; " FOREVER,
     {.timeout_us = SECOND_US},
     ERROR_IO,
     "'sh' was stopped: it did not answer completely within 1 seconds"},
    {"deaf",
     "trap '' TERM; " FOREVER "; " FOREVER,
     {.timeout_us = SECOND_US / 10},
     ERROR_IO,
     "did not answer completely"},
    {"silent but alive",
     "exec >&- 2>&-; " FOREVER,
     {.timeout_us = SECOND_US / 10},
     ERROR_IO,
     "did not answer completely"},
    {"escape sequences",
     "printf 'bad \\033[31m\\377' >&2; exit 1",
     {0},
     ERROR_IO,
     "bad .[31m."},
    {"much talk",
     "i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done; exit 2",
     {0},
     ERROR_IO,
     "exit status 2: line 2999"},
};

static void failures_are_sentences(void **state)
{
    const struct failure_row *row = *state;
    struct outcome got = run_script(row->script, row->program);
    expect_int(got.failed, row->kind);
    expect_contains(got.err.text, row->says);
}

/* On a busy machine a shell may not come to a word within a second: then it is given longer. */
static void what_one_said_that_was_too_slow_is_told(void **state)
{
    (void)state;
    struct outcome got = {0};
    for (int64_t seconds = 1; seconds < 300 && !strstr(got.err.text, "waiting"); seconds *= 4) {
        got = run_script("echo half; echo waiting >&2; " FOREVER,
                         (struct program){.timeout_us = seconds * SECOND_US});
        expect_int(got.failed, ERROR_IO);
    }
    expect_contains(got.err.text, " seconds: waiting");
}

static void a_program_that_is_not_there_is_missing(void **state)
{
    (void)state;
    const char *const words[] = {"no-such-program-anywhere", NULL};
    struct outcome got = run_words(&(struct program){.words = words, .limit = 100});
    expect_int(got.failed, ERROR_MISSING);
    expect_contains(got.err.text,
                    "cannot run 'no-such-program-anywhere': there is no such program in PATH");
}

static void the_wish_to_stop_ends_it(void **state)
{
    (void)state;
    const struct stop stop = {.asked = 1};
    struct outcome got = run_script(FOREVER, (struct program){.stop = &stop});
    expect_int(got.failed, ERROR_STOPPED);
}

static void who_is_left_behind_is_not_waited_for(void **state)
{
    (void)state;
    struct outcome got = run_script(FOREVER " & echo done; echo $!", (struct program){0});
    expect_int(got.failed, 0);
    expect_contains(got.text, "done\n");
    const long left = strtol(got.text + strlen("done\n"), NULL, 10);
    expect_true(left > 1);
    (void)kill((pid_t)left, SIGKILL);
    free(got.text);
}

static void a_large_answer_arrives_whole(void **state)
{
    (void)state;
    struct outcome got = run_script("head -c 3000000 /dev/zero | tr '\\0' z",
                                    (struct program){.limit = 3000000});
    expect_int(got.failed, 0);
    expect_uint(strlen(got.text), 3000000);
    free(got.text);
}

int main(void)
{
    struct suite suite = {0};
    SUITE_TEST(&suite, output_is_kept_and_talk_is_not);
    SUITE_TEST(&suite, words_are_words);
    SUITE_TEST(&suite, environment_is_laid_over_ours);
    SUITE_TEST(&suite, there_is_nothing_to_read);
    SUITE_ROWS(&suite, failures_are_sentences, failure_rows);
    SUITE_TEST(&suite, what_one_said_that_was_too_slow_is_told);
    SUITE_TEST(&suite, a_program_that_is_not_there_is_missing);
    SUITE_TEST(&suite, the_wish_to_stop_ends_it);
    SUITE_TEST(&suite, who_is_left_behind_is_not_waited_for);
    SUITE_TEST(&suite, a_large_answer_arrives_whole);
    return suite_run(&suite, "program");
}
