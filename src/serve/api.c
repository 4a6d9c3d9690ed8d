/* SPDX-License-Identifier: MIT */

/* The operations over HTTP. */

#include "serve/problem.h"
#include "serve/routes.h"

/* Whether the server is up: for those who watch over it. */
static int show_health(struct exchange *exchange, struct error *err)
{
    exchange_type(exchange, "application/json");
    exchange_set(exchange, "Cache-Control", "no-store");
    return exchange_write(exchange, STR("{\"status\":\"ok\"}\n"), err);
}

static const struct route rows[] = {
    {"/api/v1/health", METHOD_GET, ROLE_ANYONE, show_health},
};

const struct route_table api_routes = {rows, COUNT_OF(rows), "/api/", problem_write};
