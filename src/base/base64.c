/* SPDX-License-Identifier: MIT */
#include "base/base64.h"

#include <string.h>

#define COMMON "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static const char plain_digits[] = COMMON "+/", url_digits[] = COMMON "-_";

static void add(struct buf *out, struct str bytes, const char *digits, bool padded)
{
    for (size_t i = 0; i < bytes.len; i += 3) {
        unsigned three = 0;
        const size_t there = bytes.len - i < 3 ? bytes.len - i : 3;
        for (size_t k = 0; k < 3; k++) {
            three = three << 8 | (k < there ? (unsigned char)bytes.ptr[i + k] : 0);
        }
        for (size_t k = 0; k < 4; k++) {
            if (k <= there) {
                buf_addc(out, digits[three >> (18 - 6 * k) & 63]);
            } else if (padded) {
                buf_addc(out, '=');
            }
        }
    }
}

void base64_add(struct buf *out, struct str bytes)
{
    add(out, bytes, plain_digits, true);
}

void base64_add_url(struct buf *out, struct str bytes)
{
    add(out, bytes, url_digits, false);
}

bool base64_read_url(struct str text, struct arena *arena, struct str *out)
{
    char *bytes = arena_alloc(arena, text.len + 1);
    size_t length = 0;
    unsigned bits = 0;
    if (text.len % 4 == 1) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        const char *digit = text.ptr[i] ? strchr(url_digits, text.ptr[i]) : NULL;
        if (!digit) {
            return false;
        }
        bits = bits << 6 | (unsigned)(digit - url_digits);
        if (i % 4 != 0) {
            bytes[length++] = (char)(bits >> (6 - 2 * (i % 4)) & 255);
        }
    }
    *out = (struct str){bytes, length};
    return true;
}
