/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * All routes of the server: tables, ended by NULL. To add one, declare it here and list it in
 * routes.c.
 */

#include "serve/http/route.h"

extern const struct route_table *const routes[];

/*
 * Whether a request does not wait behind questions: who watches over the server, who logs in,
 * what agents send.
 */
bool routes_are_urgent(const struct exchange *exchange);

extern const struct route_table health_routes;  /* health.c */
extern const struct route_table login_routes;   /* login.c */
extern const struct route_table openid_routes;  /* openid.c */
extern const struct route_table remote_routes;  /* rpc_http_server.c */
extern const struct route_table arrival_routes; /* sample_upload.c: what agents send */
extern const struct route_table events_routes;  /* events.c: what changed */
extern const struct route_table api_routes;     /* api.c */
extern const struct route_table site_routes;    /* site.c: all that is left */
