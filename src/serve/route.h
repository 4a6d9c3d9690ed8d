/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which handler answers which path. Routes are rows of tables; to add pages, add rows, or a table to the list in
 * serve/routes.c. A path is written with variables, each one segment, and may end with one for all that follows:
 *
 *     {"/jobs/:id", METHOD_GET, ROLE_USER, show_job}       exchange->parts[0] is the id
 *     {"/static/" "*", METHOD_GET, ROLE_ANYONE, send_file}   parts[0] is "css/site.css"
 *
 * A route that takes GET takes HEAD as well. The first row that fits is taken, so that what is more special comes first.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attribute.h"
#include "base/error.h"
#include "serve/exchange.h"
#include "service/caller.h"

struct route {
    const char *path;
    unsigned methods; /* of enum exchange_method */
    enum role role;   /* that whoever asks must have; operations ask for their own besides */
    int (*handle)(struct exchange *exchange, struct error *err) MUST_CHECK;
};

struct route_table {
    const struct route *rows;
    size_t count;
    /* what all paths of the table begin with: whose failures look as `fail` says, also where no row fits; "" is any */
    const char *below;
    /* Writes what a failed request is answered with, status included; the exchange has nothing written. */
    void (*fail)(struct exchange *exchange, int status, const struct error *err);
};

/* Whether a path is one of the pattern; `parts` are then its variables, as they stand in the path. */
bool route_fits(const char *pattern, struct str path, struct str parts[EXCHANGE_PARTS_MAX]);

/*
 * Answers an exchange: finds its route, looks whether the caller may, calls the handler, and writes what a failure is
 * answered with. What was written when it returns is the reply. Returns a failure only where a stream was cut short.
 */
int route_answer(const struct route_table *const *tables, struct exchange *exchange,
                 struct error *err) MUST_CHECK;

/* The status of HTTP that goes with a failure. */
int route_status(enum error_kind kind);
