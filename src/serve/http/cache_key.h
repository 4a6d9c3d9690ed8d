/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What replies are kept by (serve/http/reply_cache.h): texts with their lengths, so that no two
 * keys are alike.
 */

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"
#include "service/core/caller.h"

void cache_key_add(struct buf *key, const struct str *texts, size_t count);

/*
 * The caller, with all that an answer may depend on. Their name, too: two members of staff see
 * the same runs, but each has views and tokens of their own.
 */
void cache_key_add_caller(struct buf *key, const struct caller *caller);
