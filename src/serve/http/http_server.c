/* SPDX-License-Identifier: MIT */
#include "serve/http/http_server.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/mem.h"
#include "base/timed_wait.h"
#include "serve/http/http_connection.h"
#include "serve/http/http_request.h"

enum {
    CONNECTION_BYTES = 48 << 10, /* for the head of a request and buffers */
    LAST_US = 5000000,           /* for what is left when the server stops */
    BACKLOG_LOOK_US = 5000,
};

/* Older versions have known weaknesses, and the library would accept them. */
#define TLS_VERSIONS "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* --- listeners ---------------------------------------------------------------------------- */

static void log_nothing(void *owner, const char *format, va_list args)
{
    (void)owner, (void)format, (void)args;
}

static bool start_daemon(struct http_daemon *daemon, const struct http_listener *listener)
{
    struct http_serving *serving = daemon->serving;
    struct MHD_OptionItem items[] = {
        {MHD_OPTION_LISTEN_SOCKET, daemon->fd, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)serving->options.connections_max, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES, NULL},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)http_request_target, serving},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)http_request_completed, serving},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)http_connection_notify, serving},
        {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)http_request_unescape, NULL},
        {MHD_OPTION_STRICT_FOR_CLIENT, 1, NULL},
        {MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, NULL},
        {MHD_OPTION_END, 0, NULL}, /* or: */
        {MHD_OPTION_HTTPS_MEM_CERT, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    unsigned flags =
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    if (listener->certificate) {
        struct MHD_OptionItem *end = &items[COUNT_OF(items) - 5];
        char *certificate = (char *)(uintptr_t)listener->certificate;
        char *key = (char *)(uintptr_t)listener->key;
        char *versions = (char *)(uintptr_t)TLS_VERSIONS;
        end[0] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, certificate};
        end[1] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, key};
        end[2] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, versions};
        flags |= MHD_USE_TLS;
    }
    daemon->handle = mhd.start_daemon(flags, 0, NULL, NULL, http_request_read, daemon,
                                      MHD_OPTION_EXTERNAL_LOGGER, log_nothing, NULL,
                                      MHD_OPTION_ARRAY, items, MHD_OPTION_END);
    return daemon->handle != NULL;
}

static enum MHD_Result refuse_all(void *owner, struct MHD_Connection *handle, const char *url,
                                  const char *method, const char *version, const char *bytes,
                                  size_t *size, void **context)
{
    (void)owner, (void)handle, (void)url, (void)method;
    (void)version, (void)bytes, (void)size, (void)context;
    return MHD_NO;
}

/*
 * Tried without a socket, since the library closes the one of a daemon whose certificate it
 * rejects.
 */
static int check_certificate(const struct http_listener *listener, struct error *err)
{
    if (!listener->certificate) {
        return 0;
    }
    if (mhd.is_feature_supported(MHD_FEATURE_TLS) != MHD_YES) {
        return error_set(err, ERROR_MISSING, "this libmicrohttpd was built without TLS");
    }
    struct MHD_Daemon *tried = mhd.start_daemon(
        MHD_USE_NO_LISTEN_SOCKET | MHD_USE_TLS | MHD_USE_ERROR_LOG, 0, NULL, NULL, refuse_all,
        NULL, MHD_OPTION_EXTERNAL_LOGGER, log_nothing, NULL, MHD_OPTION_HTTPS_MEM_CERT,
        listener->certificate, MHD_OPTION_HTTPS_MEM_KEY, listener->key, MHD_OPTION_END);
    if (!tried) {
        return error_set(err, ERROR_IO,
                         "cannot serve: is the certificate one in PEM, and the key its own?");
    }
    mhd.stop_daemon(tried);
    return 0;
}

static int start_daemons(struct http_serving *serving, struct error *err)
{
    for (size_t i = 0; i < serving->options.listener_count; i++) {
        const struct http_listener *listener = &serving->options.listeners[i];
        int failed = check_certificate(listener, err);
        if (failed) {
            return failed;
        }
        struct http_daemon *daemon = &serving->daemons[i];
        *daemon = (struct http_daemon){.serving = serving,
                                       .kind = listener->kind,
                                       .fd = fcntl(listener->fd, F_DUPFD_CLOEXEC, 0)};
        if (daemon->fd < 0 || !start_daemon(daemon, listener)) {
            /* the library may have closed the descriptor: it is not ours any more */
            return error_set(err, ERROR_IO,
                             "cannot serve: the system refuses threads or descriptors");
        }
    }
    serving->reaps = pthread_create(&serving->reaper, NULL, http_connection_reap, serving) == 0;
    return serving->reaps ? 0 : error_set(err, ERROR_IO, "cannot start a thread");
}

/* --- start and end ------------------------------------------------------------------------ */

int http_start(const struct http_options *options, struct http_serving **out, struct error *err)
{
    int failed = http_library_load(err);
    if (failed) {
        return failed;
    }
    struct http_serving *serving = mem_alloc(1, sizeof(*serving));
    serving->options = *options;
    serving->daemons = mem_alloc(options->listener_count, sizeof(*serving->daemons));
    pthread_mutex_init(&serving->guard, NULL);
    pthread_cond_init(&serving->changed, NULL);
    pthread_cond_init(&serving->came, NULL);
    *out = serving; /* handlers may want it before this returns */
    failed = workers_start(options->workers, options->queue_max, &serving->workers, err);
    failed =
        failed || !options->is_urgent
            ? failed
            : workers_start(options->urgent_workers, options->queue_max, &serving->urgent, err);
    failed = failed ? failed : start_daemons(serving, err);
    if (failed) {
        http_stop(serving, 0);
        *out = NULL;
    }
    return failed;
}

