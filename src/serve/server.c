/* SPDX-License-Identifier: MIT */
#include "serve/server.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/calendar.h"
#include "base/file.h"
#include "base/limit.h"
#include "base/mem.h"
#include "serve/address.h"
#include "serve/answering.h"
#include "serve/chores.h"
#include "serve/http.h"
#include "serve/identify.h"
#include "serve/inbox.h"
#include "serve/inlet.h"
#include "serve/listener.h"
#include "serve/login.h"
#include "serve/notify.h"
#include "serve/openid.h"
#include "serve/problem.h"
#include "serve/routes.h"
#include "serve/watch.h"
#include "serve/world.h"
#include "service/access/grant.h"

enum { CACHE_BYTES = 64 << 20 };

enum {
    GRACE_US = 30000000, /* how long requests may still take when the server stops */
    IDLE_US = 30000000,  /* how long a connection may be open without asking */
    WORKERS_LEAST = 4,
    WORKERS_MOST = 32,
    QUEUE_MAX =
        4096, /* requests that wait for a worker; each has its time, after which it is refused */
    BODIES_MAX = 256 << 20, /* bytes that requests bring at a time */
    PEM_MAX = 1 << 20,
    DESCRIPTORS_SPARE = 256, /* for the store, programs and files */
    CONNECTIONS_MOST = 20000,
    CONNECTIONS_LEAST = 64,
};

struct server {
    struct service *service;
    struct world world;
    struct listener listeners[LISTENERS_MAX];
    size_t listener_count;
    struct buf certificate, key;
    struct answering *answering;
    struct chores *chores;
};

static void say(const struct server *server, const char *format, ...) PRINTF_LIKE(2, 3);

static void say(const struct server *server, const char *format, ...)
{
    struct buf line;
    va_list args;
    buf_init(&line, ERROR_TEXT_MAX);
    va_start(args, format);
    buf_addv(&line, format, args);
    va_end(args);
    if (server->service->say) {
        server->service->say(server->service->watcher, line.ptr);
    }
    buf_release(&line);
}

/* --- what it listens on --------------------------------------------------------------------------- */

static int open_listeners(struct server *server, const struct request *request,
                          struct error *err)
{
    struct str where;
    int failed = 0;
    server->listener_count = listener_inherit(server->listeners);
    const bool given = request_has(request, "listen");
    if (server->listener_count > 0 && !given) {
        return 0;
    }
    for (size_t i = 0; !failed && (given ? request_each(request, "listen", i, &where) : i == 0);
         i++) {
        if (server->listener_count == LISTENERS_MAX) {
            return error_set(err, ERROR_USAGE, "--listen is given more than %d times",
                             LISTENERS_MAX);
        }
        char *text = mem_text(given ? where.ptr : request_text(request, "listen").ptr);
        failed = listener_open(text, &server->listeners[server->listener_count], err);
        server->listener_count += failed ? 0 : 1;
        free(text);
    }
    return failed;
}

static int read_pem(const struct request *request, const char *name, struct buf *out,
                    struct error *err)
{
    const struct str path = request_text(request, name);
    buf_init(out, PEM_MAX);
    return path.ptr ? file_read(path.ptr, out, err) : 0;
}

static int read_certificate(struct server *server, const struct request *request,
                            struct error *err)
{
    int failed = 0;
    if (request_has(request, "tls-cert") != request_has(request, "tls-key")) {
        return error_set(err, ERROR_USAGE, "--tls-cert and --tls-key go together");
    }
    (void)((failed = read_pem(request, "tls-cert", &server->certificate, err)) ||
           (failed = read_pem(request, "tls-key", &server->key, err)));
    return failed;
}

/* As many descriptors as the system allows: a connection is one. Returns how many connections that is for each listener. */
static size_t raise_descriptors(const struct server *server)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return CONNECTIONS_LEAST;
    }
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    const rlim_t all = limit.rlim_cur == RLIM_INFINITY ? CONNECTIONS_MOST : limit.rlim_cur;
    const size_t spare = all > DESCRIPTORS_SPARE ? (size_t)all - DESCRIPTORS_SPARE : 0;
    const size_t each = spare / (server->listener_count ? server->listener_count : 1);
    return each < CONNECTIONS_LEAST  ? CONNECTIONS_LEAST
           : each > CONNECTIONS_MOST ? CONNECTIONS_MOST
                                     : each;
}

/* --- requests ------------------------------------------------------------------------------------- */

static int answer_exchange(void *owner, struct exchange *exchange, struct error *err)
{
    struct server *server = owner;
    exchange->world = &server->world;
    if (identify_caller(exchange, err) != 0) {
        problem_write(exchange, err->kind == ERROR_DENIED ? 401 : route_status(err->kind), err);
        return 0;
    }
    const int64_t began = stop_clock();
    int failed = route_answer(routes, exchange, err);
    watch_add(server->world.watch, exchange, stop_clock() - began);
    return failed;
}

static size_t worker_count(int64_t wanted)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t usual = cores > 0 ? cores * 2 : WORKERS_LEAST;
    const int64_t count = wanted > 0 ? wanted : usual < WORKERS_LEAST ? WORKERS_LEAST : usual;
    return (size_t)(count < WORKERS_MOST ? count : WORKERS_MOST);
}

