/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Who asks, by what the request says. In this order:
 *
 *     a Unix socket            the user of the machine, as the kernel says
 *     Authorization: Bearer    a token of the books (stint token)
 *     a cookie                 a log-in (serve/login.h)
 *     anything else            nobody in particular: sees what the site shows to all
 */

#include "base/attribute.h"
#include "base/error.h"
#include "serve/exchange.h"
#include "service/service.h"

/* Fills exchange->caller. ERROR_DENIED: it says who it is, and is not believed. */
int identify_caller(struct exchange *exchange, struct error *err) MUST_CHECK;

/*
 * Lets nobody in particular ask what the site shows to all: totals, unless stint.conf says otherwise. The caller of the
 * exchange is changed where the request is one of these.
 */
void identify_widen(struct exchange *exchange, const struct request *request);

/* Whether a form was sent by a page of this site, as far as the browser says. ERROR_DENIED if not. */
int identify_check_site(const struct exchange *exchange, struct error *err) MUST_CHECK;

/*
 * Whether a request that changes something was meant: one that a browser sends by itself, with a cookie, must repeat what the
 * page said (field `csrf`, or header X-CSRF-Token). ERROR_DENIED if not.
 */
int identify_check_form(const struct exchange *exchange, struct error *err) MUST_CHECK;
