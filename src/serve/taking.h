/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The side that answers, where a request comes with inputs: they are read from whoever asked, a piece at a time, as if they
 * lay here. Who does not send for a while what it offered has failed, so that it does not keep the store from others.
 *
 * One thread at a time reads; others may send to the same one meanwhile.
 */

#include "serve/wire.h"

/* How frames get to whoever asked, and back. */
struct taking_way {
    void *context;
    size_t piece_max; /* bytes of an input at once, WIRE_PIECE_MAX at most */
    int (*send)(void *context, struct str frame, struct error *err);
    /* The next frame; *kind is 0 where the other side wants no more, or is gone. */
    int (*receive)(void *context, int64_t limit_us, enum frame_kind *kind, struct buf *frame,
                   struct error *err);
};

struct taking {
    struct taking_way way;
    struct stop *stop;    /* of the request: asked for when the other side has left */
    struct buf frame;     /* the last one received */
    struct inputs inputs; /* for the request */
};

void taking_init(struct taking *taking, const struct taking_way *way, struct stop *stop);
void taking_release(struct taking *taking); /* after the last input was closed */
