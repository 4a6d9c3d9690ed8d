/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whole numbers in as few bytes as they need: seven bits a byte, the lowest first, the top bit
 * set where more follow. Numbers that may be below zero are folded first (0, -1, 1, -2 ...), so
 * that small ones stay short.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum { VARINT_MAX = 10 }; /* bytes of the largest */

static inline uint64_t varint_fold(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t varint_unfold(uint64_t folded)
{
    return (int64_t)(folded >> 1 ^ (folded & 1 ? UINT64_MAX : 0));
}

/* Writes one at `at`, where there is room for VARINT_MAX bytes; returns what follows it. */
static inline char *varint_put(char *at, uint64_t value)
{
    for (; value > 0x7f; value >>= 7) {
        *at++ = (char)(value | 0x80);
    }
    *at++ = (char)value;
    return at;
}

/* Takes one off the front of `rest`; false if it has none that fits into 64 bits. */
static inline bool varint_take(struct str *rest, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < rest->len && i < VARINT_MAX; i++) {
        const uint64_t bits = (unsigned char)rest->ptr[i] & 0x7fU;
        if (i == VARINT_MAX - 1 && bits > 1) {
            return false;
        }
        value |= bits << 7 * i;
        if (!((unsigned char)rest->ptr[i] & 0x80U)) {
            *rest = (struct str){rest->ptr + i + 1, rest->len - i - 1};
            *out = value;
            return true;
        }
    }
    return false;
}
