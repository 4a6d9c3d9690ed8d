/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The other end of rpc_server.h: a request goes to the process that holds the store, and its
 * answer comes back as if it had been made here. What it reads is given from here
 * (input_sender.h); what is to be said meanwhile, and how far it is, is said here.
 */

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "service/core/service.h"

enum rpc_client_outcome {
    RPC_CLIENT_NOBODY, /* nobody listens, or it was given back: nothing has been answered */
    /* the answer is filled as the operation would have, and the result is the operation's */
    RPC_CLIENT_ANSWERED,
};

/*
 * Asks for `request` of the store of `service`. Rows of listings go to answer->sink, if there
 * is one. Once the first has gone there the outcome is RPC_CLIENT_ANSWERED, and a failure on
 * the way a failure of the answer. When the service's stop is set, the other side is asked to
 * stop, and how it ended is awaited.
 */
int rpc_client_ask(const struct service *service, const struct request *request,
                   struct answer *answer, enum rpc_client_outcome *outcome,
                   struct error *err) MUST_CHECK;

/* Whether somebody has the store of that folder who does what changes it, for all who ask. */
bool rpc_client_takes_changes(const char *folder);

/*
 * Adds the address at which browsers reach the server that has the store of that folder; false:
 * none.
 */
bool rpc_client_address(const char *folder, struct buf *out);
