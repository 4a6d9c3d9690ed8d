/* SPDX-License-Identifier: MIT */
#include "serve/world.h"

int world_ask(const struct exchange *exchange, const struct request *request,
              const struct zone *zone, bool for_people, struct answer *answer,
              struct error *err)
{
    const struct world *world = world_of(exchange);
    struct service service = *world->service;
    struct session session = {
        .folder = service.store,
        .store = world->store,
        .wait = {.limit_us = -1, .stop = &exchange->stop},
    };
    service.session = &session;
    service.caller = &exchange->caller;
    service.stop = &exchange->stop;
    service.for_people = for_people;
    service.zone = zone ? zone : service.zone;
    service.watcher = NULL;
    service.progress = NULL;
    service.say = NULL;
    service.serve = NULL;
    return service_call(&service, request, answer, err);
}
