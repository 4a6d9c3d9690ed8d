/* SPDX-License-Identifier: MIT */
#include "base/scan.h"

#include <assert.h>
#include <endian.h>

#include "base/zone.h"

/*
 * Numbers are read digit by digit into unsigned integers. Up to SAFE_DIGITS digits no product
 * can overflow, which is the path nearly every field takes; longer ones are read with checks.
 */

enum { SAFE_DIGITS = 18, SIZE_DIGITS = 19 };

__extension__ typedef unsigned __int128 uint128;

static const uint64_t power_of_ten[] = {
    UINT64_C(1),
    UINT64_C(10),
    UINT64_C(100),
    UINT64_C(1000),
    UINT64_C(10000),
    UINT64_C(100000),
    UINT64_C(1000000),
    UINT64_C(10000000),
    UINT64_C(100000000),
    UINT64_C(1000000000),
    UINT64_C(10000000000),
    UINT64_C(100000000000),
    UINT64_C(1000000000000),
    UINT64_C(10000000000000),
    UINT64_C(100000000000000),
    UINT64_C(1000000000000000),
    UINT64_C(10000000000000000),
    UINT64_C(100000000000000000),
    UINT64_C(1000000000000000000),
};

/* The digit's value, or something above 9 for any other byte. */
static inline unsigned digit_of(char byte)
{
    return (unsigned)(unsigned char)byte - '0';
}

/* Moves past one leading sign; true if it was a minus. */
static inline bool take_sign(struct str *text)
{
    if (text->len > 0 && (text->ptr[0] == '-' || text->ptr[0] == '+')) {
        bool minus = text->ptr[0] == '-';
        text->ptr++;
        text->len--;
        return minus;
    }
    return false;
}

