/* SPDX-License-Identifier: MIT */
#include "serve/auth/login.h"

#include <inttypes.h>

#include "base/calendar.h"
#include "base/json.h"
#include "serve/auth/identify.h"
#include "serve/auth/login_attempts.h"
#include "serve/auth/refusals.h"
#include "serve/daemon/server_context.h"
#include "serve/http/problem.h"
#include "serve/http/routes.h"
#include "service/access/access.h"

/* --- logging in and out ------------------------------------------------------------------- */

static void set_cookie(struct exchange *exchange, const char *value, int64_t seconds)
{
    const char *prefix = server_context_of(exchange)->prefix;
    exchange_setf(exchange, "Set-Cookie",
                  LOGIN_COOKIE "=%s; Path=%s/; Max-Age=%" PRId64
                               "; HttpOnly; SameSite=Strict%s",
                  value, prefix, seconds, exchange->secure ? "; Secure" : "");
}

/*
 * After too many failures: whether this attempt is made by a ticket that is good; otherwise the
 * reply gets another one.
 */
static int check_turn(struct exchange *exchange, struct str name, struct error *err)
{
    const struct server_context *world = server_context_of(exchange);
    const int64_t now = stop_clock();
    const struct str held = exchange_cookie(exchange, WAIT_COOKIE);
    struct str ticket;
    if (login_attempts_allow(world->attempts, exchange->peer, name, now) ||
        login_attempts_redeem(world->attempts, world->form_key, exchange->peer, held, now)) {
        return 0;
    }
    refusals_add(world->refusals, world->service, "somebody", exchange->peer,
                 "login tried too often");
    int failed = login_attempts_ticket(world->form_key, exchange->peer, now, &exchange->arena,
                                       &ticket, err);
    if (failed) {
        return failed;
    }
    if (!held.ptr) { /* one that is not yet good stays */
        exchange_setf(exchange, "Set-Cookie",
                      WAIT_COOKIE "=%s; Path=%s/; Max-Age=300; HttpOnly; SameSite=Strict%s",
                      ticket.ptr, world->prefix, exchange->secure ? "; Secure" : "");
    }
    exchange_setf(exchange, "Retry-After", "%" PRId64, LOGIN_ATTEMPTS_WAIT_US / SECOND_US);
    return error_set(err, ERROR_CONFLICT,
                     "too many attempts from your address; try again in %" PRId64 " seconds",
                     LOGIN_ATTEMPTS_WAIT_US / SECOND_US);
}

/* What somebody said their name is, as the audit log keeps it. */
static const char *shown_name(struct exchange *exchange, struct str name)
{
    enum { SHOWN_MAX = 100 };

    return arena_printf(&exchange->arena, "%.*s",
                        name.len < SHOWN_MAX ? (int)name.len : SHOWN_MAX, name.ptr);
}

int login_begin(struct exchange *exchange, struct str name, struct str password,
                struct error *err)
{
    const struct server_context *world = server_context_of(exchange);
    const struct service *service = world->service;
    const int64_t lasts = world->settings.session_us;
    struct str session;
    int failed = identify_check_site(
        exchange, err); /* nobody is logged in as somebody else by a page elsewhere */
    failed = failed ? failed : check_turn(exchange, name, err);
    if (failed) {
        return failed;
    }
    if (name.len == 0 || name.len > 256 || password.len > ACCESS_PASSWORD_MAX) {
        return error_set(err, ERROR_DENIED, "wrong name or password");
    }
    failed = access_log_in(service, name, password, exchange->peer, service->now() + lasts,
                           &exchange->arena, &session, err);
    if (failed == ERROR_DENIED) {
        refusals_add(world->refusals, service, shown_name(exchange, name), exchange->peer,
                     "login refused");
        login_attempts_failed(world->attempts, exchange->peer, name, stop_clock());
    }
    if (!failed) {
        set_cookie(exchange, session.ptr, lasts / SECOND_US);
    }
    return failed;
}

