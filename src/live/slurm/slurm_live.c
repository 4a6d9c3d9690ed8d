/* SPDX-License-Identifier: MIT */
#include "live/slurm/slurm_live.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/calendar.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/scan.h"
#include "live/slurm/slurm_session.h"
#include "source/slurm/slurm.h"
#include "source/slurm/slurm_document.h"
#include "source/slurm/slurm_things.h"

/* Slurm had no accounting before; in seconds: 2008-01-01. */
#define FIRST_S INT64_C(1199145600)

enum {
    OVERLAP_S = 600,             /* a quick look begins so long before the last one ended */
    DEEP_EVERY_S = 3600,         /* when the next deep look is due */
    EMPTY_WINDOW_S = 32 * 86400, /* windows of times when nothing was grow up to this */
    ROUND_WINDOWS = 8,
    ROUND_BYTES = 256 << 20, /* answers of a round; then it is taken */
};

const struct config_key slurm_live_keys[SLURM_KEY_COUNT] = {
    [SLURM_KEY_VIA] = {.name = "via",
                       .type = CONFIG_CHOICE,
                       .choices = "sacct sacct-json slurmrestd",
                       .fallback = "sacct",
                       .help = "how to query it"},
    [SLURM_KEY_ADDRESS] =
        {.name = "address",
         .type = CONFIG_TEXT,
         .help = "address of slurmrestd: unix:/path, http://host:port or https://host:port"},
    [SLURM_KEY_USER] = {.name = "user",
                        .type = CONFIG_TEXT,
                        .help = "user the token belongs to, for slurmrestd with JWT"},
    [SLURM_KEY_TOKEN_FILE] = {.name = "token_file",
                              .type = CONFIG_FILE,
                              .help = "file with the token, read at each pull"},
    [SLURM_KEY_AUTHORITY] = {.name = "authority",
                             .type = CONFIG_FILE,
                             .help = "certificates to trust for https instead of the system's"},
    [SLURM_KEY_API] = {.name = "api",
                       .type = CONFIG_TEXT,
                       .help = "API version of slurmrestd, such as v0.0.40; default: the "
                               "newest that both support"},
    [SLURM_KEY_WINDOW] = {.name = "window",
                          .type = CONFIG_DURATION,
                          .fallback = "1d",
                          .help = "longest period requested at once"},
    [SLURM_KEY_LOOK_BACK] = {.name = "look_back",
                             .type = CONFIG_DURATION,
                             .fallback = "2d",
                             .help = "how late the end of a job may be recorded; this period "
                                     "is requested again once an hour"},
    [SLURM_KEY_CONF] = {.name = "slurm_conf",
                        .type = CONFIG_FILE,
                        .help = "SLURM_CONF of the programs"},
    [SLURM_KEY_BIN] = {.name = "bin",
                       .type = CONFIG_FILE,
                       .help = "folder of sacct, squeue and scontrol; default: found in PATH"},
    [SLURM_KEY_CLUSTER] = {.name = "slurm_cluster",
                           .type = CONFIG_TEXT,
                           .help = "name of the cluster in Slurm (-M), if there are several"},
    [SLURM_KEY_ONLY_OWN] = {.name = "only_own",
                            .type = CONFIG_FLAG,
                            .fallback = "no",
                            .help = "accept that Slurm shows only the jobs of one user"},
};

const char *slurm_session_text(const struct slurm_session *session, enum slurm_key key)
{
    struct str text = config_text(session->pull->section, &slurm_live_keys[key]);
    return text.len > 0 ? text.ptr : NULL;
}

static int64_t seconds_of(const struct slurm_session *session, enum slurm_key key)
{
    int64_t us = config_number(session->pull->section, &slurm_live_keys[key], 0);
    return us < SECOND_US ? 1 : us / SECOND_US;
}

int slurm_session_check(struct spool *spool, const char *list, bool *empty, struct error *err)
{
    char piece[1 << 16];
    struct slurm_document document = {.list = list};
    int failed = spool_rewind(spool, err);
    ssize_t got = 0;
    while (!failed && (got = read(spool->fd, piece, sizeof(piece))) > 0) {
        slurm_document_feed(&document, (struct str){piece, (size_t)got});
    }
    if (!failed && got < 0) {
        failed = error_errno(err, "cannot read an answer back");
    }
    failed = failed ? failed : slurm_document_end(&document, err);
    if (empty) {
        *empty = !document.has_items;
    }
    return failed ? failed : spool_rewind(spool, err);
}

/* --- the session -------------------------------------------------------------------------- */

