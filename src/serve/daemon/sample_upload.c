/* SPDX-License-Identifier: MIT */

/*
 * What agents send: POST /api/v1/agent/samples, packed looks of any number of nodes of one
 * cluster, whose name the token has (agent-CLUSTER), or of one node of it (agent-CLUSTER@NODE).
 * They are put into the inbox (serve/daemon/sample_inbox.h), and then it is said that they have
 * arrived. What arrives twice is kept once, by the identity of samples.
 */

#include <string.h>

#include "serve/auth/identify.h"
#include "serve/daemon/sample_batch.h"
#include "serve/daemon/sample_inbox.h"
#include "serve/daemon/server_context.h"
#include "serve/http/problem.h"
#include "serve/http/routes.h"

enum { NAME_MAX_BYTES = 128 };

#define TOKEN_PREFIX "token agent-"

/* --- who ---------------------------------------------------------------------------------- */

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

/* The right to import is no right to send samples. */
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

/* A token of one node sends no other's looks. */
struct admitting {
    struct sample_inbox *inbox;
    const struct sender *sender;
};

static int admit(void *owner, struct str node, size_t bytes, struct error *err)
{
    const struct admitting *admitting = owner;
    const struct sender *sender = admitting->sender;
    if (sender->node.ptr && !str_eq(node, sender->node)) {
        return error_set(
            err, ERROR_DENIED,
            "the batch has a look at the node '%.*s', and the token is for the node "
            "'%.*s'",
            STR_ARG(node), STR_ARG(sender->node));
    }
    return sample_inbox_admit(admitting->inbox, sender->cluster, node, bytes, err);
}

static int take_samples(struct exchange *exchange, struct error *err)
{
    const struct server_context *world = server_context_of(exchange);
    struct sender sender = {0};
    struct buf looks;
    struct admitting admitting = {.inbox = world->inbox, .sender = &sender};
    buf_init(&looks, SAMPLE_BATCH_MAX);
    int failed = find_sender(exchange, &sender, err);
    failed = failed ? failed : sample_batch_unpack(exchange->body, &looks, err);
    failed = failed ? failed : sample_batch_check(buf_str(&looks), admit, &admitting, err);
    failed =
        failed ? failed : sample_inbox_add(world->inbox, sender.cluster, buf_str(&looks), err);
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
