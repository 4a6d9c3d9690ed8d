/* SPDX-License-Identifier: MIT */

/*
 * One thread listens, and looks whether those who asked are still there; each request has a
 * thread of its own, since it spends its time in the engine. There are few: processes on this
 * host that found the store taken.
 */

#include "serve/rpc/rpc_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/mem.h"
#include "base/timed_wait.h"
#include "serve/rpc/input_receiver.h"
#include "serve/rpc/socket.h"
#include "serve/rpc/wire.h"
#include "service/access/access.h"

enum {
    CONNECTIONS_MAX = 32, /* further clients have to retry */
    ROWS_MAX = 250000,    /* of a listing that is collected here and not streamed */
    ASK_US = 10000000,    /* for a request to arrive */
    LAST_US = 60000000,   /* how long an answer may still be sent when the store is closed */
    LOOK_MS = 100,        /* poll interval for clients that have disconnected */
    PROGRESS_US = 100000, /* minimum interval between progress frames */
    SEND_SECONDS = 30,    /* a client that does not read for this long is dropped */
    GRACE_US = 2000000    /* how long a request may go on when the store is to be closed */
};

struct connection {
    struct rpc_server *answering;
    int fd;
    unsigned uid;
    struct service service; /* as it was when the connection was made */
    struct stop stop;
    bool sending;             /* rows have been sent: it cannot be asked again */
    pthread_mutex_t outgoing; /* a frame at a time: of what follows, and of the socket */
    int64_t progress_at;      /* when progress was last sent */
    struct table rows;        /* of a listing for one who does not take them as they come */
    struct connection *next;
};

struct rpc_server {
    struct store *store;
    struct service service; /* its settings: under the guard */
    enum rpc_server_what what;
    int listener;
    int wake[2]; /* a pipe: closing the second ends the thread */
    pthread_t thread;
    pthread_mutex_t guard; /* of all below */
    pthread_cond_t changed;
    struct connection *first;
    size_t count;
};

/* --- one request -------------------------------------------------------------------------- */

static int send_frame(struct connection *connection, struct buf *frame, struct error *err)
{
    pthread_mutex_lock(&connection->outgoing);
    int failed = frame->overflow
                     ? error_set(err, ERROR_LIMIT, "the answer is too large to be sent")
                     : frame_send(connection->fd, buf_str(frame), err);
    pthread_mutex_unlock(&connection->outgoing);
    buf_release(frame);
    return failed;
}

/* Called by any thread of the operation. */
static void send_progress(void *watcher, const char *what, uint64_t done, uint64_t total,
                          int64_t records)
{
    struct connection *connection = watcher;
    struct wire_progress progress = {.done = done, .total = total, .records = records};
    struct buf frame;
    struct error ignored;
    const int64_t now = stop_clock();
    pthread_mutex_lock(&connection->outgoing);
    const bool due = now - connection->progress_at >= PROGRESS_US;
    connection->progress_at = due ? now : connection->progress_at;
    pthread_mutex_unlock(&connection->outgoing);
    if (due) {
        snprintf(progress.what, sizeof(progress.what), "%s", what);
        buf_init(&frame, WIRE_SMALL_MAX);
        wire_put_progress(&frame, &progress);
        (void)!send_frame(connection, &frame, &ignored);
    }
}

static void send_line(void *watcher, const char *line)
{
    struct buf frame;
    struct error ignored;
    buf_init(&frame, WIRE_SMALL_MAX);
    wire_put_say(&frame, line);
    (void)!send_frame(watcher, &frame, &ignored);
}

static int send_rows(void *context, const struct table *chunk, struct error *err)
{
    struct connection *connection = context;
    struct buf frame;
    pthread_mutex_lock(&connection->answering->guard);
    const bool late = !connection->sending && stop_is_set(&connection->stop);
    connection->sending |= !late;
    pthread_mutex_unlock(&connection->answering->guard);
    if (late) { /* it can still be asked again */
        return stop_explain(&connection->stop, err);
    }
    buf_init(&frame, WIRE_FRAME_MAX);
    wire_put_rows(&frame, chunk);
    return send_frame(connection, &frame, err);
}