static struct slurm_session *session_of(struct pull *pull)
{
    if (!pull->state) {
        struct slurm_session *session = mem_alloc(1, sizeof(*session));
        struct str via = config_text(pull->section, &slurm_live_keys[SLURM_KEY_VIA]);
        session->way = str_eq(via, STR("slurmrestd")) ? &slurm_by_rest : &slurm_by_programs;
        session->as_json = str_eq(via, STR("sacct-json"));
        session->timeout_us = config_number(pull->section, live_key("timeout"), 0);
        pull->state = session;
    }
    struct slurm_session *session = pull->state;
    session->pull = pull;
    return session;
}

static int begin_slurm_session(struct slurm_session *session, struct error *err)
{
    int failed = session->begun ? 0 : session->way->begin(session, err);
    session->begun = !failed;
    return failed;
}

static void end(struct pull *pull)
{
    struct slurm_session *session = pull->state;
    if (session) {
        http_close(session->http);
        arena_release(&session->arena);
        free(session);
        pull->state = NULL;
    }
}

/* --- what there is now -------------------------------------------------------------------- */

static struct pull_answer *add_runs(const struct slurm_session *session, enum answer_kind kind,
                                    const char *via, int64_t began, struct spool spool)
{
    struct pull *pull = session->pull;
    struct pull_answer *answer = pull_add(pull, kind, via);
    answer->at = began;
    answer->took_us = pull->now() - began;
    answer->source = &slurm_driver;
    answer->options.seen = began;
    answer->spool = spool;
    if (kind == ANSWER_HISTORY && session->delimiter && !session->as_json) {
        answer->options.columns = str_of(session->columns);
        answer->options.delimiter = str_of(session->delimiter);
    }
    return answer;
}

static int ask_listing(struct slurm_session *session, struct error *err)
{
    struct spool spool = SPOOL_NONE;
    int64_t began = session->pull->now();
    int failed = session->way->listing(session, &spool, err);
    if (!failed) {
        add_runs(session, ANSWER_LISTING, session->way->listing_via, began, spool);
    }
    return failed;
}

/* A size of slurm.conf, in MiB; what is unlimited is not set. */
static void fill_memory(struct inventory_item *partition, enum partition_field field,
                        struct str settings, const char *name)
{
    int64_t mib;
    if (scan_int(slurm_session_setting(&settings, name), &mib) && mib > 0 &&
        mib < INT64_C(1) << 40) {
        INVENTORY_ITEM_SET_INT(partition, field, mib << 20);
    }
}

/* By PriorityFlags; see PARTITION_billing_largest. */
static int64_t largest_billed(struct str flags)
{
    int64_t largest = 0;
    while (flags.len > 0) {
        const struct str flag = str_trim(str_cut(&flags, ','));
        largest = str_eq_nocase(flag, STR("MAX_TRES"))        ? 1
                  : str_eq_nocase(flag, STR("MAX_TRES_GRES")) ? 2
                                                              : largest;
    }
    return largest;
}

/* What holds where a partition says nothing of its own. */
static void fill_partitions(struct slurm_session *session, struct inventory_item_list *list)
{
    const struct str settings =
        session->way->settings ? session->way->settings(session) : (struct str){0};
    struct str rest = settings;
    const struct str flags = slurm_session_setting(&rest, "PriorityFlags");
    const int64_t largest = largest_billed(flags);
    for (size_t i = 0; i < list->count; i++) {
        struct inventory_item *partition = &list->rows[i];
        if (flags.ptr) {
            INVENTORY_ITEM_SET_INT(partition, PARTITION_billing_largest, largest);
        }
        if (!partition->values[PARTITION_def_mem_cpu_bytes].has &&
            !partition->values[PARTITION_def_mem_node_bytes].has) {
            fill_memory(partition, PARTITION_def_mem_cpu_bytes, settings, "DefMemPerCPU");
            fill_memory(partition, PARTITION_def_mem_node_bytes, settings, "DefMemPerNode");
        }
    }
}

