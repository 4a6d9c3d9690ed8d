/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The uppermost members of a JSON object, one after the other, without a tree: for records that
 * are objects. What is inside of nested objects and lists is passed over. Also where strings,
 * objects and lists end, for those who cut documents into pieces.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

enum member_kind {
    MEMBER_NULL,
    MEMBER_TRUE,
    MEMBER_FALSE,
    MEMBER_NUMBER, /* text that may be one */
    MEMBER_TEXT,   /* without its quotes, escapes undone */
    MEMBER_NESTED,
};

/* The place of the first byte from `at` on that is no blank. */
size_t members_blanks(struct str data, size_t at);

/*
 * The place after the string whose quote is at `at`, after the object or list that begins
 * there; 0 if it does not end.
 */
size_t members_string_end(struct str data, size_t at);
size_t members_value_end(struct str data, size_t at);

/* A text without its quotes, its escapes undone; in the arena, if there are any. */
struct str members_unescape(struct str text, struct arena *arena);

/* The length of the object or list at the start of a text; 0 if it does not end there. */
size_t members_length(struct str text);

/*
 * The end of an object or list that comes in pieces: source_driver.skip. With `banner` it may
 * begin with lines that are not JSON, up to the first brace.
 */
bool members_skip(uint64_t *state, struct str data, bool banner, size_t *used);

/*
 * The length of what may stand between objects that follow each other: blanks, commas,
 * brackets.
 */
size_t members_between(struct str text);

/*
 * The length of the object at the start of a text in which others follow, and whether it is
 * whole. One that is broken reaches to the next line that begins with a brace; 0 if there is
 * none.
 */
size_t members_piece(struct str text, bool *whole);

/*
 * Calls `each` for the members of an object, in their order. False if it is not JSON, as far as
 * we look; `each` was called for what came before.
 */
bool members_read(struct str object, struct arena *arena,
                  void (*each)(void *context, struct str name, enum member_kind kind,
                               struct str text),
                  void *context);
