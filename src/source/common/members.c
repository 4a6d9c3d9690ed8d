/* SPDX-License-Identifier: MIT */
#include "source/common/members.h"

#include <stdint.h>
#include <string.h>

enum { HEX_DIGITS = 4 };

size_t members_blanks(struct str data, size_t at)
{
    while (at < data.len && (data.ptr[at] == ' ' || data.ptr[at] == '\n' ||
                             data.ptr[at] == '\r' || data.ptr[at] == '\t')) {
        at++;
    }
    return at;
}

size_t members_string_end(struct str data, size_t at)
{
    for (at++; at < data.len;) {
        const char *quote = memchr(data.ptr + at, '"', data.len - at);
        if (!quote) {
            return 0;
        }
        const size_t end = (size_t)(quote - data.ptr);
        size_t slashes = 0;
        while (end - slashes > at && data.ptr[end - slashes - 1] == '\\') {
            slashes++;
        }
        at = end + 1;
        if (slashes % 2 == 0) {
            return at;
        }
    }
    return 0;
}

size_t members_value_end(struct str data, size_t at)
{
    size_t depth = 0;
    while (at < data.len) {
        const char byte = data.ptr[at];
        if (byte == '"') {
            at = members_string_end(data, at);
            if (at == 0) {
                return 0;
            }
            continue;
        }
        at++;
        if (byte == '{' || byte == '[') {
            depth++;
        } else if ((byte == '}' || byte == ']') && --depth == 0) {
            return at;
        }
    }
    return 0;
}

size_t members_length(struct str text)
{
    return members_value_end(text, 0);
}

/* What members_skip has to remember besides the depth. */
#define SKIP_ESCAPED (UINT64_C(1) << 62)
#define SKIP_STRING  (UINT64_C(1) << 61)
#define SKIP_BEGUN   (UINT64_C(1) << 60)

bool members_skip(uint64_t *state, struct str data, bool banner, size_t *used)
{
    uint64_t depth = *state & UINT32_MAX;
    bool escaped = *state & SKIP_ESCAPED, in_string = *state & SKIP_STRING;
    bool begun = !banner || (*state & SKIP_BEGUN);
    for (size_t i = 0; i < data.len; i++) {
        const char byte = data.ptr[i];
        if (in_string) {
            in_string = escaped || byte != '"';
            escaped = !escaped && byte == '\\';
        } else if (byte == '"' && begun) {
            in_string = true;
        } else if (byte == '{' || (byte == '[' && begun)) {
            begun = true;
            depth++;
        } else if ((byte == '}' || byte == ']') && depth > 0 && --depth == 0) {
            *used = i + 1;
            return true;
        }
    }
    *state = depth | (escaped ? SKIP_ESCAPED : 0) | (in_string ? SKIP_STRING : 0) |
             (begun ? SKIP_BEGUN : 0);
    *used = data.len;
    return false;
}

static void skip_blanks(struct str *rest)
{
    *rest = str_trim(*rest);
}

static bool scan_hex(struct str text, uint32_t *out)
{
    uint32_t value = 0;
    for (size_t i = 0; i < HEX_DIGITS; i++) {
        char byte = i < text.len ? text.ptr[i] : ' ';
        unsigned digit = byte >= '0' && byte <= '9' ? (unsigned)(byte - '0')
                         : (byte | 0x20) >= 'a' && (byte | 0x20) <= 'f'
                             ? (unsigned)((byte | 0x20) - 'a') + 10
                             : 16;
        if (digit > 15) {
            return false;
        }
        value = value * 16 + digit;
    }
    *out = value;
    return true;
}

