/* SPDX-License-Identifier: MIT */
#include "serve/auth/identify.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "serve/auth/known_callers.h"
#include "serve/auth/login.h"
#include "serve/daemon/server_context.h"
#include "service/access/access.h"
#include "service/access/sodium.h"

static bool lists(struct str words, struct str word)
{
    struct str one;
    while (config_next_word(&words, &one)) {
        if (str_eq(one, word)) {
            return true;
        }
    }
    return false;
}

/* Whether 'proxy_uids' lists this user of the machine, by number or by name. */
static bool lists_uid(const struct exchange *exchange, struct str users)
{
    char number[16];
    struct arena arena = {0};
    snprintf(number, sizeof(number), "%u", exchange->uid);
    const bool found = lists(users, str_of(number)) ||
                       lists(users, str_of(caller_user_name(exchange->uid, &arena)));
    arena_release(&arena);
    return found;
}

/* Whether the peer is a proxy that stint.conf names, so that its headers are true. */
static bool is_proxy(const struct exchange *exchange)
{
    const struct server_context *world = server_context_of(exchange);
    const struct str secret = buf_str(&world->proxy_secret);
    if (exchange->listener != LISTENER_PROXY) {
        return false;
    }
    if (exchange->on_socket) {
        return lists_uid(exchange, world->settings.proxy_uids);
    }
    const struct str sent = exchange_header(exchange, "X-Proxy-Secret");
    return lists(world->settings.proxies, str_of(exchange->peer)) &&
           (secret.len == 0 || (sent.ptr && sodium_same(sent, secret)));
}

/* What the proxy says of its client. */
static void read_forwarded(struct exchange *exchange)
{
    struct in6_addr address;
    struct str rest = exchange_last_header(exchange, "X-Forwarded-For"), last = {0};
    while (rest.ptr) {
        last = str_trim(str_cut(&rest, ','));
    }
    char *client = last.ptr ? arena_printf(&exchange->arena, "%.*s", STR_ARG(last)) : NULL;
    if (client && (inet_pton(AF_INET, client, &address) == 1 ||
                   inet_pton(AF_INET6, client, &address) == 1)) {
        exchange->peer = client;
    }
    if (str_eq_nocase(exchange_header(exchange, "X-Forwarded-Proto"), STR("https"))) {
        exchange->secure = true;
    }
    exchange->forwarded_host = exchange_header(exchange, "X-Forwarded-Host");
}

/* "Bearer TOKEN"; the null string if it is nothing of the kind. */
static struct str bearer_of(const struct exchange *exchange)
{
    struct str rest = exchange_header(exchange, "Authorization");
    const struct str scheme = rest.ptr ? str_cut(&rest, ' ') : (struct str){0};
    return str_eq_nocase(scheme, STR("Bearer")) ? str_trim(rest) : (struct str){0};
}

struct str identify_secret(const struct exchange *exchange)
{
    const struct str bearer = bearer_of(exchange);
    return bearer.ptr ? bearer : exchange_cookie(exchange, LOGIN_COOKIE);
}

/* Its later requests are its caller's, before they are looked at. */
static void remember(const struct exchange *exchange, struct str secret)
{
    known_callers_put(server_context_of(exchange)->known, secret,
                      str_of(exchange->caller.name));
}

static int by_token(struct exchange *exchange, struct str token, struct error *err)
{
    const struct service *service = server_context_of(exchange)->service;
    int failed = access_by_token(service, token, &exchange->arena, &exchange->caller, err);
    if (!failed) {
        remember(exchange, token);
    }
    return failed;
}

static int by_cookie(struct exchange *exchange, struct str session, struct error *err)
{
    const struct service *service = server_context_of(exchange)->service;
    int failed = access_by_session(service, session, &exchange->arena, &exchange->caller, err);
    if (failed == ERROR_DENIED) { /* a log-in that is over does not count */
        exchange->caller = (struct caller){.name = "anyone", CALLER_AS(ANYONE)};
        return 0;
    }
    if (failed) {
        return failed;
    }
    remember(exchange, session);
    exchange->by_browser = true;
    return access_form_token(session, &exchange->arena, &exchange->session, err);
}

/*
 * The form token of a caller without a session: it follows from their name and a key of this
 * process, so that nobody can compute that of another.
 */
static int give_form_token(struct exchange *exchange, struct error *err)
{
    const struct str secret =
        str_of(arena_printf(&exchange->arena, "%s %s", server_context_of(exchange)->form_key,
                            exchange->caller.name));
    return access_form_token(secret, &exchange->arena, &exchange->session, err);
}

static int by_uid(struct exchange *exchange, struct error *err)
{
    const struct service *service = server_context_of(exchange)->service;
    exchange->caller = caller_local(service->store, exchange->uid, &exchange->arena);
    access_local(service->config, exchange->uid, &exchange->arena, &exchange->caller);
    exchange->by_browser = exchange_header(exchange, "Origin").ptr ||
                           exchange_header(exchange, "Referer").ptr ||
                           exchange_header(exchange, "Sec-Fetch-Site").ptr;
    return give_form_token(exchange, err);
}

