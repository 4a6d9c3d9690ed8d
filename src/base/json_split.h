/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A JSON document of any size, taken apart without being read as a whole: the members of the
 * object that it is, and the elements of an array. Each is found by counting brackets outside
 * of strings; what is in it is for a reader of JSON to judge, one at a time.
 */

#include <stdbool.h>
#include <stddef.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

enum { JSON_SPLIT_MEMBERS = 128 }; /* of the object, at most */

struct json_member {
    struct str key; /* as it is written: without its quotes, with its escapes */
    struct str value;
};

struct json_members {
    struct json_member rows[JSON_SPLIT_MEMBERS];
    size_t count;
};

/*
 * The members of the object; ERROR_INPUT names the line where it is not one, or where two have
 * the same key. Borrows from the text.
 */
int json_split(struct str text, struct json_members *out, struct error *err) MUST_CHECK;

/* The value of a key; the null string if the key is absent. */
struct str json_members_get(const struct json_members *members, const char *key);

/* Whether a value is an array. */
bool json_is_list(struct str value);

/*
 * Takes the next element off the front of an array, which begins with its bracket: `rest` is
 * what follows. False at its end; *bad is set where it is not an array.
 */
bool json_next(struct str *rest, struct str *element, bool *bad);

/* The number of the line of `text` that `at` lies in. */
size_t json_line(struct str text, const char *at);
