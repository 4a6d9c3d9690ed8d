/* SPDX-License-Identifier: MIT */
#include "live/pbs/pbs_live.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "live/programs.h"
#include "source/pbs/pbs.h"
#include "source/pbs/pbs_document.h"

enum key { SERVER, BIN, ACCOUNTING, HISTORY, RESERVATIONS, KEY_COUNT };

static const struct config_key keys[] = {
    [SERVER] = {.name = "server",
                .type = CONFIG_TEXT,
                .help = "PBS_SERVER of the programs; default: the one in /etc/pbs.conf"},
    [BIN] = {.name = "bin",
             .type = CONFIG_FILE,
             .help = "folder of qstat, pbsnodes and pbs_rstat; default: found in PATH"},
    [ACCOUNTING] = {.name = "accounting",
                    .type = CONFIG_FILE,
                    .help = "folder of the daily accounting files, for what has ended: "
                            "PBS_HOME/server_priv/accounting"},
    [HISTORY] = {.name = "history",
                 .type = CONFIG_FLAG,
                 .fallback = "no",
                 .help = "without accounting files: ask for all finished jobs that the server "
                         "remembers (qstat -x)"},
    [RESERVATIONS] = {.name = "reservations",
                      .type = CONFIG_FLAG,
                      .fallback = "yes",
                      .help = "ask for reservations (pbs_rstat)"},
};

_Static_assert(COUNT_OF(keys) == KEY_COUNT, "a row for each key");

enum {
    ENVIRONMENT_MAX = 4,
    AGAIN_MOST = 50, /* jobs that are asked for one by one; more are asked for together */
    FILES_A_ROUND = 8,
    DAY_NAME = 8, /* YYYYMMDD */
    DAY_ROOM = 16,
    STATUS_UNKNOWN_JOB = 153,
};

static bool is_yes(const struct pull *pull, enum key key)
{
    return config_number(pull->section, &keys[key], 0) != 0;
}

static bool has_accounting(const struct pull *pull)
{
    return config_text(pull->section, &keys[ACCOUNTING]).len > 0;
}

static bool asks_history(const struct pull *pull)
{
    return is_yes(pull, HISTORY) && !has_accounting(pull);
}

static bool asks_reservations(const struct pull *pull)
{
    return is_yes(pull, RESERVATIONS);
}

static const char *const listing_words[] = {"qstat", "-t", "-f", "-F", "json", NULL};
static const char *const history_words[] = {"qstat", "-x", "-t", "-f", "-F", "json", NULL};
static const char *const nodes_words[] = {"pbsnodes", "-a", "-F", "json", NULL};
static const char *const queues_words[] = {"qstat", "-Q", "-f", "-F", "json", NULL};
static const char *const reservations_words[] = {"pbs_rstat", "-f", NULL};

enum { LISTING_ROW, HISTORY_ROW };

/* What is asked, in this order: see live.h on the listing and the history. */
static const struct live_program rows[] = {
    [LISTING_ROW] =
        {
            .words = listing_words,
            .via = "qstat",
            .kind = ANSWER_LISTING,
            .source = &pbs_qstat_driver,
            .check = pbs_document_check,
        },
    [HISTORY_ROW] =
        {
            .words = history_words,
            .via = "qstat -x",
            .kind = ANSWER_HISTORY,
            .source = &pbs_history_driver,
            .check = pbs_document_check,
            .also_status = STATUS_UNKNOWN_JOB,
            .is_asked = asks_history,
        },
    {
        .words = nodes_words,
        .via = "pbsnodes",
        .kind = ANSWER_THINGS,
        .read = pbs_nodes_read,
        .first = INVENTORY_ITEM_NODE,
    },
    {
        .words = queues_words,
        .via = "qstat -Q",
        .kind = ANSWER_THINGS,
        .read = pbs_queues_read,
        .first = INVENTORY_ITEM_PARTITION,
    },
    {
        .words = reservations_words,
        .via = "pbs_rstat",
        .kind = ANSWER_THINGS,
        .read = pbs_reservations_read,
        .first = INVENTORY_ITEM_RESERVATION,
        .is_asked = asks_reservations,
    },
};

static struct live_programs programs_of(struct pull *pull,
                                        const char *environment[static ENVIRONMENT_MAX])
{
    const struct str server = config_text(pull->section, &keys[SERVER]);
    environment[0] = "LC_ALL=C";
    environment[1] =
        server.len > 0 ? arena_printf(&pull->arena, "PBS_SERVER=%.*s", STR_ARG(server)) : NULL;
    environment[2] = NULL;
    return (struct live_programs){
        .rows = rows,
        .count = COUNT_OF(rows),
        .bin = &keys[BIN],
        .environment = environment,
    };
}

/* --- accounting files --------------------------------------------------------------------- */

/* The days whose files are still to be read in this pull, oldest first. */
struct days {
    char (*names)[DAY_NAME + 1];
    size_t count, room, next;
};

static int compare_days(const void *a, const void *b)
{
    return memcmp(a, b, DAY_NAME);
}

static bool is_day(const char *name)
{
    return strlen(name) == DAY_NAME && strspn(name, "0123456789") == DAY_NAME;
}

static void day_of(const struct zone *zone, int64_t at, char out[static DAY_ROOM])
{
    const struct civil civil = zone_civil(zone, at);
    snprintf(out, DAY_ROOM, "%04d%02d%02d", civil.year % 10000, civil.month % 100,
             civil.day % 100);
}

