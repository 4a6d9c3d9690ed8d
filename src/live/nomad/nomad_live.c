/* SPDX-License-Identifier: MIT */
#include "live/nomad/nomad_live.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "live/nomad/nomad_api.h"
#include "reach/http_client.h"
#include "source/nomad/nomad.h"

/* Allocations asked for one by one in a round; what is more comes in the next. */
enum { ROUND_MAX = 500 };

#define JOBS_PATH        "/v1/jobs?namespace=*&meta=true"
#define ALLOCATIONS_PATH "/v1/allocations?namespace=*&resources=true&task_states=true"
#define WAIT_PATH        "/v1/allocations?namespace=*&per_page=1"

/* An allocation of the list. */
struct listed {
    struct str text; /* in the list's body */
    struct str id;
    int64_t index;    /* ModifyIndex */
    int64_t modified; /* when it last changed; -1: not recorded */
    bool open;        /* waits or runs */
};

/* What one round has to do with. */
struct round {
    struct pull *pull;
    struct nomad_api *api;
    struct nomad_nodes *nodes;
    json_t *jobs; /* "job@namespace" -> what the list says of it */
    struct nomad_answer list;
    struct listed *rows;
    size_t count, room;
    int64_t at;
};

/* --- which count -------------------------------------------------------------------------- */

static bool matches(const struct pull *pull, enum nomad_key key, struct str text)
{
    struct str rest = config_text(pull->section, &nomad_keys[key]);
    while (rest.ptr) {
        struct str words = str_cut(&rest, ',');
        while (words.ptr) {
            const struct str word = str_trim(str_cut(&words, ' '));
            if (word.len > 0 && str_glob(word, text)) {
                return true;
            }
        }
    }
    return false;
}

static bool counts(const struct pull *pull, struct str namespace, struct str job)
{
    return matches(pull, NOMAD_KEY_NAMESPACES, namespace) &&
           !matches(pull, NOMAD_KEY_IGNORE, namespace) && matches(pull, NOMAD_KEY_JOBS, job);
}

/* --- asking ------------------------------------------------------------------------------- */

static char *job_key(struct round *round, struct str job, struct str namespace)
{
    return arena_printf(&round->pull->arena, "%.*s@%.*s", STR_ARG(job), STR_ARG(namespace));
}

static int keep_job(void *context, json_t *object, struct str text, struct error *err)
{
    struct round *round = context;
    const struct str id = nomad_api_text(object, "ID"),
                     namespace = nomad_api_text(object, "Namespace"),
                     name = nomad_api_text(object, "Name");
    (void)text;
    (void)err;
    if (counts(round->pull, namespace, name.len > 0 ? name : id)) {
        json_object_set(round->jobs, job_key(round, id, namespace), object);
    }
    return 0;
}

static bool is_open(struct str status)
{
    return str_eq(status, STR("pending")) || str_eq(status, STR("running")) ||
           str_eq(status, STR("unknown"));
}

/* What is known of an allocation's job; NULL if it is gone or does not count. */
static json_t *job_of(struct round *round, const json_t *allocation)
{
    return json_object_get(round->jobs, job_key(round, nomad_api_text(allocation, "JobID"),
                                                nomad_api_text(allocation, "Namespace")));
}

static int64_t modified_of(const json_t *allocation)
{
    const int64_t nanos = nomad_api_number(allocation, "ModifyTime", -1);
    return nanos < 0 ? -1 : nanos / 1000;
}

static int keep_allocation(void *context, json_t *object, struct str text, struct error *err)
{
    struct round *round = context;
    const struct str id = nomad_api_text(object, "ID");
    const json_t *job = job_of(round, object);
    const struct str name = job ? nomad_api_text(job, "Name") : STR("");
    if (id.len == 0) {
        return error_set(err, ERROR_INPUT, "Nomad returned an allocation without an ID");
    }
    const bool open = is_open(nomad_api_text(object, "ClientStatus"));
    if (open) {
        nomad_nodes_use(round->nodes, object); /* of whichever allocation */
    }
    if (!counts(round->pull, nomad_api_text(object, "Namespace"),
                name.len > 0 ? name : nomad_api_text(object, "JobID"))) {
        return 0;
    }
    round->rows = mem_grow(round->rows, round->count, &round->room, sizeof(*round->rows));
    round->rows[round->count++] = (struct listed){
        .text = text,
        .id = arena_copy(&round->pull->arena, id),
        .index = nomad_api_number(object, "ModifyIndex", 0),
        .modified = modified_of(object),
        .open = open,
    };
    return 0;
}