/* Writes a character as UTF-8; what is not one becomes U+FFFD. */
static size_t put_rune(char *out, uint32_t rune)
{
    if (rune == 0 || rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000)) {
        rune = 0xfffd;
    }
    if (rune < 0x80) {
        out[0] = (char)rune;
        return 1;
    }
    if (rune < 0x800) {
        out[0] = (char)(0xc0 | rune >> 6);
        out[1] = (char)(0x80 | (rune & 0x3f));
        return 2;
    }
    if (rune < 0x10000) {
        out[0] = (char)(0xe0 | rune >> 12);
        out[1] = (char)(0x80 | (rune >> 6 & 0x3f));
        out[2] = (char)(0x80 | (rune & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | rune >> 18);
    out[1] = (char)(0x80 | (rune >> 12 & 0x3f));
    out[2] = (char)(0x80 | (rune >> 6 & 0x3f));
    out[3] = (char)(0x80 | (rune & 0x3f));
    return 4;
}

/*
 * The character of \uXXXX at `at`, with the second half of a pair if there is one; moves `at`.
 */
static uint32_t take_unicode(struct str text, size_t *at)
{
    uint32_t rune = 0;
    uint32_t low = 0;
    if (!scan_hex((struct str){text.ptr + *at, text.len - *at}, &rune)) {
        return 0xfffd;
    }
    *at += HEX_DIGITS;
    if (rune >= 0xd800 && rune < 0xdc00 && *at + 6 <= text.len && text.ptr[*at] == '\\' &&
        text.ptr[*at + 1] == 'u' &&
        scan_hex((struct str){text.ptr + *at + 2, HEX_DIGITS}, &low) && low >= 0xdc00 &&
        low < 0xe000) {
        *at += 6;
        return 0x10000 + ((rune - 0xd800) << 10) + (low - 0xdc00);
    }
    return rune;
}

/* Escapes get no longer by being undone. */
struct str members_unescape(struct str text, struct arena *arena)
{
    static const char from[] = "bfnrt";
    static const char to[] = "\b\f\n\r\t";
    if (text.len == 0 || !str_byte(text, '\\')) {
        return text;
    }
    char *out = arena_alloc(arena, text.len);
    size_t len = 0;
    for (size_t i = 0; i < text.len;) {
        char byte = text.ptr[i++];
        if (byte != '\\' || i == text.len) {
            out[len++] = byte;
            continue;
        }
        byte = text.ptr[i++];
        const char *found = byte ? strchr(from, byte) : NULL;
        if (byte == 'u') {
            len += put_rune(out + len, take_unicode(text, &i));
        } else {
            out[len++] = found ? to[found - from] : byte;
        }
    }
    return (struct str){out, len};
}

/* Takes the text at the start of the rest. */
static bool take_string(struct str *rest, struct arena *arena, struct str *out)
{
    size_t length = rest->len > 0 && rest->ptr[0] == '"' ? members_string_end(*rest, 0) : 0;
    if (length == 0) {
        return false;
    }
    *out = members_unescape((struct str){rest->ptr + 1, length - 2}, arena);
    rest->ptr += length;
    rest->len -= length;
    return true;
}

/* What a word outside of quotes is. */
static enum member_kind kind_of(char first)
{
    return first == 't'   ? MEMBER_TRUE
           : first == 'f' ? MEMBER_FALSE
           : first == 'n' ? MEMBER_NULL
                          : MEMBER_NUMBER;
}

static bool take_value(struct str *rest, struct arena *arena, enum member_kind *kind,
                       struct str *text)
{
    if (rest->len == 0) {
        return false;
    }
    char first = rest->ptr[0];
    if (first == '"') {
        *kind = MEMBER_TEXT;
        return take_string(rest, arena, text);
    }
    size_t length = 0;
    if (first == '{' || first == '[') {
        length = members_length(*rest);
        *kind = MEMBER_NESTED;
    } else {
        while (length < rest->len && rest->ptr[length] != ',' && rest->ptr[length] != '}' &&
               rest->ptr[length] > ' ') {
            length++;
        }
        *kind = kind_of(first);
    }
    *text = (struct str){rest->ptr, length};
    rest->ptr += length;
    rest->len -= length;
    return length > 0;
}

/* Takes a mark that must be there, and the blanks around it. */
static bool take_mark(struct str *rest, char mark)
{
    skip_blanks(rest);
    if (rest->len == 0 || rest->ptr[0] != mark) {
        return false;
    }
    rest->ptr++;
    rest->len--;
    skip_blanks(rest);
    return true;
}

bool members_read(struct str object, struct arena *arena,
                  void (*each)(void *context, struct str name, enum member_kind kind,
                               struct str text),
                  void *context)
{
    if (object.len < 2 || object.ptr[0] != '{' || object.ptr[object.len - 1] != '}') {
        return false;
    }
    struct str rest = {object.ptr + 1, object.len - 2};
    skip_blanks(&rest);
    while (rest.len > 0) {
        struct str name;
        struct str text = {0};
        enum member_kind kind = MEMBER_NULL;
        if (!take_string(&rest, arena, &name) || !take_mark(&rest, ':') ||
            !take_value(&rest, arena, &kind, &text)) {
            return false;
        }
        each(context, name, kind, text);
        skip_blanks(&rest);
        if (rest.len > 0 && !take_mark(&rest, ',')) {
            return false;
        }
    }
    return true;
}

static bool is_between(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n' || byte == ',' ||
           byte == '[' || byte == ']';
}

size_t members_between(struct str text)
{
    size_t i = 0;
    while (i < text.len && is_between(text.ptr[i])) {
        i++;
    }
    return i;
}

size_t members_piece(struct str text, bool *whole)
{
    const char *next = memmem(text.ptr, text.len, "\n{", 2);
    const struct str own = {text.ptr, next ? (size_t)(next - text.ptr) + 1 : text.len};
    const size_t length = members_length(own);
    *whole = length > 0;
    return *whole ? length : next ? own.len : 0;
}
