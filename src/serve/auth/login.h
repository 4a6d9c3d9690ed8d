/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Logging in and out. A log-in is a cookie that only we can read (HttpOnly, SameSite=Strict),
 * good for as long as stint.conf says ([serve] session). Pages have their own form for it and
 * call login_begin; programs post to /api/v1/login.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "serve/http/exchange.h"

#define LOGIN_COOKIE "stint_session"
#define WAIT_COOKIE  "stint_wait" /* a ticket of serve/auth/login_attempts.h */

/*
 * Checks name and password and sets the cookie of the reply. ERROR_DENIED: they are not right;
 * ERROR_CONFLICT: it was tried too often, and is to be tried again with the ticket that the
 * reply has (429).
 */
int login_begin(struct exchange *exchange, struct str name, struct str password,
                struct error *err) MUST_CHECK;

/*
 * The same for somebody whom a provider vouches for, with groups (a list with commas between)
 * that hold for as long as the log-in.
 */
int login_known(struct exchange *exchange, struct str name, struct str groups,
                struct error *err) MUST_CHECK;

/* The page to go to afterwards, if it is one of this site; else the first. */
struct str login_back(struct str wished);

/* Ends the log-in of the request, if it has one, and takes the cookie away. */
int login_end(struct exchange *exchange, struct error *err) MUST_CHECK;