/* For one who wants all at once: as many rows as are no burden to the process that writes. */
static int keep_rows(void *context, const struct table *chunk, struct error *err)
{
    struct connection *connection = context;
    if (connection->rows.row_count + chunk->row_count > ROWS_MAX) {
        return error_set(err, ERROR_LIMIT,
                         "more than %d rows are not collected while another process writes to "
                         "the store: ask for less, or for --format csv",
                         ROWS_MAX);
    }
    return table_collect(&connection->rows, chunk, err);
}

/* What was not done is given back, unless part of it has gone out. */
static void send_answer(struct connection *connection, const struct answer *answer, bool back,
                        int failed, const struct error *why)
{
    struct buf frame;
    struct error ignored;
    buf_init(&frame, WIRE_FRAME_MAX);
    if (back && !connection->sending) {
        wire_put_busy(&frame);
    } else {
        wire_put_answer(&frame, answer, failed, why);
    }
    if (frame.overflow) {
        struct error large;
        error_set(&large, ERROR_LIMIT, "the answer is too large to be sent; ask for less");
        buf_clear(&frame);
        wire_put_answer(&frame, &(struct answer){0}, ERROR_LIMIT, &large);
    }
    (void)!send_frame(connection, &frame, &ignored);
}

static bool is_taken(const struct rpc_server *answering, const struct request *request)
{
    return (answering->what == RPC_SERVER_ALL || !request_changes(request)) &&
           (!request_is_local(request) || request_is_configured(request));
}

static int send_wish(void *context, struct str frame, struct error *err)
{
    struct connection *connection = context;
    pthread_mutex_lock(&connection->outgoing);
    int failed = frame_send(connection->fd, frame, err);
    pthread_mutex_unlock(&connection->outgoing);
    return failed;
}

static int receive_piece(void *context, int64_t limit_us, enum frame_kind *kind,
                         struct buf *frame, struct error *err)
{
    const struct connection *connection = context;
    int failed = frame_wait(connection->fd, &connection->stop, limit_us, err);
    return failed ? failed
                  : frame_receive(connection->fd, WIRE_PIECE_MAX + WIRE_SMALL_MAX,
                                  &connection->stop, kind, frame, err);
}

/* In the world of this process, for the one at the other end. */
static int call(struct connection *connection, struct wire_request *asked,
                struct session *session, const struct zone *zone, struct answer *answer,
                struct error *err)
{
    struct service service = connection->service;
    struct arena arena = {0};
    struct input_receiver taking;
    struct caller caller = caller_local(service.store, connection->uid, &arena);
    access_local(service.config, connection->uid, &arena, &caller);
    caller.remote = true; /* files of this process are not theirs to name */
    caller.same_host = true;
    input_receiver_init(
        &taking,
        &(struct input_receiver_way){connection, WIRE_PIECE_MAX, send_wish, receive_piece},
        &connection->stop);
    asked->request.inputs = &taking.inputs;
    service.session = session;
    service.zone = zone;
    service.caller = &caller;
    service.stop = &connection->stop;
    service.watcher = connection;
    service.progress = asked->watches ? send_progress : NULL;
    service.say = send_line;
    int failed = service_call(&service, &asked->request, answer, err);
    input_receiver_release(&taking);
    arena_release(&arena);
    return failed;
}

