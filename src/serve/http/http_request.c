/* SPDX-License-Identifier: MIT */
#include "serve/http/http_request.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "serve/http/http_connection.h"
#include "serve/http/http_reply.h"
#include "serve/http/problem.h"
#include "serve/rpc/socket.h"

/* What it has brought is not wanted any more. */
static void drop_body(struct http_request *request)
{
    atomic_fetch_sub(&request->serving->body_bytes, request->body_bytes);
    request->body_bytes = 0;
}

/*
 * A piece of what the request brings; all of it goes where that is too much, and the rest too.
 */
static void take_body(struct http_request *request, struct str piece)
{
    struct http_serving *serving = request->serving;
    if (request->crowded || request->too_large) {
        return;
    }
    request->body_bytes += piece.len;
    request->crowded = atomic_fetch_add(&serving->body_bytes, piece.len) + piece.len >
                       serving->options.bodies_max;
    buf_add(&request->body, piece);
    request->too_large = request->body.overflow;
    if (request->crowded || request->too_large) {
        buf_release(&request->body);
        buf_init(&request->body, 0);
        drop_body(request);
    }
}

void http_request_drop(struct http_request *request)
{
    if (atomic_fetch_sub(&request->holders, 1) == 1) {
        drop_body(request);
        http_reply_count(request, 0);
        buf_release(&request->body);
        reply_flow_release(&request->flow);
        exchange_release(&request->exchange);
        pthread_cond_destroy(&request->taken);
        pthread_mutex_destroy(&request->guard);
        free(request);
    }
}

/* By a worker. */
static void run_handler(void *data)
{
    struct http_request *request = data;
    struct http_serving *serving = request->serving;
    struct exchange *exchange = &request->exchange;
    struct error err = {0};
    int failed = serving->options.handle(serving->options.owner, exchange, &err);
    failed = failed ? failed : exchange_finish(exchange, &err);
    if (failed || exchange->status >= 500) {
        atomic_fetch_add(&serving->failed, 1);
    }
    pthread_mutex_lock(&request->guard);
    request->ended = true;
    request->cut = failed != 0;
    request->state = request->state == REQUEST_HANDLED ? REQUEST_ANSWERED : request->state;
    http_reply_wake(request);
    pthread_mutex_unlock(&request->guard);
    http_request_drop(request);
    pthread_mutex_lock(&serving->guard);
    serving->under_way--;
    pthread_cond_broadcast(&serving->changed);
    pthread_mutex_unlock(&serving->guard);
}

/* A reply that no handler made. */
static void refuse_request(struct http_request *request, int status, const struct error *err)
{
    struct exchange *exchange = &request->exchange;
    (void)exchange_reset(exchange);
    problem_write(exchange, status, err);
    exchange_seal(exchange);
    request->ended = true;
    request->state = REQUEST_ANSWERED;
}

static enum MHD_Result add_header(void *data, enum MHD_ValueKind kind, const char *name,
                                  const char *value)
{
    (void)kind;
    exchange_add_header(data, str_of(name), str_of(value ? value : ""));
    return MHD_YES;
}

/* Where it comes from, as the kernel says. */
static void find_peer(struct http_request *request)
{
    struct exchange *exchange = &request->exchange;
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(request->handle, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof(address);
    char text[INET6_ADDRSTRLEN] = "";
    if (getpeername(info->connect_fd, (struct sockaddr *)&address, &size) == 0 &&
        address.ss_family == AF_UNIX) {
        exchange->on_socket = socket_peer(info->connect_fd, &exchange->uid);
        snprintf(text, sizeof(text), "uid %u", exchange->uid);
    } else if (address.ss_family == AF_INET6) {
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)&address)->sin6_addr, text,
                  sizeof(text));
    } else if (address.ss_family == AF_INET) {
        inet_ntop(AF_INET, &((const struct sockaddr_in *)&address)->sin_addr, text,
                  sizeof(text));
    }
    exchange->peer = arena_text(&exchange->arena, str_of(text));
    exchange->secure =
        mhd.get_connection_info(request->handle, MHD_CONNECTION_INFO_PROTOCOL) != NULL;
}

/* The request is here: makes an exchange of it. 0, or the status it is refused with. */
static int read_request(struct http_request *request, const char *method, struct error *err)
{
    struct exchange *exchange = &request->exchange;
    exchange->method = exchange_method_of(str_of(method));
    mhd.get_connection_values(request->handle, MHD_HEADER_KIND, add_header, exchange);
    find_peer(request);
    exchange->body = buf_str(&request->body);
    if (exchange_check_head(exchange, err) != 0) {
        request->ambiguous = true;
        return err->kind == ERROR_LIMIT ? 431 : 400;
    }
    if (exchange->method == METHOD_NONE) {
        error_set(err, ERROR_USAGE, "the method is not one of GET, HEAD, POST and OPTIONS");
        return 501;
    }
    if (request->crowded) {
        error_set(err, ERROR_CONFLICT, "too much is sent at once; try again");
        atomic_fetch_add(&request->serving->refused, 1);
        return 503;
    }
    if (request->too_large) {
        error_set(err, ERROR_LIMIT, "a request brings %d bytes at most", EXCHANGE_BODY_MAX);
        return 413;
    }
    if (exchange_read_target(exchange, request->target, request->serving->options.prefix,
                             err) != 0 ||
        exchange_read_form(exchange, err) != 0) {
        return err->kind == ERROR_LIMIT ? 414 : 400;
    }
    return 0;
}

/*
 * Whose request it is, for the order in which workers take them: that of a caller who is known,
 * else of the client, and behind a proxy of the one that it names. What a client claims here
 * changes its place in the queue only.
 */
