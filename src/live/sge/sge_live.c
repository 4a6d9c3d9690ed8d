/* SPDX-License-Identifier: MIT */
#include "live/sge/sge_live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limit.h"
#include "reach/program.h"
#include "source/sge/sge.h"

enum key { ROOT, CELL, PORT, BIN, ACCOUNTING, KEY_COUNT };

static const struct config_key keys[] = {
    [ROOT] = {.name = "sge_root",
              .type = CONFIG_FILE,
              .fallback = "/var/lib/gridengine",
              .help = "SGE_ROOT of the cluster"},
    [CELL] = {.name = "sge_cell",
              .type = CONFIG_TEXT,
              .fallback = "default",
              .help = "SGE_CELL of the cluster"},
    [PORT] = {.name = "qmaster_port",
              .type = CONFIG_NUMBER,
              .help = "SGE_QMASTER_PORT, if it is not in /etc/services"},
    [BIN] = {.name = "bin",
             .type = CONFIG_FILE,
             .help = "folder of qstat and qhost; default: found in PATH"},
    [ACCOUNTING] = {.name = "accounting",
                    .type = CONFIG_FILE,
                    .help = "the accounting file; default SGE_ROOT/SGE_CELL/common/accounting"},
};

_Static_assert(COUNT_OF(keys) == KEY_COUNT, "a row for each key");

/* What is asked, in this order: see live.h on the listing and the history. */
static const char *const qstat_words[] = {"qstat", "-u", "*", "-r", "-xml", NULL};
static const char *const qhost_words[] = {"qhost", "-q", "-xml", NULL};

enum { WORDS_MAX = 8, ENVIRONMENT_MAX = 5 };

#define LIMIT_SGE_ANSWER (UINT64_C(1) << 32) /* bytes on disk that a program may print */

static struct str key_text(const struct pull *pull, enum key key)
{
    return config_text(pull->section, &keys[key]);
}

static char *accounting_path(struct pull *pull)
{
    const struct str path = key_text(pull, ACCOUNTING);
    return path.len > 0
               ? arena_text(&pull->arena, path)
               : arena_printf(&pull->arena, "%.*s/%.*s/common/accounting",
                              STR_ARG(key_text(pull, ROOT)), STR_ARG(key_text(pull, CELL)));
}

static void fill_words(struct pull *pull, const char *const *words,
                       const char *out[static WORDS_MAX])
{
    const struct str bin = key_text(pull, BIN);
    size_t i = 0;
    for (; words[i]; i++) {
        out[i] = words[i];
    }
    out[i] = NULL;
    if (bin.len > 0) {
        out[0] = arena_printf(&pull->arena, "%.*s/%s", STR_ARG(bin), words[0]);
    }
}

/* Runs one of Grid Engine's programs; times come in UTC. */
static int ask_program(struct pull *pull, const char *const *words, struct pull_answer *answer,
                       struct error *err)
{
    const char *full[WORDS_MAX];
    const char *environment[ENVIRONMENT_MAX] = {
        "TZ=UTC",
        arena_printf(&pull->arena, "SGE_ROOT=%.*s", STR_ARG(key_text(pull, ROOT))),
        arena_printf(&pull->arena, "SGE_CELL=%.*s", STR_ARG(key_text(pull, CELL))),
    };
    const struct str port = key_text(pull, PORT);
    if (port.len > 0) {
        environment[3] = arena_printf(&pull->arena, "SGE_QMASTER_PORT=%.*s", STR_ARG(port));
    }
    fill_words(pull, words, full);
    const struct program program = {
        .words = full,
        .environment = environment,
        .timeout_us = config_number(pull->section, live_key("timeout"), 0),
        .limit = live_answer_limit(pull->section, LIMIT_SGE_ANSWER),
        .stop = pull->stop,
    };
    const int64_t begun = pull->now();
    int failed = program_run(&program, &answer->spool, err);
    answer->took_us = pull->now() - begun;
    return failed;
}

static int ask_listing(struct pull *pull, const struct zone *utc, struct error *err)
{
    struct pull_answer *answer = pull_add(pull, ANSWER_LISTING, "qstat");
    answer->source = &sge_qstat_driver;
    answer->options = (struct source_options){.zone = utc};
    return ask_program(pull, qstat_words, answer, err);
}

/* One answer for both kinds of things: what it cost is said of the nodes. */
static int ask_hosts(struct pull *pull, struct error *err)
{
    struct pull_answer *nodes = pull_add(pull, ANSWER_THINGS, "qhost");
    struct pull_answer *queues = pull_add(pull, ANSWER_THINGS, "qhost");
    struct buf text;
    nodes->thing = THING_NODE;
    queues->thing = THING_PARTITION;
    queues->at = nodes->at;
    buf_init(&text, LIMIT_OUTPUT);
    int failed;
    (void)((failed = ask_program(pull, qhost_words, nodes, err)) ||
           (failed = spool_text(&nodes->spool, &text, err)) ||
           (failed = sge_hosts_read(arena_copy(&pull->arena, buf_str(&text)), &pull->arena,
                                    &nodes->things, &queues->things, err)));
    buf_release(&text);
    return failed;
}

/* A cluster on which no job has ended yet has no such file; one that was not set up has no folder for it. */
static int add_accounting(struct pull *pull, struct error *err)
{
    char *path = accounting_path(pull);
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        char *folder = arena_text(&pull->arena, str_of(path));
        *strrchr(folder, '/') = '\0';
        return access(folder, X_OK) == 0 ? 0 : error_errno(err, "cannot find '%s'", path);
    }
    struct pull_answer *file = pull_add(pull, ANSWER_FILE, "accounting");
    file->source = &sge_driver;
    file->path = path;
    return 0;
}

static int ask(struct pull *pull, struct error *err)
{
    struct zone *utc = pull->state;
    int failed = utc ? 0 : zone_open("UTC", &utc, err);
    pull->state = utc;
    if (failed || (failed = ask_listing(pull, utc, err)) != 0 ||
        (failed = ask_hosts(pull, err)) != 0) {
        return failed;
    }
    return add_accounting(pull, err);
}

static int plan(struct pull *pull, struct buf *out, struct error *err)
{
    const char *const *const programs[] = {qstat_words, qhost_words};
    (void)err;
    for (size_t i = 0; i < COUNT_OF(programs); i++) {
        const char *words[WORDS_MAX];
        fill_words(pull, programs[i], words);
        buf_addz(out, " ");
        for (size_t k = 0; words[k]; k++) {
            buf_addf(out, strchr(words[k], '*') ? " '%s'" : " %s", words[k]);
        }
        buf_addc(out, '\n');
    }
    buf_addf(out, "  the file %s\n", accounting_path(pull));
    return 0;
}

static void end(struct pull *pull)
{
    zone_close(pull->state);
    pull->state = NULL;
}

const struct live_driver sge_live_driver = {
    .name = "sge",
    .summary = "Grid Engine: qstat, qhost and the accounting file",
    .keys = keys,
    .key_count = COUNT_OF(keys),
    .no_since = "its accounting file is read from the beginning; remove the key, and choose "
                "the period of reports with --from",
    .ask = ask,
    .plan = plan,
    .end = end,
};