bool http_step_out(struct http_serving *serving, const struct exchange *exchange)
{
    return workers_step_out(http_lane(serving, exchange), exchange->party);
}

void http_step_in(struct http_serving *serving, const struct exchange *exchange)
{
    workers_step_in(http_lane(serving, exchange), exchange->party);
}

void http_count(struct http_serving *serving, struct http_counts *out)
{
    pthread_mutex_lock(&serving->guard);
    *out = (struct http_counts){
        .requests = atomic_load(&serving->requests),
        .refused = atomic_load(&serving->refused),
        .failed = atomic_load(&serving->failed),
        .connections = serving->connection_count,
        .under_way = serving->under_way,
        .body_bytes = atomic_load(&serving->body_bytes),
        .unread = atomic_load(&serving->unread),
    };
    pthread_mutex_unlock(&serving->guard);
}

static bool has_backlog(const struct http_serving *serving)
{
    bool any = false;
    for (size_t i = 0; i < serving->options.listener_count; i++) {
        struct pollfd waiting = {.fd = serving->daemons[i].fd, .events = POLLIN};
        any = any || (serving->daemons[i].handle && poll(&waiting, 1, 0) > 0 &&
                      waiting.revents & POLLIN);
    }
    return any;
}

/* Those that came after the library's thread looked last, and before it stopped to look. */
static void take_rest(struct http_daemon *daemon)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);
    int fd;
    while (daemon->handle && (fd = accept4(daemon->fd, (struct sockaddr *)&address, &size,
                                           SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        (void)mhd.add_connection(daemon->handle, fd, (struct sockaddr *)&address, size);
        size = sizeof(address);
    }
}

/* Until a request is there of all who are connected and have sent some of it, or that time. */
static void await_unread(struct http_serving *serving, int64_t until)
{
    pthread_mutex_lock(&serving->guard);
    while (http_connection_has_unread(serving) && stop_clock() < until) {
        (void)!timed_wait_until(&serving->changed, &serving->guard,
                                stop_clock() + BACKLOG_LOOK_US);
    }
    pthread_mutex_unlock(&serving->guard);
}

static void close_listener(struct http_daemon *daemon)
{
    if (daemon->fd >= 0) {
        close(daemon->fd);
    }
    daemon->fd = -1;
}

void http_take_last(struct http_serving *serving, int64_t grace_us)
{
    const int64_t until = stop_clock() + grace_us;
    atomic_store(&serving->stopping, true);
    while (has_backlog(serving) && stop_clock() < until) {
        (void)!stop_sleep(NULL, BACKLOG_LOOK_US);
    }
    http_retire(serving);
    for (size_t i = 0; i < serving->options.listener_count; i++) {
        take_rest(&serving->daemons[i]);
        close_listener(&serving->daemons[i]);
    }
}

/* Until all requests are answered and the replies read, or that time. */
static void wait_until(struct http_serving *serving, int64_t until)
{
    while (serving->under_way + serving->unsent > 0 &&
           timed_wait_until(&serving->changed, &serving->guard, until)) {
    }
}

/* Waits for requests under way; those that take longer are ended. */
static void drain(struct http_serving *serving, int64_t grace_us)
{
    const int64_t until = stop_clock() + grace_us;
    pthread_mutex_lock(&serving->guard);
    wait_until(serving, until);
    for (struct http_connection *connection = serving->connections; connection;
         connection = connection->next) {
        if (connection->request) {
            stop_ask(&connection->request->exchange.stop);
        }
    }
    wait_until(serving, until + LAST_US);
    while (serving->under_way > 0) {
        pthread_cond_wait(&serving->changed, &serving->guard);
    }
    pthread_mutex_unlock(&serving->guard);
}

void http_retire(struct http_serving *serving)
{
    atomic_store(&serving->stopping, true);
    if (atomic_exchange(&serving->retired, true)) {
        return;
    }
    for (size_t i = 0; i < serving->options.listener_count; i++) {
        if (serving->daemons[i].handle) {
            (void)mhd.quiesce_daemon(serving->daemons[i].handle);
        }
    }
}

bool http_is_stopping(struct http_serving *serving)
{
    return atomic_load(&serving->stopping);
}

bool http_is_idle(struct http_serving *serving)
{
    pthread_mutex_lock(&serving->guard);
    const bool idle = serving->connection_count == 0 && serving->under_way == 0;
    pthread_mutex_unlock(&serving->guard);
    return idle;
}

void http_stop(struct http_serving *serving, int64_t grace_us)
{
    if (!serving) {
        return;
    }
    if (grace_us > 0 && !atomic_load(&serving->retired)) {
        http_take_last(serving, grace_us);
    }
    http_retire(serving);
    await_unread(serving, stop_clock() + grace_us);
    drain(serving, grace_us);
    workers_stop(serving->workers);
    workers_stop(serving->urgent);
    for (size_t i = 0; i < serving->options.listener_count; i++) {
        if (serving->daemons[i].handle) {
            mhd.stop_daemon(serving->daemons[i].handle);
            close_listener(&serving->daemons[i]);
        }
    }
    pthread_mutex_lock(&serving->guard);
    serving->ending = true;
    pthread_cond_signal(&serving->came);
    pthread_mutex_unlock(&serving->guard);
    if (serving->reaps) {
        pthread_join(serving->reaper, NULL);
    }
    pthread_cond_destroy(&serving->changed);
    pthread_cond_destroy(&serving->came);
    pthread_mutex_destroy(&serving->guard);
    free(serving->daemons);
    free(serving);
}
