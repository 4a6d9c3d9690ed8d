/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the files of the HTTP server share: http_server.c (start and end), http_connection.c
 * (who is connected), http_request.c (from the head to a worker) and http_reply.c (from the
 * worker to the socket). Nothing else includes it.
 *
 * A request is held by the library's thread from the first byte to the last of its reply, and
 * by a worker while that handles it; the last of the two frees it. All calls into the library
 * about a connection are made by its own thread, but for waking one that is suspended.
 */

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "serve/http/exchange.h"
#include "serve/http/http_server.h"
#include "serve/http/reply_flow.h"
#include "serve/http/workers.h"

enum {
    HTTP_READ_US = 60000000
}; /* a client that reads nothing of its reply for so long is gone */

struct MHD_Connection;
struct MHD_Daemon;
struct http_request;

struct http_connection {
    int fd;
    int64_t since_us;             /* when it came, or was last answered */
    char *target;                 /* of the request that is arriving, as it came */
    bool arriving;                /* a part of a request is there */
    struct http_request *request; /* that is there as a whole; NULL: it has yet to ask */
    struct http_connection *next, **link;
};

enum http_request_state {
    REQUEST_ARRIVES,  /* the request is not there as a whole */
    REQUEST_HANDLED,  /* by a worker; the connection is suspended */
    REQUEST_ANSWERED, /* there is a reply, or its beginning */
    REQUEST_REPLIED,  /* it was given to the library */
};

struct http_request {
    struct http_serving *serving;
    struct MHD_Connection *handle;
    struct exchange exchange;
    struct str target;
    struct buf body;
    bool too_large;
    /* where it ends can be understood in two ways: nothing more is read from its connection */
    bool ambiguous;
    bool crowded;      /* others bring too much already */
    size_t body_bytes; /* what it has of those of the server */
    atomic_int holders;

    pthread_mutex_t guard; /* of all below */
    pthread_cond_t taken;
    enum http_request_state state;
    bool suspended;           /* the connection is suspended */
    bool gone;                /* the library has ended it: nobody reads */
    struct reply_flow flow;   /* bytes of a stream */
    _Atomic(int64_t) read_us; /* when the client last read; 0: there is nothing to read yet */
    atomic_size_t unread;     /* memory for what was not read of the reply */
    int64_t patience_us;      /* how long it may read nothing */
    bool ended, cut;          /* no more bytes come; and what came is not all */
};

/* A listener, as the library serves it. */
struct http_daemon {
    struct http_serving *serving;
    enum listener_kind kind;
    int fd;                    /* a copy of the listener's */
    struct MHD_Daemon *handle; /* NULL: not started */
};

struct http_serving {
    struct http_options options;
    struct http_daemon *daemons;      /* one for each listener of the options */
    struct workers *workers, *urgent; /* each with a queue of its own */
    pthread_t reaper;
    bool reaps;
    atomic_bool stopping; /* connections are closed after their reply */
    atomic_bool retired;  /* no new connections are taken */
    atomic_uint_fast64_t requests, refused, failed;
    atomic_size_t body_bytes;  /* of all requests */
    _Atomic(uint64_t) spilled; /* bytes of replies in files */
    atomic_size_t unread;      /* and in memory */
    pthread_mutex_t guard;     /* of all below */
    pthread_cond_t changed;
    pthread_cond_t came; /* a connection, for the reaper; or it is to end */
    bool ending;
    struct http_connection *connections;
    size_t connection_count;
    size_t under_way; /* requests that workers have, or are to have */
    size_t unsent;    /* requests whose reply has not been sent as a whole */
};

/* The workers that have this exchange. */
static inline struct workers *http_lane(const struct http_serving *serving,
                                        const struct exchange *exchange)
{
    return exchange->urgent ? serving->urgent : serving->workers;
}
