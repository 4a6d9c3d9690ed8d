/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The functions of libmicrohttpd, loaded when a server starts: `mhd.start_daemon(...)`. Its
 * types are known in the files http*.c only.
 */

#include <microhttpd.h>

#include "base/attribute.h"
#include "base/error.h"

/* Every function that is used; a missing one is found at load, not at use. */
#define HTTP_FUNCTIONS(X)                                                                      \
    X(start_daemon)                                                                            \
    X(quiesce_daemon)                                                                          \
    X(stop_daemon)                                                                             \
    X(suspend_connection)                                                                      \
    X(resume_connection)                                                                       \
    X(add_connection)                                                                          \
    X(get_connection_info)                                                                     \
    X(get_connection_values)                                                                   \
    X(create_response_from_buffer)                                                             \
    X(create_response_from_callback)                                                           \
    X(add_response_header)                                                                     \
    X(destroy_response)                                                                        \
    X(queue_response)                                                                          \
    X(is_feature_supported)

struct http_functions {
#define X(name) __typeof__(MHD_##name) *name;
    HTTP_FUNCTIONS(X)
#undef X
};

/* Read-only once http_library_load has returned 0. */
extern struct http_functions mhd;

/* Any number of times, by any thread. ERROR_MISSING: it is not installed, or too old. */
int http_library_load(struct error *err) MUST_CHECK;
