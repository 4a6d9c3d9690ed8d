/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What those who answer requests work with: the store that the server owns, the site's settings, and the way to ask an
 * operation in the name of whoever asks.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "facts/store.h"
#include "serve/cache.h"
#include "serve/exchange.h"
#include "service/access/sodium.h"
#include "service/service.h"

struct http_serving;

struct attempts;
struct health;
struct inbox;
struct inlets;
struct openid;
struct refusals;
struct watch;

/* What [serve] of stint.conf says. */
struct world_settings {
    struct str listen;        /* where to listen, unless the command line says so; or null */
    bool totals;              /* anyone may see sums over everybody */
    struct str proxies;       /* addresses, separated by commas or blanks; or null */
    struct str proxy_uids;    /* users of the machine, likewise */
    const char *proxy_user;   /* header in which they name who asks */
    const char *proxy_groups; /* header in which they name the groups of who asks; or NULL */
    struct str address;       /* URL at which browsers reach the server; or null */
    int64_t session_us;       /* how long a login lasts */
};

struct world {
    struct store *store;
    const struct service *service; /* folder, config, zone, clock; no session and no caller */
    const char *prefix;            /* of all paths, as browsers see them: "" or "/stint" */
    struct http_serving *http;
    struct cache *cache;
    struct attempts *attempts; /* to log in */
    struct health *health;     /* whether the store can be used */
    struct refusals *refusals; /* of those who are not let in */
    struct inbox *inbox;       /* what agents sent */
    struct inlets *inlets;     /* what requests read from who asked them */
    struct openid *openid;     /* the provider of log-ins; NULL: there is none */
    struct watch *watch;       /* what was asked of late */
    struct world_settings settings;
    struct buf proxy_secret;          /* that a proxy must send; empty: none is asked for */
    char form_key[SODIUM_SECRET_MAX]; /* of form tokens without a session, and of tickets */
    int64_t began;                    /* when the server started */
};

/* Reads the section [serve]; `config` may be NULL. Text is the config's. */
struct world_settings world_settings_of(const struct config *config);

/* What replies depend on, as it is now. */
struct cache_state world_state(const struct world *world);

/* The world of an exchange. */
static inline const struct world *world_of(const struct exchange *exchange)
{
    return exchange->world;
}

/* What operations work with in the name of whoever asks, in a session of its own; borrows from the exchange. */
struct service world_service(const struct exchange *exchange, struct session *session);

/*
 * Asks an operation, as the exchange's caller, within the exchange's time; `zone` NULL: the site's calendar. The answer is as
 * of service_call: rows of listings go to its sink, if it has one.
 */
int world_ask(const struct exchange *exchange, const struct request *request,
              const struct zone *zone, struct answer *answer, struct error *err) MUST_CHECK;
