/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "reach/http.h"
#include "serve/remote.h"
#include "serve/wire.h"

enum { TRUST_MAX = 64 << 10 };

#define ANSWER_MAX (UINT64_C(64) << 30)

/* A connection to the server, with what is said each time. */
static int open_server(const struct remote *remote, const struct stop *stop, char *bearer,
                       size_t room, struct http_header headers[3], struct http **out,
                       struct error *err)
{
    size_t count = 0;
    headers[count++] = (struct http_header){"Content-Type", "application/vnd.stint.wire"};
    if (remote->token) {
        if (strlen(remote->token) + 8 > room) {
            return error_set(err, ERROR_USAGE, "the token is too long");
        }
        memcpy(bearer, "Bearer ", 7);
        memcpy(bearer + 7, remote->token, strlen(remote->token) + 1);
        headers[count++] = (struct http_header){"Authorization", bearer};
    }
    headers[count] = (struct http_header){0};
    const struct http_server server = {
        .address = remote->address, .headers = headers, .limit = ANSWER_MAX, .stop = stop};
    return http_open(&server, out, err);
}

/* The sentence of a problem, or that there is none. */
static int explain(const struct remote *remote, struct http_answer *answer, struct error *err)
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

/* --- the site ------------------------------------------------------------------------------------- */

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

int remote_zone(const struct remote *remote, const struct stop *stop, char **zone,
                struct error *err)
{
    struct http *http = NULL;
    struct http_header headers[3];
    struct http_answer answer;
    char bearer[1024];
    *zone = NULL;
    int failed = open_server(remote, stop, bearer, sizeof(bearer), headers, &http, err);
    failed = failed ? failed : http_get(http, "/api/v1/site", 0, &answer, err);
    if (!failed) {
        failed = answer.status == 200 ? read_zone(&answer, zone, err)
                                      : explain(remote, &answer, err);
        spool_close(&answer.body);
    }
    http_close(http);
    return failed;
}

/* --- asking --------------------------------------------------------------------------------------- */

static int read_bytes(int fd, size_t count, struct buf *out, struct error *err)
{
    buf_clear(out);
    buf_reserve(out, count);
    if (out->overflow) {
        return error_set(err, ERROR_LIMIT, "the answer is too large");
    }
    while (out->len < count) {
        const ssize_t got = read(fd, out->ptr + out->len, count - out->len);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return error_set(err, ERROR_IO, "the answer is not whole: ask again");
        }
        out->len += (size_t)got;
    }
    out->ptr[out->len] = '\0';
    return 0;
}

/* The frames of an answer; the last says how it ended. */
static int read_frames(int fd, struct answer *answer, int *ended, struct error *why,
                       struct error *err)
{
    struct buf frame;
    bool last = false;
    int failed = 0;
    buf_init(&frame, WIRE_FRAME_MAX);
    while (!failed && !last) {
        failed = read_bytes(fd, 5, &frame, err);
        if (failed) {
            break;
        }
        struct frame_reading head = {.rest = buf_str(&frame)};
        const size_t length = (size_t)frame_get_bytes(&head, 4);
        const enum frame_kind kind = (enum frame_kind)frame_get_bytes(&head, 1);
        failed = length > WIRE_FRAME_MAX ? error_set(err, ERROR_LIMIT, "a frame is too large")
                                         : read_bytes(fd, length, &frame, err);
        if (!failed && kind == FRAME_ROWS && answer->sink) {
            struct table rows = {0};
            failed = wire_get_rows(buf_str(&frame), &rows, err);
            failed = failed ? failed : answer->sink->take(answer->sink->context, &rows, err);
            table_release(&rows);
        } else if (!failed && kind == FRAME_ANSWER) {
            last = true;
            failed = wire_get_answer(buf_str(&frame), answer, ended, why, err);
        } else if (!failed) {
            failed = error_set(err, ERROR_INPUT, "the answer is not one of this version");
        }
    }
    buf_release(&frame);
    return failed;
}

static void put_request(struct buf *frame, const struct service *service,
                        const struct request *request, const struct answer *answer)
{
    struct wire_request *asked = mem_alloc(1, sizeof(*asked));
    asked->request = *request;
    asked->zone = str_of(zone_name(service->zone));
    asked->year_month = zone_year_start(service->zone);
    asked->streams = answer->sink != NULL;
    wire_put_request(frame, asked);
    free(asked);
}

int remote_ask(const struct remote *remote, const struct service *service,
               const struct request *request, struct answer *answer, struct error *err)
{
    struct http *http = NULL;
    struct http_header headers[3];
    struct http_answer reply;
    struct error why = {0};
    struct buf frame;
    char bearer[1024];
    int ended = 0;
    if (request_is_local(request)) {
        return error_set(err, ERROR_DENIED,
                         "%s works with files and programs of the store's "
                         "own machine: run it there",
                         request->operation->name);
    }
    int failed =
        open_server(remote, service->stop, bearer, sizeof(bearer), headers, &http, err);
    if (failed) {
        return failed;
    }
    buf_init(&frame, WIRE_REQUEST_MAX);
    put_request(&frame, service, request, answer);
    failed = http_post(http, "/api/v1/wire", buf_str(&frame), &reply, err);
    if (!failed) {
        failed = reply.status == 200 ? read_frames(reply.body.fd, answer, &ended, &why, err)
                                     : explain(remote, &reply, err);
        spool_close(&reply.body);
    }
    if (!failed && ended) {
        *err = why;
        failed = ended;
    }
    buf_release(&frame);
    http_close(http);
    return failed;
}
