/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

/*
 * A chain of blocks, newest first; pieces are cut off the newest. A block is twice as large as
 * the one before it, up to a megabyte, so that a large batch costs few calls and a small one
 * little.
 */

enum { FIRST_BLOCK = 4 << 10, LARGEST_BLOCK = 1 << 20 };

struct arena_block {
    struct arena_block *next; /* older */
    size_t room;
    size_t used;
    alignas(max_align_t) char data[];
};

static struct arena_block *add_block(struct arena *arena, size_t least)
{
    size_t room = FIRST_BLOCK;
    if (arena->first) {
        room = arena->first->room < LARGEST_BLOCK ? arena->first->room * 2 : LARGEST_BLOCK;
    }
    if (room < least) {
        room = least;
    }
    struct arena_block *block = mem_resize(NULL, sizeof(*block) + room, 1);
    block->next = arena->first;
    block->room = room;
    block->used = 0;
    arena->first = block;
    return block;
}

/* `size` uninitialised bytes. */
static void *cut(struct arena *arena, size_t size)
{
    assert(size < SIZE_MAX / 2);
    size_t step = alignof(max_align_t);
    size_t rounded = (size + step - 1) / step * step;
    struct arena_block *block = arena->first;
    if (!block || rounded > block->room - block->used) {
        block = add_block(arena, rounded);
    }
    void *piece = block->data + block->used;
    block->used += rounded;
    return piece;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    return memset(cut(arena, size), 0, size);
}

struct str arena_copy(struct arena *arena, struct str text)
{
    return (struct str){arena_text(arena, text), text.len};
}

char *arena_text(struct arena *arena, struct str text)
{
    char *copy = cut(arena, text.len + 1);
    if (text.len > 0) {
        memcpy(copy, text.ptr, text.len);
    }
    copy[text.len] = '\0';
    return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    char small[256];
    va_list args;
    va_list again;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(small, sizeof(small), format, args);
    va_end(args);
    assert(length >= 0);
    size_t size = (size_t)length + 1;
    char *text = cut(arena, size);
    if (size <= sizeof(small)) {
        memcpy(text, small, size);
    } else {
        vsnprintf(text, size, format, again);
    }
    va_end(again);
    return text;
}

void arena_reset(struct arena *arena)
{
    struct arena_block *largest = arena->first;
    for (struct arena_block *block = arena->first; block; block = block->next) {
        if (block->room > largest->room) {
            largest = block;
        }
    }
    struct arena_block *block = arena->first;
    while (block) {
        struct arena_block *next = block->next;
        if (block != largest) {
            free(block);
        }
        block = next;
    }
    arena->first = largest;
    if (largest) {
        largest->next = NULL;
        largest->used = 0;
    }
}

void arena_release(struct arena *arena)
{
    if (!arena) {
        return;
    }
    struct arena_block *block = arena->first;
    while (block) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    arena->first = NULL;
}
