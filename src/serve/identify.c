/* SPDX-License-Identifier: MIT */
#include "serve/identify.h"

#include "serve/login.h"
#include "serve/world.h"
#include "service/access/access.h"
#include "service/access/sodium.h"

/* Whether the request comes from a proxy that stint.conf names, so that its headers are true. */
static bool is_proxy(const struct exchange *exchange)
{
    struct str rest = world_of(exchange)->settings.proxies;
    while (rest.ptr && rest.len > 0) {
        size_t length = 0;
        while (length < rest.len && rest.ptr[length] != ',' && rest.ptr[length] != ' ') {
            length++;
        }
        const struct str one = {rest.ptr, length};
        if (length > 0 && !exchange->on_socket && str_eq(one, str_of(exchange->peer))) {
            return true;
        }
        rest.ptr += length < rest.len ? length + 1 : length;
        rest.len -= length < rest.len ? length + 1 : length;
    }
    return false;
}

/* "Bearer TOKEN"; the null string if it is nothing of the kind. */
static struct str bearer_of(const struct exchange *exchange)
{
    struct str rest = exchange_header(exchange, "Authorization");
    const struct str scheme = rest.ptr ? str_cut(&rest, ' ') : (struct str){0};
    return str_eq_nocase(scheme, STR("Bearer")) ? str_trim(rest) : (struct str){0};
}

static int by_cookie(struct exchange *exchange, struct str session, struct error *err)
{
    const struct service *service = world_of(exchange)->service;
    int failed = access_by_session(service, session, &exchange->arena, &exchange->caller, err);
    if (failed == ERROR_DENIED) { /* a log-in that is over is none */
        exchange->caller = (struct caller){.name = "anyone", .role = ROLE_ANYONE};
        return 0;
    }
    return failed ? failed
                  : access_form_token(session, &exchange->arena, &exchange->session, err);
}

int identify_caller(struct exchange *exchange, struct error *err)
{
    const struct world *world = world_of(exchange);
    const struct str bearer = bearer_of(exchange);
    const struct str session = exchange_cookie(exchange, LOGIN_COOKIE);
    const bool proxy = is_proxy(exchange);
    const struct str named =
        proxy ? exchange_header(exchange, world->settings.proxy_user) : (struct str){0};
    int failed = 0;
    if (proxy && str_eq_nocase(exchange_header(exchange, "X-Forwarded-Proto"), STR("https"))) {
        exchange->secure = true;
    }
    exchange->caller = (struct caller){.name = "anyone", .role = ROLE_ANYONE};
    if (named.ptr && (exchange_header_count(exchange, world->settings.proxy_user) > 1 ||
                      exchange_header_count(exchange, world->settings.proxy_groups) > 1)) {
        return error_set(err, ERROR_DENIED,
                         "the proxy names the user, or their groups, more than once: it has to "
                         "replace the header that the client sent");
    }
    if (bearer.ptr) {
        failed =
            access_by_token(world->service, bearer, &exchange->arena, &exchange->caller, err);
    } else if (exchange->on_socket) {
        exchange->caller = caller_local(world->service->store, exchange->uid, &exchange->arena);
        access_local(world->service->config, exchange->uid, &exchange->arena,
                     &exchange->caller);
    } else if (named.len > 0) {
        const struct str groups = exchange_header(exchange, world->settings.proxy_groups);
        failed = access_by_name(world->service, named, groups, &exchange->arena,
                                &exchange->caller, err);
    } else if (session.ptr) {
        failed = by_cookie(exchange, session, err);
    }
    exchange->caller.remote = true; /* files of this process are not theirs to name */
    return failed;
}

void identify_widen(struct exchange *exchange, const struct request *request)
{
    if (exchange->caller.role == ROLE_ANYONE && world_of(exchange)->settings.totals &&
        request_is_total(request)) {
        exchange->caller.role = ROLE_STAFF;
    }
}

int identify_check_site(const struct exchange *exchange, struct error *err)
{
    const struct str site = exchange_header(exchange, "Sec-Fetch-Site");
    return site.ptr && !str_eq(site, STR("same-origin")) && !str_eq(site, STR("none"))
               ? error_set(err, ERROR_DENIED, "the form is one of another site")
               : 0;
}

int identify_check_form(const struct exchange *exchange, struct error *err)
{
    struct str given = exchange_header(exchange, "X-CSRF-Token");
    given = given.ptr ? given : exchange_form(exchange, "csrf");
    int failed = identify_check_site(exchange, err);
    if (failed) {
        return failed;
    }
    if (!exchange->session.ptr || (given.ptr && sodium_same(given, exchange->session))) {
        return 0;
    }
    return error_set(err, ERROR_DENIED,
                     "the form is not one of this log-in: load the page again");
}
