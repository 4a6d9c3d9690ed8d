/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/limit.h"
#include "base/scan.h"
#include "live/slurm/slurm_session.h"

/*
 * Asking slurmrestd. The version of its interface is found in what it says of itself
 * (/openapi/v3), unless it is reported: the newest that we know to read, else the oldest that
 * is newer.
 */

enum { NEWEST_READ = 46, OPENAPI_MAX = 32 << 20, TOKEN_MAX = 16 << 10, STATUS_OK = 200 };

/*
 * Asked for by state, jobs are found by when they ended, never eligible ones included. REQUEUED
 * (RQ) is not among them: 0.0.38 takes it for any.
 */
#define ENDED "BF,CA,CD,DL,F,NF,OOM,PR,TO"

/* --- beginning ---------------------------------------------------------------------------- */

static int read_token(struct slurm_session *session, const char **token, struct error *err)
{
    const char *path = slurm_session_text(session, SLURM_KEY_TOKEN_FILE);
    struct buf text;
    *token = NULL;
    if (!path) {
        return 0;
    }
    buf_init(&text, TOKEN_MAX);
    int failed = file_read(path, &text, err);
    struct str word = str_trim(buf_str(&text));
    /* As `scontrol token` prints it. */
    if (str_starts(word, STR("SLURM_JWT="))) {
        word.ptr += 10;
        word.len -= 10;
    }
    if (!failed && (word.len == 0 || str_byte(word, '\n'))) {
        failed = error_set(
            err, ERROR_INPUT,
            "'%s' contains no token; create one with: scontrol token username=%s", path,
            slurm_session_text(session, SLURM_KEY_USER)
                ? slurm_session_text(session, SLURM_KEY_USER)
                : "NAME");
    }
    *token = failed ? NULL : arena_text(&session->arena, word);
    buf_release(&text);
    return failed;
}

static int open_server(struct slurm_session *session, struct error *err)
{
    const char *address = slurm_session_text(session, SLURM_KEY_ADDRESS);
    const char *user = slurm_session_text(session, SLURM_KEY_USER);
    const char *token = NULL;
    if (!address) {
        return error_set(err, ERROR_INPUT,
                         "'via = slurmrestd' wants 'address = unix:/path' or "
                         "'address = http://host:port'");
    }
    int failed = read_token(session, &token, err);
    if (failed) {
        return failed;
    }
    struct http_header *headers = arena_alloc(&session->arena, 3 * sizeof(*headers));
    size_t count = 0;
    if (user) {
        headers[count++] = (struct http_header){"X-SLURM-USER-NAME", user};
    }
    if (token) {
        headers[count] = (struct http_header){"X-SLURM-USER-TOKEN", token};
    }
    const struct http_server server = {
        .address = address,
        .authority = slurm_session_text(session, SLURM_KEY_AUTHORITY),
        .headers = headers,
        .timeout_us = session->timeout_us,
        .limit = live_answer_limit(session->pull->section, UINT64_MAX),
        .stop = session->pull->stop,
    };
    return http_open(&server, &session->http, err);
}

static const char *refusal(int status)
{
    return status == 401 || status == 403
               ? "the token may have expired, or belong to another user than 'user'; create "
                 "one with: scontrol token username=..."
           : status == 404 ? "it does not support this version: remove 'api', or set another"
           : status >= 500 ? "it failed internally: see its log"
                           : "see its log";
}

/*
 * What an answer with another status than 200 says, if it is Slurm's; nothing found is no
 * failure.
 */
static int check_answer(const struct slurm_session *session, struct http_answer *answer,
                        const char *list, bool *empty, struct error *err)
{
    const char *address = slurm_session_text(session, SLURM_KEY_ADDRESS);
    int failed = slurm_session_check(&answer->body, list, empty, err);
    bool refused = failed == ERROR_INPUT && answer->status != STATUS_OK;
    if (refused) {
        return error_set(err, answer->status == 401 ? ERROR_DENIED : ERROR_IO,
                         "slurmrestd at '%s' refuses with status %d: %s", address,
                         answer->status, refusal(answer->status));
    }
    return failed ? error_prepend(err, "slurmrestd at '%s': ", address) : 0;
}

/* Asks for a path and keeps the answer, looked through. */
static int ask_slurmrestd(struct slurm_session *session, const char *path, const char *list,
                          struct spool *out, bool *empty, struct error *err)
{
    struct http_answer answer = {.body = SPOOL_NONE};
    int failed = http_get(session->http, path, 0, &answer, err);
    if (failed) {
        return failed;
    }
    failed = check_answer(session, &answer, list, empty, err);
    if (failed) {
        spool_close(&answer.body);
        return failed;
    }
    *out = answer.body;
    return 0;
}

