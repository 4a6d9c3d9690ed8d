/* SPDX-License-Identifier: MIT */
#include "serve/auth/openid.h"

#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/calendar.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/url.h"
#include "reach/http_client.h"
#include "serve/auth/id_token.h"
#include "serve/auth/login.h"
#include "serve/auth/login_attempts.h"
#include "serve/auth/refusals.h"
#include "serve/auth/signature.h"
#include "serve/daemon/server_context.h"
#include "serve/http/http_server.h"
#include "serve/http/problem.h"
#include "serve/http/routes.h"
#include "serve/http/site.h"
#include "service/access/access.h"
#include "service/access/grant.h"
#include "service/access/sodium.h"

#define OPENID_COOKIE "stint_openid"
#define OPENID_RETURN "/login/openid/return"

enum {
    LOGIN_SECONDS = 600,    /* how long somebody may take at the provider */
    ANSWER_MAX = 256 << 10, /* bytes of what the provider says */
    BACK_MAX = 1024,        /* bytes of the page to go back to */
    GROUPS_TEXT_MAX = 2048, /* bytes of the groups that a cookie keeps */
    ASK_US = 10000000,      /* for one answer of the provider */
};

#define KEPT_US  INT64_C(3600000000) /* how long its addresses and keys are good */
#define AGAIN_US INT64_C(60000000)   /* a key that is not known is asked for no more often */
#define RETRY_US INT64_C(30000000)   /* a provider that failed is asked again no sooner */

struct openid {
    const struct config_section *section;
    const char *address;
    pthread_mutex_t guard;
    /* of the provider, with when that was asked (as of stop_clock); NULL: not yet */
    json_t *place, *keys;
    int64_t asked;
    int64_t renewed; /* when a key was not known the last time; 0: never */
    bool asking;     /* some request asks the provider now, without the guard */
    int64_t failed;  /* when the provider failed, with the reason below; 0: it did not since */
    struct error why;
};

static struct str setting(const struct openid *openid, enum config_openid_key key)
{
    return config_text(openid->section, &config_openid_keys[key]);
}

/* Encrypted, or on this machine. */
static bool is_safe(struct str address)
{
    static const char *const beginnings[] = {"https://", "http://127.0.0.1", "http://localhost",
                                             "http://[::1]"};
    for (size_t i = 0; i < COUNT_OF(beginnings); i++) {
        const struct str start = str_of(beginnings[i]);
        if (str_starts(address, start) &&
            (i == 0 || address.len == start.len || strchr(":/", address.ptr[start.len]))) {
            return address.len > start.len || i > 0;
        }
    }
    return false;
}

int openid_new(const struct config *config, const char *address, struct openid **out,
               struct error *err)
{
    const struct config_section *section =
        config ? config_find(config, STR("openid"), (struct str){0}) : NULL;
    *out = NULL;
    if (!section) {
        return 0;
    }
    const struct str issuer = config_text(section, &config_openid_keys[CONFIG_OPENID_ISSUER]);
    if (!is_safe(issuer)) {
        return error_set(err, ERROR_USAGE, "'%s', line %u: issuer must begin with https://",
                         config->path, section->line);
    }
    if (!address) {
        return error_set(
            err, ERROR_USAGE,
            "'%s', line %u: [openid] needs the address of this server: set address "
            "in [serve]",
            config->path, section->line);
    }
    *out = mem_alloc(1, sizeof(**out));
    **out = (struct openid){.section = section, .address = address};
    pthread_mutex_init(&(*out)->guard, NULL);
    return 0;
}

void openid_free(struct openid *openid)
{
    if (openid) {
        json_decref(openid->place);
        json_decref(openid->keys);
        pthread_mutex_destroy(&openid->guard);
        free(openid);
    }
}

const char *openid_label(const struct openid *openid)
{
    return setting(openid, CONFIG_OPENID_LABEL).ptr;
}

/* --- asking the provider ------------------------------------------------------------------ */

