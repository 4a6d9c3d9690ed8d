/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * stint serve: one process that owns a store and answers for it, over HTTP and on the socket
 * beside the store, until it is asked to stop. For struct service's `serve`.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "service/core/service.h"

/*
 * Serves as the request of operation `serve` says. Returns when service->stop is set: 0, or why
 * it could not begin.
 */
int server_run(struct service *service, const struct request *request, struct answer *answer,
               struct error *err) MUST_CHECK;
