/* SPDX-License-Identifier: MIT */
#include "live/htcondor/htcondor_live.h"

#include <unistd.h>

#include "live/programs.h"
#include "source/htcondor/htcondor.h"

enum key { SCHEDD, POOL, BIN, KEY_COUNT };

static const struct config_key keys[] = {
    [SCHEDD] = {.name = "schedd",
                .type = CONFIG_TEXT,
                .help =
                    "name of the schedd, as condor_q -name takes it; default: the local one"},
    [POOL] = {.name = "pool",
              .type = CONFIG_TEXT,
              .help =
                  "central manager of the pool, as -pool takes it; default: the local one's"},
    [BIN] = {.name = "bin",
             .type = CONFIG_FILE,
             .help = "folder of condor_q, condor_history and condor_status; default: found in "
                     "PATH"},
};

_Static_assert(COUNT_OF(keys) == KEY_COUNT, "a row for each key");

#define LATE_S INT64_C(3600) /* how late what has ended may appear in the history */

enum { MORE_MAX = 12 };

static void add_place(struct pull *pull, const char **words, size_t *count)
{
    static const struct {
        enum key key;
        const char *option;
    } places[] = {{POOL, "-pool"}, {SCHEDD, "-name"}};

    for (size_t i = 0; i < COUNT_OF(places); i++) {
        const struct str text = config_text(pull->section, &keys[places[i].key]);
        if (text.len > 0) {
            words[(*count)++] = places[i].option;
            words[(*count)++] = arena_text(&pull->arena, text);
        }
    }
}

static const char **begin_words(struct pull *pull)
{
    return arena_alloc(&pull->arena, (MORE_MAX + 1) * sizeof(const char *));
}

static const char *const *queue_more(struct pull *pull)
{
    const char **words = begin_words(pull);
    size_t count = 0;
    add_place(pull, words, &count);
    words[count++] = "-attributes";
    words[count++] = htcondor_attributes;
    return words;
}

/* The history is printed from its end; it is read up to what was over before the last pull. */
static const char *const *history_more(struct pull *pull, const char *date)
{
    const char **words = begin_words(pull);
    size_t count = 0;
    int64_t from_s = pull->history.seen_to / SECOND_US - LATE_S, since = INT64_MIN;
    struct error ignored;
    if (pull_since(pull, &since, &ignored) == 0 && since > from_s * SECOND_US) {
        from_s = since / SECOND_US;
    }
    add_place(pull, words, &count);
    if (from_s > 0) {
        words[count++] = "-since";
        words[count++] = arena_printf(&pull->arena, "%s < %lld", date, (long long)from_s);
    }
    words[count++] = "-attributes";
    words[count++] = htcondor_attributes;
    return words;
}

static const char *const *epochs_more(struct pull *pull)
{
    return history_more(pull, "EpochWriteDate");
}

static const char *const *left_more(struct pull *pull)
{
    return history_more(pull, "EnteredCurrentStatus");
}

static const char *const *status_more(struct pull *pull)
{
    const char **words = begin_words(pull);
    const struct str pool = config_text(pull->section, &keys[POOL]);
    size_t count = 0;
    if (pool.len > 0) {
        words[count++] = "-pool";
        words[count++] = arena_text(&pull->arena, pool);
    }
    return words;
}

/* A list of JSON ends with its bracket; some versions print nothing where there is nothing. */
static int check_list(const struct spool *spool, bool may_be_empty, struct error *err)
{
    char tail[256];
    const size_t want = spool->size < sizeof(tail) ? (size_t)spool->size : sizeof(tail);
    const ssize_t got = pread(spool->fd, tail, want, (off_t)(spool->size - want));
    if (got < 0) {
        return error_errno(err, "cannot read the answer back");
    }
    const struct str end = str_trim((struct str){tail, (size_t)got});
    const bool is_empty = end.len == 0 && spool->size <= sizeof(tail);
    return (is_empty && may_be_empty) || (end.len > 0 && end.ptr[end.len - 1] == ']')
               ? 0
               : error_set(err, ERROR_INPUT,
                           "printed no whole list: it does not end with a bracket");
}

static int check_queue(const struct spool *spool, struct error *err)
{
    return check_list(spool, false, err);
}

static int check_history(const struct spool *spool, struct error *err)
{
    return check_list(spool, true, err);
}

static const char *const queue_words[] = {"condor_q", "-allusers", "-json", NULL};
static const char *const epochs_words[] = {"condor_history", "-epochs", "-json", NULL};
static const char *const left_words[] = {"condor_history", "-json", "-constraint",
                                         "JobStartDate =?= undefined", NULL};
static const char *const status_words[] = {
    "condor_status",
    "-json",
    "-attributes",
    "Machine,SlotType,State,Activity,Offline,Cpus,Memory,GPUs,TotalSlotCpus,TotalSlotMemory,"
    "TotalSlotGPUs,GPUs_DeviceName,CUDADeviceName,OpSysAndVer,EnteredCurrentState",
    NULL,
};

/* What is asked, in this order: see live.h on the listing and the history. */
static const struct live_program rows[] = {
    {
        .words = queue_words,
        .via = "condor_q",
        .kind = ANSWER_LISTING,
        .source = &htcondor_queue_driver,
        .check = check_queue,
        .more = queue_more,
    },
    {
        .words = epochs_words,
        .via = "condor_history -epochs",
        .kind = ANSWER_HISTORY,
        .source = &htcondor_epochs_driver,
        .check = check_history,
        .more = epochs_more,
    },
    {
        .words = left_words, /* what never began has no epoch */
        .via = "condor_history",
        .kind = ANSWER_HISTORY,
        .source = &htcondor_left_driver,
        .check = check_history,
        .more = left_more,
    },
    {
        .words = status_words,
        .via = "condor_status",
        .kind = ANSWER_THINGS,
        .read = htcondor_slots_read,
        .first = INVENTORY_ITEM_NODE,
        .more = status_more,
    },
};

static const struct live_programs programs = {
    .rows = rows,
    .count = COUNT_OF(rows),
    .bin = &keys[BIN],
};

static int ask(struct pull *pull, struct error *err)
{
    return live_programs_ask(pull, &programs, err);
}

static int plan(struct pull *pull, struct buf *out, struct error *err)
{
    (void)err;
    live_programs_plan(pull, &programs, out);
    return 0;
}

const struct live_driver htcondor_live_driver = {
    .name = "htcondor",
    .summary = "HTCondor 10 and later: condor_q, condor_history -epochs, condor_status",
    .keys = keys,
    .key_count = COUNT_OF(keys),
    .ask = ask,
    .plan = plan,
};