/* Lets Nomad hold its answer back until it has something new to say. */
static int wait_for_change(struct round *round, struct error *err)
{
    const int64_t wait = config_number(round->pull->section, &nomad_keys[NOMAD_KEY_WAIT], 0);
    const struct pull_state mark = round->pull->history;
    struct nomad_answer answer;
    if (wait == 0 || mark.seen_to < 0 || mark.index <= 0) {
        return 0;
    }
    const char *path =
        arena_printf(&round->pull->arena, WAIT_PATH "&index=%" PRId64 "&wait=%" PRId64 "s",
                     mark.index, (wait + SECOND_US - 1) / SECOND_US);
    int failed = nomad_api_ask(round->api, path, wait, &answer, err);
    buf_release(&answer.body);
    return failed;
}

static int ask_jobs(struct round *round, struct error *err)
{
    struct nomad_answer answer;
    int failed = nomad_api_ask(round->api, JOBS_PATH, 0, &answer, err);
    if (!failed) {
        failed = nomad_api_each(&answer, JOBS_PATH, keep_job, round, err);
    }
    buf_release(&answer.body);
    return failed;
}

/*
 * Jobs before allocations: one that is placed in between is in both lists, rather than in
 * neither.
 */
static int ask_lists(struct round *round, struct error *err)
{
    int failed;
    (void)((failed = wait_for_change(round, err)) ||
           (failed = nomad_nodes_ask(round->nodes, round->api, err)) ||
           (failed = ask_jobs(round, err)) ||
           (failed = nomad_api_ask(round->api, ALLOCATIONS_PATH, 0, &round->list, err)));
    round->at = round->pull->now();
    return failed ? failed
                  : nomad_api_each(&round->list, ALLOCATIONS_PATH, keep_allocation, round, err);
}

/* --- answers ------------------------------------------------------------------------------ */

/* An answer of runs, to be filled line by line. */
static int begin_runs(struct round *round, enum answer_kind kind, struct pull_answer **out,
                      struct error *err)
{
    struct pull_answer *answer = pull_add(round->pull, kind, "nomad");
    answer->source = &nomad_driver;
    answer->options.zone = round->pull->zone;
    answer->options.seen = round->at;
    for (size_t i = 0; i < OWNER_PARTS; i++) {
        answer->options.owner_keys[i] =
            config_text(round->pull->section, &nomad_keys[NOMAD_KEY_OWNER + i]);
    }
    answer->at = round->at;
    answer->took_us = 0;
    *out = answer;
    return spool_open(&answer->spool, err);
}

static int end_runs(struct round *round, struct pull_answer *answer, struct error *err)
{
    int failed = answer->spool.size == 0 ? spool_add(&answer->spool, STR("[]\n"), err) : 0;
    answer->took_us = round->pull->now() - round->at;
    return failed ? failed : spool_rewind(&answer->spool, err);
}

/* A line: what says the format first, since the rest may be long. Takes `record` over. */
static int add_line(struct spool *spool, json_t *record, struct error *err)
{
    static const char *const first[] = {"ID", "JobID", "ClientStatus"};
    json_t *line = json_object();
    for (size_t i = 0; i < COUNT_OF(first); i++) {
        json_t *value = json_object_get(record, first[i]);
        if (value) {
            json_object_set(line, first[i], value);
        }
    }
    json_object_update_missing(line, record);
    char *text = json_dumps(line, JSON_COMPACT);
    json_decref(line);
    json_decref(record);
    if (!text) {
        return error_set(err, ERROR_INPUT, "the answer of Nomad cannot be stored");
    }
    int failed = spool_add(spool, str_of(text), err);
    free(text);
    return failed ? failed : spool_add(spool, STR("\n"), err);
}

static void add_node(const struct round *round, json_t *allocation)
{
    json_t *node = nomad_nodes_find(round->nodes, nomad_api_text(allocation, "NodeID"));
    if (node) {
        json_object_set_new(allocation, "Node", node);
    }
}

/* One of the list as it is there, with what the list of jobs says. */
static int add_listed(struct round *round, const struct listed *row, struct spool *spool,
                      struct error *err)
{
    json_t *allocation = json_loadb(row->text.ptr, row->text.len, 0, NULL);
    json_t *job = job_of(round, allocation);
    if (job) {
        json_object_set(allocation, "Job", job);
    }
    add_node(round, allocation);
    return add_line(spool, allocation, err);
}

