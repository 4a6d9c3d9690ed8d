/* SPDX-License-Identifier: MIT */
#include "source/source.h"

struct str source_recode(struct str latin1, struct arena *arena)
{
    char *text = arena_alloc(arena, 2 * latin1.len);
    size_t len = 0;
    for (size_t i = 0; i < latin1.len; i++) {
        unsigned char byte = (unsigned char)latin1.ptr[i];
        if (byte < 0x80) {
            text[len++] = (char)byte;
        } else {
            text[len++] = (char)(0xc0 | byte >> 6);
            text[len++] = (char)(0x80 | (byte & 0x3f));
        }
    }
    return (struct str){text, len};
}