static uint64_t party_of(const struct http_request *request)
{
    const struct exchange *exchange = &request->exchange;
    const struct http_options *options = &request->serving->options;
    const uint64_t known =
        options->party && !exchange->urgent ? options->party(options->owner, exchange) : 0;
    if (known) {
        return known;
    }
    const struct str forwarded = exchange->listener == LISTENER_PROXY
                                     ? exchange_last_header(exchange, "X-Forwarded-For")
                                     : (struct str){0};
    return str_hash(forwarded.ptr ? forwarded : str_of(exchange->peer), 0);
}

/*
 * Has a worker handle it, and the connection is suspended: true. Or refuses it. Under the
 * request's guard.
 */
static bool begin_handling(struct http_request *request, const char *method)
{
    struct http_serving *serving = request->serving;
    struct error err = {0};
    atomic_fetch_add(&serving->requests, 1);
    const int status = read_request(request, method, &err);
    if (status) {
        refuse_request(request, status, &err);
        return false;
    }
    pthread_mutex_lock(&serving->guard);
    serving->under_way++;
    pthread_mutex_unlock(&serving->guard);
    request->exchange.stop.deadline_us = stop_clock() + serving->options.request_us;
    request->exchange.send = http_reply_send;
    request->exchange.sender = request;
    request->state = REQUEST_HANDLED;
    atomic_fetch_add(&request->holders, 1);
    http_connection_set(serving, http_connection_of(request->handle), request);
    http_reply_suspend(request);
    request->exchange.urgent =
        serving->urgent && serving->options.is_urgent(&request->exchange);
    request->exchange.party = party_of(request);
    struct workers *lane = http_lane(serving, &request->exchange);
    const bool full = !request->exchange.urgent &&
                      atomic_load(&serving->unread) > serving->options.unread_max;
    if (full || !workers_submit(lane, request->exchange.party, run_handler, request)) {
        error_set(&err, ERROR_CONFLICT, "too much is asked at once; try again");
        refuse_request(request, 503, &err);
        http_reply_wake(request);
        atomic_fetch_sub(&request->holders, 1);
        atomic_fetch_add(&serving->refused, 1);
        pthread_mutex_lock(&serving->guard);
        serving->under_way--;
        pthread_mutex_unlock(&serving->guard);
    }
    return true;
}

/* Looks whether there is a reply to give, once it was asked for. */
enum readiness {
    READY_NOT, /* a worker has it */
    READY,
    READY_LOST, /* nothing of a stream has gone out, and nothing will: the connection ends */
};

static enum readiness look_for_reply(struct http_request *request, const char *method)
{
    enum readiness found = READY_NOT;
    pthread_mutex_lock(&request->guard);
    if ((request->state != REQUEST_ARRIVES || !begin_handling(request, method)) &&
        request->state == REQUEST_ANSWERED) {
        const bool lost =
            request->exchange.streaming && request->cut && reply_flow_is_empty(&request->flow);
        request->state = REQUEST_REPLIED;
        found = lost ? READY_LOST : READY;
    }
    pthread_mutex_unlock(&request->guard);
    return found;
}

void *http_request_target(void *owner, const char *target, struct MHD_Connection *handle)
{
    struct http_serving *serving = owner;
    struct http_connection *connection = http_connection_of(handle);
    if (connection) {
        free(connection->target);
        connection->target = mem_text(target);
        pthread_mutex_lock(&serving->guard);
        connection->arriving = true;
        pthread_mutex_unlock(&serving->guard);
    }
    return NULL;
}

static struct http_request *new_request(const struct http_daemon *daemon,
                                        struct MHD_Connection *handle)
{
    const struct http_connection *connection = http_connection_of(handle);
    struct http_request *request = mem_alloc(1, sizeof(*request));
    request->serving = daemon->serving;
    request->handle = handle;
    request->state = REQUEST_ARRIVES;
    request->patience_us = HTTP_READ_US;
    atomic_init(&request->holders, 1);
    pthread_mutex_init(&request->guard, NULL);
    pthread_cond_init(&request->taken, NULL);
    buf_init(&request->body, EXCHANGE_BODY_MAX);
    reply_flow_init(&request->flow, &daemon->serving->spilled);
    exchange_init(&request->exchange);
    request->exchange.listener = daemon->kind;
    request->target =
        arena_copy(&request->exchange.arena,
                   str_of(connection && connection->target ? connection->target : ""));
    return request;
}

enum MHD_Result http_request_read(void *owner, struct MHD_Connection *handle, const char *url,
                                  const char *method, const char *version, const char *bytes,
                                  size_t *size, void **context)
{
    struct http_request *request = *context;
    (void)url, (void)version;
    if (!request) {
        *context = new_request(owner, handle);
        return MHD_YES;
    }
    if (*size > 0) {
        take_body(request, (struct str){bytes, *size});
        *size = 0;
        return MHD_YES;
    }
    switch (look_for_reply(request, method)) {
    case READY:
        return http_reply_queue(request);
    case READY_LOST:
        return MHD_NO;
    case READY_NOT:
    default:
        return MHD_YES;
    }
}

void http_request_completed(void *owner, struct MHD_Connection *handle, void **context,
                            enum MHD_RequestTerminationCode code)
{
    struct http_serving *serving = owner;
    struct http_request *request = *context;
    (void)code;
    if (!request) {
        return;
    }
    http_connection_set(serving, http_connection_of(handle), NULL);
    pthread_mutex_lock(&request->guard);
    request->gone = true;
    if (!request->ended) {
        stop_ask(&request->exchange.stop);
    }
    pthread_cond_broadcast(&request->taken);
    pthread_mutex_unlock(&request->guard);
    *context = NULL;
    http_request_drop(request);
}

size_t http_request_unescape(void *owner, struct MHD_Connection *handle, char *text)
{
    (void)owner, (void)handle;
    return strlen(text);
}