/* Who asked wants no more of it, or is gone. */
static bool has_left(const struct connection *connection)
{
    struct pollfd look = {.fd = connection->fd, .events = POLLRDHUP};
    return poll(&look, 1, 0) > 0 && look.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

static void perform(struct connection *connection, struct wire_request *asked)
{
    struct rpc_server *answering = connection->answering;
    struct session session = {
        .folder = connection->service.store,
        .store = answering->store,
        .read_only = answering->what != RPC_SERVER_ALL,
        .wait = {.stop = &connection->stop},
    };
    const struct table_sink sink = {connection, asked->streams ? send_rows : keep_rows};
    struct answer answer = {.sink = &sink, .bare = asked->bare, .noteless = asked->noteless};
    struct error err = {0};
    struct zone *zone = NULL;
    char name[256];
    snprintf(name, sizeof(name), "%.*s", STR_ARG(asked->zone));
    const bool taken = is_taken(answering, &asked->request);
    int failed = taken ? zone_open(name, &zone, &err) : ERROR_CONFLICT;
    if (!failed) {
        if (asked->year_month > 0) {
            zone_start_year(zone, (int)asked->year_month);
        }
        failed = call(connection, asked, &session, zone, &answer, &err);
    }
    if (connection->rows.column_count > 0) {
        table_release(&answer.table);
        answer.table = connection->rows;
        connection->rows = (struct table){0};
    }
    /* one that lasts until it is stopped succeeds, however it was stopped */
    const bool stopped = failed == ERROR_STOPPED || (asked->request.operation->stoppable &&
                                                     stop_is_set(&connection->stop));
    const bool back = !taken || session.taken || (stopped && !has_left(connection));
    send_answer(connection, &answer, back, failed, &err);
    answer_release(&answer);
    zone_close(zone);
}

/* Whether it is worth asking for something that changes the store. */
static void send_takes(struct connection *connection)
{
    struct buf frame;
    struct error ignored;
    buf_init(&frame, WIRE_SMALL_MAX);
    wire_put_takes(&frame, connection->answering->what == RPC_SERVER_ALL,
                   connection->service.address);
    (void)!send_frame(connection, &frame, &ignored);
}

static void answer_connection(struct connection *connection)
{
    struct wire_request *asked = mem_alloc(1, sizeof(*asked));
    struct buf frame;
    struct error err;
    enum frame_kind kind;
    buf_init(&frame, WIRE_REQUEST_MAX);
    connection->stop.deadline_us = stop_clock() + ASK_US;
    const bool asks = frame_receive(connection->fd, WIRE_REQUEST_MAX, &connection->stop, &kind,
                                    &frame, &err) == 0;
    connection->stop.deadline_us = 0;
    if (asks && kind == FRAME_HELLO) {
        send_takes(connection);
    } else if (asks && kind == FRAME_REQUEST) {
        if (wire_get_request(buf_str(&frame), asked, &err) == 0 && asked->year_month >= 0 &&
            asked->year_month <= 12) {
            perform(connection, asked);
        } else {
            send_answer(connection, &(struct answer){0}, true, 0, NULL);
        }
        wire_request_release(asked);
    }
    buf_release(&frame);
    free(asked);
}

/* --- many --------------------------------------------------------------------------------- */

static void end_connection(struct connection *connection)
{
    close(connection->fd);
    pthread_mutex_destroy(&connection->outgoing);
    free(connection);
}

static void *connection_main(void *data)
{
    struct connection *connection = data;
    struct rpc_server *answering = connection->answering;
    answer_connection(connection);
    pthread_mutex_lock(&answering->guard);
    struct connection **link = &answering->first;
    while (*link != connection) {
        link = &(*link)->next;
    }
    *link = connection->next;
    answering->count--;
    end_connection(connection);
    pthread_cond_signal(&answering->changed);
    pthread_mutex_unlock(&answering->guard);
    return NULL;
}

static bool start_thread(struct connection *connection)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, connection_main, connection) != 0) {
        return false;
    }
    pthread_detach(thread);
    return true;
}

/* Under the guard. One that is not taken is closed; the client has to retry. */
static void add_connection(struct rpc_server *answering, int fd)
{
    const struct timeval patience = {.tv_sec = SEND_SECONDS};
    struct connection *connection = mem_alloc(1, sizeof(*connection));
    *connection =
        (struct connection){.answering = answering, .service = answering->service, .fd = fd};
    pthread_mutex_init(&connection->outgoing, NULL);
    if (answering->count >= CONNECTIONS_MAX || !socket_peer(fd, &connection->uid) ||
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) != 0) {
        end_connection(connection);
        return;
    }
    connection->next = answering->first;
    answering->first = connection;
    answering->count++;
    if (!start_thread(connection)) {
        answering->first = connection->next;
        answering->count--;
        end_connection(connection);
    }
}

