/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A borrowed piece of text: pointer and length, not terminated, may hold any byte. It owns
 * nothing and lives as long as what it points into. The null string {NULL, 0} means "absent"
 * where a caller says so; an empty one has a pointer.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *ptr;
    size_t len;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})

/* For printf: printf("%.*s", STR_ARG(s)). */
#define STR_ARG(s) ((int)(s).len), ((s).ptr ? (s).ptr : "")

static inline struct str str_of(const char *text)
{
    return (struct str){text, text ? strlen(text) : 0};
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool str_eq_nocase(struct str a, struct str b); /* ASCII letters only */
int str_compare(struct str a, struct str b);    /* bytewise, for sorting */
bool str_starts(struct str text, struct str prefix);
bool str_ends(struct str text, struct str suffix);
struct str str_trim(struct str text); /* without ASCII white space at both ends */

/*
 * Cuts the piece before the first `separator` off `rest` and returns it; `rest` is moved past
 * the separator. Without a separator the whole rest is the piece and `rest` becomes the null
 * string, so that `while (rest.ptr)` visits every piece, empty ones included.
 */
struct str str_cut(struct str *rest, char separator);

/* Takes one byte off the start of `rest` if it is this one. */
static inline bool str_take(struct str *rest, char byte)
{
    if (rest->len == 0 || rest->ptr[0] != byte) {
        return false;
    }
    rest->ptr++;
    rest->len--;
    return true;
}

/*
 * Takes exactly `count` digits, at most 9, off the start of `rest`, which is unmoved if they
 * are not there.
 */
bool str_take_digits(struct str *rest, size_t count, int *out);

/*
 * Whether `pattern` with * (any run) and ? (any byte) matches all of `text`. Linear in
 * practice.
 */
bool str_glob(struct str pattern, struct str text);

/* Edit distance, or `max` if it is not smaller; for "did you mean". */
size_t str_distance(struct str a, struct str b, size_t max);

/* Whether the bytes are valid UTF-8 (RFC 3629: no overlong forms, no surrogates). */
bool str_is_utf8(struct str text);

/*
 * Columns the text takes on a terminal: wide East Asian characters take two, combining marks
 * and control bytes none, a byte that is not UTF-8 one. For a single character see base/rune.h.
 */
size_t str_width(struct str utf8);

/* Where the first such byte is, or NULL. Of a text that is absent (ptr NULL), too. */
static inline const char *str_byte(struct str text, char byte)
{
    return text.len > 0 ? memchr(text.ptr, byte, text.len) : NULL;
}

/*
 * A 64-bit hash, stable across machines and versions (stored in the facts): same bytes and
 * seed, same value, for ever. Not for adversaries.
 */
uint64_t str_hash(struct str text, uint64_t seed);
