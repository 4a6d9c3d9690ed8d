/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Files of the kernel that are read again and again: opened once, then read in place. A zeroed
 * one is closed.
 */

#include <stdbool.h>

#include "base/buf.h"

struct open_file {
    int fd; /* one more than the descriptor, so that a zeroed one is closed */
};

/*
 * All of the file in place of what `out` had, with a NUL after it; opens it if it is not open.
 * Returns 0 or an errno. One that cannot be read any more is closed. With `at_once`, for files
 * that the kernel prints in one go: a read that did not fill its room has seen the end, and the
 * second one that would say so is saved.
 */
int open_file_read(struct open_file *kept, int folder, const char *name, bool at_once,
                   struct buf *out);

void open_file_close(struct open_file *kept); /* also of one that is closed */

static inline bool open_file_is_open(const struct open_file *kept)
{
    return kept->fd > 0;
}