/* --- which version ------------------------------------------------------------------------ */

/* The number in "/slurm/v0.0.38/jobs" at the start of a text, or -1. */
static int64_t version_at(struct str text)
{
    static const struct str before = {"/slurm/v0.0.", 12};
    int64_t version = 0;
    if (!str_starts(text, before)) {
        return -1;
    }
    text.ptr += before.len;
    text.len -= before.len;
    struct str digits = str_cut(&text, '/');
    return text.ptr && str_starts(text, STR("jobs")) && digits.len <= 4 &&
                   scan_int(digits, &version)
               ? version
               : -1;
}

/* Paths in JSON may be written with \/ for /. */
static void drop_backslashes(struct buf *text)
{
    size_t len = 0;
    for (size_t i = 0; i < text->len; i++) {
        if (text->ptr[i] != '\\') {
            text->ptr[len++] = text->ptr[i];
        }
    }
    text->len = len;
}

static int64_t best_version(struct str text)
{
    int64_t known = -1, newer = -1;
    const char *at = text.ptr;
    const char *end = text.ptr + text.len;
    while (at < end && (at = memmem(at, (size_t)(end - at), "/slurm/v", 8)) != NULL) {
        int64_t version = version_at((struct str){at, (size_t)(end - at)});
        if (version >= 0 && version <= NEWEST_READ) {
            known = version > known ? version : known;
        } else if (version >= 0 && (newer < 0 || version < newer)) {
            newer = version;
        }
        at++;
    }
    return known >= 0 ? known : newer;
}

static int find_version(struct slurm_session *session, struct error *err)
{
    const char *address = slurm_session_text(session, SLURM_KEY_ADDRESS);
    struct http_answer answer = {.body = SPOOL_NONE};
    struct buf text;
    int failed = http_get(session->http, "/openapi/v3", 0, &answer, err);
    if (failed) {
        return failed;
    }
    buf_init(&text, OPENAPI_MAX);
    failed = spool_text(&answer.body, &text, err);
    spool_close(&answer.body);
    if (!failed && answer.status != STATUS_OK) {
        failed = error_set(err, answer.status == 401 ? ERROR_DENIED : ERROR_IO,
                           "slurmrestd at '%s' refuses with status %d: %s", address,
                           answer.status, refusal(answer.status));
    }
    drop_backslashes(&text);
    int64_t version = failed ? -1 : best_version(buf_str(&text));
    buf_release(&text);
    if (!failed && version < 0) {
        failed = error_set(err, ERROR_INPUT,
                           "'%s' is not slurmrestd: it has no /slurm/.../jobs", address);
    }
    session->api = failed ? NULL : arena_printf(&session->arena, "v0.0.%" PRId64, version);
    return failed;
}

/* Slurm shows a user who may not see the jobs of others only their own, without a word. */
static void warn_of_rights(struct slurm_session *session)
{
    struct pull *pull = session->pull;
    const char *user = slurm_session_text(session, SLURM_KEY_USER);
    struct spool spool = SPOOL_NONE;
    struct buf text, escaped;
    struct error ignored;
    if (!user || !pull->say ||
        config_number(pull->section, &slurm_live_keys[SLURM_KEY_ONLY_OWN], 0)) {
        return;
    }
    buf_init(&escaped, LIMIT_ARGUMENT);
    http_escape(&escaped, str_of(user));
    buf_init(&text, 1 << 20);
    if (ask_slurmrestd(
            session,
            arena_printf(&session->arena, "/slurmdb/%s/user/%s", session->api, escaped.ptr),
            "users", &spool, NULL, &ignored) == 0 &&
        spool_text(&spool, &text, &ignored) == 0 && !strstr(text.ptr, "\"Administrator\"") &&
        !strstr(text.ptr, "\"Operator\"")) {
        pull->say(
            pull->watcher,
            arena_printf(
                &session->arena,
                "%s: '%s' is not an operator in Slurm: if jobs are private (PrivateData), "
                "slurmrestd shows only its own; set 'only_own = yes' if that is intended",
                pull->cluster, user));
    }
    spool_close(&spool);
    buf_release(&escaped);
    buf_release(&text);
}

static int begin_rest_session(struct slurm_session *session, struct error *err)
{
    const char *api = slurm_session_text(session, SLURM_KEY_API);
    int failed = session->http ? 0 : open_server(session, err);
    if (failed) {
        return failed;
    }
    if (api) {
        session->api = api[0] == 'v' ? api : arena_printf(&session->arena, "v%s", api);
    } else {
        failed = find_version(session, err);
    }
    if (!failed) {
        warn_of_rights(session);
    }
    return failed;
}

