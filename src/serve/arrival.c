/* SPDX-License-Identifier: MIT */

/*
 * What agents send: POST /api/v1/agent/samples, packed looks of any number of nodes of one cluster, whose name the token has
 * (agent-CLUSTER). They are put into the inbox (serve/inbox.h), and then it is said that they have arrived. What arrives twice is kept once, by
 * the identity of samples.
 */

#include <string.h>

#include "base/stream.h"
#include "serve/identify.h"
#include "serve/inbox.h"
#include "serve/problem.h"
#include "serve/routes.h"
#include "serve/world.h"

enum { LOOKS_MAX = 64 << 20, NAME_MAX_BYTES = 128 };

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

/* The cluster that the token is for; whoever may import may send for none. */
static int find_cluster(const struct exchange *exchange, const char **cluster,
                        struct error *err)
{
    const struct str name = str_of(exchange->caller.name);
    const struct str bearer = exchange_header(exchange, "Authorization");
    const struct str prefix = STR(TOKEN_PREFIX);
    if (!bearer.ptr || !str_starts(name, prefix)) {
        return error_set(
            err, ERROR_DENIED,
            "looks are taken with a token of the name agent-CLUSTER: stint token add "
            "agent-CLUSTER --role user");
    }
    *cluster = name.ptr + prefix.len;
    return is_plain(str_of(*cluster))
               ? 0
               : error_set(
                     err, ERROR_DENIED,
                     "the name of the token's cluster has other than letters, digits, '-', "
                     "'.' and '_'");
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

static int take_samples(struct exchange *exchange, struct error *err)
{
    const struct world *world = world_of(exchange);
    const char *cluster = NULL;
    struct buf looks;
    buf_init(&looks, LOOKS_MAX);
    int failed;
    (void)((failed = find_cluster(exchange, &cluster, err)) ||
           (failed = unpack(exchange, &looks, err)) ||
           (failed = inbox_add(world->inbox, cluster, buf_str(&looks), err)));
    buf_release(&looks);
    if (failed) {
        return failed;
    }
    exchange->status = 202;
    exchange_type(exchange, "application/json");
    return exchange_write(exchange, STR("{\"arrived\":true}\n"), err);
}

static const struct route rows[] = {
    {"/api/v1/agent/samples", METHOD_POST, ROLE_USER, take_samples},
};

const struct route_table arrival_routes = {rows, COUNT_OF(rows), "/api/", problem_write};
