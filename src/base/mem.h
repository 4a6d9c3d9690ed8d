/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Allocation that cannot fail: running out of memory ends the program with a message, in this one
 * place. What outside data can make grow is bounded by a limit long before (see base/limit.h).
 * Memory from here is released with free().
 */

#include <stddef.h>

void *mem_alloc(size_t count, size_t size);             /* zeroed; count * size is checked */
void *mem_resize(void *old, size_t count, size_t size); /* new bytes are not zeroed */
char *mem_text(const char *text);                       /* a copy; NULL gives NULL */