static int by_proxy(struct exchange *exchange, struct str name, struct error *err)
{
    const struct server_context_settings *settings = &server_context_of(exchange)->settings;
    const char *header = settings->proxy_groups;
    if (exchange_header_count(exchange, settings->proxy_user) > 1 ||
        (header && exchange_header_count(exchange, header) > 1)) {
        return error_set(err, ERROR_DENIED,
                         "the proxy names the user, or their groups, more than once: it has to "
                         "replace the header that the client sent");
    }
    const struct str groups = header ? exchange_header(exchange, header) : (struct str){0};
    int failed = access_by_name(server_context_of(exchange)->service, name, groups,
                                &exchange->arena, &exchange->caller, err);
    if (failed) {
        return failed;
    }
    exchange->by_browser = true;
    return give_form_token(exchange, err);
}

int identify_caller(struct exchange *exchange, struct error *err)
{
    const struct server_context *world = server_context_of(exchange);
    const struct str bearer = bearer_of(exchange);
    const struct str session = exchange_cookie(exchange, LOGIN_COOKIE);
    const bool proxy = is_proxy(exchange);
    const struct str named =
        proxy ? exchange_header(exchange, world->settings.proxy_user) : (struct str){0};
    int failed = 0;
    if (proxy) {
        read_forwarded(exchange);
    }
    exchange->secure = exchange->secure || str_starts(world->settings.address, STR("https://"));
    exchange->caller = (struct caller){.name = "anyone", CALLER_AS(ANYONE)};
    if (bearer.ptr) {
        failed = by_token(exchange, bearer, err);
    } else if (exchange->listener == LISTENER_LOCAL && exchange->on_socket) {
        failed = by_uid(exchange, err);
    } else if (named.len > 0) {
        failed = by_proxy(exchange, named, err);
    } else if (session.ptr) {
        failed = by_cookie(exchange, session, err);
    }
    exchange->caller.remote = true; /* files of this process are not theirs to name */
    return failed;
}

void identify_widen(struct exchange *exchange, const struct request *request)
{
    if (exchange->caller.role == ROLE_ANYONE && server_context_of(exchange)->settings.totals &&
        request_is_total(request)) {
        exchange->caller =
            server_context_public_caller(server_context_of(exchange), exchange->caller.name);
    }
}

/*
 * "stint.example.org:8443" of "https://stint.example.org:8443/page"; a default port does not
 * count.
 */
static struct str host_of_url(struct str url)
{
    struct str rest = url;
    if (str_starts(url, STR("https://"))) {
        rest = (struct str){url.ptr + 8, url.len - 8};
    } else if (str_starts(url, STR("http://"))) {
        rest = (struct str){url.ptr + 7, url.len - 7};
    } else {
        return (struct str){0};
    }
    return str_cut(&rest, '/');
}

static struct str without_port(struct str host)
{
    const struct str defaults[] = {STR(":80"), STR(":443")};
    for (size_t i = 0; i < COUNT_OF(defaults); i++) {
        if (str_ends(host, defaults[i])) {
            host.len -= defaults[i].len;
            return host;
        }
    }
    return host;
}

static bool same_host(struct str a, struct str b)
{
    return a.len > 0 && b.len > 0 && str_eq_nocase(without_port(a), without_port(b));
}

/*
 * Whether the page that sent the request is one of this site: of the host that the client asked
 * for, or of the address in stint.conf. The scheme does not count: what is behind a proxy that
 * encrypts is served without encryption.
 */
static bool is_own_page(const struct exchange *exchange, struct str page)
{
    const struct str host = host_of_url(page);
    return same_host(host, exchange_header(exchange, "Host")) ||
           same_host(host, exchange->forwarded_host) ||
           same_host(host, host_of_url(server_context_of(exchange)->settings.address));
}

int identify_check_site(const struct exchange *exchange, struct error *err)
{
    const struct str site = exchange_header(exchange, "Sec-Fetch-Site");
    const struct str origin = exchange_header(exchange, "Origin");
    if ((site.ptr && !str_eq(site, STR("same-origin")) && !str_eq(site, STR("none"))) ||
        (origin.ptr && !is_own_page(exchange, origin))) {
        return error_set(
            err, ERROR_DENIED,
            "the form is one of another site; if it is not, set 'address' in "
            "[serve] of stint.conf to the URL at which browsers reach this server");
    }
    return 0;
}

int identify_check_form(const struct exchange *exchange, struct error *err)
{
    struct str given = exchange_header(exchange, "X-CSRF-Token");
    struct str page = exchange_header(exchange, "Origin");
    given = given.ptr ? given : exchange_form(exchange, "csrf");
    page = page.ptr ? page : exchange_header(exchange, "Referer");
    int failed = identify_check_site(exchange, err);
    if (failed || !exchange->by_browser) {
        return failed;
    }
    if (!is_own_page(exchange, page)) {
        return error_set(err, ERROR_DENIED,
                         "the request does not say which page it comes from (Origin or "
                         "Referer); programs use a token, see: stint help token");
    }
    if (!given.ptr || !exchange->session.ptr || !sodium_same(given, exchange->session)) {
        return error_set(err, ERROR_DENIED,
                         "the form is not one of this log-in: load the page again");
    }
    return 0;
}
