/* SPDX-License-Identifier: MIT */
#include "serve/client.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "serve/giving.h"
#include "serve/socket.h"
#include "serve/wire.h"

static int send_request(int fd, const struct service *service, const struct request *request,
                        const struct answer *answer, struct error *err)
{
    struct wire_request *asked = mem_alloc(1, sizeof(*asked));
    struct buf frame;
    buf_init(&frame, WIRE_REQUEST_MAX);
    asked->request = *request;
    asked->zone = str_of(zone_name(service->zone));
    asked->year_month = zone_fiscal_month(service->zone);
    asked->bare = answer->bare;
    asked->streams = answer->sink != NULL;
    asked->watches = service->progress != NULL;
    wire_put_request(&frame, asked);
    int failed = frame.overflow
                     ? error_set(err, ERROR_LIMIT, "the request is too large to be sent")
                     : frame_send(fd, buf_str(&frame), err);
    buf_release(&frame);
    free(asked);
    return failed;
}

static int pass_rows(const struct buf *frame, const struct answer *answer, struct error *err)
{
    struct table rows = {0};
    int failed = wire_get_rows(buf_str(frame), &rows, err);
    if (!failed) {
        failed = answer->sink ? answer->sink->take(answer->sink->context, &rows, err)
                              : error_set(err, ERROR_INPUT, "rows came that nobody takes");
    }
    table_release(&rows);
    return failed;
}

/* A request that is being answered. */
struct asking {
    int fd;
    const struct service *service;
    struct answer *answer;
    struct giving giving;
    enum client_outcome outcome;
    bool stopped; /* the other side was reported to stop */
    bool last;    /* the last frame has come */
    int ended;    /* how the operation ended */
};

/*
 * Waits for the next frame. When it is to stop, the other side is reported so by the end of what we send, and continues to say
 * how it ended.
 */
static int await_frame(struct asking *asking, struct error *err)
{
    const struct stop *stop = asking->stopped ? NULL : asking->service->stop;
    int failed = frame_wait(asking->fd, stop, 0, err);
    if (failed == ERROR_STOPPED) {
        asking->stopped = true;
        shutdown(asking->fd, SHUT_WR);
        failed = frame_wait(asking->fd, NULL, 0, err);
    }
    return failed;
}

static int pass_progress(const struct asking *asking, struct str content, struct error *err)
{
    const struct service *service = asking->service;
    struct wire_progress progress;
    int failed = wire_get_progress(content, &progress, err);
    if (!failed && service->progress) {
        service->progress(service->watcher, progress.what, progress.done, progress.total,
                          progress.records);
    }
    return failed;
}

static int pass_line(const struct asking *asking, struct str content, struct error *err)
{
    const struct service *service = asking->service;
    struct arena arena = {0};
    const char *line = NULL;
    int failed = wire_get_say(content, &arena, &line, err);
    if (!failed && service->say) {
        service->say(service->watcher, line);
    }
    arena_release(&arena);
    return failed;
}

static int take_answer(struct asking *asking, struct str content, struct error *err)
{
    struct error why = {0};
    asking->outcome = CLIENT_ANSWERED;
    asking->last = true;
    int failed = wire_get_answer(content, asking->answer, &asking->ended, &why, err);
    if (!failed && asking->ended) {
        *err = why;
    }
    return failed;
}

static int give(struct asking *asking, enum frame_kind kind, struct str content,
                struct error *err)
{
    return asking->stopped ? 0 /* it learns of that by itself */
                           : giving_answer(&asking->giving, asking->fd, kind, content, err);
}

static int take_frame(struct asking *asking, enum frame_kind kind, const struct buf *frame,
                      struct error *err)
{
    const struct str content = buf_str(frame);
    switch (kind) {
    case FRAME_ROWS:
        asking->outcome = CLIENT_ANSWERED;
        return pass_rows(frame, asking->answer, err);
    case FRAME_OPEN:
    case FRAME_READ:
    case FRAME_CLOSE:
        return give(asking, kind, content, err);
    case FRAME_PROGRESS:
        return pass_progress(asking, content, err);
    case FRAME_SAY:
        return pass_line(asking, content, err);
    case FRAME_ANSWER:
        return take_answer(asking, content, err);
    case FRAME_HELLO:
    case FRAME_REQUEST:
    case FRAME_OPENED:
    case FRAME_BYTES:
    case FRAME_TAKES:
    case FRAME_BUSY:
    default: /* given back, or gone */
        asking->last = true;
        return asking->outcome == CLIENT_ANSWERED
                   ? error_set(err, ERROR_IO, "the process that answered has ended; ask again")
                   : 0;
    }
}

/* Frames until the last. */
static int receive_answer(struct asking *asking, struct error *err)
{
    struct buf frame;
    int failed = 0;
    buf_init(&frame, WIRE_FRAME_MAX);
    while (!failed && !asking->last) {
        enum frame_kind kind = 0;
        (void)((failed = await_frame(asking, err)) ||
               (failed = frame_receive(asking->fd, WIRE_FRAME_MAX, NULL, &kind, &frame, err)) ||
               (failed = take_frame(asking, kind, &frame, err)));
    }
    buf_release(&frame);
    return failed;
}

int client_ask(const struct service *service, const struct request *request,
               struct answer *answer, enum client_outcome *outcome, struct error *err)
{
    struct asking asking = {
        .fd = socket_connect(service->store), .service = service, .answer = answer};
    *outcome = CLIENT_NOBODY;
    if (asking.fd < 0) {
        return 0;
    }
    giving_init(&asking.giving, request);
    int failed = send_request(asking.fd, service, request, answer, err);
    failed = failed ? failed : receive_answer(&asking, err);
    giving_release(&asking.giving);
    close(asking.fd);
    *outcome = asking.outcome;
    if (asking.outcome == CLIENT_NOBODY && asking.stopped) {
        *outcome = CLIENT_ANSWERED;
        return stop_explain(service->stop, err);
    }
    if (asking.outcome == CLIENT_NOBODY) {
        return 0; /* it left before it answered */
    }
    return failed ? failed : asking.ended;
}

/* Whether whoever has the store of that folder takes changes, and adds its address, if it has one. */
static bool greet(const char *folder, struct buf *address)
{
    enum { PATIENCE_US = 2000000 };

    const int fd = socket_connect(folder);
    struct str where = {0};
    bool takes = false;
    struct error ignored;
    struct buf frame;
    if (fd < 0) {
        return false;
    }
    buf_init(&frame, WIRE_SMALL_MAX);
    wire_put_hello(&frame);
    const struct stop stop = {.deadline_us = stop_clock() + PATIENCE_US};
    enum frame_kind kind = 0;
    const bool said = frame_send(fd, buf_str(&frame), &ignored) == 0 &&
                      frame_receive(fd, WIRE_SMALL_MAX, &stop, &kind, &frame, &ignored) == 0 &&
                      kind == FRAME_TAKES &&
                      wire_get_takes(buf_str(&frame), &takes, &where, &ignored) == 0;
    if (said && address && where.ptr) {
        buf_add(address, where);
    }
    buf_release(&frame);
    close(fd);
    return said && takes;
}

bool client_takes_changes(const char *folder)
{
    return greet(folder, NULL);
}

bool client_address(const char *folder, struct buf *out)
{
    const size_t before = out->len;
    (void)greet(folder, out);
    return out->len > before;
}