/* Asks one address, by POST if there is a body; what comes is an object. */
static int fetch_json(const struct openid *openid, struct str url, struct str body,
                      const struct http_header *headers, struct exchange *exchange,
                      json_t **out, struct error *err)
{
    struct arena *arena = &exchange->arena;
    const char *slashes = strstr(arena_text(arena, url), "://");
    const char *path = slashes ? strchr(slashes + 3, '/') : NULL;
    const struct str authority = setting(openid, CONFIG_OPENID_CA);
    const size_t rest = path ? strlen(path) : 0;
    const struct http_server server = {
        .address = arena_text(arena, (struct str){url.ptr, url.len - rest}),
        .authority = authority.len ? authority.ptr : NULL,
        .headers = headers,
        .timeout_us = ASK_US,
        .limit = ANSWER_MAX,
        .stop = &exchange->stop,
    };
    struct http_answer answer = {.body = SPOOL_NONE};
    struct http *http = NULL;
    struct buf text;
    json_error_t why;
    buf_init(&text, ANSWER_MAX);
    /* The provider may be slow: another worker takes the place of this one meanwhile. */
    struct http_serving *serving = server_context_of(exchange)->http;
    if (!http_step_out(serving, exchange)) {
        buf_release(&text);
        return error_set(err, ERROR_CONFLICT,
                         "too many logins wait for the provider; try again in a minute");
    }
    int failed = http_open(&server, &http, err);
    if (!failed) {
        failed = body.ptr ? http_post(http, path ? path : "/", body, &answer, err)
                          : http_get(http, path ? path : "/", 0, &answer, err);
    }
    failed = failed ? failed : spool_text(&answer.body, &text, err);
    *out = failed ? NULL : json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES, &why);
    if (!failed && (answer.status != 200 || !json_is_object(*out))) {
        const char *said = json_string_value(json_object_get(*out, "error"));
        failed = error_set(err, ERROR_IO, "'%s' answers %d%s%.64s", server.address,
                           answer.status, said ? ": " : "", said ? said : "");
        json_decref(*out);
        *out = NULL;
    }
    spool_close(&answer.body);
    http_close(http);
    http_step_in(serving, exchange);
    buf_release(&text);
    return failed;
}

static struct str place_of(const json_t *place, const char *name)
{
    return str_of(json_string_value(json_object_get(place, name)));
}

/* Its addresses (OpenID Connect Discovery 1.0): its own name must be the one we trust. */
static int find_place(const struct openid *openid, struct exchange *exchange, json_t **out,
                      struct error *err)
{
    static const char *const needed[] = {"authorization_endpoint", "token_endpoint",
                                         "jwks_uri"};
    const struct http_header none[] = {{0}};
    struct str issuer = setting(openid, CONFIG_OPENID_ISSUER);
    const struct str base = {issuer.ptr, issuer.len - (issuer.ptr[issuer.len - 1] == '/')};
    const char *url =
        arena_printf(&exchange->arena, "%.*s/.well-known/openid-configuration", STR_ARG(base));
    int failed = fetch_json(openid, str_of(url), (struct str){0}, none, exchange, out, err);
    if (!failed && !str_eq(place_of(*out, "issuer"), issuer)) {
        failed = error_set(err, ERROR_INPUT, "'%s' is about another issuer", url);
    }
    for (size_t i = 0; !failed && i < COUNT_OF(needed); i++) {
        if (!is_safe(place_of(*out, needed[i]))) {
            failed = error_set(err, ERROR_INPUT, "'%s' has no %s with https", url, needed[i]);
        }
    }
    if (failed) {
        json_decref(*out);
        *out = NULL;
    }
    return failed;
}

/*
 * Asks for the provider's addresses and keys, which become those of `openid`. Under its guard,
 * which it leaves meanwhile.
 */
static void renew(struct openid *openid, struct exchange *exchange)
{
    const struct http_header none[] = {{0}};
    json_t *place = NULL, *keys = NULL;
    struct error why = {0};
    openid->asking = true;
    pthread_mutex_unlock(&openid->guard);
    int failed = find_place(openid, exchange, &place, &why);
    failed = failed ? failed
                    : fetch_json(openid, place_of(place, "jwks_uri"), (struct str){0}, none,
                                 exchange, &keys, &why);
    pthread_mutex_lock(&openid->guard);
    openid->asking = false;
    if (failed) {
        json_decref(place);
        openid->failed = stop_clock();
        openid->why = why;
        return;
    }
    json_decref(openid->place);
    json_decref(openid->keys);
    openid->place = place;
    openid->keys = keys;
    openid->asked = stop_clock();
    openid->failed = 0;
}

/*
 * The provider's addresses and keys, as of now or a while ago; `again`: its keys may have
 * changed. Both are the caller's. One request at a time asks the provider, and none for a while
 * after it failed: meanwhile the others do with what is known, or fail at once.
 */
