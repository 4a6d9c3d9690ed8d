/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A request that somebody else answers: what is made here of the frames that come back, whichever way they come. Rows go to the
 * answer's sink, news to the service's watcher, and what is to be read is given.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "serve/frame.h"
#include "serve/giving.h"
#include "service/service.h"

struct asking {
    const struct service *service;
    struct answer *answer;
    struct giving giving;

    /* Sends a frame to the other side. */
    int (*send)(void *context, struct str frame, struct error *err);
    void *context;

    bool stopped;  /* the other side was reported to stop */
    bool answered; /* something of the answer has come */
    bool last;     /* the last frame has come */
    int ended;     /* how the operation ended, and why */
    struct error why;
};

void asking_init(struct asking *asking, const struct service *service,
                 const struct request *request, struct answer *answer);
void asking_release(struct asking *asking);

/* Adds the frame of the request. */
int asking_put_request(const struct asking *asking, struct buf *out,
                       struct error *err) MUST_CHECK;

/* Takes a frame. One that is no part of an answer ends the asking. A failure of the operation is none here: it is in `ended`. */
int asking_take(struct asking *asking, enum frame_kind kind, struct str content,
                struct error *err) MUST_CHECK;

/* After the last frame: how the operation ended, 0 or the kind of `err`. */
int asking_result(const struct asking *asking, struct error *err) MUST_CHECK;
