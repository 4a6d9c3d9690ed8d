/* SPDX-License-Identifier: MIT */
#pragma once

/* A reply in gzip, compressed as it is written. */

#include <stdbool.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

struct deflating;

struct deflating *deflating_new(void);
void deflating_free(struct deflating *deflating); /* accepts NULL */

/* Compresses some more; *out is what is to be sent for it, and lasts until the next call. `last` ends the stream. */
int deflating_add(struct deflating *deflating, struct str bytes, bool last, struct str *out,
                  struct error *err) MUST_CHECK;
