/* SPDX-License-Identifier: MIT */
#include "serve/rpc/rpc_client.h"

#include <sys/socket.h>
#include <unistd.h>

#include "serve/rpc/rpc_reply.h"
#include "serve/rpc/socket.h"
#include "serve/rpc/wire.h"

static int send_frame(void *context, struct str frame, struct error *err)
{
    const int *fd = context;
    return frame_send(*fd, frame, err);
}

static int send_request(int fd, const struct rpc_reply *asking, struct error *err)
{
    struct buf frame;
    buf_init(&frame, WIRE_REQUEST_MAX);
    int failed = rpc_reply_put_request(asking, &frame, err);
    failed = failed ? failed : frame_send(fd, buf_str(&frame), err);
    buf_release(&frame);
    return failed;
}

/*
 * Waits for the next frame. When it is to stop, the other side is reported so by the end of
 * what we send, and continues to say how it ended.
 */
static int await_frame(int fd, struct rpc_reply *asking, struct error *err)
{
    const struct stop *stop = asking->stopped ? NULL : asking->service->stop;
    int failed = frame_wait(fd, stop, 0, err);
    if (failed == ERROR_STOPPED) {
        asking->stopped = true;
        shutdown(fd, SHUT_WR);
        failed = frame_wait(fd, NULL, 0, err);
    }
    return failed;
}

/* Frames until the last. */
static int receive_answer(int fd, struct rpc_reply *asking, struct error *err)
{
    struct buf frame;
    int failed = 0;
    buf_init(&frame, WIRE_FRAME_MAX);
    while (!failed && !asking->last) {
        enum frame_kind kind = 0;
        (void)((failed = await_frame(fd, asking, err)) ||
               (failed = frame_receive(fd, WIRE_FRAME_MAX, NULL, &kind, &frame, err)) ||
               (failed = rpc_reply_take(asking, kind, buf_str(&frame), err)));
    }
    buf_release(&frame);
    return failed;
}

int rpc_client_ask(const struct service *service, const struct request *request,
                   struct answer *answer, enum rpc_client_outcome *outcome, struct error *err)
{
    struct rpc_reply asking;
    int fd = socket_connect(service->store);
    *outcome = RPC_CLIENT_NOBODY;
    if (fd < 0) {
        return 0;
    }
    rpc_reply_init(&asking, service, request, answer);
    asking.send = send_frame;
    asking.context = &fd;
    int failed = send_request(fd, &asking, err);
    failed = failed ? failed : receive_answer(fd, &asking, err);
    rpc_reply_release(&asking);
    close(fd);
    *outcome = asking.answered || asking.stopped ? RPC_CLIENT_ANSWERED : RPC_CLIENT_NOBODY;
    if (!asking.answered) { /* it left before it answered */
        return asking.stopped ? stop_explain(service->stop, err) : 0;
    }
    return failed ? failed : rpc_reply_result(&asking, err);
}

/*
 * Whether the process that holds the store of that folder takes changes; adds its address, if
 * it has one.
 */
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

bool rpc_client_takes_changes(const char *folder)
{
    return greet(folder, NULL);
}

bool rpc_client_address(const char *folder, struct buf *out)
{
    const size_t before = out->len;
    (void)greet(folder, out);
    return out->len > before;
}
