/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Server context shared by the handlers of requests: the store that the server owns, the site's
 * settings, and the call of an operation in the caller's name.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/store.h"
#include "serve/http/exchange.h"
#include "serve/http/reply_cache.h"
#include "service/access/sodium.h"
#include "service/core/service.h"

struct http_serving;

struct known_callers;
struct login_attempts;
struct health;
struct sample_inbox;
struct upload_channels;
struct openid;
struct refusals;
struct request_log;

/* What [serve] of stint.conf says. */
struct server_context_settings {
    struct str listen;        /* where to listen, unless the command line says so; or null */
    bool totals;              /* anyone may see sums over everybody */
    int64_t totals_window_us; /* of so much time at least; 0: of any */
    int64_t totals_users;     /* and of so many users in a row */
    struct str proxies;       /* addresses, separated by commas or blanks; or null */
    struct str proxy_uids;    /* users of the machine, likewise */
    const char *proxy_user;   /* header in which they name who asks */
    const char *proxy_groups; /* header in which they name the groups of who asks; or NULL */
    struct str address;       /* URL at which browsers reach the server; or null */
    int64_t session_us;       /* how long a login lasts */
};

struct server_context {
    struct store *store;
    const struct service *service; /* folder, config, zone, clock; no session and no caller */
    const char *prefix;            /* of all paths, as browsers see them: "" or "/stint" */
    struct http_serving *http;
    struct reply_cache *cache;
    struct login_attempts *attempts; /* to log in */
    struct known_callers *known;     /* whose tokens and sessions were seen lately */
    struct health *health;           /* whether the store can be used */
    struct refusals *refusals;       /* of those who are not let in */
    struct sample_inbox *inbox;      /* what agents sent */
    struct upload_channels *inlets;  /* what requests read from who asked them */
    struct openid *openid;           /* the provider of log-ins; NULL: none */
    struct request_log *watch;       /* recent requests */
    struct server_context_settings settings;
    struct buf proxy_secret;          /* that a proxy must send; empty: none is asked for */
    char form_key[SODIUM_SECRET_MAX]; /* of form tokens without a session, and of tickets */
    int64_t began;                    /* when the server started */
};

/* Reads the section [serve]; `config` may be NULL. Text is the config's. */
struct server_context_settings server_context_settings_of(const struct config *config);

/* Somebody without a login, who sees sums as coarse as the settings say. */
struct caller server_context_public_caller(const struct server_context *world,
                                           const char *name);

/* What replies depend on, as it is now. */
struct reply_cache_state server_context_state(const struct server_context *world);

/* The world of an exchange. */
static inline const struct server_context *server_context_of(const struct exchange *exchange)
{
    return exchange->world;
}

/*
 * What operations work with in the caller's name, in a session of its own; borrows from the
 * exchange.
 */
struct service server_context_service(const struct exchange *exchange, struct session *session);

/*
 * Asks an operation, as the exchange's caller, within the exchange's time; `zone` NULL: the
 * site's calendar. The answer is as of service_call: rows of listings go to its sink, if it has
 * one.
 */
int server_context_ask(const struct exchange *exchange, const struct request *request,
                       const struct zone *zone, struct answer *answer,
                       struct error *err) MUST_CHECK;
