/* SPDX-License-Identifier: MIT */
#pragma once

/* A failed request, as programs read it: application/problem+json (RFC 9457). */

#include "base/error.h"
#include "serve/http/exchange.h"

/*
 * {"type":"about:blank","title":"Not Found","status":404,"detail":"no run of job '17' is
 * known"}
 */
void problem_write(struct exchange *exchange, int status, const struct error *err);