static int know(struct openid *openid, bool again, struct exchange *exchange, json_t **place,
                json_t **keys, struct error *err)
{
    int failed = 0;
    pthread_mutex_lock(&openid->guard);
    const int64_t now = stop_clock();
    const bool wanted = !openid->place || now - openid->asked > KEPT_US ||
                        (again && (!openid->renewed || now - openid->renewed > AGAIN_US));
    const bool resting = openid->failed && now - openid->failed < RETRY_US;
    if (wanted && !openid->asking && !resting) {
        openid->renewed = again ? now : openid->renewed;
        renew(openid, exchange);
    }
    if (!openid->place || now - openid->asked > 2 * KEPT_US) {
        failed = openid->failed ? error_set(err, openid->why.kind, "%s", openid->why.text)
                                : error_set(err, ERROR_CONFLICT,
                                            "the provider is being asked for its keys; try "
                                            "again in a minute");
    }
    *place = failed ? NULL : json_deep_copy(openid->place);
    *keys = failed ? NULL : json_deep_copy(openid->keys);
    pthread_mutex_unlock(&openid->guard);
    return failed;
}

/* --- the way out -------------------------------------------------------------------------- */

/* What follows from the secret of the cookie. */
struct way {
    struct str secret, back;
    char state[SODIUM_HASH_MAX], nonce[SODIUM_HASH_MAX], verifier[SODIUM_HASH_MAX];
};

static int derive(struct way *way, struct error *err)
{
    int failed;
    (void)((failed = sodium_hash("openid state", way->secret, way->state, err)) ||
           (failed = sodium_hash("openid nonce", way->secret, way->nonce, err)) ||
           (failed = sodium_hash("openid verifier", way->secret, way->verifier, err)));
    return failed;
}

static void set_cookie(struct exchange *exchange, const char *value, int seconds)
{
    /* Lax: it must come along when the provider sends the browser back */
    exchange_setf(exchange, "Set-Cookie",
                  OPENID_COOKIE "=%s; Path=%s/login/openid; Max-Age=%d; HttpOnly; "
                                "SameSite=Lax%s",
                  value, server_context_of(exchange)->prefix, seconds,
                  exchange->secure ? "; Secure" : "");
}

static const char *return_address(const struct openid *openid, struct arena *arena)
{
    return arena_printf(arena, "%s" OPENID_RETURN, openid->address);
}

static int add_challenge(struct buf *url, const struct way *way, struct error *err)
{
    char hash[SIGNATURE_HASH];
    struct buf challenge;
    int failed = signature_sha256(str_of(way->verifier), hash, err);
    if (failed) {
        return failed;
    }
    buf_init(&challenge, LIMIT_ARGUMENT);
    base64_add_url(&challenge, (struct str){hash, sizeof(hash)});
    url_add(url, "code_challenge", buf_str(&challenge));
    url_add(url, "code_challenge_method", STR("S256"));
    buf_release(&challenge);
    return 0;
}

static int send_out(struct exchange *exchange, const json_t *place, const struct way *way,
                    struct error *err)
{
    const struct openid *openid = server_context_of(exchange)->openid;
    struct buf url, cookie;
    buf_init(&url, LIMIT_ARGUMENT);
    buf_init(&cookie, LIMIT_ARGUMENT);
    buf_add(&url, place_of(place, "authorization_endpoint"));
    url_add(&url, "response_type", STR("code"));
    url_add(&url, "client_id", setting(openid, CONFIG_OPENID_CLIENT_ID));
    url_add(&url, "redirect_uri", str_of(return_address(openid, &exchange->arena)));
    url_add(&url, "scope", setting(openid, CONFIG_OPENID_SCOPES));
    url_add(&url, "state", str_of(way->state));
    url_add(&url, "nonce", str_of(way->nonce));
    int failed = add_challenge(&url, way, err);
    if (!failed) {
        buf_add(&cookie, way->secret);
        buf_addc(&cookie, '.');
        base64_add_url(&cookie, way->back);
        set_cookie(exchange, cookie.ptr, LOGIN_SECONDS);
        exchange_redirect(exchange, 303, arena_text(&exchange->arena, buf_str(&url)));
    }
    buf_release(&url);
    buf_release(&cookie);
    return failed;
}

static int begin_openid_login(struct exchange *exchange, struct error *err)
{
    struct openid *openid = server_context_of(exchange)->openid;
    char secret[SODIUM_SECRET_MAX];
    json_t *place = NULL, *keys = NULL;
    struct way way = {.back = login_back(exchange_query(exchange, "back"))};
    int failed;
    if (!openid) {
        return error_set(err, ERROR_MISSING, "there is no such page");
    }
    if (way.back.len > BACK_MAX) {
        way.back = STR("/");
    }
    (void)((failed = sodium_secret("", secret, err)) ||
           (failed = know(openid, false, exchange, &place, &keys, err)));
    way.secret = str_of(secret);
    (void)(failed || (failed = derive(&way, err)) ||
           (failed = send_out(exchange, place, &way, err)));
    json_decref(place);
    json_decref(keys);
    if (failed) {
        error_prepend(err, "the provider of logins cannot be used: ");
        refusals_add(server_context_of(exchange)->refusals,
                     server_context_of(exchange)->service, "somebody", exchange->peer,
                     err->text);
    }
    return failed ? site_refuse(exchange, 502, err) : 0;
}

