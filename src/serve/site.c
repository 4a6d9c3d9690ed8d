/* SPDX-License-Identifier: MIT */

/* The pages, over HTTP: what serve/pages makes of an address, as the reply. */

#include "base/attribute.h"
#include "serve/accept.h"
#include "serve/identify.h"
#include "serve/login.h"
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
        exchange_redirect(exchange, 303, reply->location);
        return 0;
    }
    if (reply->failed) {
        exchange->status = route_status((enum error_kind)reply->failed);
    }
    /* a page with a secret of its reader beside what the address says must not be compressed (BREACH) */
    exchange->compressible = reply->etag || !exchange->session.ptr;
    exchange_type(exchange, reply->type);
    if (reply->etag) {
        exchange_setf(exchange, "ETag", "\"%s\"", reply->etag);
        exchange_set(exchange, "Cache-Control", "max-age=300");
        if (accept_tag(exchange_header(exchange, "If-None-Match"),
                       exchange_get(exchange, "ETag"))) {
            exchange->status = 304;
            return 0;
        }
    }
    return exchange_write(exchange, buf_str(&reply->body), err);
}

static int show(struct exchange *exchange, struct str path, const char *failure,
                struct error *err)
{
    struct session session;
    struct service service = world_service(exchange, &session);
    struct page_reply reply = {0};
    const struct page_request request = {
        .path = path,
        .query = query_of(exchange->target),
        .prefix = world_of(exchange)->prefix,
        .login = name_of(&exchange->caller),
        .token = exchange->session,
        .failure = failure,
        .totals = world_of(exchange)->settings.totals,
    };
    int failed = page_answer(&service, &request, &reply, err);
    failed = failed ? failed : send_reply(exchange, &reply, err);
    page_release(&reply);
    return failed;
}

static int show_page(struct exchange *exchange, struct error *err)
{
    return show(exchange, exchange->path, NULL, err);
}

static void go_home(struct exchange *exchange)
{
    exchange_redirect(exchange, 303,
                      arena_printf(&exchange->arena, "%s/", world_of(exchange)->prefix));
}

/* Back to the form, with the sentence, where name and password are not right. */
static int log_in(struct exchange *exchange, struct error *err)
{
    int failed = login_begin(exchange, exchange_form(exchange, "name"),
                             exchange_form(exchange, "password"), err);
    if (failed == ERROR_CONFLICT || failed == ERROR_DENIED) {
        const char *sentence = arena_text(&exchange->arena, str_of(err->text));
        exchange->status = failed == ERROR_CONFLICT ? 429 : 403;
        return show(exchange, STR("/login"), sentence, err);
    }
    if (!failed) {
        go_home(exchange);
    }
    return failed;
}

static int log_out(struct exchange *exchange, struct error *err)
{
    int failed = identify_check_form(exchange, err);
    failed = failed ? failed : login_end(exchange, err);
    if (!failed) {
        go_home(exchange);
    }
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
    {"/login", METHOD_POST, ROLE_ANYONE, log_in},
    {"/logout", METHOD_POST, ROLE_ANYONE, log_out},
    {"/", METHOD_GET, ROLE_ANYONE, show_page},
    {"/*", METHOD_GET, ROLE_ANYONE, show_page},
};

const struct route_table site_routes = {
    .rows = rows,
    .count = COUNT_OF(rows),
    .below = "",
    .fail = problem_write,
};
