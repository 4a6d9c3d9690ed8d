/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * HTTP over sockets, by libmicrohttpd, whose types and functions are known in the files http*.c
 * only. The library is loaded when a server starts and is not linked: it brings a TLS library
 * along, whose set-up every other command would pay for.
 *
 * One thread of the library reads and writes all connections of a listener, however many; a
 * request that is there as a whole becomes an exchange (serve/http/exchange.h), is handled by
 * one of the workers, and its connection is suspended meanwhile. What keeps a connection open
 * without asking anything (too slow, or with nothing to ask) is closed after a while. A client
 * that leaves before the reply is there has its exchange's `stop` set.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "serve/http/exchange.h"

struct http_listener {
    int fd; /* listens, and is the caller's, who closes it after http_stop */
    enum listener_kind kind;
    /* PEM of certificate and key; NULL: not encrypted */
    const char *certificate, *key;
};

struct http_options {
    const struct http_listener *listeners;
    size_t listener_count;
    const char *prefix; /* that proxies put before paths; "" */
    size_t workers;     /* threads that handle requests */
    /*
     * requests that wait for one; more are refused with 503, and of one client more than half
     * of it
     */
    size_t queue_max;
    /*
     * threads for requests that are urgent, and whether one is: it does not wait behind others.
     * NULL: none is
     */
    size_t urgent_workers;
    bool (*is_urgent)(const struct exchange *exchange);
    /*
     * whose a request is that is not urgent, if that is known without asking the store; 0: the
     * client counts. NULL: always 0
     */
    uint64_t (*party)(const void *owner, const struct exchange *exchange);
    size_t connections_max; /* of each listener */
    size_t bodies_max; /* bytes that all requests together may bring at a time; beyond it 503 */
    /*
     * bytes of replies in memory that their clients have not read; from three quarters of it on
     * those are closed that have not read for longest, and beyond it what is not urgent gets
     * 503
     */
    size_t unread_max;
    int64_t request_us; /* how long a request may take to be answered */
    int64_t idle_us;    /* how long a connection may be open without a whole request */

    /*
     * Handles an exchange: writes its reply. In a worker's thread. A failure cuts a reply that
     * streams.
     */
    int (*handle)(void *owner, struct exchange *exchange, struct error *err);
    void *owner;
};

/* What there was since the start, and what there is now. */
struct http_counts {
    uint64_t requests, refused, failed;
    size_t connections, under_way;
    size_t body_bytes; /* that requests have brought which are not answered yet */
    size_t unread;     /* bytes of replies in memory that were not read yet */
};

struct http_serving;

int http_start(const struct http_options *options, struct http_serving **out,
               struct error *err) MUST_CHECK;

/* By a handler that is going to wait for other requests: see workers_step_out. */
bool http_step_out(struct http_serving *serving, const struct exchange *exchange) MUST_CHECK;
void http_step_in(struct http_serving *serving, const struct exchange *exchange);

void http_count(struct http_serving *serving, struct http_counts *out);

/*
 * Takes no new connections and closes those that ask nothing, so that another serving of the
 * same listeners gets all further requests; those that have begun to arrive are answered.
 * Returns at once.
 */
void http_retire(struct http_serving *serving);

/* Whether it takes no new connections any more. */
bool http_is_stopping(struct http_serving *serving);

/* Whether one that was retired has nothing left to do. */
bool http_is_idle(struct http_serving *serving);

/*
 * Takes the connections that the kernel has accepted and nobody looked at yet, for up to
 * `grace_us`, and no further ones. Those that come from then on are reset if the caller's
 * listening sockets are closed when it ends; closed at once, they are refused, which clients
 * try again.
 */
void http_take_last(struct http_serving *serving, int64_t grace_us);

/*
 * Answers what was asked, for up to `grace_us`, after http_take_last, and ends. Accepts NULL.
 */
void http_stop(struct http_serving *serving, int64_t grace_us);
