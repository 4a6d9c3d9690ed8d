/* SPDX-License-Identifier: MIT */
#include "live/sge/sge_live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/programs.h"
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

static const char *const qstat_words[] = {"qstat", "-u", "*", "-r", "-xml", NULL};
static const char *const qhost_words[] = {"qhost", "-q", "-xml", NULL};

/* What is asked, in this order: see live.h on the listing and the history. */
static const struct live_program rows[] = {
    {
        .words = qstat_words,
        .via = "qstat",
        .kind = ANSWER_LISTING,
        .source = &sge_qstat_driver,
    },
    {
        .words = qhost_words,
        .via = "qhost",
        .kind = ANSWER_THINGS,
        .read = sge_hosts_read,
        .first = INVENTORY_ITEM_NODE,
        .second = INVENTORY_ITEM_PARTITION,
        .has_second = true,
    },
};

enum { ENVIRONMENT_MAX = 4 };

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

static struct live_programs programs_of(struct pull *pull,
                                        const char *environment[static ENVIRONMENT_MAX])
{
    const struct str port = key_text(pull, PORT);
    environment[0] = arena_printf(&pull->arena, "SGE_ROOT=%.*s", STR_ARG(key_text(pull, ROOT)));
    environment[1] = arena_printf(&pull->arena, "SGE_CELL=%.*s", STR_ARG(key_text(pull, CELL)));
    environment[2] = port.len > 0
                         ? arena_printf(&pull->arena, "SGE_QMASTER_PORT=%.*s", STR_ARG(port))
                         : NULL;
    environment[3] = NULL;
    return (struct live_programs){
        .rows = rows,
        .count = COUNT_OF(rows),
        .bin = &keys[BIN],
        .environment = environment,
        .zone = pull->state,
    };
}

/*
 * A cluster on which no job has ended yet has no such file; one that was not set up has no
 * folder for it.
 */
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

static int ask_sge(struct pull *pull, struct error *err)
{
    const char *environment[ENVIRONMENT_MAX];
    struct zone *utc = pull->state;
    int failed = utc ? 0 : zone_open("UTC", &utc, err);
    pull->state = utc;
    if (!failed) {
        const struct live_programs programs = programs_of(pull, environment);
        failed = live_programs_ask(pull, &programs, err);
    }
    return failed ? failed : add_accounting(pull, err);
}

static int plan(struct pull *pull, struct buf *out, struct error *err)
{
    const char *environment[ENVIRONMENT_MAX];
    const struct live_programs programs = programs_of(pull, environment);
    (void)err;
    live_programs_plan(pull, &programs, out);
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
    .ask = ask_sge,
    .plan = plan,
    .end = end,
};
