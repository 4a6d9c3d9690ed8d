/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Client side of a request to another process: decodes the reply's frames, from any transport.
 * Rows go to the answer's sink, progress to the service's watcher, and inputs are sent as they
 * are asked for.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "serve/rpc/frame.h"
#include "serve/rpc/input_sender.h"
#include "service/core/service.h"

struct rpc_reply {
    const struct service *service;
    struct answer *answer;
    struct input_sender giving;

    /* Sends a frame to the other side. */
    int (*send)(void *context, struct str frame, struct error *err);
    void *context;

    bool stopped;  /* the other side was reported to stop */
    bool answered; /* something of the answer has come */
    bool last;     /* the last frame has come */
    int ended;     /* how the operation ended, and why */
    struct error why;
};

void rpc_reply_init(struct rpc_reply *asking, const struct service *service,
                    const struct request *request, struct answer *answer);
void rpc_reply_release(struct rpc_reply *asking);

/* Adds the frame of the request. */
int rpc_reply_put_request(const struct rpc_reply *asking, struct buf *out,
                          struct error *err) MUST_CHECK;

/*
 * Takes a frame. Fails only where the frame is no part of a reply; the operation's own result
 * is in `ended`.
 */
int rpc_reply_take(struct rpc_reply *asking, enum frame_kind kind, struct str content,
                   struct error *err) MUST_CHECK;

/* After the last frame: how the operation ended, 0 or the kind of `err`. */
int rpc_reply_result(const struct rpc_reply *asking, struct error *err) MUST_CHECK;
