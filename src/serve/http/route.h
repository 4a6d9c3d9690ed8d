/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which handler answers which path. Routes are rows of tables; to add one, add a row, or a
 * table to the list in serve/http/routes.c. A path may contain variables, each one segment, and
 * may end with one for everything that follows:
 *
 *     {"/jobs/:id", METHOD_GET, RIGHT_OWN, show_job}       exchange->parts[0] is the id
 *     {"/static/" "*", METHOD_GET, RIGHT_PUBLIC, send_file}   parts[0] is "css/site.css"
 *
 * A route that takes GET takes HEAD as well. The first row that matches is taken, so more
 * specific ones come first.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attribute.h"
#include "base/error.h"
#include "serve/http/exchange.h"
#include "service/core/caller.h"

struct route {
    const char *path;
    unsigned methods; /* of enum exchange_method */
    unsigned rights;  /* that the caller needs; operations check their own in addition */
    int (*handle)(struct exchange *exchange, struct error *err) MUST_CHECK;
};

struct route_table {
    const struct route *rows;
    size_t count;
    /*
     * what all paths of the table begin with; "": anything. Under it, failures are written by
     * `fail`, also if no row matches
     */
    const char *below;
    /*
     * Writes the reply to a failed request, status included; nothing has been written to the
     * exchange.
     */
    void (*fail)(struct exchange *exchange, int status, const struct error *err);
};

/* Whether a path matches the pattern; `parts` are then its variables, still encoded. */
bool route_fits(const char *pattern, struct str path, struct str parts[EXCHANGE_PARTS_MAX]);

/*
 * Answers an exchange: finds its route, checks the caller's rights, calls the handler, and
 * writes the reply to a failure. When it returns, the reply is complete. Returns a failure only
 * if a stream was cut short.
 */
int route_answer(const struct route_table *const *tables, struct exchange *exchange,
                 struct error *err) MUST_CHECK;

/* The HTTP status for a failure. */
int route_status(enum error_kind kind);
