/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Writing JSON into a buf: compact or indented, commas and escapes taken care of.
 *
 *     struct json json = {.out = &text};
 *     json_begin_object(&json);
 *     json_put_key(&json, "rows"); json_put_int(&json, 3);
 *     json_end_level(&json);
 *
 * Text is given as bytes: invalid UTF-8 is written as U+FFFD, control bytes are escaped.
 * Nesting deeper than JSON_DEPTH_MAX, or a value in an object without its key, is a bug of the
 * caller and asserted. A new struct writes one value; a line break after it is the caller's.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum { JSON_DEPTH_MAX = 32 };

struct json {
    struct buf *out;
    int indent; /* blanks a level; 0 is compact on one line */
    int depth;
    char close[JSON_DEPTH_MAX]; /* what ends each open level */
    bool full[JSON_DEPTH_MAX];  /* the level has an element already */
    bool after_key;
};

void json_begin_object(struct json *json);
void json_begin_array(struct json *json);
void json_end_level(struct json *json); /* of the innermost object or array */
void json_put_key(struct json *json, const char *key);
void json_put_text(struct json *json, struct str text);
void json_put_int(struct json *json, int64_t value);
void json_put_number(struct json *json, struct str digits); /* as given: must be one of JSON */
void json_put_bool(struct json *json, bool value);
void json_put_null(struct json *json);
