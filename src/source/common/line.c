/* SPDX-License-Identifier: MIT */
#include "source/source.h"

bool source_next_line(struct source_cursor *cursor)
{
    if (cursor->rest.len == 0) {
        return false;
    }
    const char *start = cursor->rest.ptr;
    const char *feed = memchr(start, '\n', cursor->rest.len);
    size_t len = feed ? (size_t)(feed - start) : cursor->rest.len;
    size_t taken = feed ? len + 1 : len;
    cursor->rest.ptr += taken;
    cursor->rest.len -= taken;
    if (len > 0 && start[len - 1] == '\r') {
        len--;
    }
    cursor->record = (struct str){start, len};
    cursor->line = cursor->next_line++;
    return true;
}
