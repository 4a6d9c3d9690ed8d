/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The reply to a request, from the worker that writes it to the library that sends it. A long
 * one streams through a struct reply_flow; the connection is suspended while there is nothing
 * to send.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "serve/http/http_library.h"
#include "serve/http/http_state.h"

/* By the library's thread, under the guard of the request. */
void http_reply_suspend(struct http_request *request);

/* How much memory what is unread of the reply takes now. */
void http_reply_count(struct http_request *request, size_t unread);

/* By any thread, under the guard of the request. */
void http_reply_wake(struct http_request *request);

/*
 * By a worker: `send` of an exchange. `sender` is the struct http_request. ERROR_STOPPED:
 * nobody reads it any more.
 */
int http_reply_send(void *sender, struct str bytes, struct error *err) MUST_CHECK;

/*
 * Gives the reply, or its beginning, to the library. Not under the guard of the request: the
 * library locks the response, and asks for more of it with that lock held.
 */
enum MHD_Result http_reply_queue(struct http_request *request);
