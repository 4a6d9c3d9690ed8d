/* SPDX-License-Identifier: MIT */
#include "serve/client.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
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
    asked->for_people = service->for_people;
    asked->streams = answer->sink != NULL;
    wire_put_request(&frame, asked);
    int failed = frame.overflow
                     ? error_set(err, ERROR_LIMIT, "the request is too large to be sent")
                     : wire_send(fd, buf_str(&frame), err);
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

/* Frames until the last. *ended is how the operation ended. */
static int receive_answer(int fd, const struct service *service, struct answer *answer,
                          enum client_outcome *outcome, int *ended, struct error *err)
{
    struct buf frame;
    int failed = 0;
    bool last = false;
    buf_init(&frame, WIRE_FRAME_MAX);
    while (!failed && !last) {
        struct error why = {0};
        enum frame_kind kind = 0;
        failed = wire_receive(fd, WIRE_FRAME_MAX, service->stop, &kind, &frame, err);
        if (!failed && kind == FRAME_ROWS) {
            *outcome = CLIENT_ANSWERED;
            failed = pass_rows(&frame, answer, err);
        } else if (!failed && kind == FRAME_ANSWER) {
            *outcome = CLIENT_ANSWERED;
            last = true;
            failed = wire_get_answer(buf_str(&frame), answer, ended, &why, err);
            if (!failed && *ended) {
                *err = why;
            }
        } else if (!failed) { /* given back, or gone */
            last = true;
            if (*outcome == CLIENT_ANSWERED) {
                failed =
                    error_set(err, ERROR_IO, "the process that answered has ended; ask again");
            }
        }
    }
    buf_release(&frame);
    return failed;
}

int client_ask(const struct service *service, const struct request *request,
               struct answer *answer, enum client_outcome *outcome, struct error *err)
{
    int ended = 0;
    *outcome = CLIENT_NOBODY;
    const int fd = socket_connect(service->store);
    if (fd < 0) {
        return 0;
    }
    int failed = send_request(fd, service, request, answer, err);
    if (!failed) {
        failed = receive_answer(fd, service, answer, outcome, &ended, err);
    }
    close(fd);
    if (failed && failed != ERROR_STOPPED && *outcome == CLIENT_NOBODY) {
        return 0; /* it left before it answered */
    }
    if (failed == ERROR_STOPPED) {
        *outcome = CLIENT_ANSWERED;
    }
    return failed ? failed : ended;
}
