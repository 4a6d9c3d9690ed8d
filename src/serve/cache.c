/* SPDX-License-Identifier: MIT */
#include "serve/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { BUCKETS = 1024, ENTRY_OVERHEAD = 256 };

struct entry {
    char *bytes; /* key, type, tag, body */
    size_t key, type, tag, body;
    uint64_t hash;
    struct cache_state state;
    int64_t until;
    struct entry *next;          /* of the bucket */
    struct entry *newer, *older; /* by last use */
};

struct cache {
    pthread_mutex_t guard; /* of all below */
    struct entry *buckets[BUCKETS];
    struct entry *newest, *oldest;
    size_t bytes, bytes_max;
    uint64_t hits, misses;
};

struct cache *cache_new(size_t bytes_max)
{
    struct cache *cache = mem_alloc(1, sizeof(*cache));
    cache->bytes_max = bytes_max;
    pthread_mutex_init(&cache->guard, NULL);
    return cache;
}

static size_t size_of(const struct entry *entry)
{
    return entry->key + entry->type + entry->tag + entry->body + ENTRY_OVERHEAD;
}

static void unlink_entry(struct cache *cache, struct entry *entry)
{
    *(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
}

static void link_newest(struct cache *cache, struct entry *entry)
{
    entry->newer = NULL;
    entry->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
    cache->newest = entry;
}

static void forget(struct cache *cache, struct entry *entry)
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

void cache_free(struct cache *cache)
{
    if (!cache) {
        return;
    }
    while (cache->oldest) {
        forget(cache, cache->oldest);
    }
    pthread_mutex_destroy(&cache->guard);
    free(cache);
}

static struct entry *find(struct cache *cache, struct str key, uint64_t hash)
{
    struct entry *entry = cache->buckets[hash % BUCKETS];
    while (entry &&
           !(entry->hash == hash && str_eq(key, (struct str){entry->bytes, entry->key}))) {
        entry = entry->next;
    }
    return entry;
}

bool cache_find(struct cache *cache, struct str key, struct cache_state state, int64_t now,
                struct arena *arena, struct cached *out)
{
    pthread_mutex_lock(&cache->guard);
    struct entry *entry = find(cache, key, str_hash(key, 0));
    const bool good = entry && entry->until > now &&
                      entry->state.generation == state.generation &&
                      entry->state.books == state.books;
    if (good) {
        const char *at = entry->bytes + entry->key;
        out->type = arena_copy(arena, (struct str){at, entry->type});
        out->tag = arena_copy(arena, (struct str){at + entry->type, entry->tag});
        out->body = arena_copy(arena, (struct str){at + entry->type + entry->tag, entry->body});
        unlink_entry(cache, entry);
        link_newest(cache, entry);
    } else if (entry) {
        forget(cache, entry);
    }
    cache->hits += good;
    cache->misses += !good;
    pthread_mutex_unlock(&cache->guard);
    return good;
}

void cache_keep(struct cache *cache, struct str key, struct cache_state state, int64_t until,
                const struct cached *reply)
{
    struct entry *entry = mem_alloc(1, sizeof(*entry));
    const struct str parts[] = {key, reply->type, reply->tag, reply->body};
    *entry = (struct entry){
        .bytes = mem_alloc(key.len + reply->type.len + reply->tag.len + reply->body.len + 1, 1),
        .key = key.len,
        .type = reply->type.len,
        .tag = reply->tag.len,
        .body = reply->body.len,
        .hash = str_hash(key, 0),
        .state = state,
        .until = until,
    };
    char *at = entry->bytes;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        memcpy(at, parts[i].ptr, parts[i].len);
        at += parts[i].len;
    }
    pthread_mutex_lock(&cache->guard);
    struct entry *old = find(cache, key, entry->hash);
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

void cache_count(struct cache *cache, uint64_t *hits, uint64_t *misses, size_t *bytes)
{
    pthread_mutex_lock(&cache->guard);
    *hits = cache->hits;
    *misses = cache->misses;
    *bytes = cache->bytes;
    pthread_mutex_unlock(&cache->guard);
}