static int start_http(struct server *server, const struct request *request, struct error *err)
{
    struct http_listener listeners[LISTENERS_MAX];
    int64_t workers = 0, seconds = 0;
    int failed = request_number(request, "workers", 0, &workers, err);
    failed = failed ? failed : request_number(request, "timeout", 0, &seconds, err);
    for (size_t i = 0; i < server->listener_count; i++) {
        const bool encrypted = server->certificate.len > 0 && !server->listeners[i].is_unix;
        listeners[i] = (struct http_listener){
            .fd = server->listeners[i].fd,
            .certificate = encrypted ? server->certificate.ptr : NULL,
            .key = encrypted ? server->key.ptr : NULL,
        };
    }
    const struct http_options options = {
        .listeners = listeners,
        .listener_count = server->listener_count,
        .prefix = server->world.prefix,
        .workers = worker_count(workers),
        .queue_max = QUEUE_MAX,
        .connections_max = raise_descriptors(server),
        .bodies_max = BODIES_MAX,
        .request_us = (seconds > 0 ? seconds : 1) * SECOND_US,
        .idle_us = IDLE_US,
        .handle = answer_exchange,
        .owner = server,
    };
    return failed ? failed : http_start(&options, &server->world.http, err);
}

static void say_where(const struct server *server)
{
    for (size_t i = 0; i < server->listener_count; i++) {
        const struct listener *listener = &server->listeners[i];
        say(server, "serving '%s' on %s%s%s", server->service->store,
            listener->is_unix             ? ""
            : server->certificate.len > 0 ? "https://"
                                          : "http://",
            listener->name, listener->is_unix ? "" : server->world.prefix);
    }
}

/* "/stint" of "/stint/", "stint"; an empty one stays empty. */
static int read_prefix(const struct request *request, struct arena *arena, const char **out,
                       struct error *err)
{
    struct str text = request_text(request, "prefix");
    while (str_take(&text, '/')) {
    }
    while (text.len > 0 && text.ptr[text.len - 1] == '/') {
        text.len--;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/",
                    text.ptr[i])) {
            return error_set(err, ERROR_USAGE,
                             "--prefix is a path of letters, digits, '-', '.', '_' and '~', "
                             "not '%.*s'",
                             STR_ARG(request_text(request, "prefix")));
        }
    }
    *out = text.len ? arena_printf(arena, "/%.*s", STR_ARG(text)) : "";
    return 0;
}

/* Where others find it: for links, and for whoever asks on the socket. */
static void say_address(struct server *server, struct arena *arena)
{
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    address_of_server(&text, server->service->config, server->listeners, server->listener_count,
                      server->certificate.len > 0, server->world.prefix);
    server->service->address = text.len ? arena_text(arena, buf_str(&text)) : NULL;
    buf_release(&text);
}

static int begin(struct server *server, const struct request *request, struct arena *arena,
                 struct error *err)
{
    const struct store_wait wait = {.limit_us = -1,
                                    .stop = server->service->stop,
                                    .waiting = server->service->say,
                                    .watcher = server->service->watcher};
    int failed = 0;
    (void)((failed = grant_check(server->service->config, err)) ||
           (failed = read_prefix(request, arena, &server->world.prefix, err)) ||
           (failed = read_certificate(server, request, err)) ||
           (failed = open_listeners(server, request, err)) ||
           (failed = store_open(server->service->store, FACTS_WRITE, &wait,
                                &server->world.store, err)));
    if (failed) {
        return failed;
    }
    say_address(server, arena);
    failed = openid_new(server->service->config, server->service->address,
                        &server->world.openid, err);
    if (failed) {
        return failed;
    }
    store_keep_queries(server->world.store);
    server->world.cache = cache_new(CACHE_BYTES);
    server->world.attempts = attempts_new();
    server->world.watch = watch_new();
    server->world.inlets = inlets_new();
    server->answering = answering_start(server->world.store, server->service, ANSWERING_ALL);
    server->world.inbox = inbox_start(server->world.store, server->service);
    failed = start_http(server, request, err);
    if (!failed && !request_flag(request, "no-pull")) {
        server->chores = chores_start(server->world.store, server->service);
    }
    return failed;
}

static void end(struct server *server)
{
    chores_stop(server->chores);
    http_stop(server->world.http, GRACE_US);
    inbox_stop(server->world.inbox);
    if (server->world.store) {
        store_checkpoint(server->world.store);
    }
    answering_stop(server->answering);
    cache_free(server->world.cache);
    attempts_free(server->world.attempts);
    watch_free(server->world.watch);
    inlets_free(server->world.inlets);
    openid_free(server->world.openid);
    store_close(server->world.store);
    for (size_t i = 0; i < server->listener_count; i++) {
        listener_close(&server->listeners[i]);
    }
    buf_release(&server->certificate);
    buf_release(&server->key);
}

int server_run(struct service *service, const struct request *request, struct answer *answer,
               struct error *err)
{
    struct server server = {.service = service};
    struct arena arena = {0};
    (void)answer;
    (void)signal(SIGPIPE, SIG_IGN); /* who leaves early is no reason to end */
    server.world.service = service;
    server.world.began = service->now();
    server.world.settings = world_settings_of(service->config);
    int failed = begin(&server, request, &arena, err);
    if (!failed) {
        say_where(&server);
        notify_manager("READY=1");
        while (stop_sleep(service->stop, HOUR_US)) {
        }
        notify_manager("STOPPING=1");
    }
    end(&server);
    service->address = NULL;
    arena_release(&arena);
    return failed;
}
