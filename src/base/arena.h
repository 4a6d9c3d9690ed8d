/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Memory with one lifetime: many small pieces, released all at once. For what lives as long as
 * a batch or a request. Not for what grows without bound.
 */

#include <stddef.h>

#include "base/attribute.h"
#include "base/str.h"

struct arena_block;

struct arena {
    struct arena_block *first; /* newest block */
};

/* A zeroed struct is an empty arena. */
void *arena_alloc(struct arena *arena, size_t size);         /* zeroed, aligned for anything */
struct str arena_copy(struct arena *arena, struct str text); /* followed by a NUL */
char *arena_text(struct arena *arena, struct str text);      /* the same as a C string */
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);
void arena_reset(struct arena *arena); /* forgets all pieces, keeps the largest block */
void arena_release(struct arena *arena);
