/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Who asks: by the kind of the listener (serve/http/listener.h) and by what the request brings.
 * In this order:
 *
 *     Authorization: Bearer    a token of the books (stint token)
 *     a local listener         the user of the peer process, as the kernel reports it
 *     a proxy                  the user that its header names
 *     a cookie                 a session after a login (serve/auth/login.h)
 *     anything else            anyone: sees what the site shows to all
 *
 * A peer of a proxy listener is the proxy if its user is one of 'proxy_uids' (Unix socket), or
 * its address one of 'proxy' (TCP) and the secret is right where the site has one. Of such a
 * peer, X-Forwarded-For names the client (its last entry, which the proxy itself has added),
 * X-Forwarded-Proto says whether the client's connection is encrypted, and X-Forwarded-Host
 * names the host that the client asked for.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "serve/http/exchange.h"
#include "service/core/service.h"

/* The token or session that the request brings; the null string if it brings neither. */
struct str identify_secret(const struct exchange *exchange);

/* Fills exchange->caller. ERROR_DENIED: it says who it is, and is not believed. */
int identify_caller(struct exchange *exchange, struct error *err) MUST_CHECK;

/*
 * Lets nobody in particular ask what the site shows to all: totals, unless stint.conf says
 * otherwise. The caller of the exchange is changed where the request is one of these.
 */
void identify_widen(struct exchange *exchange, const struct request *request);

/*
 * Whether a form was sent by a page of this site, as far as the browser says. ERROR_DENIED if
 * not.
 */
int identify_check_site(const struct exchange *exchange, struct error *err) MUST_CHECK;

/*
 * Whether a request that changes something was meant by its user. A browser adds a cookie, or
 * what a proxy asks for, to requests of any site's pages; so such a request must come from a
 * page of this site (Origin, or else Referer) and repeat what the page said (field `csrf`, or
 * header X-CSRF-Token). So must one on a local listener that a browser sends. Tokens are
 * exempt: no browser adds one by itself. ERROR_DENIED if it was not.
 */
int identify_check_form(const struct exchange *exchange, struct error *err) MUST_CHECK;
