/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The uppermost members of a JSON object, one after the other, without a tree: for records that are
 * objects. What is inside of nested objects and lists is passed over.
 */

#include <stdbool.h>
#include <stddef.h>

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

/* The length of the object or list at the start of a text; 0 if it does not end there. */
size_t members_length(struct str text);

/* The length of what may stand between objects that follow each other: blanks, commas, brackets. */
size_t members_between(struct str text);

/*
 * The length of the object at the start of a text in which others follow, and whether it is whole. One that is broken
 * reaches to the next line that begins with a brace; 0 if there is none.
 */
size_t members_piece(struct str text, bool *whole);

/*
 * Calls `each` for the members of an object, in their order. False if it is not JSON, as far as we
 * look; what came before was told.
 */
bool members_read(struct str object, struct arena *arena,
                  void (*each)(void *context, struct str name, enum member_kind kind,
                               struct str text),
                  void *context);
