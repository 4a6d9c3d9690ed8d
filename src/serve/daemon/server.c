/* SPDX-License-Identifier: MIT */
#include "serve/daemon/server.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/calendar.h"
#include "base/file.h"
#include "base/limit.h"
#include "base/mem.h"
#include "facts/facts.h"
#include "serve/api/health.h"
#include "serve/auth/identify.h"
#include "serve/auth/known_callers.h"
#include "serve/auth/login_attempts.h"
#include "serve/auth/openid.h"
#include "serve/auth/refusals.h"
#include "serve/daemon/background_jobs.h"
#include "serve/daemon/manager_notice.h"
#include "serve/daemon/request_log.h"
#include "serve/daemon/sample_inbox.h"
#include "serve/daemon/server_context.h"
#include "serve/http/address.h"
#include "serve/http/http_server.h"
#include "serve/http/listener.h"
#include "serve/http/problem.h"
#include "serve/http/routes.h"
#include "serve/rpc/rpc_server.h"
#include "serve/rpc/upload_channel.h"
#include "service/access/access.h"
#include "service/access/grant.h"

enum { CACHE_BYTES = 64 << 20 };

enum {
    GRACE_US = 30000000, /* how long requests may still take when the server stops */
    IDLE_US = 30000000,  /* how long a connection may be open without asking */
    WORKERS_LEAST = 4,
    WORKERS_MOST = 32,
    URGENT_WORKERS = 2,
    QUEUE_MAX =
        4096, /* requests that wait for a worker; each has its time, after which it is refused */
    BODIES_MAX = 256 << 20, /* bytes that requests bring at a time */
    UNREAD_MAX = 128 << 20, /* bytes of replies in memory that nobody has read yet */
    PEM_MAX = 1 << 20,
    HEAPS = 2,
    BLOCK_BYTES = 256 << 10, /* from here on, memory is a mapping of its own */
    SPARE_BYTES = 1 << 20,   /* that a heap keeps for later */
    PROXY_SECRET_MIN = 16,
    DESCRIPTORS_SPARE = 256, /* for the store, programs and files */
    CONNECTIONS_MOST = 20000,
    CONNECTIONS_LEAST = 64,
};

enum {
    RETIRED_LOOK_US = 1000000, /* how often is looked whether a retired setup is still used */
    LOOK_US = 10000000,        /* and after the store and what was refused */
};

/*
 * One reading of stint.conf, certificate and key, and what works by it. A reload makes the next
 * one; requests that began by an older one end by it, and then it is released.
 */
struct setup {
    struct server *server;
    struct config config; /* of a reload; the first setup has the command's */
    struct zone *zone;    /* likewise */
    struct service service;
    struct server_context world;
    struct arena arena;
    struct buf certificate, key;
    struct background_jobs *chores;
    struct setup *older;
};

struct server {
    const struct service *service; /* the command's */
    const struct request *request;
    struct listener listeners[LISTENERS_MAX];
    size_t listener_count;
    struct rpc_server *answering;
    struct setup *setup; /* the newest; the older ones are retired */
    pthread_t reloader;
    bool reloads;
    atomic_bool ending; /* for the reloader */
};

static void log_server(const struct server *server, const char *format, ...) PRINTF_LIKE(2, 3);

static void log_server(const struct server *server, const char *format, ...)
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

/* --- what it listens on ------------------------------------------------------------------- */

static int open_listener(struct server *server, struct str where, struct error *err)
{
    if (server->listener_count == LISTENERS_MAX) {
        return error_set(err, ERROR_USAGE, "a server listens on %d addresses at most",
                         LISTENERS_MAX);
    }
    char text[LISTENER_NAME_MAX + 16];
    snprintf(text, sizeof(text), "%.*s", STR_ARG(where));
    int failed = listener_open(text, &server->listeners[server->listener_count], err);
    server->listener_count += failed ? 0 : 1;
    return failed;
}

/*
 * Those of --listen; else those that were passed; else those of stint.conf; else the default.
 */
static int open_listeners(struct setup *setup, struct error *err)
{
    struct server *server = setup->server;
    const struct request *request = server->request;
    struct str where, rest = setup->world.settings.listen;
    int failed = listener_inherit(server->listeners, &server->listener_count, err);
    if (failed) {
        return failed;
    }
    if (request_has(request, "listen")) {
        for (size_t i = 0; !failed && request_each(request, "listen", i, &where); i++) {
            failed = open_listener(server, where, err);
        }
        return failed;
    }
    if (server->listener_count > 0) {
        return 0;
    }
    if (!rest.ptr) {
        return open_listener(server, request_text(request, "listen"), err);
    }
    while (!failed && config_next_word(&rest, &where)) {
        failed = open_listener(server, where, err);
    }
    return failed;
}

