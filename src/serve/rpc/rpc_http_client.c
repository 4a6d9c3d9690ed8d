/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "reach/http_client.h"
#include "serve/rpc/rpc_http.h"
#include "serve/rpc/rpc_reply.h"
#include "serve/rpc/wire.h"

enum { TRUST_MAX = 64 << 10, INLET_PATH_MAX = 256, HEAD = 5, PIECE = 64 << 10 };

#define WIRE_PATH "/api/v1/wire"

#define ANSWER_MAX (UINT64_C(64) << 30)

/*
 * A connection to the server, and what is said each time; it stays where it is while that is
 * open.
 */
struct connection {
    struct http *http;
    struct http_header headers[4];
    char bearer[1024];
};

static int open_server(const struct rpc_http *remote, const struct stop *stop,
                       struct connection *out, struct error *err)
{
    size_t count = 0;
    out->headers[count++] = (struct http_header){"Content-Type", "application/vnd.stint.wire"};
    out->headers[count++] = (struct http_header){"Expect", ""}; /* nobody is asked beforehand */
    if (remote->token) {
        if (strlen(remote->token) + 8 > sizeof(out->bearer)) {
            return error_set(err, ERROR_USAGE, "the token is too long");
        }
        snprintf(out->bearer, sizeof(out->bearer), "Bearer %s", remote->token);
        out->headers[count++] = (struct http_header){"Authorization", out->bearer};
    }
    out->headers[count] = (struct http_header){0};
    const struct http_server server = {.address = remote->address,
                                       .headers = out->headers,
                                       .authority = remote->authority,
                                       .limit = ANSWER_MAX,
                                       .stop = stop};
    return http_open(&server, &out->http, err);
}

/* The sentence of a problem, or that there is none. */
static int explain(const struct rpc_http *remote, struct http_answer *answer, struct error *err)
{
    struct buf text;
    json_error_t why;
    enum error_kind kind = answer->status == 401 || answer->status == 403 ? ERROR_DENIED
                           : answer->status == 404                        ? ERROR_MISSING
                                                                          : ERROR_IO;
    buf_init(&text, TRUST_MAX);
    struct error ignored;
    json_t *problem = spool_text(&answer->body, &text, &ignored) == 0
                          ? json_loadb(text.ptr, text.len, 0, &why)
                          : NULL;
    const char *detail = json_string_value(json_object_get(problem, "detail"));
    int failed = detail ? error_set(err, kind, "'%s': %s%s", remote->address, detail,
                                    answer->status == 401 && !remote->token
                                        ? "; a token goes into $STINT_TOKEN"
                                        : "")
                        : error_set(err, kind, "'%s' is no server of stint: it answers %d",
                                    remote->address, answer->status);
    json_decref(problem);
    buf_release(&text);
    return failed;
}

/* --- the site ----------------------------------------------------------------------------- */

static int read_zone(struct http_answer *answer, char **zone, struct error *err)
{
    struct buf text;
    json_error_t why;
    buf_init(&text, TRUST_MAX);
    int failed = spool_text(&answer->body, &text, err);
    json_t *site = failed ? NULL : json_loadb(text.ptr, text.len, 0, &why);
    const char *name = json_string_value(json_object_get(site, "zone"));
    *zone = mem_text(name ? name : "Etc/UTC");
    json_decref(site);
    buf_release(&text);
    return failed;
}

int rpc_http_zone(const struct rpc_http *remote, const struct stop *stop, char **zone,
                  struct error *err)
{
    struct connection connection = {0};
    struct http_answer answer;
    *zone = NULL;
    int failed = open_server(remote, stop, &connection, err);
    failed = failed ? failed : http_get(connection.http, "/api/v1/site", 0, &answer, err);
    if (!failed) {
        failed = answer.status == 200 ? read_zone(&answer, zone, err)
                                      : explain(remote, &answer, err);
        spool_close(&answer.body);
    }
    http_close(connection.http);
    return failed;
}

/* --- asking ------------------------------------------------------------------------------- */

