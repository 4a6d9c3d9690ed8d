/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The side that answers, where a request comes with inputs: they are read through the connection, a piece at a time, as if they
 * lay here. Who does not send for a while what it offered has failed, so that it does not keep the store from others.
 *
 * One thread at a time reads; others may send on the connection meanwhile, all under `guard`.
 */

#include <pthread.h>

#include "serve/wire.h"

struct taking {
    int fd;
    struct stop *stop;      /* of the request: asked for when the other side has left */
    pthread_mutex_t *guard; /* of sending */
    struct buf frame;       /* the last one received */
    struct inputs inputs;   /* for the request */
};

void taking_init(struct taking *taking, int fd, struct stop *stop, pthread_mutex_t *guard);
void taking_release(struct taking *taking); /* after the last input was closed */
