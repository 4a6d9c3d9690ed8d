/* SPDX-License-Identifier: MIT */
#include "serve/routes.h"

const struct route_table *const routes[] = {
    &login_routes,   &openid_routes, &remote_routes, &events_routes,
    &arrival_routes, &api_routes,    &site_routes,   NULL,
};
