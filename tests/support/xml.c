/* SPDX-License-Identifier: MIT */
#include "support/xml.h"

#include <stdint.h>
#include <string.h>

#include "base/rune.h"
#include "base/str.h"

enum { DEPTH_MAX = 64, ATTRIBUTES_MAX = 32 };

struct reader {
    const char *text;
    size_t len, at;
    struct str open[DEPTH_MAX];
    size_t depth;
    bool root; /* there was one */
};

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-' || c == ':' || c == '_';
}

static bool next_is(const struct reader *r, const char *word)
{
    size_t len = strlen(word);
    return r->len - r->at >= len && memcmp(r->text + r->at, word, len) == 0;
}

static struct str read_name(struct reader *r)
{
    size_t from = r->at;
    while (r->at < r->len && is_name(r->text[r->at])) {
        r->at++;
    }
    return (struct str){r->text + from, r->at - from};
}

static void skip_blanks(struct reader *r)
{
    while (r->at < r->len && strchr(" \t\n", r->text[r->at])) {
        r->at++;
    }
}

static const char *read_reference(struct reader *r)
{
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#39;"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (next_is(r, known[i])) {
            r->at += strlen(known[i]);
            return NULL;
        }
    }
    return "an & that begins no entity";
}

/* One character of text or of a value (XML 1.0, section 2.2). */
static const char *read_character(struct reader *r)
{
    uint32_t rune = 0;
    size_t len = rune_decode((struct str){r->text + r->at, r->len - r->at}, &rune);
    if (len == 0) {
        return "bytes that are not UTF-8";
    }
    if ((rune < 0x20 && rune != '\t' && rune != '\n' && rune != '\r') || rune == 0xfffe ||
        rune == 0xffff) {
        return "a character XML does not allow";
    }
    if (rune == '&') {
        return read_reference(r);
    }
    r->at += len;
    return NULL;
}

static const char *read_value(struct reader *r)
{
    if (!next_is(r, "=\"")) {
        return "an attribute without a quoted value";
    }
    r->at += 2;
    while (r->at < r->len && r->text[r->at] != '"') {
        if (r->text[r->at] == '<') {
            return "a < in a value";
        }
        const char *wrong = read_character(r);
        if (wrong) {
            return wrong;
        }
    }
    r->at++;
    return NULL;
}

static const char *read_attributes(struct reader *r)
{
    struct str names[ATTRIBUTES_MAX];
    size_t count = 0;
    for (;;) {
        size_t before = r->at;
        skip_blanks(r);
        struct str name = read_name(r);
        if (name.len == 0) {
            return NULL;
        }
        if (r->at - name.len == before || count == ATTRIBUTES_MAX) {
            return "attributes without a blank between, or too many";
        }
        for (size_t i = 0; i < count; i++) {
            if (str_eq(names[i], name)) {
                return "an attribute twice";
            }
        }
        names[count++] = name;
        const char *wrong = read_value(r);
        if (wrong) {
            return wrong;
        }
    }
}

static const char *read_end_tag(struct reader *r)
{
    r->at += 2;
    struct str name = read_name(r);
    if (r->depth == 0 || !str_eq(r->open[r->depth - 1], name) || !next_is(r, ">")) {
        return "an end tag that ends nothing";
    }
    r->at++;
    r->depth--;
    return NULL;
}

static const char *read_tag(struct reader *r)
{
    r->at++;
    struct str name = read_name(r);
    if (name.len == 0 || r->depth == DEPTH_MAX || (r->depth == 0 && r->root)) {
        return "a < that begins no element, or a second root";
    }
    r->root = true;
    const char *wrong = read_attributes(r);
    if (wrong) {
        return wrong;
    }
    if (next_is(r, "/>")) {
        r->at += 2;
    } else if (next_is(r, ">")) {
        r->at++;
        r->open[r->depth++] = name;
    } else {
        return "a tag that does not end";
    }
    return NULL;
}

static const char *read_next(struct reader *r)
{
    if (next_is(r, "</")) {
        return read_end_tag(r);
    }
    if (next_is(r, "<")) {
        return read_tag(r);
    }
    if (r->depth == 0 && !strchr(" \n", r->text[r->at])) {
        return "text outside of the root";
    }
    return next_is(r, "]]>") ? "a ]]> in text" : read_character(r);
}

const char *xml_complaint(const char *text, size_t len, size_t *at)
{
    struct reader r = {.text = text, .len = len};
    if (next_is(&r, "<!DOCTYPE html>")) {
        r.at = strlen("<!DOCTYPE html>");
    }
    const char *wrong = NULL;
    while (r.at < r.len && !wrong) {
        *at = r.at;
        wrong = read_next(&r);
    }
    return wrong         ? wrong
           : r.depth > 0 ? "an element that does not end"
           : !r.root     ? "no root element"
                         : NULL;
}
