/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Logging in with a provider that the site trusts ([openid] of stint.conf): OpenID Connect, the
 * authorization code flow with PKCE.
 *
 *     GET /login/openid           sends the browser to the provider
 *     GET /login/openid/return    takes it back, with a code that is exchanged for an ID token
 *
 * What must be the same on the way out and back (state, nonce, the verifier of PKCE) follows
 * from a secret in a cookie of this browser, so that the server keeps nothing about a log-in
 * that is under way, and nobody can finish one in another's browser.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "config/config.h"
#include "serve/http/route.h"

/*
 * What is known of the provider: its addresses and keys, asked for when they are first needed
 * and kept for a while.
 */
struct openid;

/*
 * By the section [openid]; NULL in `out` without that section. ERROR_USAGE: what it says cannot
 * be. `address` is where browsers reach this server. Both are borrowed.
 */
int openid_new(const struct config *config, const char *address, struct openid **out,
               struct error *err) MUST_CHECK;
void openid_free(struct openid *openid); /* accepts NULL */

/* What the link on the log-in page says. */
const char *openid_label(const struct openid *openid);