static int ask_things(struct slurm_session *session, enum inventory_item_kind kind,
                      struct error *err)
{
    struct pull *pull = session->pull;
    struct spool spool = SPOOL_NONE;
    struct buf text;
    int64_t began = pull->now();
    int failed = session->way->things(session, kind, &spool, err);
    if (failed) {
        return failed;
    }
    struct pull_answer *answer = pull_add(pull, ANSWER_THINGS, session->way->things_via);
    answer->at = began;
    answer->took_us = pull->now() - began;
    answer->thing = kind;
    answer->spool = spool;
    buf_init(&text, LIMIT_THINGS);
    failed = spool_text(&answer->spool, &text, err);
    if (!failed) {
        failed =
            slurm_things_read(kind, buf_str(&text), NULL, &pull->arena, &answer->things, err);
    }
    buf_release(&text);
    if (!failed && kind == INVENTORY_ITEM_PARTITION) {
        fill_partitions(session, &answer->things);
    }
    return failed
               ? error_prepend(err, "cannot read the answer of %s about its %ss: ", answer->via,
                               inventory_item_kinds[kind].name)
               : 0;
}

/* --- what has ended ----------------------------------------------------------------------- */

/* Where to continue, and how. */
struct walk {
    enum slurm_depth depth;
    int64_t from_s, to_s;    /* of the next window */
    int64_t now_s, window_s; /* of windows as they should be */
    int64_t length_s;        /* of the next one */
    int64_t mark_s;          /* everything before it was asked for; -1: nothing was */
    int64_t first_s;         /* where the first question begins, where nothing was; else 0 */
};

static int find_since(const struct slurm_session *session, int64_t *out, struct error *err)
{
    int64_t since;
    int failed = pull_since(session->pull, &since, err);
    *out = failed || since == INT64_MIN ? FIRST_S : since / SECOND_US;
    return failed;
}

static int begin_walk(const struct slurm_session *session, struct walk *walk, struct error *err)
{
    const struct pull_state *mark = &session->pull->history;
    int64_t look_back = seconds_of(session, SLURM_KEY_LOOK_BACK);
    *walk = (struct walk){
        .depth = SLURM_QUICK,
        .now_s = session->pull->now() / SECOND_US,
        .window_s = seconds_of(session, SLURM_KEY_WINDOW),
        .mark_s = mark->seen_to < 0 ? -1 : mark->seen_to / SECOND_US,
    };
    walk->length_s = walk->window_s;
    if (walk->mark_s < 0) {
        walk->depth = SLURM_FILL;
        int failed = find_since(session, &walk->from_s, err);
        walk->first_s = walk->from_s;
        return failed;
    }
    walk->from_s = walk->mark_s - OVERLAP_S;
    if (walk->now_s - walk->mark_s > walk->window_s) {
        walk->depth = SLURM_FILL;
    } else if (walk->now_s - mark->index >= DEEP_EVERY_S || mark->index > walk->now_s) {
        walk->depth = SLURM_DEEP;
        walk->from_s = walk->mark_s - look_back;
        /* All of it belongs into one round: how far a deep look got is not remembered. */
        walk->length_s = look_back / 4 > walk->window_s ? look_back / 4 : walk->window_s;
    }
    walk->from_s = walk->from_s < 0 ? 0 : walk->from_s;
    return 0;
}

static bool is_last(const struct walk *walk)
{
    return walk->to_s >= walk->now_s;
}

/* After a window with nothing in it a longer one, since years may have nothing. */
static void next_window(struct walk *walk, bool empty)
{
    if (walk->depth == SLURM_FILL) {
        walk->length_s = empty ? walk->length_s * 2 : walk->window_s;
        walk->length_s =
            empty && walk->length_s > EMPTY_WINDOW_S && walk->window_s < EMPTY_WINDOW_S
                ? EMPTY_WINDOW_S
                : walk->length_s;
    }
    walk->from_s = walk->to_s;
}

/* The mark never goes back; its index is when the last deep look was. */
static struct pull_state mark_after(const struct slurm_session *session,
                                    const struct walk *walk)
{
    struct pull_state mark = session->pull->history;
    bool deep = walk->depth == SLURM_DEEP || (walk->depth == SLURM_FILL && is_last(walk));
    int64_t to_s = walk->to_s > walk->mark_s ? walk->to_s : walk->mark_s;
    return (struct pull_state){.seen_to = to_s * SECOND_US,
                               .index = deep ? walk->now_s : mark.index};
}

static int ask_window(struct slurm_session *session, const struct walk *walk,
                      struct spool *spool, bool *empty, struct error *err)
{
    if (stop_is_set(session->pull->stop)) {
        return stop_explain(session->pull->stop, err);
    }
    return session->way->history(session, walk->from_s, walk->to_s, walk->depth, spool, empty,
                                 err);
}