static void accept_all(struct rpc_server *answering)
{
    int fd;
    pthread_mutex_lock(&answering->guard);
    while ((fd = accept4(answering->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        add_connection(answering, fd);
    }
    const bool none_left = errno == EMFILE || errno == ENFILE;
    pthread_mutex_unlock(&answering->guard);
    if (none_left) { /* descriptors: it would be tried again at once */
        (void)!stop_sleep(NULL, LOOK_MS * 1000);
    }
}

/* A question whose asker has left is ended. */
static void look_who_left(struct rpc_server *answering)
{
    pthread_mutex_lock(&answering->guard);
    for (struct connection *one = answering->first; one; one = one->next) {
        if (has_left(one)) {
            stop_ask(&one->stop);
        }
    }
    pthread_mutex_unlock(&answering->guard);
}

static void *answering_main(void *data)
{
    struct rpc_server *answering = data;
    for (;;) {
        struct pollfd both[] = {{.fd = answering->listener, .events = POLLIN},
                                {.fd = answering->wake[0], .events = POLLIN}};
        pthread_mutex_lock(&answering->guard);
        const int wait_ms = answering->count > 0 ? LOOK_MS : -1; /* only this thread adds */
        pthread_mutex_unlock(&answering->guard);
        const int ready = poll(both, COUNT_OF(both), wait_ms);
        if (ready > 0 && both[1].revents) {
            return NULL;
        }
        if (ready > 0 && both[0].revents) {
            accept_all(answering);
        }
        look_who_left(answering);
    }
}

/* --- life --------------------------------------------------------------------------------- */

static void release(struct rpc_server *answering)
{
    close(answering->listener);
    close(answering->wake[0]);
    close(answering->wake[1]);
    pthread_cond_destroy(&answering->changed);
    pthread_mutex_destroy(&answering->guard);
    free(answering);
}

struct rpc_server *rpc_server_start(struct store *store, const struct service *service,
                                    enum rpc_server_what what)
{
    struct error ignored;
    int listener;
    if (socket_listen(store_folder(store), &listener, &ignored) != 0) {
        return NULL;
    }
    struct rpc_server *answering = mem_alloc(1, sizeof(*answering));
    *answering = (struct rpc_server){.store = store,
                                     .service = *service,
                                     .what = what,
                                     .listener = listener,
                                     .wake = {-1, -1}};
    pthread_mutex_init(&answering->guard, NULL);
    pthread_cond_init(&answering->changed, NULL);
    if (pipe2(answering->wake, O_CLOEXEC) != 0 ||
        pthread_create(&answering->thread, NULL, answering_main, answering) != 0) {
        socket_unlink(store_folder(store));
        release(answering);
        return NULL;
    }
    return answering;
}

void rpc_server_adopt(struct rpc_server *answering, const struct service *service)
{
    if (answering) {
        pthread_mutex_lock(&answering->guard);
        service_adopt(&answering->service, service);
        pthread_mutex_unlock(&answering->guard);
    }
}

bool rpc_server_uses(struct rpc_server *answering, const struct config *config)
{
    bool found = false;
    if (!answering) {
        return false;
    }
    pthread_mutex_lock(&answering->guard);
    for (const struct connection *one = answering->first; one; one = one->next) {
        found |= one->service.config == config;
    }
    pthread_mutex_unlock(&answering->guard);
    return found;
}

/* Waits for those under way; after a while, those that can be asked again are ended. */
static void drain(struct rpc_server *answering)
{
    int64_t until = stop_clock() + GRACE_US;
    pthread_mutex_lock(&answering->guard);
    while (answering->count > 0 &&
           timed_wait_until(&answering->changed, &answering->guard, until)) {
    }
    for (struct connection *one = answering->first; one; one = one->next) {
        if (!one->sending) {
            stop_ask(&one->stop);
        }
    }
    until += LAST_US;
    while (answering->count > 0 &&
           timed_wait_until(&answering->changed, &answering->guard, until)) {
    }
    for (struct connection *one = answering->first; one; one = one->next) {
        stop_ask(&one->stop); /* who reads so slowly does not keep the store from others */
        shutdown(one->fd, SHUT_RDWR);
    }
    while (answering->count > 0) {
        pthread_cond_wait(&answering->changed, &answering->guard);
    }
    pthread_mutex_unlock(&answering->guard);
}

void rpc_server_stop(struct rpc_server *answering)
{
    if (!answering) {
        return;
    }
    socket_unlink(store_folder(answering->store));
    (void)!write(answering->wake[1], "x", 1);
    pthread_join(answering->thread, NULL);
    drain(answering);
    release(answering);
}
