/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The command line at a server elsewhere: a request goes there as a frame (serve/rpc/wire.h) in
 * a POST, and the frames of its answer come back, so that the answer is what it would have been
 * there. What an operation reads is sent as it asks for it (serve/rpc/upload_channel.h), so
 * that files of this machine are imported there; what uses files or programs of the store's own
 * machine cannot be asked so.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "service/core/service.h"

struct rpc_http {
    const char *address; /* https://stint.example/prefix, http://..., or unix:/path */
    const char *token;   /* or NULL */
    /* file of the certificates that sign the server's; NULL: those of the system */
    const char *authority;
};

/* The time zone of the server's site, freed by the caller. */
int rpc_http_zone(const struct rpc_http *remote, const struct stop *stop, char **zone,
                  struct error *err) MUST_CHECK;

/* Asks; the result, the answer and the rows are those of the operation there. */
int rpc_http_ask(const struct rpc_http *remote, const struct service *service,
                 const struct request *request, struct answer *answer,
                 struct error *err) MUST_CHECK;
