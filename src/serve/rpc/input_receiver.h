/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Server side of the transfer of inputs: reads them from the client piece by piece, as if they
 * were files of this process. A client that stops sending times out, so that it does not keep
 * the store from others.
 *
 * One thread at a time reads; others may send to the same one meanwhile.
 */

#include "serve/rpc/wire.h"

/* The transport: how frames get to the client, and back. */
struct input_receiver_way {
    void *context;
    size_t piece_max; /* bytes of an input at once, WIRE_PIECE_MAX at most */
    int (*send)(void *context, struct str frame, struct error *err);
    /* The next frame; *kind is 0 where the other side wants no more, or is gone. */
    int (*receive)(void *context, int64_t limit_us, enum frame_kind *kind, struct buf *frame,
                   struct error *err);
};

struct input_receiver {
    struct input_receiver_way way;
    struct stop *stop;    /* of the request: asked for when the other side has left */
    struct buf frame;     /* the last one received */
    struct inputs inputs; /* for the request */
};

void input_receiver_init(struct input_receiver *taking, const struct input_receiver_way *way,
                         struct stop *stop);
/* after the last input was closed */
void input_receiver_release(struct input_receiver *taking);
