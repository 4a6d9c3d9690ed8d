/* SPDX-License-Identifier: MIT */
#include "base/json_split.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(struct str *rest)
{
    while (rest->len > 0 && is_blank(rest->ptr[0])) {
        *rest = (struct str){rest->ptr + 1, rest->len - 1};
    }
}

static bool take_mark(struct str *rest, char mark)
{
    skip_blanks(rest);
    return str_take(rest, mark);
}

/* Bytes of the string at the front, with its quotes; 0: none. */
static size_t string_len(struct str text)
{
    if (text.len == 0 || text.ptr[0] != '"') {
        return 0;
    }
    for (size_t i = 1; i < text.len; i++) {
        if (text.ptr[i] == '\\') {
            i++;
        } else if (text.ptr[i] == '"') {
            return i + 1;
        }
    }
    return 0;
}

/* Bytes of the value at the front; 0: none that ends. */
static size_t value_len(struct str text)
{
    size_t depth = 0, at = 0;
    while (at < text.len) {
        const char c = text.ptr[at];
        if (c == '"') {
            const size_t len = string_len((struct str){text.ptr + at, text.len - at});
            if (len == 0) {
                return 0;
            }
            at += len;
            if (depth == 0) {
                return at;
            }
            continue;
        }
        const bool closes = c == ']' || c == '}';
        if (depth == 0 && (closes || c == ',' || is_blank(c))) {
            return at; /* a number or a word */
        }
        depth += c == '[' || c == '{';
        depth -= closes;
        at++;
        if (closes && depth == 0) {
            return at;
        }
    }
    return depth == 0 ? at : 0;
}

static bool take_value(struct str *rest, struct str *out)
{
    skip_blanks(rest);
    const size_t len = value_len(*rest);
    *out = (struct str){rest->ptr, len};
    *rest = (struct str){rest->ptr + len, rest->len - len};
    return len > 0;
}

static bool take_key(struct str *rest, struct str *out)
{
    skip_blanks(rest);
    const size_t len = string_len(*rest);
    if (len == 0) {
        return false;
    }
    *out = (struct str){rest->ptr + 1, len - 2};
    *rest = (struct str){rest->ptr + len, rest->len - len};
    return take_mark(rest, ':');
}

size_t json_line(struct str text, const char *at)
{
    size_t line = 1;
    for (const char *c = text.ptr; c < at; c++) {
        line += *c == '\n';
    }
    return line;
}

static bool has(const struct json_members *members, struct str key)
{
    for (size_t i = 0; i < members->count; i++) {
        if (str_eq(members->rows[i].key, key)) {
            return true;
        }
    }
    return false;
}

/* One member, and whether another follows. */
static bool take_member(struct str *rest, struct json_members *out, bool *more)
{
    struct json_member member;
    if (out->count == JSON_SPLIT_MEMBERS || !take_key(rest, &member.key) ||
        has(out, member.key) || !take_value(rest, &member.value)) {
        return false;
    }
    out->rows[out->count++] = member;
    *more = take_mark(rest, ',');
    return *more || take_mark(rest, '}');
}

int json_split(struct str text, struct json_members *out, struct error *err)
{
    struct str rest = text;
    bool good = take_mark(&rest, '{'), more = true;
    out->count = 0;
    if (good && take_mark(&rest, '}')) {
        more = false;
    }
    while (good && more) {
        good = take_member(&rest, out, &more);
    }
    skip_blanks(&rest);
    return good && rest.len == 0 ? 0
                                 : error_set(err, ERROR_INPUT, "it is not JSON: line %zu",
                                             json_line(text, rest.ptr));
}

struct str json_members_get(const struct json_members *members, const char *key)
{
    for (size_t i = 0; i < members->count; i++) {
        if (str_eq(members->rows[i].key, str_of(key))) {
            return members->rows[i].value;
        }
    }
    return (struct str){0};
}

bool json_is_list(struct str value)
{
    return value.len > 0 && value.ptr[0] == '[';
}

bool json_next(struct str *rest, struct str *element, bool *bad)
{
    const bool first = json_is_list(*rest);
    if (!first && take_mark(rest, ']')) {
        *bad = *bad || rest->len > 0;
        return false;
    }
    if (!take_mark(rest, first ? '[' : ',')) {
        *bad = true;
        return false;
    }
    struct str after = *rest;
    if (first && take_mark(&after, ']')) {
        *bad = *bad || after.len > 0;
        return false;
    }
    *bad = *bad || !take_value(rest, element);
    return !*bad;
}
