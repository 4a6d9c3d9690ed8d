/* SPDX-License-Identifier: MIT */
#pragma once

/* The pages over HTTP, for those who log somebody in. */

#include "base/attribute.h"
#include "base/error.h"
#include "serve/http/exchange.h"

/* Answers with the page for logging in, which says the sentence of `err`, and that status. */
int site_refuse(struct exchange *exchange, int status, struct error *err) MUST_CHECK;