/* --- the way back ------------------------------------------------------------------------- */

/* The cookie of this browser, if the state is the one that went out with it. */
static int find_way(struct exchange *exchange, struct way *way, struct error *err)
{
    const struct openid *openid = server_context_of(exchange)->openid;
    struct str rest = exchange_cookie(exchange, OPENID_COOKIE);
    const struct str state = exchange_query(exchange, "state");
    const struct str issuer = exchange_query(exchange, "iss");
    way->secret = rest.ptr ? str_cut(&rest, '.') : (struct str){0};
    if (!way->secret.len || !rest.ptr || !base64_read_url(rest, &exchange->arena, &way->back)) {
        return error_set(
            err, ERROR_DENIED,
            "this browser has no login in progress, or it took too long: try again");
    }
    way->back = login_back(way->back);
    int failed = derive(way, err);
    if (!failed && (!state.ptr || !sodium_same(state, str_of(way->state)))) {
        failed =
            error_set(err, ERROR_DENIED, "this is not the login that began in this browser");
    }
    if (!failed && issuer.ptr && !str_eq(issuer, setting(openid, CONFIG_OPENID_ISSUER))) {
        failed = error_set(err, ERROR_DENIED, "another provider answered");
    }
    return failed;
}

/*
 * "Basic ...": our name and secret, each encoded (RFC 6749, 2.3.1); NULL for a client without a
 * secret.
 */
static const char *authorization(const struct openid *openid, struct arena *arena)
{
    const struct str secret = setting(openid, CONFIG_OPENID_CLIENT_SECRET);
    struct buf pair, header;
    if (!secret.len) {
        return NULL;
    }
    buf_init(&pair, LIMIT_ARGUMENT);
    buf_init(&header, LIMIT_ARGUMENT);
    url_encode(&pair, setting(openid, CONFIG_OPENID_CLIENT_ID));
    buf_addc(&pair, ':');
    url_encode(&pair, secret);
    buf_addz(&header, "Basic ");
    base64_add(&header, buf_str(&pair));
    const char *text = arena_text(arena, buf_str(&header));
    buf_release(&pair);
    buf_release(&header);
    return text;
}

static void add_field(struct buf *body, const char *name, struct str value)
{
    buf_addf(body, "%s%s=", body->len ? "&" : "", name);
    url_encode(body, value);
}

/* The ID token for the code. */
static int exchange_code(struct exchange *exchange, const json_t *place, const struct way *way,
                         struct str *token, struct error *err)
{
    const struct openid *openid = server_context_of(exchange)->openid;
    const char *who = authorization(openid, &exchange->arena);
    const struct http_header headers[] = {
        {"Content-Type", "application/x-www-form-urlencoded"},
        {who ? "Authorization" : NULL, who},
        {0},
    };
    struct buf body;
    json_t *answer = NULL;
    buf_init(&body, LIMIT_ARGUMENT);
    add_field(&body, "grant_type", STR("authorization_code"));
    add_field(&body, "code", exchange_query(exchange, "code"));
    add_field(&body, "redirect_uri", str_of(return_address(openid, &exchange->arena)));
    add_field(&body, "client_id", setting(openid, CONFIG_OPENID_CLIENT_ID));
    add_field(&body, "code_verifier", str_of(way->verifier));
    int failed = fetch_json(openid, place_of(place, "token_endpoint"), buf_str(&body), headers,
                            exchange, &answer, err);
    const char *text = json_string_value(json_object_get(answer, "id_token"));
    if (!failed && !text) {
        failed = error_set(err, ERROR_DENIED, "the provider gave no ID token");
    }
    *token = failed ? (struct str){0} : arena_copy(&exchange->arena, str_of(text));
    json_decref(answer);
    buf_release(&body);
    return failed;
}

static int read_token(struct exchange *exchange, struct str token, const struct way *way,
                      const json_t *keys, struct id_token_claims *claims, struct error *err)
{
    const struct server_context *world = server_context_of(exchange);
    const struct id_token_wish wish = {
        .issuer = setting(world->openid, CONFIG_OPENID_ISSUER),
        .client = setting(world->openid, CONFIG_OPENID_CLIENT_ID),
        .nonce = str_of(way->nonce),
        .now_s = world->service->now() / SECOND_US,
        .user_claim = setting(world->openid, CONFIG_OPENID_USER_CLAIM),
        .groups_claim = setting(world->openid, CONFIG_OPENID_GROUPS_CLAIM),
    };
    return id_token_read(token, keys, &wish, &exchange->arena, claims, err);
}