/* Windows until now, or until there is enough for a round. */
static int ask_history(struct slurm_session *session, struct error *err)
{
    struct pull *pull = session->pull;
    struct walk walk;
    uint64_t bytes = 0;
    size_t windows = 0;
    int failed = begin_walk(session, &walk, err);
    while (!failed) {
        struct spool spool = SPOOL_NONE;
        bool empty = false;
        int64_t began = pull->now();
        walk.to_s =
            walk.from_s + walk.length_s < walk.now_s ? walk.from_s + walk.length_s : walk.now_s;
        failed = ask_window(session, &walk, &spool, &empty, err);
        if (failed) {
            break;
        }
        bytes += spool.size;
        if (empty && !is_last(&walk)) {
            spool_close(&spool);
        } else {
            struct pull_answer *answer =
                add_runs(session, ANSWER_HISTORY, session->way->history_via, began, spool);
            answer->mark = mark_after(session, &walk);
            answer->from = walk.first_s * SECOND_US;
            windows++;
        }
        bool enough = windows >= ROUND_WINDOWS || bytes >= ROUND_BYTES;
        pull->more = enough && !is_last(&walk) && walk.depth != SLURM_DEEP;
        if (is_last(&walk) || pull->more) {
            break;
        }
        next_window(&walk, empty);
    }
    return failed;
}

static int ask_slurm(struct pull *pull, struct error *err)
{
    struct slurm_session *session = session_of(pull);
    int failed = begin_slurm_session(session, err);
    if (!failed) {
        failed = ask_listing(session, err);
    }
    for (unsigned kind = 0; kind < INVENTORY_ITEM_KIND_COUNT && !failed; kind++) {
        failed = ask_things(session, kind, err);
    }
    return failed ? failed : ask_history(session, err);
}

/* --- what is missing ---------------------------------------------------------------------- */

static int compare_numbers(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Slurm's own number of each, once; the time of the first of them. */
static size_t list_numbers(const struct pull *pull, int64_t *numbers, int64_t *from_s)
{
    size_t count = 0;
    size_t kept = 0;
    *from_s = pull->now() / SECOND_US;
    for (size_t i = 0; i < pull->missing_count; i++) {
        const struct missing *missing = &pull->missing[i];
        int64_t submit_s = missing->submit < 0 ? 0 : missing->submit / SECOND_US;
        int64_t number = missing->job_raw >= 0 ? missing->job_raw : missing->job;
        if (number >= 0) {
            numbers[count++] = number;
            *from_s = submit_s < *from_s ? submit_s : *from_s;
        }
    }
    qsort(numbers, count, sizeof(numbers[0]), compare_numbers);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || numbers[i] != numbers[i - 1]) {
            numbers[kept++] = numbers[i];
        }
    }
    return kept;
}

static int again(struct pull *pull, struct error *err)
{
    enum { CHUNK = 100 }; /* slurmrestd has them in the path it is asked for */

    struct slurm_session *session = session_of(pull);
    int64_t *numbers = mem_alloc(pull->missing_count + 1, sizeof(*numbers));
    int64_t from_s = 0;
    size_t count = list_numbers(pull, numbers, &from_s);
    struct spool all = SPOOL_NONE;
    int64_t began = pull->now();
    int failed = begin_slurm_session(session, err);
    failed = failed ? failed : spool_open(&all, err);
    for (size_t i = 0; i < count && !failed; i += CHUNK) {
        struct spool spool = SPOOL_NONE;
        failed = session->way->jobs(session, numbers + i, count - i < CHUNK ? count - i : CHUNK,
                                    from_s, &spool, err);
        failed = failed ? failed : spool_join(&all, &spool, err);
    }
    failed = failed ? failed : spool_rewind(&all, err);
    if (!failed && all.size > 0) {
        add_runs(session, ANSWER_HISTORY, session->way->history_via, began, all);
    } else {
        spool_close(&all);
    }
    free(numbers);
    return failed;
}

static int plan(struct pull *pull, struct buf *out, struct error *err)
{
    struct slurm_session *session = session_of(pull);
    struct walk walk;
    int failed = begin_walk(session, &walk, err);
    if (!failed) {
        walk.to_s =
            walk.from_s + walk.length_s < walk.now_s ? walk.from_s + walk.length_s : walk.now_s;
        session->way->plan(session, walk.from_s, walk.to_s, out);
    }
    return failed;
}

const struct live_driver slurm_live_driver = {
    .name = "slurm",
    .summary = "Slurm 21.08 and later, through its programs or slurmrestd",
    .keys = slurm_live_keys,
    .key_count = SLURM_KEY_COUNT,
    .ask = ask_slurm,
    .again = again,
    .plan = plan,
    .end = end,
};
