/* SPDX-License-Identifier: MIT */
#include "agent/uploader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/agent.h"
#include "agent/idle_wait.h"
#include "agent/sample_spool.h"
#include "base/file.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/zone.h"
#include "reach/http_client.h"

enum {
    BATCH_MAX = 512 << 10, /* bytes that are sent at once; the server takes twice as many */
    TOKEN_MAX = 1024,
    TIMEOUT_S = 60,
    BACKOFF_FIRST_S = 5,
    BACKOFF_MOST_S = 900,
    ANSWER_MAX = 64 << 10,
};

struct uploader {
    struct uploader_plan plan;
    struct sample_spool outbox;
    unsigned failures; /* in a row */
    int64_t due;       /* on stop_clock: when to try next */
    uint64_t said;     /* a hash of what was last said */
    size_t alone;      /* looks that are sent one by one: one of them was refused */
};

static uint64_t chance(void)
{
    uint64_t number = 0;
    if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number)) {
        number = (uint64_t)stop_clock() * UINT64_C(2654435761);
    }
    return number;
}

int64_t uploader_backoff(unsigned failures, uint64_t chance_)
{
    int64_t most = BACKOFF_FIRST_S * SECOND_US;
    for (unsigned i = 1; i < failures && most < BACKOFF_MOST_S * SECOND_US; i++) {
        most *= 2;
    }
    most = most < BACKOFF_MOST_S * SECOND_US ? most : BACKOFF_MOST_S * SECOND_US;
    return most / 2 + (int64_t)(chance_ % (uint64_t)(most / 2 + 1));
}

int uploader_open(const struct uploader_plan *plan, struct uploader **out, struct error *err)
{
    struct uploader *shipping = mem_alloc(1, sizeof(*shipping));
    shipping->plan = *plan;
    int failed = sample_spool_open(&shipping->outbox, plan->folder, plan->limit, err);
    if (failed) {
        free(shipping);
        return failed;
    }
    *out = shipping;
    return 0;
}

void uploader_close(struct uploader *shipping)
{
    if (shipping) {
        sample_spool_close(&shipping->outbox);
        free(shipping);
    }
}

int uploader_put(struct uploader *shipping, struct str look, struct error *err)
{
    return sample_spool_put(&shipping->outbox, look, err);
}

int64_t uploader_lost(struct uploader *shipping)
{
    const int64_t lost = shipping->outbox.lost;
    shipping->outbox.lost = 0;
    return lost;
}

/* --- one batch ---------------------------------------------------------------------------- */

/* "Bearer TOKEN"; read each time, so that a token that was replaced counts at once. */
static int read_token(const struct uploader *shipping, struct buf *bearer, struct error *err)
{
    struct buf text;
    if (!shipping->plan.token_file) {
        return 0;
    }
    buf_init(&text, TOKEN_MAX);
    int failed = file_read(shipping->plan.token_file, &text, err);
    if (!failed) {
        buf_addz(bearer, "Bearer ");
        buf_add(bearer, str_trim(buf_str(&text)));
    }
    buf_release(&text);
    return failed;
}

/* What the server said, on one line. */
static int report_server_error(const struct uploader *shipping, struct http_answer *answer,
                               struct error *err)
{
    struct buf text;
    struct error ignored;
    buf_init(&text, ANSWER_MAX);
    if (spool_text(&answer->body, &text, &ignored) != 0) {
        buf_clear(&text);
    }
    const struct str all = buf_str(&text);
    const char *detail = memmem(all.ptr, all.len, "\"detail\":", 9);
    struct str said =
        detail ? (struct str){detail + 9, all.len - (size_t)(detail + 9 - all.ptr)} : STR("");
    (void)str_cut(&said, '"');
    said = said.ptr ? str_cut(&said, '"') : STR("");
    const enum error_kind kind =
        answer->status == 401 || answer->status == 403                            ? ERROR_DENIED
        : answer->status == 400 || answer->status == 413 || answer->status == 422 ? ERROR_INPUT
                                                                                  : ERROR_IO;
    int failed = error_set(err, kind, "'%s' answers %d%s%.*s", shipping->plan.server,
                           answer->status, said.len > 0 ? ": " : "", STR_ARG(said));
    buf_release(&text);
    return failed;
}

static int post(const struct uploader *shipping, struct str bytes, const struct stop *stop,
                struct error *err)
{
    struct buf bearer;
    struct http *http = NULL;
    struct http_answer answer;
    buf_init(&bearer, TOKEN_MAX + 16);
    int failed = read_token(shipping, &bearer, err);
    const struct http_header headers[] = {{"Content-Type", "application/zstd"},
                                          {bearer.len > 0 ? "Authorization" : NULL, bearer.ptr},
                                          {NULL, NULL}};
    const struct http_server server = {.address = shipping->plan.server,
                                       .authority = shipping->plan.authority,
                                       .headers = headers,
                                       .timeout_us = TIMEOUT_S * SECOND_US,
                                       .limit = ANSWER_MAX,
                                       .stop = stop};
    failed = failed ? failed : http_open(&server, &http, err);
    failed = failed ? failed : http_post(http, "/api/v1/agent/samples", bytes, &answer, err);
    if (!failed) {
        failed = answer.status >= 200 && answer.status < 300
                     ? 0
                     : report_server_error(shipping, &answer, err);
        spool_close(&answer.body);
    }
    http_close(http);
    buf_release(&bearer);
    return failed;
}

