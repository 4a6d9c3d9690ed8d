/* SPDX-License-Identifier: MIT */
#include "serve/http/routes.h"

const struct route_table *const routes[] = {
    &health_routes,  &login_routes, &openid_routes, &remote_routes, &events_routes,
    &arrival_routes, &api_routes,   &site_routes,   NULL,
};

bool routes_are_urgent(const struct exchange *exchange)
{
    static const char *const paths[] = {
        "/health",       "/ready",  "/api/v1/health", "/api/v1/ready",  "/login",
        "/api/v1/login", "/logout", "/api/v1/logout", "/api/v1/whoami", "/api/v1/agent/samples",
    };
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        if (str_eq(exchange->path, str_of(paths[i]))) {
            return true;
        }
    }
    return false;
}