/* Who it is; keys are asked for again if the token was signed with one that is new. */
static int find_claims(struct exchange *exchange, const struct way *way,
                       struct id_token_claims *claims, struct error *err)
{
    struct openid *openid = server_context_of(exchange)->openid;
    json_t *place = NULL, *keys = NULL;
    struct str token = {0};
    int failed;
    (void)((failed = know(openid, false, exchange, &place, &keys, err)) ||
           (failed = exchange_code(exchange, place, way, &token, err)) ||
           (failed = read_token(exchange, token, way, keys, claims, err)));
    if (failed == ERROR_MISSING && token.ptr) {
        json_decref(place);
        json_decref(keys);
        failed = know(openid, true, exchange, &place, &keys, err);
        failed = failed ? failed : read_token(exchange, token, way, keys, claims, err);
    }
    json_decref(place);
    json_decref(keys);
    return failed == ERROR_MISSING ? error_set(err, ERROR_DENIED,
                                               "the signature is of no key "
                                               "that the provider has")
                                   : failed;
}

/* Those that some rule is about, with commas between: the others say nothing here. */
static struct str known_groups(struct exchange *exchange, const struct id_token_claims *claims)
{
    struct buf text;
    buf_init(&text, GROUPS_TEXT_MAX);
    for (size_t i = 0; i < claims->group_count; i++) {
        if (grant_knows(server_context_of(exchange)->service->config, claims->groups[i]) &&
            text.len + claims->groups[i].len + 1 < GROUPS_TEXT_MAX) {
            buf_addz(&text, text.len ? "," : "");
            buf_add(&text, claims->groups[i]);
        }
    }
    const struct str copy = arena_copy(&exchange->arena, buf_str(&text));
    buf_release(&text);
    return copy;
}

/*
 * A page of our own in between: a redirect that another site began would not have the cookie of
 * the log-in along.
 */
static int go_on(struct exchange *exchange, const struct way *way, struct error *err)
{
    static const char page[] = "<!doctype html>\n<title>Logged in</title>\n<p>Logged in.\n";
    exchange_setf(exchange, "Refresh", "0; url=%s%.*s", server_context_of(exchange)->prefix,
                  STR_ARG(way->back));
    exchange_type(exchange, "text/html; charset=utf-8");
    set_cookie(exchange, "", 0);
    return exchange_write(exchange, STR(page), err);
}

static int come_back(struct exchange *exchange, struct way *way, struct error *err)
{
    const struct str refused = exchange_query(exchange, "error");
    struct id_token_claims claims = {0};
    int failed = find_way(exchange, way, err);
    if (!failed && refused.ptr) {
        failed = error_set(err, ERROR_DENIED, "the provider refused: %.*s",
                           refused.len > 64 ? 64 : (int)refused.len, refused.ptr);
    }
    failed = failed ? failed : find_claims(exchange, way, &claims, err);
    return failed ? failed
                  : login_known(exchange, claims.user, known_groups(exchange, &claims), err);
}

static int finish(struct exchange *exchange, struct error *err)
{
    const struct server_context *world = server_context_of(exchange);
    struct way way = {0};
    if (!world->openid) {
        return error_set(err, ERROR_MISSING, "there is no such page");
    }
    if (!login_attempts_allow(world->attempts, exchange->peer, STR("openid"), stop_clock())) {
        error_set(err, ERROR_CONFLICT, "too many attempts; try again in a few minutes");
        return site_refuse(exchange, 429, err);
    }
    int failed = come_back(exchange, &way, err);
    if (failed == ERROR_DENIED) {
        login_attempts_failed(world->attempts, exchange->peer, STR("openid"), stop_clock());
    }
    if (failed) {
        error_prepend(err, "the login failed: ");
        refusals_add(world->refusals, world->service, "somebody", exchange->peer, err->text);
        return site_refuse(exchange, failed == ERROR_DENIED ? 403 : 502, err);
    }
    return go_on(exchange, &way, err);
}

static const struct route rows[] = {
    {"/login/openid", METHOD_GET, RIGHT_PUBLIC, begin_openid_login},
    {OPENID_RETURN, METHOD_GET, RIGHT_PUBLIC, finish},
};

const struct route_table openid_routes = {rows, COUNT_OF(rows), "/login/openid", problem_write};
