/* SPDX-License-Identifier: MIT */

/*
 * Server-sent events: whether anything was written since. A client says what it has seen
 * (Last-Event-ID, which browsers send by themselves) and hears of a change, or of nothing; then
 * the reply ends, and the client comes again after EVENTS_RETRY_MS. So a page that is open all
 * day holds no worker.
 */

#include <inttypes.h>

#include "base/attribute.h"
#include "serve/daemon/server_context.h"
#include "serve/http/problem.h"
#include "serve/http/routes.h"

enum { EVENTS_RETRY_MS = 3000, EVENTS_TEXT_MAX = 512 };

static int send_events(struct exchange *exchange, struct error *err)
{
    const struct server_context *world = server_context_of(exchange);
    const struct reply_cache_state state = server_context_state(world);
    char instant[INSTANT_TEXT_MAX];
    struct buf text;
    const char *id = arena_printf(&exchange->arena, "%016" PRIx64 "%016" PRIx64,
                                  state.generation, state.books);
    const int64_t now = world->service->now();
    buf_init(&text, EVENTS_TEXT_MAX);
    buf_addf(&text, "retry: %d\n", EVENTS_RETRY_MS);
    if (str_eq(exchange_header(exchange, "Last-Event-ID"), str_of(id))) {
        buf_addz(&text, ": nothing new\n\n");
    } else {
        buf_addf(&text, "id: %s\nevent: change\ndata: {\"as_of\":\"%s\"}\n\n", id,
                 zone_print(world->service->zone, now - now % SECOND_US, instant));
    }
    exchange_type(exchange, "text/event-stream");
    int failed = exchange_write(exchange, buf_str(&text), err);
    buf_release(&text);
    return failed;
}

static const struct route rows[] = {
    {"/api/v1/events", METHOD_GET, RIGHT_OWN, send_events},
};

const struct route_table events_routes = {rows, COUNT_OF(rows), "/api/", problem_write};