/* A request whose answer comes in frames. */
struct streaming {
    const struct rpc_http *remote;
    const struct service *service;
    struct rpc_reply asking;
    struct http *sender;       /* for what is read here, beside the answer */
    char path[INLET_PATH_MAX]; /* where that goes; "": not known yet */
    struct buf frames;         /* what came, from `from` on not yet taken */
    size_t from;
};

/* Sends a frame to the inlet; the empty one says that no more is wanted. */
static int send_piece(void *context, struct str frame, struct error *err)
{
    struct streaming *streaming = context;
    struct http_answer reply;
    if (!streaming->path[0]) {
        return error_set(err, ERROR_INPUT, "something is to be read, and nobody says by whom");
    }
    int failed = http_post(streaming->sender, streaming->path, frame, &reply, err);
    if (!failed) {
        failed = reply.status == 204 ? 0 : explain(streaming->remote, &reply, err);
        spool_close(&reply.body);
    }
    return failed;
}

static int set_inlet(struct streaming *streaming, struct str content, struct error *err)
{
    struct str id;
    struct buf path;
    int failed = wire_get_inlet(content, &id, err);
    buf_init(&path, INLET_PATH_MAX);
    buf_addz(&path, "/api/v1/wire/");
    if (!failed) {
        http_escape(&path, id);
        failed =
            path.overflow ? error_set(err, ERROR_LIMIT, "an inlet has too long a name") : 0;
    }
    snprintf(streaming->path, sizeof(streaming->path), "%s", failed ? "" : path.ptr);
    buf_release(&path);
    return failed;
}

/* Takes the next frame, if it is there as a whole. */
static int take_frame(struct streaming *streaming, bool *taken, struct error *err)
{
    struct frame_reading in = {.rest = {streaming->frames.ptr + streaming->from,
                                        streaming->frames.len - streaming->from}};
    *taken = false;
    if (in.rest.len < HEAD) {
        return 0;
    }
    const size_t length = (size_t)frame_get_bytes(&in, 4);
    const enum frame_kind kind = (enum frame_kind)frame_get_bytes(&in, 1);
    if (length > WIRE_FRAME_MAX) {
        return error_set(err, ERROR_LIMIT, "a frame is too large");
    }
    if (in.rest.len < length) {
        return 0;
    }
    const struct str content = {in.rest.ptr, length};
    *taken = true;
    streaming->from += HEAD + length;
    return kind == FRAME_INLET ? set_inlet(streaming, content, err)
                               : rpc_reply_take(&streaming->asking, kind, content, err);
}

static int take_bytes(void *context, struct str bytes, struct error *err)
{
    struct streaming *streaming = context;
    bool taken = true;
    int failed = 0;
    buf_add(&streaming->frames, bytes);
    if (streaming->frames.overflow) {
        return error_set(err, ERROR_LIMIT, "the answer is too large");
    }
    while (!failed && taken && !streaming->asking.last) {
        failed = take_frame(streaming, &taken, err);
    }
    const size_t left = streaming->frames.len - streaming->from;
    if (streaming->from > 0) {
        memmove(streaming->frames.ptr, streaming->frames.ptr + streaming->from, left);
        streaming->frames.len = left;
        streaming->from = 0;
    }
    return failed;
}

/*
 * When it is to stop, the other side is reported so where it reads from here, and says how it
 * ended; else it is left.
 */
static bool look(void *context)
{
    struct streaming *streaming = context;
    struct rpc_reply *asking = &streaming->asking;
    struct error ignored;
    if (!asking->stopped && stop_is_set(streaming->service->stop)) {
        asking->stopped = streaming->path[0] && send_piece(streaming, STR(""), &ignored) == 0;
        return asking->stopped;
    }
    return true;
}

/*
 * What comes by a pipe is there before it is asked for: nobody waits for it with the store in
 * hand.
 */
static int await_inputs(const struct request *request, bool *any, struct error *err)
{
    int failed = 0;
    *any = false;
    for (size_t i = 0; !failed && request->inputs && i < request->count; i++) {
        if (inputs_has(request, i)) {
            *any = true;
            failed = request->inputs->await
                         ? request->inputs->await(request->inputs->context, i, err)
                         : 0;
        }
    }
    return failed;
}