static bool is_loopback(struct str address)
{
    return str_starts(address, STR("127.")) || str_eq(address, STR("::1"));
}

/*
 * A proxy must be recognised by something that no other process of this machine has: its user
 * on a Unix socket; by TCP its address, and where that is one of this machine, a secret.
 */
static int check_proxies(const struct setup *setup, struct error *err)
{
    const struct server *server = setup->server;
    const struct server_context_settings *settings = &setup->world.settings;
    struct str rest = settings->proxies, one;
    size_t count = 0;
    bool local = false;
    while (config_next_word(&rest, &one)) {
        local = local || is_loopback(one);
    }
    for (size_t i = 0; i < server->listener_count; i++) {
        const struct listener *listener = &server->listeners[i];
        const bool is_proxy = listener->kind == LISTENER_PROXY;
        count += is_proxy;
        if (is_proxy &&
            (listener->is_unix ? !settings->proxy_uids.ptr : !settings->proxies.ptr)) {
            return error_set(
                err, ERROR_USAGE,
                "the listener proxy=%s needs the proxy's %s: set '%s' in [serve] of "
                "stint.conf",
                listener->name, listener->is_unix ? "user" : "address",
                listener->is_unix ? "proxy_uids" : "proxy");
        }
        if (is_proxy && !listener->is_unix && local && setup->world.proxy_secret.len == 0) {
            return error_set(
                err, ERROR_USAGE,
                "any user of this machine could pretend to be the proxy on %s: let "
                "the proxy send a secret ('proxy_secret_file' in [serve] of "
                "stint.conf), or listen on proxy=unix:PATH",
                listener->name);
        }
    }
    if (count == 0 && (settings->proxies.ptr || settings->proxy_uids.ptr)) {
        return error_set(err, ERROR_USAGE,
                         "[serve] of stint.conf names a proxy, but no listener is for it: use "
                         "--listen proxy=ADDRESS");
    }
    return 0;
}

/* The first line of its file. */
static int read_proxy_secret(struct setup *setup, struct error *err)
{
    const struct config *config = setup->service.config;
    const struct config_section *section =
        config ? config_find(config, STR("serve"), (struct str){0}) : NULL;
    const struct str path = config_text(section, &config_serve_keys[CONFIG_SERVE_PROXY_SECRET]);
    struct buf *secret = &setup->world.proxy_secret;
    buf_init(secret, LIMIT_ARGUMENT);
    if (!path.ptr) {
        return 0;
    }
    int failed = file_read(path.ptr, secret, err);
    if (failed) {
        return failed;
    }
    const char *end = str_byte(buf_str(secret), '\n');
    secret->len = end ? (size_t)(end - secret->ptr) : secret->len;
    return secret->len >= PROXY_SECRET_MIN
               ? 0
               : error_set(err, ERROR_INPUT, "the secret in '%s' is shorter than %d characters",
                           path.ptr, PROXY_SECRET_MIN);
}

static int read_pem(const struct request *request, const char *name, struct buf *out,
                    struct error *err)
{
    const struct str path = request_text(request, name);
    buf_init(out, PEM_MAX);
    return path.ptr ? file_read(path.ptr, out, err) : 0;
}

static int read_certificate(struct setup *setup, struct error *err)
{
    const struct request *request = setup->server->request;
    if (request_has(request, "tls-cert") != request_has(request, "tls-key")) {
        return error_set(err, ERROR_USAGE, "--tls-cert and --tls-key go together");
    }
    int failed = read_pem(request, "tls-cert", &setup->certificate, err);
    return failed ? failed : read_pem(request, "tls-key", &setup->key, err);
}

/*
 * As many descriptors as the system allows: a connection is one. Returns how many connections
 * that is for each listener.
 */
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

/* --- requests ----------------------------------------------------------------------------- */

static int answer_exchange(void *owner, struct exchange *exchange, struct error *err)
{
    struct setup *setup = owner;
    exchange->world = &setup->world;
    if (identify_caller(exchange, err) != 0) {
        problem_write(exchange, err->kind == ERROR_DENIED ? 401 : route_status(err->kind), err);
        return 0;
    }
    const int64_t began = stop_clock();
    int failed = route_answer(routes, exchange, err);
    request_log_add(setup->world.watch, exchange, stop_clock() - began);
    return failed;
}

