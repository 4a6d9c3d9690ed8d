/* SPDX-License-Identifier: MIT */
#include "serve/daemon/server_context.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/zone.h"

/*
 * When the request was asked that a worker is about: pages put many questions, and to all of
 * them it is the same moment, so that their numbers agree and what several of them need is
 * asked for once.
 */
static _Thread_local int64_t asked_at;

static int64_t moment_of_request(void)
{
    return asked_at;
}

struct service server_context_service(const struct exchange *exchange, struct session *session)
{
    const struct server_context *world = server_context_of(exchange);
    struct service service = *world->service;
    *session = (struct session){
        .folder = service.store,
        .store = world->store,
        .wait = {.limit_us = -1, .stop = &exchange->stop},
    };
    if (exchange->method == METHOD_GET) { /* what changes something may take hours */
        asked_at = service.now();
        service.now = moment_of_request;
    }
    service.session = session;
    service.caller = &exchange->caller;
    service.stop = &exchange->stop;
    service.watcher = NULL;
    service.progress = NULL;
    service.say = NULL;
    service.serve = NULL;
    return service;
}

int server_context_ask(const struct exchange *exchange, const struct request *request,
                       const struct zone *zone, struct answer *answer, struct error *err)
{
    struct session session;
    struct service service = server_context_service(exchange, &session);
    service.zone = zone ? zone : service.zone;
    return service_call(&service, request, answer, err);
}

struct reply_cache_state server_context_state(const struct server_context *world)
{
    static const char *const files[] = {"books.sqlite", "books.sqlite-wal"};
    struct reply_cache_state state = {.generation = store_generation(world->store)};
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct stat st = {0};
        char *path = file_join(world->service->store, files[i]);
        if (stat(path, &st) == 0) {
            const int64_t stamp[] = {st.st_mtim.tv_sec, st.st_mtim.tv_nsec, st.st_size,
                                     (int64_t)st.st_ino};
            state.books =
                str_hash((struct str){(const char *)stamp, sizeof(stamp)}, state.books);
        }
        free(path);
    }
    return state;
}

struct caller server_context_public_caller(const struct server_context *world, const char *name)
{
    return (struct caller){
        .name = name,
        CALLER_AS(STAFF),
        .remote = true,
        .crowd =
            {
                .zone = world->service->zone,
                .window_us = world->settings.totals_window_us,
                .users = world->settings.totals_users,
            },
    };
}

struct server_context_settings server_context_settings_of(const struct config *config)
{
    const struct config_key *keys = config_serve_keys;
    const struct config_section *section =
        config ? config_find(config, STR("serve"), (struct str){0}) : NULL;
    return (struct server_context_settings){
        .listen = config_text(section, &keys[CONFIG_SERVE_LISTEN]),
        .totals = str_eq(config_text(section, &keys[CONFIG_SERVE_ANYONE]), STR("totals")),
        .totals_window_us = DAY_US * config_number(section, &keys[CONFIG_SERVE_ANYONE_DAYS], 0),
        .totals_users = config_number(section, &keys[CONFIG_SERVE_ANYONE_USERS], 0),
        .proxies = config_text(section, &keys[CONFIG_SERVE_PROXY]),
        .proxy_uids = config_text(section, &keys[CONFIG_SERVE_PROXY_UIDS]),
        .address = config_text(section, &keys[CONFIG_SERVE_ADDRESS]),
        .proxy_user = config_text(section, &keys[CONFIG_SERVE_PROXY_USER]).ptr,
        .proxy_groups = config_text(section, &keys[CONFIG_SERVE_PROXY_GROUPS]).ptr,
        .session_us = config_number(section, &keys[CONFIG_SERVE_SESSION], 0),
    };
}