/* The whole answer first, and then its frames: the reader may take its time. */
static int ask_whole(struct streaming *streaming, struct http *http, struct str request,
                     struct error *err)
{
    struct http_answer reply;
    char piece[PIECE];
    int failed = http_post(http, WIRE_PATH, request, &reply, err);
    if (failed) {
        return failed;
    }
    if (reply.status != 200) {
        failed = explain(streaming->remote, &reply, err);
    }
    while (!failed && !streaming->asking.last) {
        const ssize_t got = read(reply.body.fd, piece, sizeof(piece));
        if (got > 0) {
            failed = take_bytes(streaming, (struct str){piece, (size_t)got}, err);
        } else if (got == 0 || errno != EINTR) {
            break;
        }
    }
    spool_close(&reply.body);
    return failed;
}

static int ask_streaming(struct streaming *streaming, struct http *http, struct str request,
                         struct error *err)
{
    const struct http_taker taker = {streaming, take_bytes, look};
    struct http_answer reply;
    int failed = http_post_to(http, WIRE_PATH, request, &taker, &reply, err);
    if (!failed && reply.status != 200) {
        failed = explain(streaming->remote, &reply, err);
    } else if (failed == ERROR_IO && streaming->path[0]) { /* it had begun */
        error_set(err, ERROR_IO,
                  "'%s' was lost while it worked; what was committed is kept: run it again",
                  streaming->remote->address);
    } else if (failed == ERROR_STOPPED) {
        stop_explain(streaming->service->stop, err);
    }
    spool_close(&reply.body);
    return failed;
}

static int send_stream_request(struct streaming *streaming, struct http *http, bool reads,
                               struct error *err)
{
    const struct request *request = streaming->asking.giving.request;
    struct buf frame;
    buf_init(&frame, WIRE_REQUEST_MAX);
    int failed = rpc_reply_put_request(&streaming->asking, &frame, err);
    if (!failed) {
        failed = reads || request_changes(request)
                     ? ask_streaming(streaming, http, buf_str(&frame), err)
                     : ask_whole(streaming, http, buf_str(&frame), err);
    }
    buf_release(&frame);
    if (!failed && !streaming->asking.last) {
        failed = error_set(err, ERROR_IO, "the answer is not whole: ask again");
    } else if (!failed && !streaming->asking.answered) {
        failed = error_set(err, ERROR_INPUT, "the answer is not one of this version");
    }
    return failed ? failed : rpc_reply_result(&streaming->asking, err);
}

/*
 * The two connections: for the request, which is left when it is to stop, and for what it
 * reads, which is not.
 */
static int ask_connected(struct streaming *streaming, bool reads, struct error *err)
{
    struct connection request = {0}, sender = {0};
    int failed = open_server(streaming->remote, streaming->service->stop, &request, err);
    if (!failed && reads) {
        failed = open_server(streaming->remote, NULL, &sender, err);
        streaming->sender = sender.http;
    }
    failed = failed ? failed : send_stream_request(streaming, request.http, reads, err);
    http_close(request.http);
    http_close(sender.http);
    return failed;
}

int rpc_http_ask(const struct rpc_http *remote, const struct service *service,
                 const struct request *request, struct answer *answer, struct error *err)
{
    struct streaming streaming = {.remote = remote, .service = service};
    bool reads = false;
    if (request_is_local(request)) {
        return error_set(err, ERROR_DENIED,
                         "%s works with files and programs of the store's "
                         "own machine: run it there",
                         request->operation->name);
    }
    int failed = await_inputs(request, &reads, err);
    if (failed) {
        return failed;
    }
    rpc_reply_init(&streaming.asking, service, request, answer);
    streaming.asking.send = send_piece;
    streaming.asking.context = &streaming;
    buf_init(&streaming.frames, (size_t)WIRE_FRAME_MAX + WIRE_SMALL_MAX);
    failed = ask_connected(&streaming, reads, err);
    buf_release(&streaming.frames);
    rpc_reply_release(&streaming.asking);
    return failed;
}