static uint64_t party_of(const void *owner, const struct exchange *exchange)
{
    const struct setup *setup = owner;
    return known_callers_find(setup->world.known, identify_secret(exchange));
}

static size_t worker_count(int64_t wanted)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int64_t usual = cores > 0 ? cores * 2 : WORKERS_LEAST;
    const int64_t count = wanted > 0 ? wanted : usual < WORKERS_LEAST ? WORKERS_LEAST : usual;
    return (size_t)(count < WORKERS_MOST ? count : WORKERS_MOST);
}

static int start_http(struct setup *setup, struct error *err)
{
    struct server *server = setup->server;
    const struct request *request = server->request;
    struct http_listener listeners[LISTENERS_MAX];
    int64_t workers = 0, seconds = 0;
    int failed = request_number(request, "workers", 0, &workers, err);
    failed = failed ? failed : request_number(request, "timeout", 0, &seconds, err);
    for (size_t i = 0; i < server->listener_count; i++) {
        const bool encrypted = setup->certificate.len > 0 && !server->listeners[i].is_unix;
        listeners[i] = (struct http_listener){
            .fd = server->listeners[i].fd,
            .kind = server->listeners[i].kind,
            .certificate = encrypted ? setup->certificate.ptr : NULL,
            .key = encrypted ? setup->key.ptr : NULL,
        };
    }
    const struct http_options options = {
        .listeners = listeners,
        .listener_count = server->listener_count,
        .prefix = setup->world.prefix,
        .workers = worker_count(workers),
        .queue_max = QUEUE_MAX,
        .urgent_workers = URGENT_WORKERS,
        .is_urgent = routes_are_urgent,
        .party = party_of,
        .connections_max = raise_descriptors(server),
        .bodies_max = BODIES_MAX,
        .unread_max = UNREAD_MAX,
        .request_us = (seconds > 0 ? seconds : 1) * SECOND_US,
        .idle_us = IDLE_US,
        .handle = answer_exchange,
        .owner = setup,
    };
    return failed ? failed : http_start(&options, &setup->world.http, err);
}

/* Whether others on the way can read what goes through it. */
static bool is_exposed(const struct setup *setup, const struct listener *listener)
{
    const struct str name = str_of(listener->name);
    return !listener->is_unix && setup->certificate.len == 0 && !is_loopback(name) &&
           !str_starts(name, STR("[::1]:"));
}

