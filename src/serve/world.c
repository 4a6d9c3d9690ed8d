/* SPDX-License-Identifier: MIT */
#include "serve/world.h"

struct service world_service(const struct exchange *exchange, struct session *session)
{
    const struct world *world = world_of(exchange);
    struct service service = *world->service;
    *session = (struct session){
        .folder = service.store,
        .store = world->store,
        .wait = {.limit_us = -1, .stop = &exchange->stop},
    };
    service.session = session;
    service.caller = &exchange->caller;
    service.stop = &exchange->stop;
    service.watcher = NULL;
    service.progress = NULL;
    service.say = NULL;
    service.serve = NULL;
    return service;
}

int world_ask(const struct exchange *exchange, const struct request *request,
              const struct zone *zone, struct answer *answer, struct error *err)
{
    struct session session;
    struct service service = world_service(exchange, &session);
    service.zone = zone ? zone : service.zone;
    return service_call(&service, request, answer, err);
}
