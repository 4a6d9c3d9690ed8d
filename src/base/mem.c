/* SPDX-License-Identifier: MIT */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void out_of_memory(size_t count, size_t size)
{
    fprintf(stderr, "stint: out of memory (%zu x %zu bytes were requested)\n", count, size);
    /*
     * Not exit: whatever is open is left as after a kill, which stores and books are made for.
     */
    _exit(EXIT_FAILURE);
}

void *mem_alloc(size_t count, size_t size)
{
    /*
     * calloc checks the product; nothing is still a piece of its own, so NULL never means it.
     */
    void *piece = count > 0 && size > 0 ? calloc(count, size) : calloc(1, 1);
    if (!piece) {
        out_of_memory(count, size);
    }
    return piece;
}

void *mem_resize(void *old, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) {
        out_of_memory(count, size);
    }
    void *piece = realloc(old, bytes > 0 ? bytes : 1);
    if (!piece) {
        out_of_memory(count, size);
    }
    return piece;
}

void *mem_grow(void *old, size_t count, size_t *room, size_t size)
{
    enum { FIRST_ROOM = 16 };

    if (count < *room) {
        return old;
    }
    *room = *room ? 2 * *room : FIRST_ROOM; /* mem_resize refuses what overflows */
    return mem_resize(old, *room, size);
}

char *mem_text(const char *text)
{
    if (!text) {
        return NULL;
    }
    size_t size = strlen(text) + 1;
    return memcpy(mem_resize(NULL, size, 1), text, size);
}
