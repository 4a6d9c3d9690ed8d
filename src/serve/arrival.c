/* SPDX-License-Identifier: MIT */

/*
 * What agents send: POST /api/v1/agent/samples, packed looks of any number of nodes of one cluster, whose name the token has
 * (agent-CLUSTER), or of one node of it (agent-CLUSTER@NODE). They are put into the inbox (serve/inbox.h), and then it is said that they have arrived. What arrives twice is kept once, by
 * the identity of samples.
 *
 * A few packed bytes can be many: a batch is unpacked up to LOOKS_MAX, its lines are parsed one at a time, and of each the length, the depth and
 * the number of values are limited before it is parsed. So a request needs LOOKS_MAX and the tree of one line at most, some 80 MB.
 */

#include <jansson.h>
#include <string.h>

#include "base/stream.h"
#include "serve/identify.h"
#include "serve/inbox.h"
#include "serve/problem.h"
#include "serve/routes.h"
#include "serve/world.h"

enum {
    LOOKS_MAX = 16 << 20,
    LINE_MAX_BYTES = 8 << 20,
    DEPTH_MAX = 16,
    VALUES_MAX = 1 << 19, /* of one line: those of 40000 processes */
    NAME_MAX_BYTES = 128
};

#define TOKEN_PREFIX "token agent-"

/* --- who ---------------------------------------------------------------------------------------------- */

static bool is_plain(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            !(i > 0 && strchr("-._", c))) {
            return false;
        }
    }
    return name.len > 0 && name.len < NAME_MAX_BYTES;
}

/* Whose looks a token may send. */
struct sender {
    char cluster[NAME_MAX_BYTES];
    struct str node; /* the only one, in the token's name; null: any of the cluster */
};

/* Whoever may import may send for no cluster. */
static int find_sender(const struct exchange *exchange, struct sender *out, struct error *err)
{
    const struct str name = str_of(exchange->caller.name);
    const struct str bearer = exchange_header(exchange, "Authorization");
    const struct str prefix = STR(TOKEN_PREFIX);
    if (!bearer.ptr || !str_starts(name, prefix)) {
        return error_set(
            err, ERROR_DENIED,
            "looks are taken with a token of the name agent-CLUSTER: stint token add "
            "agent-CLUSTER --role agent");
    }
    struct str node = {name.ptr + prefix.len, name.len - prefix.len};
    const struct str cluster = str_cut(&node, '@');
    if (!is_plain(cluster) || (node.ptr && !is_plain(node))) {
        return error_set(err, ERROR_DENIED,
                         "the name of the token's cluster or node has other than letters, "
                         "digits, '-', '.' and '_'");
    }
    *out = (struct sender){.node = node};
    memcpy(out->cluster, cluster.ptr, cluster.len); /* shorter than that: is_plain */
    return 0;
}

/* --- what ---------------------------------------------------------------------------------------------- */

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

static int unpack(struct exchange *exchange, struct buf *out, struct error *err)
{
    const struct input_about about = {.size = (int64_t)exchange->body.len};
    struct input *input = input_new("the batch", NULL, &about);
    struct stream *stream = NULL;
    size_t got = 1;
    input->context = &exchange->body;
    input->read = read_packed;
    int failed = stream_open_input(input, &stream, err);
    while (!failed && got > 0) {
        buf_reserve(out, EXCHANGE_WHOLE_MAX);
        if (out->overflow) {
            failed = error_set(err, ERROR_LIMIT, "a batch holds %d bytes at most", LOOKS_MAX);
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

/* The node that a line is a look at; the null string if it is no look. Lives as long as *look. */
static struct str node_of(struct str line, json_t **look)
{
    *look = json_loadb(line.ptr, line.len, JSON_REJECT_DUPLICATES, NULL);
    const json_t *data = json_object_get(*look, "data");
    const char *type = json_string_value(json_object_get(data, "type"));
    const char *node =
        json_string_value(json_object_get(json_object_get(data, "attributes"), "node"));
    return type && node && strcmp(type, "sample") == 0 ? str_of(node) : (struct str){0};
}

/*
 * What is in the inbox is imported together: one batch of something else would keep out all that comes after it. And a token of one node sends no other's
 * looks.
 */
static int check_looks(struct inbox *inbox, const struct sender *sender, struct str looks,
                       struct error *err)
{
    size_t count = 0;
    int failed = 0;
    while (!failed && looks.len > 0) {
        const struct str line = str_cut(&looks, '\n');
        json_t *look = NULL;
        count++;
        if (!is_bounded(line)) {
            return error_set(
                err, ERROR_LIMIT,
                "line %zu of the batch is more than a look at a node: %d bytes, %d "
                "values and %d levels at most",
                count, LINE_MAX_BYTES, VALUES_MAX, DEPTH_MAX);
        }
        const struct str node = line.len > 0 ? node_of(line, &look) : STR("");
        if (!node.ptr) {
            failed = error_set(err, ERROR_INPUT,
                               "line %zu of the batch is no sample in JSON, as stint-agent "
                               "prints them",
                               count);
        } else if (line.len > 0 && sender->node.ptr && !str_eq(node, sender->node)) {
            failed = error_set(err, ERROR_DENIED,
                               "line %zu of the batch is not of the node '%.*s' that the token "
                               "is for",
                               count, STR_ARG(sender->node));
        }
        if (!failed && line.len > 0) {
            failed = inbox_admit(inbox, sender->cluster, node, line.len, err);
        }
        json_decref(look);
    }
    return failed;
}

static int take_samples(struct exchange *exchange, struct error *err)
{
    const struct world *world = world_of(exchange);
    struct sender sender = {0};
    struct buf looks;
    buf_init(&looks, LOOKS_MAX);
    int failed;
    (void)((failed = find_sender(exchange, &sender, err)) ||
           (failed = unpack(exchange, &looks, err)) ||
           (failed = check_looks(world->inbox, &sender, buf_str(&looks), err)) ||
           (failed = inbox_add(world->inbox, sender.cluster, buf_str(&looks), err)));
    buf_release(&looks);
    if (failed == ERROR_CONFLICT) { /* the agent keeps it and tries again */
        exchange_set(exchange, "Retry-After", "300");
        problem_write(exchange, 503, err);
        return 0;
    }
    if (failed) {
        return failed;
    }
    exchange->status = 202;
    exchange_type(exchange, "application/json");
    return exchange_write(exchange, STR("{\"arrived\":true}\n"), err);
}

static const struct route rows[] = {
    {"/api/v1/agent/samples", METHOD_POST, RIGHT_SAMPLES, take_samples},
};

const struct route_table arrival_routes = {rows, COUNT_OF(rows), "/api/", problem_write};
