/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Who asks, by what the request says: the user of the machine on a Unix socket, as the kernel says; else nobody in
 * particular.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "serve/exchange.h"

/* Fills exchange->caller. */
int identify_caller(struct exchange *exchange, struct error *err) MUST_CHECK;
