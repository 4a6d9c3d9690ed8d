/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Allocation that cannot fail: running out of memory ends the program with a message, in this
 * one place. What outside data can make grow is bounded by a limit long before (see
 * base/limit.h). Memory from here is released with free().
 */

#include <stddef.h>

void *mem_alloc(size_t count, size_t size);             /* zeroed; count * size is checked */
void *mem_resize(void *old, size_t count, size_t size); /* new bytes are not zeroed */

/*
 * An array with room for one more: doubles it where *room, the elements it has room for, is
 * `count`. A NULL array has no room.
 *
 *     list->rows = mem_grow(list->rows, list->count, &list->room, sizeof(*list->rows));
 *     list->rows[list->count++] = row;
 */
void *mem_grow(void *old, size_t count, size_t *room, size_t size);

char *mem_text(const char *text); /* a copy; NULL gives NULL */
