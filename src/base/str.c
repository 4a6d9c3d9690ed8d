/* SPDX-License-Identifier: MIT */
#include "base/str.h"

#include <endian.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rune.h"

static unsigned char lower(char byte)
{
    unsigned char value = (unsigned char)byte;
    return value >= 'A' && value <= 'Z' ? (unsigned char)(value | 0x20) : value;
}

static bool is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

bool str_eq_nocase(struct str a, struct str b)
{
    if (a.len != b.len) {
        return false;
    }
    for (size_t i = 0; i < a.len; i++) {
        if (lower(a.ptr[i]) != lower(b.ptr[i])) {
            return false;
        }
    }
    return true;
}

int str_compare(struct str a, struct str b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int order = common > 0 ? memcmp(a.ptr, b.ptr, common) : 0;
    if (order != 0) {
        return order < 0 ? -1 : 1;
    }
    return (a.len > b.len) - (a.len < b.len);
}

bool str_starts(struct str text, struct str prefix)
{
    return text.len >= prefix.len && str_eq((struct str){text.ptr, prefix.len}, prefix);
}

bool str_ends(struct str text, struct str suffix)
{
    return text.len >= suffix.len &&
           (suffix.len == 0 ||
            memcmp(text.ptr + text.len - suffix.len, suffix.ptr, suffix.len) == 0);
}

struct str str_trim(struct str text)
{
    while (text.len > 0 && is_space(text.ptr[0])) {
        text.ptr++;
        text.len--;
    }
    while (text.len > 0 && is_space(text.ptr[text.len - 1])) {
        text.len--;
    }
    return text;
}

struct str str_cut(struct str *rest, char separator)
{
    struct str piece = *rest;
    const char *found = rest->len > 0 ? memchr(rest->ptr, separator, rest->len) : NULL;
    if (!found) {
        *rest = (struct str){0};
        return piece;
    }
    piece.len = (size_t)(found - piece.ptr);
    rest->ptr = found + 1;
    rest->len -= piece.len + 1;
    return piece;
}

bool str_take_digits(struct str *rest, size_t count, int *out)
{
    int value = 0;
    if (rest->len < count) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (rest->ptr[i] < '0' || rest->ptr[i] > '9') {
            return false;
        }
        value = value * 10 + (rest->ptr[i] - '0');
    }
    rest->ptr += count;
    rest->len -= count;
    *out = value;
    return true;
}

/*
 * When the match fails, only the last star needs to take one byte more: what earlier stars took
 * can stay, for the last one can make up for it. So the work is at most pattern x text.
 */
bool str_glob(struct str pattern, struct str text)
{
    size_t p = 0;
    size_t t = 0;
    bool has_star = false;
    size_t after_star = 0; /* in the pattern */
    size_t taken_to = 0;   /* where in the text the star's run ends */
    while (t < text.len) {
        if (p < pattern.len && pattern.ptr[p] == '*') {
            has_star = true;
            after_star = ++p;
            taken_to = t;
        } else if (p < pattern.len &&
                   (pattern.ptr[p] == '?' || pattern.ptr[p] == text.ptr[t])) {
            p++;
            t++;
        } else if (has_star) {
            p = after_star;
            t = ++taken_to;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.ptr[p] == '*') {
        p++;
    }
    return p == pattern.len;
}

/* Levenshtein's distance, one row of the table at a time. */
size_t str_distance(struct str a, struct str b, size_t max)
{
    size_t apart = a.len > b.len ? a.len - b.len : b.len - a.len;
    if (apart >= max) {
        return max;
    }
    size_t *row = mem_alloc(b.len + 1, sizeof(*row));
    for (size_t j = 0; j <= b.len; j++) {
        row[j] = j;
    }
    size_t least = 0;
    for (size_t i = 0; i < a.len && least < max; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        least = row[0];
        for (size_t j = 0; j < b.len; j++) {
            size_t best = diagonal + (a.ptr[i] != b.ptr[j]);
            diagonal = row[j + 1];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = diagonal + 1 < best ? diagonal + 1 : best;
            row[j + 1] = best;
            least = best < least ? best : least;
        }
    }
    size_t distance = least < max ? row[b.len] : max;
    free(row);
    return distance < max ? distance : max;
}

static inline uint64_t load64(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof(word));
    return le64toh(word);
}

