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

/* The form that the client reads: Prometheus says which; others get the older one. */
static int send_metrics(struct exchange *exchange, struct error *err)
{
    static const char *const types[] = {"text/plain", "application/openmetrics-text"};
    const bool open = exchange_accepts(exchange, types, COUNT_OF(types)) == 1;
    const struct request_value as = {"as", open ? STR("openmetrics") : STR("prometheus")};
    const struct request request = {
        .operation = operation_find(STR("metrics")), .values = &as, .count = 1};
    struct answer answer = {0};
    int failed = world_ask(exchange, &request, NULL, &answer, err);
    if (!failed) {
        exchange->compressible = true;
        exchange_type(exchange,
                      open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                           : "text/plain; version=0.0.4; charset=utf-8");
        failed = exchange_write(exchange, buf_str(&answer.document), err);
    }
    answer_release(&answer);
    return failed;
}

static const struct route rows[] = {
    {"/metrics", METHOD_GET, ROLE_STAFF, send_metrics},
    {"/", METHOD_GET, ROLE_ANYONE, show_page},
    {"/*", METHOD_GET, ROLE_ANYONE, show_page},
};

const struct route_table site_routes = {
    .rows = rows,
    .count = COUNT_OF(rows),
    .below = "",
    .fail = problem_write,
};
