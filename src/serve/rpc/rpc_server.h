/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The process that holds the store answers for it. A process that has opened a store to write
 * (an import, a pull) listens beside it, and answers the questions of others from what is
 * committed, each in a session and a thread of its own. Requests that would change something
 * are taken only by a process that keeps the store for as long as it lives; elsewhere their
 * turn comes when the store is free. What they read stays with the client (input_receiver.h).
 */

#include "facts/store.h"
#include "service/core/service.h"

struct rpc_server;

enum rpc_server_what {
    RPC_SERVER_QUESTIONS, /* what reads the store */
    RPC_SERVER_ALL,       /* and what changes it, one after the other */
};

/*
 * Begins to answer for `store`, in the world of `service` (its config and clock). NULL if it
 * cannot listen, which is no failure: clients then wait until the store is free.
 */
struct rpc_server *rpc_server_start(struct store *store, const struct service *service,
                                    enum rpc_server_what what);

/*
 * Requests that arrive from now on are answered by these settings: config, zone and address of
 * `service`. NULL is allowed.
 */
void rpc_server_adopt(struct rpc_server *answering, const struct service *service);

/* Whether a request is under way that began with this config. NULL is allowed. */
bool rpc_server_uses(struct rpc_server *answering, const struct config *config);

/*
 * Takes no more requests, and returns when those under way are answered. What has not begun to
 * be sent after a moment is returned to the client, to be sent again. NULL is allowed.
 */
void rpc_server_stop(struct rpc_server *answering);
