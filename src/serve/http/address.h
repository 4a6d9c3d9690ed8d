/* SPDX-License-Identifier: MIT */
#pragma once

/* Addresses of pages, for those who have a question and a browser. */

#include <stdbool.h>

#include "base/buf.h"
#include "serve/http/listener.h"
#include "service/core/service.h"

/*
 * Adds the address of the page that answers a request at the server `base`; false: there is no
 * page for it.
 */
bool address_of_request(struct buf *out, const char *base, const struct request *request);

/*
 * Adds where browsers reach a server that listens so: [serve] address of `config` (may be
 * NULL), else the first listener that is not a Unix socket, by the host's name where it listens
 * on all addresses. Nothing is added where no such address is known.
 */
void address_of_server(struct buf *out, const struct config *config,
                       const struct listener *listeners, size_t count, bool encrypted,
                       const char *prefix);