static inline uint32_t load32(const char *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof(word));
    return le32toh(word);
}

/* How many bytes at the start are ASCII, eight at a time. */
static size_t ascii_length(struct str text)
{
    const uint64_t high_bits = UINT64_C(0x8080808080808080);
    size_t i = 0;
    while (text.len - i >= 8 && (load64(text.ptr + i) & high_bits) == 0) {
        i += 8;
    }
    while (i < text.len && (unsigned char)text.ptr[i] < 0x80) {
        i++;
    }
    return i;
}

bool str_is_utf8(struct str text)
{
    for (;;) {
        size_t taken = ascii_length(text);
        if (taken == text.len) {
            return true;
        }
        text.ptr += taken;
        text.len -= taken;
        uint32_t rune = 0;
        size_t len = rune_decode(text, &rune);
        if (len == 0) {
            return false;
        }
        text.ptr += len;
        text.len -= len;
    }
}

size_t str_width(struct str utf8)
{
    size_t width = 0;
    while (utf8.len > 0) {
        uint32_t rune = 0;
        size_t len = rune_decode(utf8, &rune);
        if (len == 0) { /* shown as one replacement character */
            len = 1;
            width++;
        } else {
            width += rune_width(rune);
        }
        utf8.ptr += len;
        utf8.len -= len;
    }
    return width;
}

/*
 * The hash takes 16 bytes a step, as two little-endian words, and mixes them by a 64 x 64 bit
 * multiplication whose halves are folded together. The old state is carried beside the product,
 * so that a word which happens to make a factor zero does not wipe it out. The constants are
 * the first bits of the fractional parts of the square roots of 2, 3, 5 and 7, made odd. Its
 * values are stored in facts: what is below must never change; tests/unit/base/test_str.c has
 * vectors.
 */
static const uint64_t hash_key[] = {
    UINT64_C(0x6a09e667f3bcc909),
    UINT64_C(0xbb67ae8584caa73b),
    UINT64_C(0x3c6ef372fe94f82b),
    UINT64_C(0xa54ff53a5f1d36f1),
};

static inline uint64_t fold(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 uint128;
    uint128 product = (uint128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_step(uint64_t state, uint64_t first, uint64_t second)
{
    uint64_t mixed = state ^ first;
    return (mixed << 29 | mixed >> 35) + fold(mixed, second ^ hash_key[1]);
}

/* The last 1 to 15 bytes; the words may overlap, since the length is hashed as well. */
static inline uint64_t hash_tail(uint64_t state, const char *bytes, size_t len)
{
    if (len >= 8) {
        return hash_step(state, load64(bytes), load64(bytes + len - 8));
    }
    if (len >= 4) {
        return hash_step(state, load32(bytes), load32(bytes + len - 4));
    }
    uint64_t low = (unsigned char)bytes[0];
    uint64_t middle = (unsigned char)bytes[len / 2];
    uint64_t high = (unsigned char)bytes[len - 1];
    return hash_step(state, low | middle << 8 | high << 16, 0);
}

uint64_t str_hash(struct str text, uint64_t seed)
{
    uint64_t state = fold(seed ^ hash_key[0], hash_key[2]) + seed;
    const char *bytes = text.ptr;
    size_t left = text.len;
    for (; left >= 16; left -= 16, bytes += 16) {
        state = hash_step(state, load64(bytes), load64(bytes + 8));
    }
    if (left > 0) {
        state = hash_tail(state, bytes, left);
    }
    state = hash_step(state, text.len, hash_key[2]);
    state = (state ^ state >> 32) * hash_key[3];
    state = (state ^ state >> 29) * hash_key[0];
    return state ^ state >> 32;
}