static int64_t instant_of_day(const struct zone *zone, const char *name, int days_after)
{
    struct civil civil = {0};
    civil.year =
        (name[0] - '0') * 1000 + (name[1] - '0') * 100 + (name[2] - '0') * 10 + (name[3] - '0');
    civil.month = (name[4] - '0') * 10 + (name[5] - '0');
    civil.day = (name[6] - '0') * 10 + (name[7] - '0') + days_after;
    return zone_instant(zone, civil);
}

/*
 * From the day before that of the mark, since the last lines of a day may come after midnight;
 * or since `since`.
 */
static int first_day(struct pull *pull, char out[static DAY_ROOM], struct error *err)
{
    int64_t since = INT64_MIN;
    const int failed = pull_since(pull, &since, err);
    const int64_t marked = pull->history.seen_to - 24 * HOUR_US;
    out[0] = '\0';
    if (!failed && (since > 0 || marked > 0)) {
        day_of(pull->zone, since > marked ? since : marked, out);
    }
    return failed;
}

static int list_days(struct pull *pull, struct days *days, struct error *err)
{
    char from[DAY_ROOM];
    const char *path = config_text(pull->section, &keys[ACCOUNTING]).ptr;
    int failed = first_day(pull, from, err);
    DIR *folder = failed ? NULL : opendir(path);
    if (!failed && !folder) {
        return error_errno(err, "cannot read the folder '%s'", path);
    }
    for (struct dirent *entry; !failed && (entry = readdir(folder)) != NULL;) {
        if (is_day(entry->d_name) && strcmp(entry->d_name, from) >= 0) {
            days->names = mem_grow(days->names, days->count, &days->room, sizeof(*days->names));
            memcpy(days->names[days->count++], entry->d_name, DAY_NAME + 1);
        }
    }
    if (folder) {
        closedir(folder);
    }
    if (days->count > 0) {
        qsort(days->names, days->count, sizeof(*days->names), compare_days);
    }
    return failed;
}

/* The mark follows the days, so that a pull that ends between two of them goes on there. */
static void add_day(struct pull *pull, const char *name)
{
    struct pull_answer *file = pull_add(pull, ANSWER_FILE, "accounting");
    const int64_t over = instant_of_day(pull->zone, name, 1);
    file->source = &pbs_driver;
    file->options = (struct source_options){.zone = pull->zone};
    file->path = arena_printf(&pull->arena, "%.*s/%s",
                              STR_ARG(config_text(pull->section, &keys[ACCOUNTING])), name);
    file->mark.seen_to = over < file->at ? over : file->at;
}

static int add_accounting(struct pull *pull, struct error *err)
{
    struct days *days = pull->state;
    int failed = 0;
    if (!days) {
        pull->state = days = mem_alloc(1, sizeof(*days));
        *days = (struct days){0};
        failed = list_days(pull, days, err);
    }
    for (size_t i = 0; i < FILES_A_ROUND && days->next < days->count && !failed; i++) {
        add_day(pull, days->names[days->next++]);
    }
    pull->more = !failed && days->next < days->count;
    return failed;
}

/* --- the driver --------------------------------------------------------------------------- */

static int ask(struct pull *pull, struct error *err)
{
    const char *environment[ENVIRONMENT_MAX];
    const struct live_programs programs = programs_of(pull, environment);
    const int failed = live_programs_ask(pull, &programs, err);
    return failed || !has_accounting(pull) ? failed : add_accounting(pull, err);
}

static const char *const *id_words(struct pull *pull, const struct missing *missing)
{
    const char **words = arena_alloc(&pull->arena, 2 * sizeof(*words));
    if (missing->job < 0) {
        return NULL;
    }
    words[0] = missing->task < 0
                   ? arena_printf(&pull->arena, "%lld", (long long)missing->job)
                   : arena_printf(&pull->arena, "%lld[%lld]", (long long)missing->job,
                                  (long long)missing->task);
    return words;
}

/* The accounting files have said all they know of what vanished. */
static int again(struct pull *pull, struct error *err)
{
    const char *environment[ENVIRONMENT_MAX];
    const struct live_programs programs = programs_of(pull, environment);
    return has_accounting(pull) || asks_history(pull)
               ? 0
               : live_programs_again(pull, &programs, &rows[HISTORY_ROW], AGAIN_MOST, id_words,
                                     err);
}

static int plan(struct pull *pull, struct buf *out, struct error *err)
{
    const char *environment[ENVIRONMENT_MAX];
    const struct live_programs programs = programs_of(pull, environment);
    char from[DAY_ROOM];
    live_programs_plan(pull, &programs, out);
    if (!has_accounting(pull)) {
        return 0;
    }
    const int failed = first_day(pull, from, err);
    if (!failed) {
        buf_addf(out, "  the files of %s%s%s\n",
                 config_text(pull->section, &keys[ACCOUNTING]).ptr, from[0] ? " from " : "",
                 from);
    }
    return failed;
}

static void end(struct pull *pull)
{
    struct days *days = pull->state;
    if (days) {
        free(days->names);
        free(days);
    }
    pull->state = NULL;
}

const struct live_driver pbs_live_driver = {
    .name = "pbs",
    .summary =
        "PBS Professional and OpenPBS: qstat, pbsnodes, pbs_rstat and the accounting files",
    .keys = keys,
    .key_count = COUNT_OF(keys),
    .ask = ask,
    .again = again,
    .plan = plan,
    .end = end,
};
