/* SPDX-License-Identifier: MIT */
#include "serve/http/http_connection.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "base/timed_wait.h"

enum {
    REAP_US = 100000,   /* poll interval for clients that have disconnected */
    FULL_PERCENT = 75,  /* of the connections: beyond it those that ask nothing make room */
    ROOM_PERCENT = 50,  /* until no more than so many are left */
    NEW_US = 1000000,   /* but not those that came just now: what they ask may be on its way */
    UNREAD_US = 200000, /* a reply that was not read for so long may make room for others */
};

struct http_connection *http_connection_of(struct MHD_Connection *handle)
{
    const union MHD_ConnectionInfo *info =
        mhd.get_connection_info(handle, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

void http_connection_set(struct http_serving *serving, struct http_connection *connection,
                         struct http_request *request)
{
    if (connection) {
        pthread_mutex_lock(&serving->guard);
        serving->unsent += (request != NULL) - (size_t)(connection->request != NULL);
        connection->request = request;
        connection->arriving = false;
        connection->since_us = stop_clock();
        pthread_cond_broadcast(&serving->changed);
        pthread_mutex_unlock(&serving->guard);
    }
}

void http_connection_notify(void *owner, struct MHD_Connection *handle, void **context,
                            enum MHD_ConnectionNotificationCode code)
{
    struct http_serving *serving = owner;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            mhd.get_connection_info(handle, MHD_CONNECTION_INFO_CONNECTION_FD);
        struct http_connection *connection = mem_alloc(1, sizeof(*connection));
        *connection =
            (struct http_connection){.fd = info->connect_fd, .since_us = stop_clock()};
        *context = connection;
        pthread_mutex_lock(&serving->guard);
        connection->next = serving->connections;
        connection->link = &serving->connections;
        if (connection->next) {
            connection->next->link = &connection->next;
        }
        serving->connections = connection;
        serving->connection_count++;
        if (!connection->next) {
            pthread_cond_signal(&serving->came);
        }
        pthread_mutex_unlock(&serving->guard);
        return;
    }
    struct http_connection *connection = *context;
    pthread_mutex_lock(&serving->guard);
    *connection->link = connection->next;
    if (connection->next) {
        connection->next->link = connection->link;
    }
    serving->connection_count--;
    pthread_mutex_unlock(&serving->guard);
    free(connection->target);
    free(connection);
    *context = NULL;
}

/*
 * Where connections get scarce, the oldest of those that ask nothing are closed, so that a
 * crowd that only holds them keeps nobody out. Under the guard.
 */
static void close_idle_connections(struct http_serving *serving)
{
    const size_t most =
        serving->options.connections_max; /* of one listener: all may be on it */
    if (serving->connection_count * 100 <= most * FULL_PERCENT) {
        return;
    }
    const int64_t now = stop_clock();
    size_t keep = most * ROOM_PERCENT / 100;
    for (struct http_connection *connection = serving->connections; connection;
         connection = connection->next) { /* newest first */
        if (!connection->request && keep == 0 && now - connection->since_us > NEW_US) {
            shutdown(connection->fd, SHUT_RDWR);
        }
        keep -= keep > 0;
    }
}

/*
 * Where replies that nobody reads take up the memory for them, those are closed that were not
 * read for longest. Under the guard.
 */
static void close_unread_connections(struct http_serving *serving)
{
    const size_t most = serving->options.unread_max;
    const int64_t now = stop_clock();
    int64_t upto = INT64_MAX;
    size_t left = atomic_load(&serving->unread);
    if (left / FULL_PERCENT < most / 100) {
        return;
    }
    for (int64_t age = HTTP_READ_US; age >= UNREAD_US; upto = age, age /= 2) {
        for (struct http_connection *connection = serving->connections;
             connection && left / ROOM_PERCENT >= most / 100; connection = connection->next) {
            struct http_request *request = connection->request;
            const int64_t read_us = request ? atomic_load(&request->read_us) : 0;
            const size_t unread = request ? atomic_load(&request->unread) : 0;
            if (unread > 0 && read_us > 0 && now - read_us > age && now - read_us <= upto) {
                shutdown(connection->fd, SHUT_RDWR);
                left -= unread < left ? unread : left;
            }
        }
    }
}

/* Whether there is a reply, and its client does not read it. */
static bool is_unread(const struct http_request *request, int64_t now)
{
    const int64_t read_us = atomic_load(&request->read_us);
    return read_us > 0 && now - read_us > request->patience_us;
}

/*
 * Ends requests whose askers have left, and closes connections that ask nothing. Under the
 * guard.
 */
static void reap(struct http_serving *serving)
{
    const int64_t now = stop_clock();
    const bool stopping = atomic_load(&serving->stopping);
    for (struct http_connection *connection = serving->connections; connection;
         connection = connection->next) {
        struct pollfd left = {.fd = connection->fd, .events = POLLRDHUP};
        const int64_t idle_us =
            stopping && !connection->arriving ? NEW_US : serving->options.idle_us;
        if (!connection->request && now - connection->since_us > idle_us) {
            shutdown(connection->fd, SHUT_RDWR);
        } else if (connection->request && poll(&left, 1, 0) > 0 &&
                   left.revents & (POLLRDHUP | POLLHUP | POLLERR)) {
            stop_ask(&connection->request->exchange.stop);
        } else if (connection->request && is_unread(connection->request, now)) {
            shutdown(connection->fd, SHUT_RDWR);
        }
    }
    close_idle_connections(serving);
    close_unread_connections(serving);
}

/* Under the guard: sleeps while nobody is connected. */
static void await_connections(struct http_serving *serving)
{
    const int64_t until = stop_clock() + REAP_US;
    while (!serving->connections && !serving->ending) {
        pthread_cond_wait(&serving->came, &serving->guard);
    }
    while (!serving->ending && timed_wait_until(&serving->came, &serving->guard, until)) {
    }
}

void *http_connection_reap(void *data)
{
    struct http_serving *serving = data;
    pthread_mutex_lock(&serving->guard);
    while (!serving->ending) {
        reap(serving);
        await_connections(serving);
    }
    pthread_mutex_unlock(&serving->guard);
    return NULL;
}

/*
 * Somebody whose request, or a part of it, is there, and was not read; or may be on its way,
 * since they came just now. Under the guard.
 */
bool http_connection_has_unread(const struct http_serving *serving)
{
    const int64_t now = stop_clock();
    for (const struct http_connection *connection = serving->connections; connection;
         connection = connection->next) {
        struct pollfd sent = {.fd = connection->fd, .events = POLLIN};
        if (!connection->request &&
            (connection->arriving || now - connection->since_us < NEW_US ||
             (poll(&sent, 1, 0) > 0 && sent.revents & POLLIN &&
              !(sent.revents & (POLLHUP | POLLERR))))) {
            return true;
        }
    }
    return false;
}
