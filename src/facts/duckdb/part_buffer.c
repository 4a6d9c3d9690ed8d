/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/part_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { PARTS_OF_RUN_MAX = 1024, PARTS_LOOKED_AT_MAX = 4096 };

/*
 * So many that the millions of jobs of a batch rarely share one; pages that nobody touches cost
 * nothing.
 */
enum { PASSED_BITS = 1 << 27 };

/*
 * What it takes to add parts to runs, and to tell where they came from; all else is in the run.
 */
bool part_buffer_keeps(enum run_field field)
{
    static const enum run_field also[] = {
        RUN_part, RUN_whole, RUN_node,   RUN_nodes, RUN_node_count, RUN_submit, RUN_start,
        RUN_end,  RUN_flags, RUN_source, RUN_file,  RUN_line,       RUN_batch,  RUN_digest};

    if (run_fields[field].flags & (FIELD_KEY | FIELD_MEASURED | FIELD_PEAK)) {
        return true;
    }
    for (size_t i = 0; i < COUNT_OF(also); i++) {
        if (also[i] == field) {
            return true;
        }
    }
    return false;
}

static bool is_summed(const struct field *field)
{
    return field->flags & (FIELD_MEASURED | FIELD_PEAK);
}

static int64_t *number_of(struct run *run, enum run_field field)
{
    return (int64_t *)(void *)((char *)run + run_fields[field].offset);
}

static void set_has(struct run *run, enum run_field field, bool has)
{
    const uint64_t bit = UINT64_C(1) << (unsigned)field % 64;
    uint64_t *word = &run->has[(unsigned)field / 64];
    *word = has ? *word | bit : *word & ~bit;
}

void part_buffer_init(struct part_buffer *pool)
{
    *pool = (struct part_buffer){.bucket_count = 1 << 15};
    pool->buckets = mem_alloc(pool->bucket_count, sizeof(size_t));
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        if (part_buffer_keeps((enum run_field)i)) {
            pool->kept.fields[pool->kept.count++] = (enum run_field)i;
        }
    }
    pool->found = mem_alloc(PARTS_OF_RUN_MAX, sizeof(*pool->found));
    pool->found_at = mem_alloc(PARTS_OF_RUN_MAX, sizeof(*pool->found_at));
    pool->passed = mem_alloc(PASSED_BITS / 64, sizeof(*pool->passed));
    pthread_mutex_init(&pool->lock, NULL);
}

void part_buffer_release(struct part_buffer *pool)
{
    pthread_mutex_destroy(&pool->lock);
    free(pool->entries);
    free(pool->buckets);
    free(pool->found);
    free(pool->found_at);
    free(pool->passed);
    free(pool->scratch);
    arena_release(&pool->arena);
    *pool = (struct part_buffer){0};
}

/* Parts and their run share cluster, job and task. */
static bool same_job(const struct run *a, const struct run *b)
{
    return a->job == b->job && RUN_HAS(a, job) == RUN_HAS(b, job) &&
           RUN_HAS(a, task) == RUN_HAS(b, task) && (!RUN_HAS(a, task) || a->task == b->task) &&
           RUN_HAS(a, job_key) == RUN_HAS(b, job_key) &&
           (!RUN_HAS(a, job_key) || str_eq(a->job_key, b->job_key)) &&
           str_eq(a->cluster, b->cluster);
}

static uint64_t hash_of(const struct run *run)
{
    const int64_t job[2] = {RUN_HAS(run, job) ? run->job : -1,
                            RUN_HAS(run, task) ? run->task : -1};
    return str_hash((struct str){(const char *)job, sizeof(job)}, 0);
}

static size_t *bucket_of(const struct part_buffer *pool, uint64_t hash)
{
    return &pool->buckets[hash & (pool->bucket_count - 1)];
}

/* Twice the buckets, so that a chain is about one job. */
static void add_buckets(struct part_buffer *pool)
{
    free(pool->buckets);
    pool->bucket_count *= 2;
    pool->buckets = mem_alloc(pool->bucket_count, sizeof(size_t));
    for (size_t i = 0; i < pool->count; i++) {
        size_t *bucket = bucket_of(pool, pool->entries[i].hash);
        pool->entries[i].next = *bucket;
        *bucket = i + 1;
    }
}

static void add_entry(struct part_buffer *pool, const struct run *run)
{
    if (pool->count == pool->bucket_count) {
        add_buckets(pool);
    }
    pool->entries = mem_grow(pool->entries, pool->count, &pool->room, sizeof(*pool->entries));
    size_t room = run_packing_room(&pool->kept, run);
    if (room > pool->scratch_room) {
        pool->scratch = mem_resize(pool->scratch, room, 1);
        pool->scratch_room = room;
    }
    size_t size = run_packing_write(&pool->kept, run, pool->scratch);
    struct str packed =
        arena_copy(&pool->arena, (struct str){(const char *)pool->scratch, size});
    const uint64_t hash = hash_of(run);
    size_t *bucket = bucket_of(pool, hash);
    pool->entries[pool->count++] = (struct part_buffer_entry){
        .packed = (const unsigned char *)packed.ptr, .hash = hash, .next = *bucket};
    *bucket = pool->count;
    pool->bytes += size + sizeof(struct part_buffer_entry);
}

void part_buffer_get(const struct part_buffer *pool, size_t index, struct run *run)
{
    run_packing_read(&pool->kept, pool->entries[index].packed, run);
}

bool part_buffer_add(struct part_buffer *pool, const struct run *part)
{
    pthread_mutex_lock(&pool->lock);
    add_entry(pool, part);
    pool->parts++;
    bool full = pool->bytes >= PART_BUFFER_FULL;
    pthread_mutex_unlock(&pool->lock);
    return full;
}