static void say_where(const struct server *server)
{
    const struct setup *setup = server->setup;
    for (size_t i = 0; i < server->listener_count; i++) {
        const struct listener *listener = &server->listeners[i];
        log_server(server, "serving '%s' on %s%s%s%s%s", server->service->store,
                   listener->kind == LISTENER_OPEN ? "" : listener_kind_name(listener->kind),
                   listener->kind == LISTENER_OPEN ? "" : "=",
                   listener->is_unix            ? ""
                   : setup->certificate.len > 0 ? "https://"
                                                : "http://",
                   listener->name, listener->is_unix ? "" : setup->world.prefix);
        if (is_exposed(setup, listener)) {
            log_server(server,
                       "warning: passwords and tokens sent to %s cross the network "
                       "unencrypted: use --tls-cert and --tls-key, or listen on 127.0.0.1 "
                       "behind a proxy with TLS",
                       listener->name);
        }
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

/* --- settings ----------------------------------------------------------------------------- */

/* Where others find it: for links, and for callers on the socket. */
static void find_address(struct setup *setup)
{
    const struct server *server = setup->server;
    struct buf text;
    buf_init(&text, LIMIT_ARGUMENT);
    address_of_server(&text, setup->service.config, server->listeners, server->listener_count,
                      setup->certificate.len > 0, setup->world.prefix);
    setup->service.address = text.len ? arena_text(&setup->arena, buf_str(&text)) : NULL;
    buf_release(&text);
}

/*
 * The first setup, by the command's own settings; or, with `before`, one that shares its store
 * and what belongs to that.
 */
static struct setup *setup_new(struct server *server, const struct setup *before)
{
    struct setup *setup = mem_alloc(1, sizeof(*setup));
    setup->server = server;
    setup->service = *server->service;
    if (before) {
        setup->world = before->world;
        setup->world.http = NULL;
        setup->world.openid = NULL;
        setup->world.proxy_secret = (struct buf){0};
    } else {
        setup->world.began = server->service->now();
    }
    setup->world.service = &setup->service;
    setup->world.cache = reply_cache_new(CACHE_BYTES); /* replies depend on settings */
    return setup;
}

/*
 * Everything that can be wrong with settings, except for what the library says about the
 * certificate.
 */
static int setup_check(struct setup *setup, struct error *err)
{
    int failed = grant_check(setup->service.config, err);
    failed =
        failed ? failed
               : read_prefix(setup->server->request, &setup->arena, &setup->world.prefix, err);
    failed = failed ? failed : read_certificate(setup, err);
    failed = failed ? failed : read_proxy_secret(setup, err);
    setup->world.settings = server_context_settings_of(setup->service.config);
    return failed;
}

/* Once it is known where the server listens. */
static int setup_prepare(struct setup *setup, struct error *err)
{
    int failed = check_proxies(setup, err);
    if (failed) {
        return failed;
    }
    find_address(setup);
    return openid_new(setup->service.config, setup->service.address, &setup->world.openid, err);
}

static void setup_start_chores(struct setup *setup)
{
    if (!request_flag(setup->server->request, "no-pull")) {
        setup->chores = background_jobs_start(setup->world.store, &setup->service);
    }
}

/* Ends what works by it; requests have up to `grace_us`. */
static void setup_stop(struct setup *setup, int64_t grace_us)
{
    background_jobs_stop(setup->chores);
    setup->chores = NULL;
    http_stop(setup->world.http, grace_us);
    setup->world.http = NULL;
}

static void setup_free(struct setup *setup)
{
    setup_stop(setup, 0);
    openid_free(setup->world.openid);
    reply_cache_free(setup->world.cache);
    buf_release(&setup->certificate);
    buf_release(&setup->key);
    buf_release(&setup->world.proxy_secret);
    zone_close(setup->zone);
    config_release(&setup->config);
    arena_release(&setup->arena);
    free(setup);
}

/* --- reload ------------------------------------------------------------------------------- */

static int read_again(struct setup *setup, struct error *err)
{
    const struct service_reload *reload = setup->server->service->reload;
    int failed = reload->read(reload->owner, &setup->config, &setup->zone, err);
    setup->service.config = &setup->config;
    setup->service.zone = setup->zone;
    failed = failed ? failed : setup_check(setup, err);
    failed = failed ? failed : setup_prepare(setup, err);
    return failed ? failed : start_http(setup, err);
}

/* The new setup accepts connections before the old one stops to: nobody is refused. */
static void reload(struct server *server)
{
    struct setup *before = server->setup, *setup = setup_new(server, before);
    struct error err = {0};
    notify_manager("RELOADING=1");
    if (read_again(setup, &err) != 0) {
        log_server(server, "the settings are not reloaded, the previous ones stay in use: %s",
                   err.text);
        setup_free(setup);
        notify_manager("READY=1");
        return;
    }
    http_retire(before->world.http);
    rpc_server_adopt(server->answering, &setup->service);
    sample_inbox_adopt(setup->world.inbox, &setup->service);
    background_jobs_stop(before->chores);
    before->chores = NULL;
    setup_start_chores(setup);
    setup->older = before;
    server->setup = setup;
    log_server(server, "reloaded the settings%s%s", setup->config.path ? " of " : "",
               setup->config.path ? setup->config.path : "");
    notify_manager("READY=1");
}

static bool is_used(const struct setup *setup)
{
    const struct server *server = setup->server;
    return !http_is_idle(setup->world.http) ||
           rpc_server_uses(server->answering, setup->service.config) ||
           sample_inbox_uses(setup->world.inbox, setup->service.config);
}

static void release_retired(struct server *server)
{
    struct setup **link = &server->setup->older;
    while (*link) {
        struct setup *setup = *link;
        if (is_used(setup)) {
            link = &setup->older;
        } else {
            *link = setup->older;
            setup_free(setup);
        }
    }
}

/*
 * Says when the store cannot be written to, and when it can again; tries to open it again, so
 * that nobody has to ask first.
 */
static void look_after_store(struct server *server, bool *was_broken)
{
    struct store *store = server->setup->world.store;
    struct facts *facts = NULL;
    struct error err = {0};
    const bool broken = store_is_broken(store);
    if (broken && !*was_broken) {
        log_server(server,
                   "the store cannot be written to: reading continues, and it is opened again "
                   "once there is room");
    }
    if (broken && facts_open(store, FACTS_WRITE, NULL, &facts, &err) == 0) {
        facts_close(facts);
    }
    *was_broken = broken || (*was_broken && store_is_broken(store));
    if (*was_broken && !store_is_broken(store)) {
        log_server(server, "the store was opened again and can be written to");
        *was_broken = false;
    }
}

static void *reloader_main(void *data)
{
    struct server *server = data;
    struct stop *asked = server->service->reload->asked;
    bool broken = false;
    while (!atomic_load(&server->ending)) {
        (void)!stop_sleep(asked, server->setup->older ? RETIRED_LOOK_US : LOOK_US);
        if (stop_is_set(asked) && !atomic_load(&server->ending)) {
            stop_forget(
                asked); /* before settings are read: another signal is about later ones */
            reload(server);
        }
        release_retired(server);
        look_after_store(server, &broken);
        refusals_flush(server->setup->world.refusals, &server->setup->service, false);
    }
    return NULL;
}

static void start_reloader(struct server *server)
{
    server->reloads = server->service->reload &&
                      pthread_create(&server->reloader, NULL, reloader_main, server) == 0;
}

static void stop_reloader(struct server *server)
{
    if (server->reloads) {
        atomic_store(&server->ending, true);
        stop_ask(server->service->reload->asked);
        pthread_join(server->reloader, NULL);
    }
}

/* --- life --------------------------------------------------------------------------------- */

static int open_store(struct setup *setup, struct error *err)
{
    const struct service *service = setup->server->service;
    const struct store_wait wait = {.limit_us = -1,
                                    .stop = service->stop,
                                    .waiting = service->say,
                                    .watcher = service->watcher};
    return store_open(service->store, FACTS_WRITE, &wait, &setup->world.store, err);
}

static int begin_server(struct server *server, struct error *err)
{
    struct setup *setup = server->setup = setup_new(server, NULL);
    struct server_context *world = &setup->world;
    int failed = setup_check(setup, err);
    failed = failed ? failed : open_listeners(setup, err);
    failed = failed ? failed : open_store(setup, err);
    failed = failed ? failed : access_form_key(server->service, world->form_key, err);
    failed = failed ? failed : setup_prepare(setup, err);
    if (failed) {
        return failed;
    }
    store_keep_queries(world->store);
    world->attempts = login_attempts_new();
    world->known = known_callers_new(str_hash(str_of(world->form_key), 0));
    world->refusals = refusals_new();
    world->health = health_new();
    world->watch = request_log_new();
    world->inlets = upload_channels_new();
    server->answering = rpc_server_start(world->store, &setup->service, RPC_SERVER_ALL);
    world->inbox = sample_inbox_start(world->store, &setup->service);
    failed = start_http(setup, err);
    if (!failed) {
        setup_start_chores(setup);
        start_reloader(server);
    }
    return failed;
}

static void end(struct server *server)
{
    stop_reloader(server);
    const struct server_context world = server->setup->world;
    if (world.http) {
        http_take_last(world.http, GRACE_US);
    }
    for (size_t i = 0; i < server->listener_count; i++) {
        listener_close(&server->listeners[i]);
    }
    for (struct setup *setup = server->setup; setup; setup = setup->older) {
        setup_stop(setup, GRACE_US);
    }
    sample_inbox_stop(world.inbox);
    if (world.refusals) {
        refusals_flush(world.refusals, server->service, true);
    }
    if (world.store) {
        store_checkpoint(world.store);
    }
    rpc_server_stop(server->answering); /* the last that uses settings */
    while (server->setup) {
        struct setup *setup = server->setup;
        server->setup = setup->older;
        setup_free(setup);
    }
    login_attempts_free(world.attempts);
    known_callers_free(world.known);
    refusals_free(world.refusals);
    health_free(world.health);
    request_log_free(world.watch);
    upload_channels_free(world.inlets);
    store_close(world.store);
}

/*
 * Memory that was freed goes back to the system. As it is set, the C library has a heap for
 * each of many threads, and from the first large block that is freed on it takes blocks as
 * large from these heaps: after some hours a server has several times what it uses.
 */
static void keep_small(void)
{
    (void)mallopt(M_ARENA_MAX, HEAPS);
    (void)mallopt(M_MMAP_THRESHOLD, BLOCK_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, SPARE_BYTES);
}

int server_run(struct service *service, const struct request *request, struct answer *answer,
               struct error *err)
{
    struct server server = {.service = service, .request = request};
    (void)answer;
    keep_small();
    (void)umask(077);               /* what it writes is in the store, and is its owner's */
    (void)signal(SIGPIPE, SIG_IGN); /* a client that leaves early is no reason to end */
    int failed = begin_server(&server, err);
    if (!failed) {
        say_where(&server);
        notify_manager("READY=1");
        while (stop_sleep(service->stop, HOUR_US)) {
        }
        notify_manager("STOPPING=1");
    }
    end(&server);
    return failed;
}
