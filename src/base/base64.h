/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Bytes as letters (RFC 4648): with + and / and padding, or for addresses, with - and _ and
 * without.
 */

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

void base64_add(struct buf *out, struct str bytes);
void base64_add_url(struct buf *out, struct str bytes);

/* Reads the form for addresses into the arena; false: it is not one. */
bool base64_read_url(struct str text, struct arena *arena, struct str *out);