/*
 * The child's part: libcurl with what it loads is four times as large as the agent, and is gone
 * with the child. What went wrong is written to the pipe, nothing if all is well.
 */
static void post_and_exit(const struct uploader *shipping, struct str bytes,
                          const struct stop *stop, int out)
{
    struct error err = {0};
    sample_spool_leave(&shipping->outbox);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (post(shipping, bytes, stop, &err) != 0 &&
        write(out, &err, sizeof(err)) != (ssize_t)sizeof(err)) {
        _exit(1);
    }
    _exit(0);
}

/* What the child says; false if it is to be ended before. */
static bool hear(int in, const struct stop *stop, struct error *err, bool *wrong)
{
    size_t got = 0;
    ssize_t part = 1;
    while (part != 0 && got < sizeof(*err)) {
        if (!idle_wait_until_readable(in, stop)) {
            return false;
        }
        part = read(in, (char *)err + got, sizeof(*err) - got);
        got += part > 0 ? (size_t)part : 0;
    }
    err->text[sizeof(err->text) - 1] = '\0';
    *wrong = got == sizeof(*err);
    return got == 0 || *wrong;
}

/* Sends by a child, see above. */
static int post_apart(const struct uploader *shipping, struct str bytes,
                      const struct stop *stop, struct error *err)
{
    int ends[2], status = 0;
    bool wrong = false;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return error_errno(err, "cannot make a pipe");
    }
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        post_and_exit(shipping, bytes, stop, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return error_errno(err, "cannot start a process that sends");
    }
    const bool heard = hear(ends[0], stop, err, &wrong);
    close(ends[0]);
    if (!heard) {
        (void)kill(child, SIGKILL);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (wrong) {
        return err->kind;
    }
    if (heard && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        return 0;
    }
    return stop_is_set(stop) ? stop_explain(stop, err)
                             : error_set(err, ERROR_IO, "the process that sends has ended");
}

/* Says what is wrong, when it is something else than before. */
static void complain_once(struct uploader *shipping, const char *text)
{
    const uint64_t hash = str_hash(str_of(text), 1);
    if (hash != shipping->said) {
        agent_complain("%s; looks are kept in '%s' meanwhile", text, shipping->plan.folder);
    }
    shipping->said = hash;
}

/* One batch; *more: there is another. */
static int send_batch(struct uploader *shipping, const struct stop *stop, bool *more,
                      struct error *err)
{
    struct sample_spool_batch batch;
    int failed =
        sample_spool_take(&shipping->outbox, shipping->alone > 0 ? 1 : BATCH_MAX, &batch, err);
    *more = !failed && batch.count > 0;
    if (*more) {
        failed = post_apart(shipping, buf_str(&batch.bytes), stop, err);
        if (failed == ERROR_INPUT && batch.count > 1) {
            /* Those beside the one that cannot be read are good. */
            shipping->alone = batch.count;
            sample_spool_release(&batch);
            return 0;
        }
        if (failed == ERROR_INPUT) {
            /* It will never be taken: what comes after it must not wait for it. */
            agent_complain("%s; the look is lost", err->text);
            shipping->outbox.lost += (int64_t)batch.count;
            failed = 0;
        }
    }
    if (!failed) {
        sample_spool_drop(&shipping->outbox, &batch);
        shipping->alone -= shipping->alone > 0;
    }
    sample_spool_release(&batch);
    return failed;
}

int uploader_send(struct uploader *shipping, const struct stop *stop, struct error *err)
{
    bool more = true;
    int failed = 0;
    while (more && !failed && !stop_is_set(stop)) {
        failed = send_batch(shipping, stop, &more, err);
    }
    return failed;
}

/* --- again and again ---------------------------------------------------------------------- */

static void attempt(struct uploader *shipping, const struct stop *stop)
{
    struct error err;
    if (uploader_send(shipping, stop, &err) == 0) {
        if (shipping->failures > 0) {
            agent_complain("'%s' takes looks again", shipping->plan.server);
        }
        shipping->failures = 0;
        shipping->said = 0;
        shipping->due = 0;
    } else if (!stop_is_set(stop)) {
        shipping->failures++;
        shipping->due = stop_clock() + uploader_backoff(shipping->failures, chance());
        complain_once(shipping, err.text);
    }
}

bool uploader_work(struct uploader *shipping, int64_t pause_us, const struct stop *stop)
{
    const int64_t until = stop_clock() + pause_us;
    /* Nodes look at about the same time, and send at any time of the first half after it. */
    int64_t when = stop_clock() + (int64_t)(chance() % (uint64_t)(pause_us / 2 + 1));
    when = shipping->due > when ? shipping->due : when;
    if (when < until) {
        if (!idle_wait_for(stop, when - stop_clock())) {
            return false;
        }
        attempt(shipping, stop);
    }
    return idle_wait_for(stop, until - stop_clock());
}