int login_known(struct exchange *exchange, struct str name, struct str groups,
                struct error *err)
{
    const struct server_context *world = server_context_of(exchange);
    const int64_t lasts = world->settings.session_us;
    struct str session;
    int failed = access_let_in(world->service, name, groups, exchange->peer,
                               world->service->now() + lasts, &exchange->arena, &session, err);
    if (!failed) {
        set_cookie(exchange, session.ptr, lasts / SECOND_US);
    }
    return failed;
}

struct str login_back(struct str wished)
{
    bool own = wished.len > 1 && wished.ptr[0] == '/' && wished.ptr[1] != '/';
    for (size_t i = 0; i < wished.len; i++) {
        const unsigned char byte = (unsigned char)wished.ptr[i];
        own = own && byte > ' ' && byte < 0x7f && byte != '\\' && byte != ';';
    }
    return own ? wished : STR("/");
}

int login_end(struct exchange *exchange, struct error *err)
{
    const struct service *service = server_context_of(exchange)->service;
    const struct str session = exchange_cookie(exchange, LOGIN_COOKIE);
    int failed = session.ptr ? access_log_out(service, session, err) : 0;
    if (!failed) {
        set_cookie(exchange, "", 0);
        access_audit(service, exchange->caller.name, exchange->peer, "logged out");
    }
    return failed;
}

/* --- for programs ------------------------------------------------------------------------- */

static int show_caller(struct exchange *exchange, struct error *err)
{
    const struct caller *caller = &exchange->caller;
    struct buf text;
    struct json json = {.out = &text};
    buf_init(&text, EXCHANGE_WHOLE_MAX);
    json_begin_object(&json);
    json_put_key(&json, "name");
    json_put_text(&json, str_of(caller->name));
    json_put_key(&json, "role");
    json_put_text(&json, str_of(role_name(caller->role)));
    json_put_key(&json, "rights");
    json_begin_array(&json);
    for (size_t i = 0; i < right_count; i++) {
        if (caller_may(caller, right_rows[i].right)) {
            json_put_text(&json, str_of(right_rows[i].name));
        }
    }
    json_end_level(&json);
    json_put_key(&json, "logins");
    json_begin_array(&json);
    for (size_t i = 0; i < caller->login_count; i++) {
        json_put_text(&json, caller->logins[i]);
    }
    json_end_level(&json);
    if (exchange->session.ptr) {
        json_put_key(&json, "csrf");
        json_put_text(&json, exchange->session);
    }
    json_end_level(&json);
    buf_addc(&text, '\n');
    exchange_type(exchange, "application/json");
    int failed = exchange_write(exchange, buf_str(&text), err);
    buf_release(&text);
    return failed;
}

static int log_in(struct exchange *exchange, struct error *err)
{
    int failed = login_begin(exchange, exchange_form(exchange, "name"),
                             exchange_form(exchange, "password"), err);
    if (failed == ERROR_CONFLICT) {
        problem_write(exchange, 429, err);
        return 0;
    }
    if (failed == ERROR_DENIED) {
        problem_write(exchange, 403, err);
        return 0;
    }
    exchange->status = failed ? exchange->status : 204;
    return failed;
}

static int log_out(struct exchange *exchange, struct error *err)
{
    int failed = identify_check_form(exchange, err);
    failed = failed ? failed : login_end(exchange, err);
    exchange->status = failed ? exchange->status : 204;
    return failed;
}

static const struct route rows[] = {
    {"/api/v1/whoami", METHOD_GET, RIGHT_PUBLIC, show_caller},
    {"/api/v1/login", METHOD_POST, RIGHT_PUBLIC, log_in},
    {"/api/v1/logout", METHOD_POST, RIGHT_PUBLIC, log_out},
};

const struct route_table login_routes = {rows, COUNT_OF(rows), "/api/", problem_write};
