/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The operations over HTTP: GET /api/v1/OPERATION, or POST where it changes something, with the
 * operation's own parameters. Which operations and parameters there are is the table of
 * operations; beside theirs are those below, which the command line has as options of every
 * command.
 */

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "serve/http/exchange.h"
#include "service/core/service.h"

enum { API_PAGE_MAX = 10000 };

/* Parameters that every operation takes here. */
extern const struct param api_params[];
extern const size_t api_param_count;

/*
 * Whether somebody elsewhere can ask it at all: it works with no files, of this machine or of
 * theirs.
 */
bool api_offers(const struct operation *operation);

/* Whether the value of a flag says that it is not given: 0, false, no. */
bool api_is_no(struct str value);

/*
 * A request as an exchange gives it: query, form or JSON object. Text lives as long as the
 * exchange.
 */
int api_read_request(struct exchange *exchange, const struct operation *operation,
                     struct request *out, struct error *err) MUST_CHECK;

/* The description of all this: OpenAPI 3.1. `server` is what paths begin with. */
void api_describe(struct buf *out, const char *server);