/* Asks for one allocation, which comes with its job; that it is gone is no failure. */
static int add_asked(struct round *round, struct str id, struct spool *spool, struct error *err)
{
    struct nomad_answer answer;
    struct buf path;
    buf_init(&path, ERROR_TEXT_MAX);
    buf_addz(&path, "/v1/allocation/");
    http_escape(&path, id);
    int failed = nomad_api_ask(round->api, path.ptr, 0, &answer, err);
    json_t *allocation =
        failed || !answer.found ? NULL : nomad_api_object(&answer, path.ptr, err);
    if (allocation) {
        add_node(round, allocation);
        failed = add_line(spool, allocation, err);
    } else if (!failed && answer.found) {
        failed = ERROR_INPUT;
    }
    buf_release(&answer.body);
    buf_release(&path);
    return failed;
}

/* How many allocations a job still waits for: those it could not place, or its first. */
static int64_t queued_of(const json_t *job)
{
    json_t *groups = json_object_get(json_object_get(job, "JobSummary"), "Summary");
    const struct str status = nomad_api_text(job, "Status");
    int64_t queued = 0;
    const char *name;
    json_t *group;
    if (json_is_true(json_object_get(job, "Stop")) || str_eq(status, STR("dead")) ||
        json_is_true(json_object_get(job, "Periodic")) ||
        json_is_true(json_object_get(job, "ParameterizedJob"))) {
        return 0;
    }
    int64_t placed = 0;
    json_object_foreach(groups, name, group)
    {
        static const char *const others[] = {"Starting", "Running", "Complete",
                                             "Failed",   "Lost",    "Unknown"};
        queued += nomad_api_number(group, "Queued", 0);
        for (size_t i = 0; i < COUNT_OF(others); i++) {
            placed += nomad_api_number(group, others[i], 0);
        }
    }
    return queued > 0 ? queued : str_eq(status, STR("pending")) && placed == 0 ? 1 : 0;
}

/* The group that waits, or the first. */
static const char *waiting_group(const json_t *job)
{
    json_t *groups = json_object_get(json_object_get(job, "JobSummary"), "Summary");
    const char *name, *found = NULL;
    json_t *group;
    json_object_foreach(groups, name, group)
    {
        if (!found || nomad_api_number(group, "Queued", 0) > 0) {
            found = name;
        }
    }
    return found ? found : "";
}

/* A job that waits, with all that it asks for. */
static int add_waiting(struct round *round, const json_t *job, int64_t queued,
                       struct spool *spool, struct error *err)
{
    const struct str id = nomad_api_text(job, "ID"),
                     namespace = nomad_api_text(job, "Namespace");
    struct nomad_answer answer;
    struct buf path;
    buf_init(&path, ERROR_TEXT_MAX);
    buf_addz(&path, "/v1/job/");
    http_escape(&path, id);
    buf_addz(&path, "?namespace=");
    http_escape(&path, namespace);
    int failed = nomad_api_ask(round->api, path.ptr, 0, &answer, err);
    json_t *whole = failed || !answer.found ? NULL : nomad_api_object(&answer, path.ptr, err);
    if (whole) {
        failed = add_line(spool,
                          json_pack("{s:s%, s:s, s:s%, s:s, s:I, s:o}", "JobID", id.ptr, id.len,
                                    "ClientStatus", "pending", "Namespace", namespace.ptr,
                                    namespace.len, "TaskGroup", waiting_group(job), "Queued",
                                    (json_int_t)queued, "Job", whole),
                          err);
    } else if (!failed && answer.found) {
        failed = ERROR_INPUT;
    }
    buf_release(&answer.body);
    buf_release(&path);
    return failed;
}

static int put_listing(struct round *round, struct error *err)
{
    struct pull_answer *answer;
    const char *key;
    json_t *job;
    int failed = begin_runs(round, ANSWER_LISTING, &answer, err);
    for (size_t i = 0; i < round->count && !failed; i++) {
        failed =
            round->rows[i].open ? add_listed(round, &round->rows[i], &answer->spool, err) : 0;
    }
    json_object_foreach(round->jobs, key, job)
    {
        const int64_t queued = queued_of(job);
        if (!failed && queued > 0) {
            failed = add_waiting(round, job, queued, &answer->spool, err);
        }
    }
    return failed ? failed : end_runs(round, answer, err);
}

static int by_index(const void *a, const void *b)
{
    const struct listed *x = a, *y = b;
    return x->index < y->index ? -1 : x->index > y->index;
}

/*
 * Where to continue. A Nomad whose index has become smaller is another one, or was restored:
 * all is new.
 */
static int64_t known_index(const struct round *round)
{
    const struct pull_state mark = round->pull->history;
    return mark.seen_to < 0 || (round->list.index >= 0 && mark.index > round->list.index)
               ? 0
               : mark.index;
}

