/* SPDX-License-Identifier: MIT */

/* The pages, over HTTP: what serve/pages makes of an address, as the reply. */

#include "base/attribute.h"
#include "serve/pages/page.h"
#include "serve/problem.h"
#include "serve/routes.h"
#include "serve/world.h"

static struct str query_of(struct str target)
{
    str_cut(&target, '?');
    return target;
}

static const char *name_of(const struct caller *caller)
{
    return caller->role > ROLE_ANYONE ? caller->name : NULL;
}

static int send_reply(struct exchange *exchange, const struct page_reply *reply,
                      struct error *err)
{
    if (reply->location) {
        exchange_redirect(exchange, reply->status, reply->location);
        return 0;
    }
    exchange->status = reply->status;
    exchange->compressible = true;
    exchange_type(exchange, reply->type);
    if (reply->etag) {
        exchange_setf(exchange, "ETag", "\"%s\"", reply->etag);
        exchange_set(exchange, "Cache-Control", "max-age=3600");
    }
    return exchange_write(exchange, buf_str(&reply->body), err);
}

static int show_page(struct exchange *exchange, struct error *err)
{
    struct session session;
    struct service service = world_service(exchange, &session);
    struct page_reply reply = {0};
    const struct page_request request = {
        .path = exchange->path,
        .query = query_of(exchange->target),
        .prefix = world_of(exchange)->prefix,
        .login = name_of(&exchange->caller),
    };
    int failed = page_answer(&service, &request, &reply, err);
    failed = failed ? failed : send_reply(exchange, &reply, err);
    page_release(&reply);
    return failed;
}

static const struct route rows[] = {
    {"/", METHOD_GET, ROLE_ANYONE, show_page},
    {"/*", METHOD_GET, ROLE_ANYONE, show_page},
};

const struct route_table site_routes = {
    .rows = rows,
    .count = COUNT_OF(rows),
    .below = "",
    .fail = problem_write,
};
