/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Addresses as browsers send them: percent-encoding and queries.
 */

#include "base/arena.h"
#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/*
 * Adds text so that it is one piece of a path or of a query: all but letters, digits and -._~
 * is encoded.
 */
void url_encode(struct buf *out, struct str text);

/* Adds a name=value to a query that may have some before it, with ? or & between. */
void url_add(struct buf *out, const char *name, struct str value);

/*
 * Decodes a piece of a path, or of a query, where + is a blank, into the arena. ERROR_INPUT for
 * what is not encoded properly, and for a byte that no name has: NUL.
 */
int url_decode(struct arena *arena, struct str piece, bool query, struct str *out,
               struct error *err) MUST_CHECK;

/*
 * Takes the next name=value off a query and decodes both; false at its end. What is wrong is in
 * `*failed` and err.
 */
bool url_next(struct arena *arena, struct str *query, struct str *name, struct str *value,
              int *failed, struct error *err);