/* Gives a magnitude its sign, if it then fits. */
static inline bool put_signed(uint64_t magnitude, bool minus, int64_t *out)
{
    if (magnitude > (uint64_t)INT64_MAX + (minus ? 1 : 0)) {
        return false;
    }
    *out = minus ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

/* One digit more at the right; false if it no longer fits. */
static inline bool push_digit(uint64_t *value, unsigned digit)
{
    uint64_t next = 0;
    if (__builtin_mul_overflow(*value, UINT64_C(10), &next) ||
        __builtin_add_overflow(next, (uint64_t)digit, &next)) {
        return false;
    }
    *value = next;
    return true;
}

/*
 * Eight digits at once, as times since 1970 have them: each byte is tried for being a digit,
 * then neighbours are put together in three steps, to pairs, fours and the whole.
 */
static inline bool scan_eight(const char *bytes, uint64_t *out)
{
    uint64_t word = 0;
    memcpy(&word, bytes, sizeof(word));
    word = le64toh(word);
    const uint64_t high_halves = UINT64_C(0xf0f0f0f0f0f0f0f0);
    const uint64_t threes = UINT64_C(0x3030303030303030);
    if ((word & high_halves) != threes ||
        ((word + UINT64_C(0x0606060606060606)) & high_halves) != threes) {
        return false;
    }
    word -= threes;
    word = (word * 10 + (word >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
    word = (word * 100 + (word >> 16)) & UINT64_C(0x0000ffff0000ffff);
    *out = (word * 10000 + (word >> 32)) & UINT64_C(0xffffffff);
    return true;
}

/* All of `text` as digits without a sign. */
static bool scan_digits(struct str text, uint64_t *out)
{
    if (text.len == 0) {
        return false;
    }
    uint64_t value = 0;
    size_t safe = text.len < SAFE_DIGITS ? text.len : SAFE_DIGITS;
    size_t start = 0;
    if (text.len >= 8) {
        if (!scan_eight(text.ptr, &value)) {
            return false;
        }
        start = 8;
    }
    for (size_t i = start; i < safe; i++) {
        unsigned digit = digit_of(text.ptr[i]);
        if (digit > 9) {
            return false;
        }
        value = value * 10 + digit;
    }
    for (size_t i = safe; i < text.len; i++) {
        unsigned digit = digit_of(text.ptr[i]);
        if (digit > 9 || !push_digit(&value, digit)) {
            return false;
        }
    }
    *out = value;
    return true;
}

bool scan_int(struct str text, int64_t *out)
{
    bool minus = take_sign(&text);
    uint64_t magnitude = 0;
    return scan_digits(text, &magnitude) && put_signed(magnitude, minus, out);
}

/* A decimal number taken apart: its digits with a point somewhere, and an exponent of ten. */
struct decimal {
    struct str digits; /* digits and at most one point, no sign */
    size_t whole;      /* digits before the point */
    size_t count;      /* digits in all, at least one */
    int64_t exponent;
};

/* The exponent after its letter, cut to what no text can outweigh. */
static bool scan_exponent(struct str text, int64_t *out)
{
    const int64_t vast = INT64_MAX / 4;
    bool minus = take_sign(&text);
    if (text.len == 0) {
        return false;
    }
    int64_t value = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = digit_of(text.ptr[i]);
        if (digit > 9) {
            return false;
        }
        value = value < vast / 10 - 1 ? value * 10 + (int64_t)digit : vast;
    }
    *out = minus ? -value : value;
    return true;
}

/* Takes a number apart; returns how many bytes of `text` belong to it, 0 if there is none. */
static size_t split_decimal(struct str text, struct decimal *out)
{
    size_t point = text.len;
    size_t i = 0;
    for (; i < text.len; i++) {
        if (digit_of(text.ptr[i]) <= 9) {
            continue;
        }
        if (text.ptr[i] != '.' || point != text.len) {
            break;
        }
        point = i;
    }
    bool has_point = point != text.len;
    *out = (struct decimal){
        .digits = {text.ptr, i},
        .whole = has_point ? point : i,
        .count = has_point ? i - 1 : i,
    };
    return out->count > 0 ? i : 0;
}

static bool split_whole_decimal(struct str text, struct decimal *out)
{
    size_t taken = split_decimal(text, out);
    if (taken == text.len) {
        return taken > 0;
    }
    if (taken == 0 || (text.ptr[taken] != 'e' && text.ptr[taken] != 'E')) {
        return false;
    }
    return scan_exponent((struct str){text.ptr + taken + 1, text.len - taken - 1},
                         &out->exponent);
}

/* The i-th digit, the point not counted. */
static inline unsigned decimal_digit(const struct decimal *decimal, size_t i)
{
    return digit_of(decimal->digits.ptr[i + (i >= decimal->whole ? 1 : 0)]);
}

/*
 * The number as an integer: its first `keep` digits, where keep is the place of the point after
 * exponent and scale have moved it, then one digit to round by. One digit is enough, since half
 * goes away from zero whatever follows.
 */
static bool round_decimal(const struct decimal *decimal, int scale, uint64_t *out)
{
    int64_t keep = (int64_t)decimal->whole + decimal->exponent + scale;
    uint64_t value = 0;
    int64_t i = 0;
    for (; i < keep && i < (int64_t)decimal->count; i++) {
        if (!push_digit(&value, decimal_digit(decimal, (size_t)i))) {
            return false;
        }
    }
    for (; i < keep && value != 0; i++) {
        if (!push_digit(&value, 0)) {
            return false;
        }
    }
    if (keep >= 0 && keep < (int64_t)decimal->count &&
        decimal_digit(decimal, (size_t)keep) >= 5 &&
        __builtin_add_overflow(value, UINT64_C(1), &value)) {
        return false;
    }
    *out = value;
    return true;
}

/* The path of nearly all numbers: few digits, none of them beyond the scale, no exponent. */
static bool scan_short_decimal(struct str text, int scale, uint64_t *out)
{
    if (text.len == 0 || text.len > SAFE_DIGITS) {
        return false;
    }
    uint64_t value = 0;
    size_t i = 0;
    for (; i < text.len && digit_of(text.ptr[i]) <= 9; i++) {
        value = value * 10 + digit_of(text.ptr[i]);
    }
    size_t decimals = 0;
    if (i < text.len && text.ptr[i] == '.' && text.len > 1) {
        size_t point = i;
        for (i++; i < text.len && digit_of(text.ptr[i]) <= 9; i++) {
            value = value * 10 + digit_of(text.ptr[i]);
        }
        decimals = i - point - 1;
    }
    return i == text.len && decimals <= (size_t)scale &&
           !__builtin_mul_overflow(value, power_of_ten[(size_t)scale - decimals], out);
}

bool scan_decimal(struct str text, int scale, int64_t *out)
{
    assert(scale >= 0 && scale <= SAFE_DIGITS);
    bool minus = take_sign(&text);
    uint64_t magnitude = 0;
    if (!scan_short_decimal(text, scale, &magnitude)) {
        struct decimal decimal;
        if (!split_whole_decimal(text, &decimal) ||
            !round_decimal(&decimal, scale, &magnitude)) {
            return false;
        }
    }
    return put_signed(magnitude, minus, out);
}

/* The number times a unit, rounded half up; digits beyond the 19th cannot matter. */
static bool multiply_decimal(const struct decimal *decimal, int64_t unit, int64_t *out)
{
    uint64_t digits = 0;
    int64_t exponent = decimal->exponent + (int64_t)decimal->whole;
    size_t significant = 0;
    for (size_t i = 0; i < decimal->count && significant < SIZE_DIGITS; i++) {
        digits = digits * 10 + decimal_digit(decimal, i);
        significant += digits != 0;
        exponent--;
    }
    uint128 value = (uint128)digits * (uint64_t)unit;
    if (value == 0) {
        *out = 0;
        return true;
    }
    for (; exponent > 0 && value <= INT64_MAX; exponent--) {
        value *= 10;
    }
    unsigned last = 0;
    for (; exponent < 0 && (value != 0 || last != 0); exponent++) {
        last = (unsigned)(value % 10);
        value /= 10;
    }
    value += last >= 5;
    if (value > INT64_MAX) {
        return false;
    }
    *out = (int64_t)value;
    return true;
}

/* The unit after a number: "", "G", "GB", "GiB", "B", after blanks or none, in any case. */
static bool scan_size_unit(struct str text, int64_t plain, int64_t *out)
{
    static const char letters[] = "kmgtpe";
    if (text.len == 0) {
        *out = plain;
        return true;
    }
    while (text.len > 1 && text.ptr[0] == ' ') {
        text.ptr++;
        text.len--;
    }
    if (str_eq_nocase(text, STR("b"))) {
        *out = 1;
        return true;
    }
    char letter = (char)(text.ptr[0] | 0x20);
    const char *found = letter ? strchr(letters, letter) : NULL;
    struct str rest = {text.ptr + 1, text.len - 1};
    if (!found || !(rest.len == 0 || str_eq_nocase(rest, STR("b")) ||
                    str_eq_nocase(rest, STR("ib")) || str_eq_nocase(rest, STR("i")))) {
        return false;
    }
    *out = INT64_C(1024) << (10 * (found - letters));
    return true;
}

bool scan_size(struct str text, int64_t plain, int64_t *out)
{
    assert(plain > 0);
    struct decimal decimal;
    /* "1.5e+06" is a plain number, "2e" two exabytes. */
    if (split_whole_decimal(text, &decimal)) {
        return multiply_decimal(&decimal, plain, out);
    }
    size_t taken = split_decimal(text, &decimal);
    int64_t unit = 0;
    return taken > 0 &&
           scan_size_unit((struct str){text.ptr + taken, text.len - taken}, plain, &unit) &&
           multiply_decimal(&decimal, unit, out);
}

/* *sum += count * unit, if it fits. */
static bool add_units(int64_t *sum, uint64_t count, int64_t unit)
{
    int64_t product = 0;
    return !__builtin_mul_overflow(count, unit, &product) &&
           !__builtin_add_overflow(*sum, product, sum);
}

/* Seconds with decimals, no sign, no exponent, as microseconds. */
static bool scan_seconds(struct str text, int64_t *out_us)
{
    struct decimal decimal;
    return text.len > 0 && split_decimal(text, &decimal) == text.len &&
           scan_decimal(text, 6, out_us);
}

/*
 * Numbers parted by colons, the largest first, the first of them perhaps days before a hyphen:
 * [[D:]HH:]MM:SS[.f] or D-HH[:MM[:SS[.f]]]. In one pass, since each line has several of these.
 */
static bool scan_clock(struct str text, int64_t *out_us)
{
    static const int64_t unit_us[] = {DAY_US, HOUR_US, 60 * SECOND_US, SECOND_US};
    static const uint64_t in_larger[] = {0, 24, 60, 60};
    uint64_t fields[COUNT_OF(unit_us)];
    size_t count = 0;
    bool has_days = false;
    size_t i = 0;
    for (;; i++) {
        size_t start = i;
        uint64_t value = 0;
        for (; i < text.len && digit_of(text.ptr[i]) <= 9; i++) {
            value = value * 10 + digit_of(text.ptr[i]);
        }
        if (i == start || i - start > SAFE_DIGITS || count == COUNT_OF(fields)) {
            return false;
        }
        fields[count++] = value;
        if (i == text.len || text.ptr[i] == '.') {
            break;
        }
        has_days = has_days || (text.ptr[i] == '-' && count == 1);
        if (text.ptr[i] != ':' && !(text.ptr[i] == '-' && count == 1)) {
            return false;
        }
    }
    size_t largest = has_days ? 0 : COUNT_OF(fields) - count;
    int64_t sum = 0;
    if (i < text.len && (largest + count < COUNT_OF(fields) ||
                         !scan_seconds((struct str){text.ptr + i, text.len - i}, &sum))) {
        return false;
    }
    for (size_t f = 0; f < count; f++) {
        if ((f > 0 && fields[f] >= in_larger[largest + f]) ||
            !add_units(&sum, fields[f], unit_us[largest + f])) {
            return false;
        }
    }
    *out_us = sum;
    return true;
}

/* The unit that `text` begins with, which is taken off; 0 if there is none. */
static int64_t take_duration_unit(struct str *text)
{
    static const struct {
        const char *name;
        int64_t us;
    } units[] = {
        {"s", SECOND_US}, {"sec", SECOND_US}, {"m", 60 * SECOND_US}, {"min", 60 * SECOND_US},
        {"h", HOUR_US},   {"d", DAY_US},      {"w", 7 * DAY_US},
    };

    size_t len = 0;
    while (len < text->len && text->ptr[len] >= 'a' && text->ptr[len] <= 'z') {
        len++;
    }
    const struct str name = {text->ptr, len};
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        if (str_eq(str_of(units[i].name), name)) {
            text->ptr += len;
            text->len -= len;
            return units[i].us;
        }
    }
    return 0;
}

/* "1h30m", "1.5h". */
static bool scan_duration_terms(struct str text, int64_t *out_us)
{
    int64_t sum = 0;
    while (text.len > 0) {
        struct decimal decimal;
        size_t taken = split_decimal(text, &decimal);
        text.ptr += taken;
        text.len -= taken;
        int64_t unit = taken > 0 ? take_duration_unit(&text) : 0;
        int64_t term = 0;
        if (unit == 0 || !multiply_decimal(&decimal, unit, &term) ||
            __builtin_add_overflow(sum, term, &sum)) {
            return false;
        }
    }
    *out_us = sum;
    return true;
}

bool scan_duration(struct str text, int64_t *out_us)
{
    size_t i = 0;
    while (i < text.len && digit_of(text.ptr[i]) <= 9) {
        i++;
    }
    if (i < text.len && (text.ptr[i] == ':' || text.ptr[i] == '-')) {
        return scan_clock(text, out_us);
    }
    return scan_seconds(text, out_us) || (i > 0 && scan_duration_terms(text, out_us));
}