/* Whether an allocation was over, and nothing has become of it, since before `since`. */
static bool is_past(const struct listed *row, int64_t since)
{
    return !row->open && row->modified >= 0 && row->modified < since;
}

/* What changed since the last pull, oldest first, so that a part of it is a beginning. */
static int put_history(struct round *round, struct error *err)
{
    struct pull_answer *answer;
    int64_t index = known_index(round), since = INT64_MIN;
    size_t taken = 0, i = 0;
    int failed = index == 0 ? pull_since(round->pull, &since, err) : 0;
    if (failed || (failed = begin_runs(round, ANSWER_HISTORY, &answer, err)) != 0) {
        return failed;
    }
    qsort(round->rows, round->count, sizeof(*round->rows), by_index);
    while (i < round->count && round->rows[i].index <= index) {
        i++;
    }
    for (; i < round->count && !failed; i++) {
        if (taken >= ROUND_MAX && round->rows[i].index > index) {
            break; /* those of one index go together */
        }
        if (!is_past(&round->rows[i], since)) {
            failed = add_asked(round, round->rows[i].id, &answer->spool, err);
            taken++;
        }
        index = round->rows[i].index;
    }
    if (failed) {
        return failed;
    }
    round->pull->more = i < round->count;
    answer->mark.seen_to = round->at;
    answer->mark.index =
        !round->pull->more && round->list.index > index ? round->list.index : index;
    return end_runs(round, answer, err);
}

static void put_nodes(struct round *round)
{
    struct pull_answer *answer = pull_add(round->pull, ANSWER_THINGS, "nomad");
    answer->at = round->at;
    answer->thing = INVENTORY_ITEM_NODE;
    nomad_nodes_list(round->nodes, &round->pull->arena, &answer->things);
}

/* --- the driver --------------------------------------------------------------------------- */

static int begin_round(struct pull *pull, struct round *round, struct error *err)
{
    *round = (struct round){.pull = pull, .at = pull->now()};
    if (!pull->state) {
        struct nomad_api *api = NULL;
        int failed = nomad_api_open(pull, &api, err);
        if (failed) {
            return failed;
        }
        pull->state = api;
    }
    round->api = pull->state;
    round->nodes = nomad_nodes_new();
    round->jobs = json_object();
    return 0;
}

static void end_round(struct round *round)
{
    nomad_nodes_free(round->nodes);
    json_decref(round->jobs);
    buf_release(&round->list.body);
    free(round->rows);
}

static int nomad_ask(struct pull *pull, struct error *err)
{
    struct round round;
    int failed = begin_round(pull, &round, err);
    if (failed) {
        return failed;
    }
    (void)((failed = ask_lists(&round, err)) || (failed = put_listing(&round, err)) ||
           (failed = put_history(&round, err)));
    if (!failed) {
        put_nodes(&round);
    }
    end_round(&round);
    return failed;
}

/* Allocations by their ids; a waiting job that is gone has nothing more to tell. */
static int nomad_again(struct pull *pull, struct error *err)
{
    struct round round;
    struct pull_answer *answer;
    int failed = begin_round(pull, &round, err);
    if (failed) {
        return failed;
    }
    (void)((failed = nomad_nodes_ask(round.nodes, round.api, err)) ||
           (failed = begin_runs(&round, ANSWER_HISTORY, &answer, err)));
    for (size_t i = 0; i < pull->missing_count && !failed; i++) {
        const struct str key = pull->missing[i].job_key;
        if (key.len > 0 && !str_byte(key, '@')) {
            failed = add_asked(&round, key, &answer->spool, err);
        }
    }
    if (!failed) {
        failed = end_runs(&round, answer, err);
    }
    end_round(&round);
    return failed;
}

static int nomad_plan(struct pull *pull, struct buf *out, struct error *err)
{
    static const char *const paths[] = {
        "/v1/nodes?resources=true&os=true", JOBS_PATH, ALLOCATIONS_PATH,
        "/v1/allocation/ID for each that changed", "/v1/job/ID for each that waits"};
    const struct str address = config_text(pull->section, &nomad_keys[NOMAD_KEY_ADDRESS]);
    (void)err;
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        buf_addf(out, "  %.*s%s\n", STR_ARG(address), paths[i]);
    }
    return 0;
}

static void nomad_end(struct pull *pull)
{
    nomad_api_close(pull->state);
    pull->state = NULL;
}

const struct live_driver nomad_live = {
    .name = "nomad",
    .summary = "Nomad, by its HTTP API",
    .keys = nomad_keys,
    .key_count = NOMAD_KEY_COUNT,
    .ask = nomad_ask,
    .again = nomad_again,
    .plan = nomad_plan,
    .end = nomad_end,
};
