/* SPDX-License-Identifier: MIT */
#include "source/common/xml.h"

#include <string.h>

#include "base/attribute.h"

static struct str from(struct str text, const char *at)
{
    return (struct str){at, text.len - (size_t)(at - text.ptr)};
}

/* The end of the tag that `text` begins behind the < of: its >, not one inside quotes. */
static const char *tag_end(struct str text)
{
    char quote = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '>') {
            return text.ptr + i;
        }
    }
    return NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void split_name(struct str inside, struct xml_tag *tag)
{
    size_t length = 0;
    while (length < inside.len && !is_blank(inside.ptr[length])) {
        length++;
    }
    tag->name = (struct str){inside.ptr, length};
    tag->attributes = str_trim((struct str){inside.ptr + length, inside.len - length});
}

bool xml_next(struct str *rest, struct xml_tag *tag)
{
    for (;;) {
        const char *open = str_byte(*rest, '<');
        const char *end = open ? tag_end(from(*rest, open + 1)) : NULL;
        if (!end) {
            *rest = (struct str){0};
            return false;
        }
        struct str inside = {open + 1, (size_t)(end - open) - 1};
        *rest = from(*rest, end + 1);
        if (inside.len == 0 || inside.ptr[0] == '?' || inside.ptr[0] == '!') {
            continue;
        }
        *tag = (struct xml_tag){.closes = inside.ptr[0] == '/'};
        inside.ptr += tag->closes;
        inside.len -= tag->closes;
        tag->empty = inside.len > 0 && inside.ptr[inside.len - 1] == '/';
        inside.len -= tag->empty;
        split_name(inside, tag);
        const char *next = str_byte(*rest, '<');
        tag->text = (struct str){rest->ptr, next ? (size_t)(next - rest->ptr) : rest->len};
        return true;
    }
}

struct str xml_attribute(const struct xml_tag *tag, const char *name)
{
    struct str rest = tag->attributes;
    const char *equals;
    while ((equals = str_byte(rest, '=')) != NULL) {
        struct str key = str_trim((struct str){rest.ptr, (size_t)(equals - rest.ptr)});
        struct str value = str_trim(from(rest, equals + 1));
        const char *end = value.len > 1 && (value.ptr[0] == '"' || value.ptr[0] == '\'')
                              ? memchr(value.ptr + 1, value.ptr[0], value.len - 1)
                              : NULL;
        if (!end) {
            break;
        }
        if (str_eq(key, str_of(name))) {
            return (struct str){value.ptr + 1, (size_t)(end - value.ptr) - 1};
        }
        rest = from(value, end + 1);
    }
    return (struct str){0};
}

/*
 * The byte that an entity at the beginning of `text` stands for, and how long it is; 0 if there
 * is none.
 */
static size_t read_entity(struct str text, char *byte)
{
    static const struct {
        const char *name;
        char byte;
    } entities[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};

    for (size_t i = 0; i < COUNT_OF(entities); i++) {
        if (str_starts(text, str_of(entities[i].name))) {
            *byte = entities[i].byte;
            return strlen(entities[i].name);
        }
    }
    return 0;
}

struct str xml_unescape(struct str text, struct arena *arena)
{
    if (!str_byte(text, '&')) {
        return text;
    }
    char *out = arena_alloc(arena, text.len);
    size_t length = 0;
    for (size_t i = 0; i < text.len; length++) {
        out[length] = text.ptr[i];
        const size_t used =
            out[length] == '&' ? read_entity(from(text, text.ptr + i), &out[length]) : 0;
        i += used ? used : 1;
    }
    return (struct str){out, length};
}

struct str xml_text(struct str text, struct arena *arena)
{
    return xml_unescape(str_trim(text), arena);
}
