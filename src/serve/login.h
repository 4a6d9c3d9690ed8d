/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Logging in and out, and how often it may be tried. A log-in is a cookie that only we can read (HttpOnly, SameSite=Strict), good
 * for as long as stint.conf says ([serve] session). Pages have their own form for it and call login_begin; programs post
 * to /api/v1/login.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "serve/exchange.h"

#define LOGIN_COOKIE "stint_session"

/* Failed attempts by address and by name. */
struct attempts;

struct attempts *attempts_new(void);
void attempts_free(struct attempts *attempts); /* accepts NULL */

/* Whether this one may try now: not after ATTEMPTS_MAX failures of late. Clock as of stop_clock. */
enum { ATTEMPTS_MAX = 10 };

#define ATTEMPTS_WINDOW_US INT64_C(300000000)

bool attempts_allow(struct attempts *attempts, struct str who, int64_t now);
void attempts_failed(struct attempts *attempts, struct str who, int64_t now);

/*
 * Checks name and password and sets the cookie of the reply. ERROR_DENIED: they are not right; ERROR_CONFLICT: it was tried too
 * often (429).
 */
int login_begin(struct exchange *exchange, struct str name, struct str password,
                struct error *err) MUST_CHECK;

/*
 * The same for somebody whom a provider vouches for, with groups (a list with commas between) that hold for as long as the log-in.
 */
int login_known(struct exchange *exchange, struct str name, struct str groups,
                struct error *err) MUST_CHECK;

/* The page to go to afterwards, if it is one of this site; else the first. */
struct str login_back(struct str wished);

/* Ends the log-in of the request, if it has one, and takes the cookie away. */
int login_end(struct exchange *exchange, struct error *err) MUST_CHECK;
