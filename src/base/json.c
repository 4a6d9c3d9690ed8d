/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <assert.h>
#include <inttypes.h>

#include "base/rune.h"

static void break_line(struct json *json)
{
    if (json->indent > 0) {
        buf_addc(json->out, '\n');
        buf_fill(json->out, ' ', (size_t)json->indent * (size_t)json->depth);
    }
}

/* What comes before any value or key: nothing after a key, else a comma and a new line. */
static void begin_element(struct json *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->depth == 0) {
        return;
    }
    bool *full = &json->full[json->depth - 1];
    if (*full) {
        buf_addc(json->out, ',');
    }
    *full = true;
    break_line(json);
}

static void begin_value(struct json *json)
{
    /* In an object a value must follow its key. */
    assert(json->after_key || json->depth == 0 || json->close[json->depth - 1] == ']');
    begin_element(json);
}

static void open_level(struct json *json, char opening, char closing)
{
    begin_value(json);
    assert(json->depth < JSON_DEPTH_MAX);
    json->close[json->depth] = closing;
    json->full[json->depth] = false;
    json->depth++;
    buf_addc(json->out, opening);
}

void json_begin_object(struct json *json)
{
    open_level(json, '{', '}');
}

void json_begin_array(struct json *json)
{
    open_level(json, '[', ']');
}

void json_end_level(struct json *json)
{
    assert(json->depth > 0 && !json->after_key);
    json->depth--;
    if (json->full[json->depth]) {
        break_line(json);
    }
    buf_addc(json->out, json->close[json->depth]);
}

/* A byte that cannot stand in a JSON text as it is: control bytes, quote and backslash. */
static void add_escape(struct buf *out, unsigned char byte)
{
    switch (byte) {
    case '"':
    case '\\':
        buf_addc(out, '\\');
        buf_addc(out, (char)byte);
        break;
    case '\b':
        buf_addz(out, "\\b");
        break;
    case '\f':
        buf_addz(out, "\\f");
        break;
    case '\n':
        buf_addz(out, "\\n");
        break;
    case '\r':
        buf_addz(out, "\\r");
        break;
    case '\t':
        buf_addz(out, "\\t");
        break;
    default:
        buf_addf(out, "\\u%04x", byte);
        break;
    }
}

/* How many bytes at the start can be written as they are. */
static size_t plain_length(struct str text)
{
    size_t i = 0;
    while (i < text.len) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte < 0x20 || byte == '"' || byte == '\\' || byte == 0x7f) {
            break;
        }
        uint32_t rune = 0;
        size_t len = 1;
        if (byte >= 0x80) {
            len = rune_decode((struct str){text.ptr + i, text.len - i}, &rune);
        }
        if (len == 0) {
            break;
        }
        i += len;
    }
    return i;
}

static void add_quoted(struct buf *out, struct str text)
{
    buf_addc(out, '"');
    for (;;) {
        size_t plain = plain_length(text);
        buf_add(out, (struct str){text.ptr, plain});
        if (plain == text.len) {
            break;
        }
        unsigned char byte = (unsigned char)text.ptr[plain];
        if (byte < 0x80) {
            add_escape(out, byte);
        } else {
            buf_addz(out, RUNE_REPLACEMENT);
        }
        text.ptr += plain + 1;
        text.len -= plain + 1;
    }
    buf_addc(out, '"');
}

void json_put_key(struct json *json, const char *key)
{
    assert(json->depth > 0 && json->close[json->depth - 1] == '}' && !json->after_key);
    begin_element(json);
    add_quoted(json->out, str_of(key));
    buf_addz(json->out, json->indent > 0 ? ": " : ":");
    json->after_key = true;
}

void json_put_text(struct json *json, struct str text)
{
    begin_value(json);
    add_quoted(json->out, text);
}

void json_put_int(struct json *json, int64_t value)
{
    begin_value(json);
    buf_addf(json->out, "%" PRId64, value);
}

void json_put_number(struct json *json, struct str digits)
{
    begin_value(json);
    buf_add(json->out, digits);
}

void json_put_bool(struct json *json, bool value)
{
    begin_value(json);
    buf_addz(json->out, value ? "true" : "false");
}

void json_put_null(struct json *json)
{
    begin_value(json);
    buf_addz(json->out, "null");
}
