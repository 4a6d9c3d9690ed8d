/* SPDX-License-Identifier: MIT */
#include "base/scan.h"
#include "source/lsf/lsf_record.h"

/*
 * Fields of lsb.acct: "texts", whose quotes are doubled, and numbers, with a blank between. Two
 * things go wrong in real files. The blank is missing, as in 0"": a number ends at a quote,
 * too. And the quote that ends a text is missing, as in "host086 "/proj": a quote inside a text
 * is doubled, so one that is not, and has a blank before and none behind, begins the next text.
 */

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static void skip_blanks(struct lsf_reader *reader)
{
    while (reader->rest.len > 0 && is_blank(reader->rest.ptr[0])) {
        reader->rest.ptr++;
        reader->rest.len--;
    }
}

bool lsf_at_end(struct lsf_reader *reader)
{
    skip_blanks(reader);
    return reader->rest.len == 0;
}

static void set_bad(struct lsf_reader *reader, const char *name)
{
    if (!reader->bad) {
        reader->bad = name;
    }
}

/* Doubled quotes made single. */
static struct str unescape(struct arena *arena, struct str text)
{
    char *out = arena_alloc(arena, text.len);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        out[len++] = text.ptr[i];
        i += text.ptr[i] == '"';
    }
    return (struct str){out, len};
}

/* The place of the quote that ends the text beginning at 1; 0 if there is none. */
static size_t find_end(struct str rest, bool *doubled)
{
    for (size_t at = 1; at < rest.len; at++) {
        const char *quote = memchr(rest.ptr + at, '"', rest.len - at);
        if (!quote) {
            return 0;
        }
        at = (size_t)(quote - rest.ptr);
        if (at + 1 == rest.len || rest.ptr[at + 1] != '"') {
            return at;
        }
        at++;
        *doubled = true;
    }
    return 0;
}

/* The text at a quote, as it stands; the null string if it does not end. */
static struct str take_text(struct lsf_reader *reader, bool *doubled)
{
    struct str rest = reader->rest;
    size_t end = find_end(rest, doubled);
    if (end == 0) {
        return (struct str){0};
    }
    struct str text = {rest.ptr + 1, end - 1};
    size_t taken = end + 1;
    if (taken < rest.len && !is_blank(rest.ptr[taken])) {
        reader->odd = true;
        if (is_blank(rest.ptr[end - 1])) { /* the quote is the next text's */
            taken = end;
            text.len--;
        }
    }
    reader->rest = (struct str){rest.ptr + taken, rest.len - taken};
    return text;
}

struct str lsf_text(struct lsf_reader *reader, const char *name)
{
    bool doubled = false;
    if (reader->bad || lsf_at_end(reader) || reader->rest.ptr[0] != '"') {
        set_bad(reader, name);
        return (struct str){0};
    }
    struct str text = take_text(reader, &doubled);
    if (!text.ptr) {
        set_bad(reader, name);
    }
    return doubled ? unescape(reader->arena, text) : text;
}

struct str lsf_word(struct lsf_reader *reader, const char *name)
{
    if (reader->bad || lsf_at_end(reader) || reader->rest.ptr[0] == '"') {
        set_bad(reader, name);
        return (struct str){0};
    }
    size_t len = 0;
    while (len < reader->rest.len && !is_blank(reader->rest.ptr[len]) &&
           reader->rest.ptr[len] != '"') {
        len++;
    }
    struct str word = {reader->rest.ptr, len};
    reader->rest.ptr += len;
    reader->rest.len -= len;
    return word;
}

int64_t lsf_int(struct lsf_reader *reader, const char *name)
{
    int64_t value = 0;
    struct str word = lsf_word(reader, name);
    if (!reader->bad && !scan_int(word, &value)) {
        set_bad(reader, name);
    }
    return value;
}

int64_t lsf_micro(struct lsf_reader *reader, const char *name)
{
    int64_t value = 0;
    struct str word = lsf_word(reader, name);
    if (!reader->bad && !scan_decimal(word, 6, &value)) {
        set_bad(reader, name);
    }
    return value < 0 ? -1 : value;
}

bool lsf_begins_record(struct str line)
{
    size_t i = 1;
    while (i < line.len && ((line.ptr[i] >= 'A' && line.ptr[i] <= 'Z') || line.ptr[i] == '_' ||
                            (i > 1 && line.ptr[i] >= '0' && line.ptr[i] <= '9'))) {
        i++;
    }
    return i > 1 && i + 4 < line.len && line.ptr[0] == '"' && line.ptr[i] == '"' &&
           line.ptr[i + 1] == ' ' && line.ptr[i + 2] == '"' && line.ptr[i + 3] >= '0' &&
           line.ptr[i + 3] <= '9';
}

bool lsf_ends_in_text(struct str record)
{
    struct lsf_reader reader = {.rest = record};
    while (!lsf_at_end(&reader)) {
        if (reader.rest.ptr[0] != '"') {
            (void)lsf_word(&reader, "");
        } else if (!take_text(&reader, &(bool){false}).ptr) {
            return true;
        }
    }
    return false;
}