static bool belongs(const struct run *part, const struct run *run)
{
    return same_job(part, run) && RUN_HAS(part, start) && part->part.len > 0 &&
           part->start >= run->start - PART_BUFFER_SLACK_US &&
           part->start <= (RUN_HAS(run, end) ? run->end : part->start) + PART_BUFFER_SLACK_US;
}

static bool has_part(const struct run *parts, size_t count, const struct run *part)
{
    for (size_t i = 0; i < count; i++) {
        if (parts[i].attempt == part->attempt && str_eq(parts[i].part, part->part)) {
            return true;
        }
    }
    return false;
}

/*
 * The parts that belong to a run, into pool->found. None when the same part is there twice,
 * there are too many, or too many others have to be looked at: parts.c takes its time over
 * these.
 */
static size_t find_parts(struct part_buffer *pool, const struct run *run, uint64_t hash)
{
    size_t count = 0, looked_at = 0;
    for (size_t at = *bucket_of(pool, hash); at > 0; at = pool->entries[at - 1].next) {
        if (pool->entries[at - 1].hash != hash) {
            continue;
        }
        if (++looked_at > PARTS_LOOKED_AT_MAX || count == PARTS_OF_RUN_MAX) {
            pool->gave_up = true;
            return 0;
        }
        struct run *part = &pool->found[count];
        part_buffer_get(pool, at - 1, part);
        if (belongs(part, run)) {
            if (has_part(pool->found, count, part)) {
                return 0;
            }
            pool->found_at[count++] = at - 1;
        }
    }
    return count;
}

static void add_measured(struct run *run, const struct run *part)
{
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        enum run_field field = (enum run_field)i;
        if (!is_summed(&run_fields[i]) || !run_has(part, field)) {
            continue;
        }
        int64_t *sum = number_of(run, field);
        int64_t more =
            *(const int64_t *)(const void *)((const char *)part + run_fields[i].offset);
        if (!run_has(run, field)) {
            *sum = more;
            set_has(run, field, true);
        } else if (__builtin_add_overflow(*sum, more, sum)) {
            *sum = INT64_MAX;
        }
    }
}

static int compare_text(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

/* The different nodes of a run and its parts, in order, with commas between. */
static void set_nodes(struct part_buffer *pool, struct run *run, size_t count)
{
    struct str nodes[PARTS_OF_RUN_MAX + 1];
    size_t given = 0, different = 0, length = 0;
    if (RUN_HAS(run, node)) {
        nodes[given++] = run->node;
    }
    for (size_t i = 0; i < count; i++) {
        const struct run *part = &pool->found[i];
        if (RUN_HAS(part, node)) {
            nodes[given++] = part->node;
        }
    }
    qsort(nodes, given, sizeof(nodes[0]), compare_text);
    for (size_t i = 0; i < given; i++) {
        if (different == 0 || !str_eq(nodes[different - 1], nodes[i])) {
            nodes[different++] = nodes[i];
            length += nodes[i].len + 1;
        }
    }
    char *list = arena_alloc(&pool->arena, length + 1);
    struct str all = {list, 0};
    for (size_t i = 0; i < different; i++) {
        if (i) {
            list[all.len++] = ',';
        }
        memcpy(list + all.len, nodes[i].ptr, nodes[i].len);
        all.len += nodes[i].len;
    }
    if (different > 0) {
        RUN_SET(run, nodes, all);
        RUN_SET(run, node_count, (int64_t)different);
    } else {
        RUN_CLEAR(run, nodes);
        RUN_CLEAR(run, node_count);
    }
}

/* Adds the parts that were found to the run; what it was before is kept beside them. */
static void merge(struct part_buffer *pool, struct run *run, size_t count)
{
    struct run own = *run;
    int64_t digests = 0;
    set_nodes(pool, run, count);
    for (size_t i = 0; i < count; i++) {
        add_measured(run, &pool->found[i]);
        digests ^= pool->found[i].digest;
    }
    run->flags |= RUN_FLAG_MERGED;
    RUN_SET(&own, part, STR(""));
    RUN_SET(&own, whole, digests);
    add_entry(pool, &own);
}

/*
 * Notes that a run of the job came by; whether one had before, or of another job with the same
 * bit.
 */
static bool pass(struct part_buffer *pool, uint64_t hash)
{
    uint64_t *word = &pool->passed[hash % PASSED_BITS / 64];
    const uint64_t bit = UINT64_C(1) << hash % 64;
    const bool before = *word & bit;
    *word |= bit;
    return before;
}

void part_buffer_merge(struct part_buffer *pool, struct run *run)
{
    if (!RUN_HAS(run, start)) {
        return;
    }
    const uint64_t hash = hash_of(run);
    pthread_mutex_lock(&pool->lock);
    const bool another = pass(pool, hash);
    size_t count = find_parts(pool, run, hash);
    for (size_t i = 0; i < count;
         i++) { /* one that came by before the part counts as a taker, too */
        pool->entries[pool->found_at[i]].takers += another ? 2 : 1;
    }
    if (count > 0) {
        merge(pool, run, count);
    }
    pthread_mutex_unlock(&pool->lock);
}

int64_t *part_buffer_open_lines(const struct part_buffer *pool, size_t *count)
{
    int64_t *lines = mem_alloc(pool->count ? pool->count : 1, sizeof(*lines));
    struct run part;
    *count = 0;
    for (size_t i = 0; i < pool->count; i++) {
        if (pool->entries[i].takers != 1 || pool->gave_up) {
            part_buffer_get(pool, i, &part);
            lines[*count] = part.line;
            *count += part.part.len > 0;
        }
    }
    return lines;
}