/* --- asking ------------------------------------------------------------------------------- */

static const char *history_path(struct slurm_session *session, int64_t from_s, int64_t to_s,
                                const char *states)
{
    struct buf path;
    buf_init(&path, LIMIT_ARGUMENT);
    /* Before 0.0.40 all runs of a job are reported without asking. */
    buf_addf(&path, "/slurmdb/%s/jobs?start_time=uts%" PRId64 "&end_time=uts%" PRId64,
             session->api ? session->api : "vX", from_s > 0 ? from_s : 1, to_s);
    if (session->api && strcmp(session->api, "v0.0.40") >= 0) {
        buf_addz(&path, "&show_duplicates=true");
    }
    if (states) {
        buf_addz(&path, "&state=");
        http_escape(&path, str_of(states));
    }
    const char *text = arena_text(&session->arena, buf_str(&path));
    buf_release(&path);
    return text;
}

static int history(struct slurm_session *session, int64_t from_s, int64_t to_s,
                   enum slurm_depth depth, struct spool *out, bool *empty, struct error *err)
{
    int failed = ask_slurmrestd(session, history_path(session, from_s, to_s, ENDED), "jobs",
                                out, empty, err);
    if (failed || depth == SLURM_QUICK) {
        return failed;
    }
    struct spool more = SPOOL_NONE;
    bool no_more = false;
    (void)((failed = ask_slurmrestd(session, history_path(session, from_s, to_s, NULL), "jobs",
                                    &more, &no_more, err)) ||
           (failed = spool_join(out, &more, err)) || (failed = spool_rewind(out, err)));
    *empty = *empty && no_more;
    if (failed) {
        spool_close(out);
    }
    return failed;
}

static int jobs(struct slurm_session *session, const int64_t *numbers, size_t count,
                int64_t from_s, struct spool *out, struct error *err)
{
    struct buf path, list;
    bool empty = false;
    (void)from_s; /* with numbers, 0.0.38 finds nothing in a window */
    buf_init(&path, LIMIT_ARGUMENT);
    buf_init(&list, LIMIT_ARGUMENT);
    for (size_t i = 0; i < count; i++) {
        buf_addf(&list, "%s%" PRId64, i ? "," : "", numbers[i]);
    }
    buf_addf(&path, "/slurmdb/%s/jobs?step=", session->api);
    http_escape(&path, buf_str(&list));
    if (strcmp(session->api, "v0.0.40") >= 0) {
        buf_addz(&path, "&show_duplicates=true");
    }
    int failed = ask_slurmrestd(session, path.ptr, "jobs", out, &empty, err);
    buf_release(&path);
    buf_release(&list);
    return failed;
}

static const char *slurm_path(struct slurm_session *session, const char *what)
{
    return arena_printf(&session->arena, "/slurm/%s/%s", session->api ? session->api : "vX",
                        what);
}

static int listing(struct slurm_session *session, struct spool *out, struct error *err)
{
    return ask_slurmrestd(session, slurm_path(session, "jobs"), "jobs", out, NULL, err);
}

static int things(struct slurm_session *session, enum inventory_item_kind kind,
                  struct spool *out, struct error *err)
{
    const char *what = inventory_item_kinds[kind].table;
    return ask_slurmrestd(session, slurm_path(session, what), what, out, NULL, err);
}

static void plan(struct slurm_session *session, int64_t from_s, int64_t to_s, struct buf *out)
{
    const char *address = slurm_session_text(session, SLURM_KEY_ADDRESS);
    session->api = session->api ? session->api : slurm_session_text(session, SLURM_KEY_API);
    address = address ? address : "(no address)";
    buf_addf(out, "  %s %s\n", address, slurm_path(session, "jobs"));
    for (unsigned kind = 0; kind < INVENTORY_ITEM_KIND_COUNT; kind++) {
        buf_addf(out, "  %s %s\n", address,
                 slurm_path(session, inventory_item_kinds[kind].table));
    }
    buf_addf(out, "  %s %s\n", address, history_path(session, from_s, to_s, ENDED));
}

const struct slurm_way slurm_by_rest = {
    .listing_via = "slurmrestd",
    .history_via = "slurmrestd",
    .things_via = "slurmrestd",
    .begin = begin_rest_session,
    .listing = listing,
    .history = history,
    .jobs = jobs,
    .things = things,
    .plan = plan,
};
