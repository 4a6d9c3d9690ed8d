/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A request, from its first byte until a worker has it: the head is checked, the body collected
 * within limits, and an exchange made of them. The functions are called by the library, in the
 * order in which they stand here.
 */

#include <stddef.h>

#include "serve/http/http_library.h"
#include "serve/http/http_state.h"

/*
 * The target of a request has arrived: it is kept as it came, with the connection, since not
 * every beginning becomes a request. `owner` is the struct http_serving.
 */
void *http_request_target(void *owner, const char *target, struct MHD_Connection *handle);

/* Decodes nothing: targets are decoded by exchange_read_target. */
size_t http_request_unescape(void *owner, struct MHD_Connection *handle, char *text);

/*
 * Called for the head, for pieces of the body, when that is all, and again when the connection
 * is resumed. `owner` is the struct http_daemon.
 */
enum MHD_Result http_request_read(void *owner, struct MHD_Connection *handle, const char *url,
                                  const char *method, const char *version, const char *bytes,
                                  size_t *size, void **context);

/* The request is over, answered or not. `owner` is the struct http_serving. */
void http_request_completed(void *owner, struct MHD_Connection *handle, void **context,
                            enum MHD_RequestTerminationCode code);

/* One of its holders does not use it any more; the last one frees it. */
void http_request_drop(struct http_request *request);
