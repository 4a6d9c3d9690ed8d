/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Reading the numbers of a row, the other half of the work. They come in two shapes,
 * "1700000600" and "6900.500000" with the six decimals of printf's %f, and both are read here
 * eight digits at a time; whatever is longer or looks otherwise is left to base/scan.h.
 *
 * Eight digits are loaded at once so that they end where the number ends: what is loaded before
 * its first digit belongs to the columns before, and is masked away. So a number must end at
 * least SGE_NUMBER_ROOM bytes into the row, as all but the first of a hostile row do.
 *
 * Inside of the Grid Engine driver, like sge_row.h.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "source/sge/sge_row.h"

enum {
    SGE_NUMBER_ROOM = 16,
    SGE_NUMBER_DIGITS = 16, /* most digits read here */
    SGE_DECIMALS = 6,
};

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* The `len` digits (1 to 8) that end at `end`; false if one of them is not one. */
static inline bool sge_number_eight(const char *end, size_t len, uint64_t *out)
{
    const unsigned others = 64 - 8 * (unsigned)len;
    uint64_t text = 0;
    memcpy(&text, end - 8, sizeof(text));
    text = (text ^ UINT64_C(0x3030303030303030)) >> others << others;
    /* Now a digit is its value, and adding 0x76 to more than 9 reaches the uppermost bit. */
    if ((text | (text + UINT64_C(0x7676767676767676))) & UINT64_C(0x8080808080808080)) {
        return false;
    }
    /* Neighbours are joined: digits to pairs, pairs to fours, fours to eight. */
    text = (text * 10 + (text >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    text = (text * 100 + (text >> 16)) & UINT64_C(0x0000ffff0000ffff);
    *out = (text * 10000 + (text >> 32)) & UINT64_C(0xffffffff);
    return true;
}

/* The same for 1 to 16 digits. */
static inline bool sge_number_digits(const char *end, size_t len, uint64_t *out)
{
    if (len - 1 >= SGE_NUMBER_DIGITS) {
        return false;
    }
    if (len <= 8) {
        return sge_number_eight(end, len, out);
    }
    uint64_t high = 0;
    uint64_t low = 0;
    if (!sge_number_eight(end - 8, len - 8, &high) || !sge_number_eight(end, 8, &low)) {
        return false;
    }
    *out = high * 100000000 + low;
    return true;
}

#else

static inline bool sge_number_digits(const char *end, size_t len, uint64_t *out)
{
    if (len - 1 >= SGE_NUMBER_DIGITS) {
        return false;
    }
    uint64_t value = 0;
    for (const char *at = end - len; at < end; at++) {
        if (*at < '0' || *at > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(*at - '0');
    }
    *out = value;
    return true;
}

#endif

/* A column of digits alone. */
static inline bool sge_number_int(const struct sge_row *row, enum sge_column column,
                                  int64_t *out)
{
    uint32_t start = row->at[column];
    uint32_t end = row->at[column + 1] - 1;
    uint64_t value = 0;
    if (end < SGE_NUMBER_ROOM || !sge_number_digits(row->text + end, end - start, &value)) {
        return false;
    }
    *out = (int64_t)value;
    return true;
}

/*
 * A column as whole number and millionths, if it has six decimals or none; both are at most
 * 10^16.
 */
static inline bool sge_number_fixed(const struct sge_row *row, enum sge_column column,
                                    int64_t *whole, int64_t *millionths)
{
    uint32_t start = row->at[column];
    uint32_t end = row->at[column + 1] - 1;
    uint64_t upper = 0;
    uint64_t lower = 0;
    if (end < 2 * SGE_NUMBER_ROOM) {
        return false;
    }
    if (end - start > SGE_DECIMALS + 1 && row->text[end - SGE_DECIMALS - 1] == '.') {
        if (!sge_number_digits(row->text + end, SGE_DECIMALS, &lower)) {
            return false;
        }
        end -= SGE_DECIMALS + 1;
    }
    if (!sge_number_digits(row->text + end, end - start, &upper)) {
        return false;
    }
    *whole = (int64_t)upper;
    *millionths = (int64_t)lower;
    return true;
}
