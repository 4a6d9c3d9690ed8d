/* SPDX-License-Identifier: MIT */
#include "serve/http/reply_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { BUCKETS = 1024, ENTRY_OVERHEAD = 256, MAKING_MAX = 64 };

enum part { PART_KEY, PART_TYPE, PART_TAG, PART_BODY, PART_AS_OF, PART_WARNING, PART_COUNT };

struct entry {
    char *bytes; /* the parts, one after the other */
    size_t lengths[PART_COUNT];
    uint64_t hash;
    struct reply_cache_state state;
    int64_t until;
    struct entry *next;          /* of the bucket */
    struct entry *newer, *older; /* by last use */
};

/* A reply that somebody is making. */
struct making {
    uint64_t hash, number;
};

struct reply_cache {
    pthread_mutex_t guard; /* of all below */
    struct entry *buckets[BUCKETS];
    struct entry *newest, *oldest;
    size_t bytes, bytes_max;
    uint64_t hits, misses;
    pthread_cond_t made;
    struct making making[MAKING_MAX]; /* by hash: two keys of one hash only wait */
    size_t making_count;
    uint64_t number; /* of the last one begun */
};

struct reply_cache *reply_cache_new(size_t bytes_max)
{
    struct reply_cache *cache = mem_alloc(1, sizeof(*cache));
    cache->bytes_max = bytes_max;
    pthread_mutex_init(&cache->guard, NULL);
    pthread_cond_init(&cache->made, NULL);
    return cache;
}

static size_t size_of(const struct entry *entry)
{
    size_t size = ENTRY_OVERHEAD;
    for (enum part part = 0; part < PART_COUNT; part++) {
        size += entry->lengths[part];
    }
    return size;
}

static struct str part_of(const struct entry *entry, enum part part)
{
    const char *at = entry->bytes;
    for (enum part before = 0; before < part; before++) {
        at += entry->lengths[before];
    }
    return (struct str){at, entry->lengths[part]};
}

