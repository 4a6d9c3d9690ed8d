/* SPDX-License-Identifier: MIT */
#pragma once

/* What replies are kept by (serve/cache.h): texts with their lengths, so that no two keys are alike. */

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"
#include "service/caller.h"

void cache_key_add(struct buf *key, const struct str *texts, size_t count);

/* Whoever asks, as far as what they may see goes: their role, and below staff what is theirs and what they manage. */
void cache_key_add_scope(struct buf *key, const struct caller *caller);
