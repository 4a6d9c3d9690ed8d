/* SPDX-License-Identifier: MIT */
#include "source/slurm/slurm_document.h"

#include <jansson.h>

/* What slurmrestd calls a query that nothing answers to; not a failure. */
enum { NOTHING_FOUND = 9003 };

static void note_key(struct slurm_document *d, char byte)
{
    if (d->key_len < sizeof(d->key)) {
        d->key[d->key_len] = byte;
    }
    d->key_len++; /* beyond the room: no key we look for */
}

static bool key_is(const struct slurm_document *d, const char *name)
{
    return d->key_len <= sizeof(d->key) &&
           str_eq((struct str){d->key, d->key_len}, str_of(name));
}

static void note_error(struct slurm_document *d, char byte)
{
    if (d->errors_len < sizeof(d->errors)) {
        d->errors[d->errors_len++] = byte;
    }
}

static void feed_string(struct slurm_document *d, char byte)
{
    bool closes = byte == '"' && !d->escaped;
    if (d->depth == 1 && d->key_next && !closes) {
        note_key(d, byte);
    }
    d->escaped = !d->escaped && byte == '\\';
    d->in_string = !closes;
}

static void feed_open(struct slurm_document *d, char byte)
{
    if (d->depth == 1 && !d->key_next && byte == '[') {
        d->in_list = d->list && key_is(d, d->list);
        d->list_found |= d->in_list;
        d->in_errors = key_is(d, "errors");
    }
    d->has_items |= d->in_list && d->depth == 2;
    d->depth++;
    d->begun = true;
    if (d->depth == 1) {
        d->key_next = true;
        d->key_len = 0;
    }
}

static void feed_mark(struct slurm_document *d, char byte)
{
    switch (byte) {
    case '"':
        d->in_string = true;
        break;
    case '{':
    case '[':
        feed_open(d, byte);
        break;
    case '}':
    case ']':
        d->depth -= d->depth > 0;
        d->ended = d->depth == 0;
        d->in_list = d->in_list && d->depth > 1;
        break;
    case ':':
        d->key_next = d->key_next && d->depth != 1;
        break;
    case ',':
        if (d->depth == 1) {
            d->key_next = true;
            d->key_len = 0;
        }
        break;
    default:
        break;
    }
}

void slurm_document_feed(struct slurm_document *d, struct str bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        char byte = bytes.ptr[i];
        if (!d->begun && byte != '{') {
            continue; /* tools may have something to say first */
        }
        if (d->in_string) {
            feed_string(d, byte);
        } else {
            feed_mark(d, byte);
        }
        if (d->in_errors) {
            note_error(d, byte);
            d->in_errors = d->depth > 1;
        }
    }
}

/* The first of its errors that is one, as a sentence; false if there is none. */
static bool find_failure(const json_t *errors, struct error *err)
{
    size_t i;
    const json_t *item;
    json_array_foreach(errors, i, item)
    {
        const char *what = json_string_value(json_object_get(item, "error"));
        const char *more = json_string_value(json_object_get(item, "description"));
        if (json_integer_value(json_object_get(item, "error_number")) == NOTHING_FOUND) {
            continue;
        }
        what = what && what[0] != '\0' ? what : "it does not say why";
        more = more && more[0] != '\0' ? more : NULL;
        error_set(err, ERROR_IO, "Slurm says '%s'%s%s%s", what, more ? " (" : "",
                  more ? more : "", more ? ")" : "");
        return true;
    }
    return false;
}

int slurm_document_end(const struct slurm_document *d, struct error *err)
{
    json_error_t where;
    json_t *errors = d->errors_len > 0 ? json_loadb(d->errors, d->errors_len, 0, &where) : NULL;
    bool failed = errors && find_failure(errors, err);
    bool nothing_found = json_array_size(errors) > 0 && !failed;
    if (!errors && d->errors_len == sizeof(d->errors)) {
        failed = true;
        error_set(err, ERROR_IO, "Slurm reports an error with a very long message");
    }
    json_decref(errors);
    if (failed) {
        return ERROR_IO;
    }
    if (!d->begun) {
        return error_set(err, ERROR_INPUT, "the answer is not JSON");
    }
    if (!d->ended) {
        return error_set(err, ERROR_INPUT, "the answer ends in the middle");
    }
    if (d->list && !d->list_found && !nothing_found) {
        return error_set(err, ERROR_INPUT, "the answer has no list of %s", d->list);
    }
    return 0;
}
