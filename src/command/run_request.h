/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Performs the operation of a command: here, in the process that holds the store, or on a
 * server elsewhere; and showing the answer.
 */

#include <stdbool.h>

#include "base/buf.h"
#include "command/arguments.h"
#include "service/core/service.h"

/* Runs the operation in the world the arguments describe; the exit status. */
int perform(const struct operation *operation, const struct arguments *arguments);

/*
 * Adds where browsers reach the server that is asked, that of the store where `server` is NULL;
 * false: none.
 */
bool perform_address(const char *store, const char *server, struct buf *out);
