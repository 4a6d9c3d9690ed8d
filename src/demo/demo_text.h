/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Writing numbers and text at a pointer, the end returned: what printf does, an order of
 * magnitude faster. The caller has made sure of the room.
 */

#include <stdint.h>
#include <string.h>

#include "base/str.h"

static inline char *demo_text_str(char *at, struct str text)
{
    memcpy(at, text.ptr, text.len);
    return at + text.len;
}

#define demo_text_literal(at, literal) demo_text_str((at), STR(literal))

static inline char *demo_text_char(char *at, char byte)
{
    *at = byte;
    return at + 1;
}

/* Two digits at a time: half the divisions. */
static const char demo_text_pairs[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

/* Writes the digits of `value` so that they end before `end`. */
static inline void demo_text_back(char *end, uint64_t value)
{
    while (value >= 100) {
        end -= 2;
        memcpy(end, &demo_text_pairs[value % 100 * 2], 2);
        value /= 100;
    }
    if (value >= 10) {
        memcpy(end - 2, &demo_text_pairs[value * 2], 2);
    } else {
        end[-1] = (char)('0' + value);
    }
}

/* value >= 0 */
static inline char *demo_text_int(char *at, int64_t value)
{
    size_t digits = 1;
    for (uint64_t limit = 10; limit <= (uint64_t)value && digits < 19; limit *= 10) {
        digits++;
    }
    demo_text_back(at + digits, (uint64_t)value);
    return at + digits;
}

/* Exactly `width` digits, zeros in front; value < 10^width. */
static inline char *demo_text_digits(char *at, uint32_t value, int width)
{
    for (int i = width - 1; i >= 0; i--) {
        at[i] = (char)('0' + value % 10);
        value /= 10;
    }
    return at + width;
}

/* value / 1000000 with six decimals, as "%f" prints it; value >= 0. */
static inline char *demo_text_micro(char *at, int64_t value)
{
    at = demo_text_int(at, value / 1000000);
    uint32_t rest = (uint32_t)(value % 1000000);
    *at = '.';
    memcpy(at + 1, &demo_text_pairs[rest / 10000 * 2], 2);
    memcpy(at + 3, &demo_text_pairs[rest / 100 % 100 * 2], 2);
    memcpy(at + 5, &demo_text_pairs[rest % 100 * 2], 2);
    return at + 7;
}

/* A whole number as "%f" prints it; value >= 0. */
static inline char *demo_text_real(char *at, int64_t value)
{
    return demo_text_literal(demo_text_int(at, value), ".000000");
}
