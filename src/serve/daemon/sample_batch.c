/* SPDX-License-Identifier: MIT */
#include "serve/daemon/sample_batch.h"

#include <jansson.h>
#include <string.h>

#include "base/stream.h"

enum {
    PIECE = 1 << 20,
    LINE_MAX_BYTES = 8 << 20,
    DEPTH_MAX = 16,
    VALUES_MAX = 1 << 19, /* of one line: those of 40000 processes */
};

static int read_packed(void *context, const struct input *input, uint64_t offset, void *data,
                       size_t size, size_t *got, struct error *err)
{
    const struct str *body = context;
    (void)input, (void)err;
    const size_t at = offset < body->len ? (size_t)offset : body->len;
    *got = body->len - at < size ? body->len - at : size;
    if (*got > 0) {
        memcpy(data, body->ptr + at, *got);
    }
    return 0;
}

int sample_batch_unpack(struct str packed, struct buf *out, struct error *err)
{
    const struct input_about about = {.size = (int64_t)packed.len};
    struct input *input = input_new("the batch", NULL, &about);
    struct stream *stream = NULL;
    size_t got = 1;
    input->context = &packed;
    input->read = read_packed;
    int failed = stream_open_input(input, &stream, err);
    while (!failed && got > 0) {
        buf_reserve(out, PIECE);
        if (out->overflow) {
            failed =
                error_set(err, ERROR_LIMIT, "a batch holds %d bytes at most", SAMPLE_BATCH_MAX);
            break;
        }
        failed = stream_read(stream, out->ptr + out->len, out->room - out->len - 1, &got, err);
        out->len += got;
        out->ptr[out->len] = '\0';
    }
    stream_close(stream);
    input_close(input);
    if (!failed && (out->len == 0 || out->ptr[0] != '{' || out->ptr[out->len - 1] != '\n')) {
        failed =
            error_set(err, ERROR_INPUT, "a batch is lines of JSON, as stint-agent prints them");
    }
    return failed;
}

/* Values of objects and lists, and how deep they lie; false if that is more than a look has. */
static bool is_bounded(struct str line)
{
    size_t depth = 0, values = 0;
    bool in_text = false;
    for (size_t i = 0; i < line.len; i++) {
        const char byte = line.ptr[i];
        if (in_text) {
            i += byte == '\\';
            in_text = byte != '"';
            continue;
        }
        in_text = byte == '"';
        depth += byte == '{' || byte == '[';
        depth -= (byte == '}' || byte == ']') && depth > 0;
        values += byte == ',' || byte == '{' || byte == '[';
        if (depth > DEPTH_MAX || values > VALUES_MAX) {
            return false;
        }
    }
    return line.len <= LINE_MAX_BYTES;
}

/*
 * The node that a line is a look at; the null string if it is no look. Lives as long as *look.
 */
static struct str node_of(struct str line, json_t **look)
{
    *look = json_loadb(line.ptr, line.len, JSON_REJECT_DUPLICATES, NULL);
    const json_t *data = json_object_get(*look, "data");
    const char *type = json_string_value(json_object_get(data, "type"));
    const char *node =
        json_string_value(json_object_get(json_object_get(data, "attributes"), "node"));
    return type && node && strcmp(type, "sample") == 0 ? str_of(node) : (struct str){0};
}

int sample_batch_check(struct str looks, sample_batch_admit *admit, void *owner,
                       struct error *err)
{
    size_t count = 0;
    int failed = 0;
    while (!failed && looks.len > 0) {
        const struct str line = str_cut(&looks, '\n');
        json_t *look = NULL;
        count++;
        if (line.len == 0) {
            continue;
        }
        if (!is_bounded(line)) {
            return error_set(
                err, ERROR_LIMIT,
                "line %zu of the batch is more than a look at a node: %d bytes, %d "
                "values and %d levels at most",
                count, LINE_MAX_BYTES, VALUES_MAX, DEPTH_MAX);
        }
        const struct str node = node_of(line, &look);
        failed = node.ptr ? admit(owner, node, line.len, err)
                          : error_set(err, ERROR_INPUT,
                                      "line %zu of the batch is no sample in JSON, as "
                                      "stint-agent prints them",
                                      count);
        json_decref(look);
    }
    return failed;
}