static void unlink_entry(struct reply_cache *cache, struct entry *entry)
{
    *(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void link_newest(struct reply_cache *cache, struct entry *entry)
{
    entry->newer = NULL;
    entry->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
    cache->newest = entry;
}

static void forget(struct reply_cache *cache, struct entry *entry)
{
    struct entry **link = &cache->buckets[entry->hash % BUCKETS];
    while (*link != entry) {
        link = &(*link)->next;
    }
    *link = entry->next;
    unlink_entry(cache, entry);
    cache->bytes -= size_of(entry);
    free(entry->bytes);
    free(entry);
}

void reply_cache_free(struct reply_cache *cache)
{
    if (!cache) {
        return;
    }
    while (cache->oldest) {
        forget(cache, cache->oldest);
    }
    pthread_cond_destroy(&cache->made);
    pthread_mutex_destroy(&cache->guard);
    free(cache);
}

static struct entry *find_cached_reply(struct reply_cache *cache, struct str key, uint64_t hash)
{
    struct entry *entry = cache->buckets[hash % BUCKETS];
    while (entry && !(entry->hash == hash && str_eq(key, part_of(entry, PART_KEY)))) {
        entry = entry->next;
    }
    return entry;
}

/* Under the guard. */
static bool take_cached_reply(struct reply_cache *cache, struct str key,
                              struct reply_cache_state state, int64_t now, struct arena *arena,
                              struct cached *out)
{
    struct entry *entry = find_cached_reply(cache, key, str_hash(key, 0));
    const bool good = entry && entry->until > now &&
                      entry->state.generation == state.generation &&
                      entry->state.books == state.books;
    if (good) {
        out->type = arena_copy(arena, part_of(entry, PART_TYPE));
        out->tag = arena_copy(arena, part_of(entry, PART_TAG));
        out->body = arena_copy(arena, part_of(entry, PART_BODY));
        out->as_of = arena_copy(arena, part_of(entry, PART_AS_OF));
        out->warning = arena_copy(arena, part_of(entry, PART_WARNING));
        unlink_entry(cache, entry);
        link_newest(cache, entry);
    } else if (entry) {
        forget(cache, entry);
    }
    return good;
}

/* Ends what holds the guard. */
static bool count(struct reply_cache *cache, bool found)
{
    cache->hits += found;
    cache->misses += !found;
    pthread_mutex_unlock(&cache->guard);
    return found;
}

bool reply_cache_find(struct reply_cache *cache, struct str key, struct reply_cache_state state,
                      int64_t now, struct arena *arena, struct cached *out)
{
    pthread_mutex_lock(&cache->guard);
    return count(cache, take_cached_reply(cache, key, state, now, arena, out));
}

/*
 * Where it stands, by its hash, and by its number unless that is 0; the count of all if it is
 * not being made.
 */
static size_t find_making(const struct reply_cache *cache, uint64_t hash, uint64_t number)
{
    size_t i = 0;
    while (i < cache->making_count && !(cache->making[i].hash == hash &&
                                        (number == 0 || cache->making[i].number == number))) {
        i++;
    }
    return i;
}

bool reply_cache_await(struct reply_cache *cache, struct str key,
                       struct reply_cache_state state, int64_t now, struct arena *arena,
                       struct cached *out)
{
    const uint64_t hash = str_hash(key, 0);
    pthread_mutex_lock(&cache->guard);
    bool found = take_cached_reply(cache, key, state, now, arena, out);
    const size_t at = find_making(cache, hash, 0);
    if (!found && at < cache->making_count) {
        const uint64_t number = cache->making[at].number;
        while (find_making(cache, hash, number) < cache->making_count) {
            pthread_cond_wait(&cache->made, &cache->guard);
        }
        found = take_cached_reply(cache, key, state, now, arena, out);
    }
    if (!found && cache->making_count < MAKING_MAX &&
        find_making(cache, hash, 0) == cache->making_count) {
        cache->making[cache->making_count++] = (struct making){hash, ++cache->number};
    }
    return count(cache, found);
}

void reply_cache_made(struct reply_cache *cache, struct str key)
{
    pthread_mutex_lock(&cache->guard);
    const size_t at = find_making(cache, str_hash(key, 0), 0);
    if (at < cache->making_count) {
        cache->making[at] = cache->making[--cache->making_count];
        pthread_cond_broadcast(&cache->made);
    }
    pthread_mutex_unlock(&cache->guard);
}

void reply_cache_keep(struct reply_cache *cache, struct str key, struct reply_cache_state state,
                      int64_t until, const struct cached *reply)
{
    struct entry *entry = mem_alloc(1, sizeof(*entry));
    const struct str parts[PART_COUNT] = {
        [PART_KEY] = key,          [PART_TYPE] = reply->type,   [PART_TAG] = reply->tag,
        [PART_BODY] = reply->body, [PART_AS_OF] = reply->as_of, [PART_WARNING] = reply->warning,
    };
    *entry = (struct entry){.hash = str_hash(key, 0), .state = state, .until = until};
    for (enum part part = 0; part < PART_COUNT; part++) {
        entry->lengths[part] = parts[part].len;
    }
    entry->bytes = mem_alloc(size_of(entry), 1);
    char *at = entry->bytes;
    for (enum part part = 0; part < PART_COUNT; part++) {
        if (parts[part].len > 0) {
            memcpy(at, parts[part].ptr, parts[part].len);
            at += parts[part].len;
        }
    }
    pthread_mutex_lock(&cache->guard);
    struct entry *old = find_cached_reply(cache, key, entry->hash);
    if (old) {
        forget(cache, old);
    }
    entry->next = cache->buckets[entry->hash % BUCKETS];
    cache->buckets[entry->hash % BUCKETS] = entry;
    link_newest(cache, entry);
    cache->bytes += size_of(entry);
    while (cache->bytes > cache->bytes_max && cache->oldest) {
        forget(cache, cache->oldest);
    }
    pthread_mutex_unlock(&cache->guard);
}

void reply_cache_count(struct reply_cache *cache, uint64_t *hits, uint64_t *misses,
                       size_t *bytes)
{
    pthread_mutex_lock(&cache->guard);
    *hits = cache->hits;
    *misses = cache->misses;
    *bytes = cache->bytes;
    pthread_mutex_unlock(&cache->guard);
}
