/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One character of UTF-8 text, where bytes are not enough: its code point and its columns on a
 * terminal. Knows no locale.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* What stands for bytes that are not UTF-8. */
#define RUNE_REPLACEMENT "\xef\xbf\xbd"

/*
 * Reads the character at the start of `text`: returns its length in bytes and stores its code
 * point; returns 0 and stores nothing if there is no valid one (RFC 3629) or no text.
 */
size_t rune_decode(struct str text, uint32_t *rune);

/* Columns: 2 for wide East Asian characters and pictures, 0 for marks and control bytes. */
size_t rune_width(uint32_t rune);
