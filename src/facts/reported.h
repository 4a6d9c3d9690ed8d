/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What somebody was written about, so that nobody is written to twice about the same: a rule, a login and what it was, a run or a
 * month.
 */

#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "facts/facts.h"

/* All of it: rule, user, what. */
int reported_all(struct facts *facts, struct table *out, struct error *err) MUST_CHECK;

/* Inside a transaction of the caller. */
int reported_put(struct facts *facts, int64_t at, struct str rule, struct str user,
                 struct str what, struct error *err) MUST_CHECK;
