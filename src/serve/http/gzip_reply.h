/* SPDX-License-Identifier: MIT */
#pragma once

/* A reply in gzip, compressed as it is written. */

#include <stdbool.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"

struct gzip_reply;

struct gzip_reply *gzip_reply_new(void);
void gzip_reply_free(struct gzip_reply *deflating); /* accepts NULL */

/*
 * Compresses some more; *out is what is to be sent for it, and lasts until the next call.
 * `last` ends the stream.
 */
int gzip_reply_add(struct gzip_reply *deflating, struct str bytes, bool last, struct str *out,
                   struct error *err) MUST_CHECK;
