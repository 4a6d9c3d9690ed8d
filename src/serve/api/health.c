/* SPDX-License-Identifier: MIT */

#include "serve/api/health.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "facts/store.h"
#include "serve/daemon/server_context.h"
#include "serve/http/http_server.h"
#include "serve/http/problem.h"
#include "serve/http/routes.h"

#define FRESH_US INT64_C(1000000)

struct health {
    pthread_mutex_t guard;
    int64_t at; /* when it was last tried, on the clock of stop_clock; 0: not yet */
    bool reads, writes;
};

struct health *health_new(void)
{
    struct health *health = mem_alloc(1, sizeof(*health));
    pthread_mutex_init(&health->guard, NULL);
    return health;
}

void health_free(struct health *health)
{
    if (health) {
        pthread_mutex_destroy(&health->guard);
        free(health);
    }
}

static int show_health(struct exchange *exchange, struct error *err)
{
    exchange_type(exchange, "application/json");
    return exchange_write(exchange, STR("{\"status\":\"ok\"}\n"), err);
}

/* Those who ask while another tries wait for it. */
static void try_store(const struct server_context *world, bool *reads, bool *writes)
{
    struct health *health = world->health;
    struct error ignored;
    pthread_mutex_lock(&health->guard);
    if (health->at == 0 || stop_clock() - health->at > FRESH_US) {
        health->reads = store_check_readable(world->store, &ignored) == 0;
        health->writes =
            !store_is_broken(world->store) && store_check_writable(world->store, &ignored) == 0;
        health->at = stop_clock();
    }
    *reads = health->reads;
    *writes = health->writes;
    pthread_mutex_unlock(&health->guard);
}

static int show_ready(struct exchange *exchange, struct error *err)
{
    const struct server_context *world = server_context_of(exchange);
    char text[128];
    bool reads, writes;
    try_store(world, &reads, &writes);
    const bool stops = http_is_stopping(world->http);
    const bool ready = reads && writes && !stops;
    snprintf(text, sizeof(text), "{\"ready\":%s,\"reads\":%s,\"writes\":%s,\"stops\":%s}\n",
             ready ? "true" : "false", reads ? "true" : "false", writes ? "true" : "false",
             stops ? "true" : "false");
    exchange->status = ready ? 200 : 503;
    exchange_type(exchange, "application/json");
    return exchange_write(exchange, str_of(text), err);
}

static const struct route rows[] = {
    {"/health", METHOD_GET, RIGHT_PUBLIC, show_health},
    {"/ready", METHOD_GET, RIGHT_PUBLIC, show_ready},
    {"/api/v1/health", METHOD_GET, RIGHT_PUBLIC, show_health},
    {"/api/v1/ready", METHOD_GET, RIGHT_PUBLIC, show_ready},
};

const struct route_table health_routes = {rows, COUNT_OF(rows), "/health", problem_write};
