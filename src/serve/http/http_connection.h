/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Who is connected: a list of all connections, from which those are removed that ask nothing
 * for too long, do not read their reply, or hold connections that others need.
 */

#include <stdbool.h>

#include "serve/http/http_library.h"
#include "serve/http/http_state.h"

/*
 * Called by the library where a connection begins and ends; `owner` is the struct http_serving.
 */
void http_connection_notify(void *owner, struct MHD_Connection *handle, void **context,
                            enum MHD_ConnectionNotificationCode code);

struct http_connection *http_connection_of(struct MHD_Connection *handle);

/*
 * The request that the connection has brought as a whole; NULL: it is answered. `connection`
 * may be NULL.
 */
void http_connection_set(struct http_serving *serving, struct http_connection *connection,
                         struct http_request *request);

/*
 * The main function of a thread that closes connections and ends requests whose clients have
 * left, until `ending` is set.
 */
void *http_connection_reap(void *serving);

/*
 * Whether a request, or a part of one, has arrived and was not read. Under the guard of the
 * serving.
 */
bool http_connection_has_unread(const struct http_serving *serving);
