/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/duplicate_candidates.h"

#include <stdlib.h>

#include "base/mem.h"

static uint64_t identity_hash(const struct run *run, const enum run_field *keys,
                              size_t key_count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < key_count; i++) {
        const struct field *field = &run_fields[keys[i]];
        const char *member = (const char *)run + field->offset;
        const bool has = run_has(run, keys[i]);
        struct str bytes = {member, has ? sizeof(int64_t) : 0};
        if (has && field->type == FIELD_TEXT) {
            bytes = *(const struct str *)(const void *)member;
        }
        hash = str_hash(bytes, hash + has); /* absent is not the same as empty */
    }
    return hash;
}

void duplicate_note(struct duplicate_list *list, const struct run *runs, size_t count,
                    const enum run_field *keys, size_t key_count)
{
    if (list->count + count > list->room) {
        list->room = list->room ? 2 * list->room : 4096;
        list->room = list->room < list->count + count ? list->count + count : list->room;
        list->rows = mem_resize(list->rows, list->room, sizeof(*list->rows));
    }
    for (size_t i = 0; i < count; i++) {
        list->rows[list->count++] = (struct duplicate){
            .hash = identity_hash(&runs[i], keys, key_count), .line = runs[i].line};
    }
}

/*
 * A bit for each hash that was met, and one for each that was met again. With sixteen bits a
 * row or more, one row in sixteen is taken for a suspect by mistake, which is few enough to
 * sort.
 */
struct sieve {
    uint64_t *once, *again;
    uint64_t mask; /* of the bits' numbers */
};

static struct sieve sieve_of(const struct duplicate_list *lists)
{
    size_t rows = 0;
    uint64_t bits = 1024;
    for (; lists; lists = lists->next) {
        rows += lists->count;
    }
    while (bits < 16 * (uint64_t)rows) {
        bits *= 2;
    }
    return (struct sieve){mem_alloc(bits / 64, sizeof(uint64_t)),
                          mem_alloc(bits / 64, sizeof(uint64_t)), bits - 1};
}

static void sieve_put(struct sieve *sieve, uint64_t hash)
{
    const uint64_t place = (hash & sieve->mask) / 64, bit = UINT64_C(1) << hash % 64;
    sieve->again[place] |= sieve->once[place] & bit;
    sieve->once[place] |= bit;
}

static bool sieve_holds(const struct sieve *sieve, uint64_t hash)
{
    return sieve->again[(hash & sieve->mask) / 64] >> hash % 64 & 1;
}

static int by_hash(const void *a, const void *b)
{
    const uint64_t left = ((const struct duplicate *)a)->hash;
    const uint64_t right = ((const struct duplicate *)b)->hash;
    return (left > right) - (left < right);
}

/* Takes what the sieve holds out of the lists, sorted. */
static struct duplicate_list sift(const struct sieve *sieve, struct duplicate_list *lists)
{
    struct duplicate_list kept = {0};
    for (; lists; lists = lists->next) {
        for (size_t i = 0; i < lists->count; i++) {
            if (!sieve_holds(sieve, lists->rows[i].hash)) {
                continue;
            }
            kept.rows = mem_grow(kept.rows, kept.count, &kept.room, sizeof(*kept.rows));
            kept.rows[kept.count++] = lists->rows[i];
        }
        lists->count = 0;
    }
    if (kept.count > 0) {
        qsort(kept.rows, kept.count, sizeof(*kept.rows), by_hash);
    }
    return kept;
}

int64_t *duplicate_lines(struct duplicate_list *lists, size_t *count)
{
    struct sieve sieve = sieve_of(lists);
    for (const struct duplicate_list *list = lists; list; list = list->next) {
        for (size_t i = 0; i < list->count; i++) {
            sieve_put(&sieve, list->rows[i].hash);
        }
    }
    struct duplicate_list kept = sift(&sieve, lists);
    int64_t *lines = mem_alloc(kept.count + 1, sizeof(*lines));
    *count = 0;
    for (size_t i = 0; i < kept.count; i++) {
        const uint64_t hash = kept.rows[i].hash;
        if ((i > 0 && kept.rows[i - 1].hash == hash) ||
            (i + 1 < kept.count && kept.rows[i + 1].hash == hash)) {
            lines[(*count)++] = kept.rows[i].line;
        }
    }
    free(kept.rows);
    free(sieve.once);
    free(sieve.again);
    return lines;
}

void duplicate_free(struct duplicate_list *lists)
{
    while (lists) {
        struct duplicate_list *next = lists->next;
        free(lists->rows);
        free(lists);
        lists = next;
    }
}
