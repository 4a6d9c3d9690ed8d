/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Replies that were made before, by what was asked. One is good for as long as nothing was
 * written since (the store's generation, the books' files) and its time has not come: an answer
 * about the past lasts, one about now a few seconds. Any thread.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

struct reply_cache;

/* What the stored things depend on. */
struct reply_cache_state {
    uint64_t generation; /* of the store */
    uint64_t books;      /* a hash of when the books' files were written */
};

struct cached {
    struct str type, tag, body; /* Content-Type, ETag */
    struct str as_of, warning;  /* headers about its age; empty: it has none */
};

struct reply_cache *reply_cache_new(size_t bytes_max);
void reply_cache_free(struct reply_cache *cache); /* accepts NULL */

/* Copies what is there into the arena; false: nothing good. `now` on stop_clock's clock. */
bool reply_cache_find(struct reply_cache *cache, struct str key, struct reply_cache_state state,
                      int64_t now, struct arena *arena, struct cached *out);

/*
 * The same for replies that are long in the making and asked for by many: who finds nothing is
 * to make it, and to say so by reply_cache_made, kept or not; others who ask for it meanwhile
 * wait for that, once, and make it themselves where it was not kept.
 */
bool reply_cache_await(struct reply_cache *cache, struct str key,
                       struct reply_cache_state state, int64_t now, struct arena *arena,
                       struct cached *out);
void reply_cache_made(struct reply_cache *cache, struct str key);

/* Keeps a copy until `until`. Older ones go when there is no room. */
void reply_cache_keep(struct reply_cache *cache, struct str key, struct reply_cache_state state,
                      int64_t until, const struct cached *reply);

/* How often something was found and not found, and the bytes that are kept. */
void reply_cache_count(struct reply_cache *cache, uint64_t *hits, uint64_t *misses,
                       size_t *bytes);
