/* SPDX-License-Identifier: MIT */

/*
 * The bridge between a feed of runs and the engine: a table function `feed()` whose rows are
 * the runs. `INSERT INTO runs FROM feed()` then draws from it on several cores, compresses and
 * writes.
 *
 * A worker pulls runs in small groups that stay in the cache and spreads each group over the
 * columns, so that the struct a driver fills is read while it is still warm.
 */

#include "facts/duckdb/run_feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "facts/duckdb/facts_internal.h"

enum { GROUP = 64 };

struct feed_worker {
    struct run_feed_state *state;
    void *source; /* the feed's own worker */
    struct run_feed_counts counts;
    struct duplicate_list *suspects;
    struct run group[GROUP];
};

/* One column of the chunk being filled. */
struct sink {
    duckdb_vector vector;
    void *data;
    uint64_t *validity;
};

static void set_absent(const struct sink *sink, idx_t row)
{
    sink->validity[row / 64] &= ~(UINT64_C(1) << row % 64);
}

/*
 * Up to twelve bytes, without a call: half of what a run is made of are texts as short as that.
 */
static void copy_short(char *to, const char *from, size_t length)
{
    if (length >= 8) {
        memcpy(to, from, 8);
        memcpy(to + length - 8, from + length - 8, 8);
    } else if (length >= 4) {
        memcpy(to, from, 4);
        memcpy(to + length - 4, from + length - 4, 4);
    } else {
        for (size_t i = 0; i < length; i++) {
            to[i] = from[i];
        }
    }
}

/* Short strings lie in the vector itself: written here, they cost no call into the engine. */
static void put_text(const struct sink *sink, idx_t row, struct str text)
{
    duckdb_string_t *slot = &((duckdb_string_t *)sink->data)[row];
    if (text.len <= sizeof(slot->value.inlined.inlined)) {
        memset(slot, 0, sizeof(*slot));
        slot->value.inlined.length = (uint32_t)text.len;
        copy_short(slot->value.inlined.inlined, text.ptr, text.len);
    } else {
        duck.vector_assign_string_element_len(sink->vector, row, text.ptr, text.len);
    }
}

/* Which fields any run of a group has: half of them none, in every source. */
static struct run fields_of_any(const struct run *runs, size_t count)
{
    struct run any = {0};
    for (size_t i = 0; i < count; i++) {
        for (size_t word = 0; word < COUNT_OF(any.has); word++) {
            any.has[word] |= runs[i].has[word];
        }
    }
    return any;
}

static void put_integers(const struct sink *sink, idx_t first, enum run_field field,
                         const struct run *runs, size_t count)
{
    const size_t offset = run_fields[field].offset;
    int64_t *data = (int64_t *)sink->data + first;
    for (size_t i = 0; i < count; i++) {
        if (run_has(&runs[i], field)) {
            memcpy(&data[i], (const char *)&runs[i] + offset, sizeof(data[i]));
        } else {
            set_absent(sink, first + i);
        }
    }
}

static void put_texts(const struct sink *sink, idx_t first, enum run_field field,
                      const struct run *runs, size_t count)
{
    const size_t offset = run_fields[field].offset;
    for (size_t i = 0; i < count; i++) {
        if (run_has(&runs[i], field)) {
            put_text(sink, first + i,
                     *(const struct str *)(const void *)((const char *)&runs[i] + offset));
        } else {
            set_absent(sink, first + i);
        }
    }
}

/* What is no field of a run stands behind the fields. */
static void put_expected(const struct sink *sink, idx_t first, const struct run *runs,
                         size_t count)
{
    int64_t *data = (int64_t *)sink->data + first;
    for (size_t i = 0; i < count; i++) {
        if (runs[i].start_expected > 0) {
            data[i] = runs[i].start_expected;
        } else {
            set_absent(sink, first + i);
        }
    }
}

static void put_group(const struct run_feed_state *state, const struct sink *sinks, idx_t first,
                      const struct run *runs, size_t count)
{
    const struct run any = fields_of_any(runs, count);
    for (size_t i = 0; i < state->field_count; i++) {
        const enum run_field field = state->fields[i];
        if (!run_has(&any, field)) {
            for (idx_t row = first; row < first + count; row++) {
                set_absent(&sinks[i], row);
            }
        } else if (run_fields[field].type == FIELD_INT) {
            put_integers(&sinks[i], first, field, runs, count);
        } else {
            put_texts(&sinks[i], first, field, runs, count);
        }
    }
    if (state->expected) {
        put_expected(&sinks[state->field_count], first, runs, count);
    }
}

static void note_time(struct run_feed_counts *counts, bool has, int64_t time)
{
    if (has && (!counts->has_time || time < counts->first_time)) {
        counts->first_time = time;
    }
    if (has && (!counts->has_time || time > counts->last_time)) {
        counts->last_time = time;
    }
    counts->has_time |= has;
}

static void note_runs(struct run_feed_counts *counts, const struct run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        note_time(counts, RUN_HAS(&runs[i], submit), runs[i].submit);
        note_time(counts, RUN_HAS(&runs[i], start), runs[i].start);
        note_time(counts, RUN_HAS(&runs[i], end), runs[i].end);
        /* not where it is our clock, by which a scheduler's history is never marked as read */
        note_time(counts,
                  RUN_HAS(&runs[i], seen) && RUN_HAS(&runs[i], flags) &&
                      runs[i].flags & RUN_FLAG_SEEN_RECORDED,
                  runs[i].seen);
    }
    counts->rows += count;
    if (count > 0 && RUN_HAS(&runs[0], file)) {
        counts->file = runs[0].file;
    }
}

/* Adds what a worker saw to the feed's account. */
static void counts_add(struct run_feed_counts *to, const struct run_feed_counts *from)
{
    to->rows += from->rows;
    to->file = from->file ? from->file : to->file;
    note_time(to, from->has_time, from->first_time);
    note_time(to, from->has_time, from->last_time);
}

static void worker_destroy(void *data)
{
    struct feed_worker *worker = data;
    pthread_mutex_lock(&worker->state->lock);
    counts_add(&worker->state->counts, &worker->counts);
    worker->suspects->next = worker->state->suspects;
    worker->state->suspects = worker->suspects;
    pthread_mutex_unlock(&worker->state->lock);
    worker->state->feed->worker_free(worker->source);
    free(worker);
}

/* The feed whose id is the function's argument. */
static struct run_feed_state *find_feed(duckdb_bind_info info)
{
    struct store *store = duck.bind_get_extra_info(info);
    duckdb_value argument = duck.bind_get_parameter(info, 0);
    const int64_t id = duck.get_int64(argument);
    duck.destroy_value(&argument);
    pthread_mutex_lock(&store->guard);
    struct run_feed_state *state = id >= 0 && id < STORE_FEEDS_MAX ? store->feeds[id] : NULL;
    pthread_mutex_unlock(&store->guard);
    return state;
}

static void on_bind(duckdb_bind_info info)
{
    struct run_feed_state *state = find_feed(info);
    if (!state) {
        duck.bind_set_error(info, "there is no such feed");
        return;
    }
    duckdb_logical_type text = duck.create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_logical_type integer = duck.create_logical_type(DUCKDB_TYPE_BIGINT);
    for (size_t i = 0; i < state->field_count; i++) {
        const struct field *field = &run_fields[state->fields[i]];
        duck.bind_add_result_column(info, field->member,
                                    field->type == FIELD_TEXT ? text : integer);
    }
    if (state->expected) {
        duck.bind_add_result_column(info, "start_expected", integer);
    }
    duck.destroy_logical_type(&text);
    duck.destroy_logical_type(&integer);
    duck.bind_set_bind_data(info, state, NULL);
}

static void on_init(duckdb_init_info info)
{
    duck.init_set_max_threads(info, (idx_t)store_threads());
}

static void on_local_init(duckdb_init_info info)
{
    struct feed_worker *worker = mem_alloc(1, sizeof(*worker));
    worker->state = duck.init_get_bind_data(info);
    worker->suspects = mem_alloc(1, sizeof(*worker->suspects));
    worker->source = worker->state->feed->worker_new(worker->state->feed->context);
    duck.init_set_init_data(info, worker, worker_destroy);
}

static void find_sinks(duckdb_data_chunk chunk, struct sink sinks[RUN_FIELD_COUNT + 1],
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sinks[i].vector = duck.data_chunk_get_vector(chunk, i);
        duck.vector_ensure_validity_writable(sinks[i].vector);
        sinks[i].data = duck.vector_get_data(sinks[i].vector);
        sinks[i].validity = duck.vector_get_validity(sinks[i].vector);
    }
}

/* Takes the parts out of a group and adds them to its runs; returns how many runs are left. */
static size_t divert_parts(struct run_feed_state *state, struct run *group, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        if (!RUN_HAS(&group[i], part)) {
            if (left != i) {
                group[left] = group[i];
            }
            part_buffer_merge(state->pool, &group[left++]);
        } else if (part_buffer_add(state->pool, &group[i])) {
            state->feed->enough(state->feed->context);
        }
    }
    return left;
}

static void on_rows(duckdb_function_info info, duckdb_data_chunk chunk)
{
    struct feed_worker *worker = duck.function_get_local_init_data(info);
    struct sink sinks[RUN_FIELD_COUNT + 1];
    const struct run_feed_state *state = worker->state;
    find_sinks(chunk, sinks, state->field_count + state->expected);
    const idx_t room = duck.vector_size();
    idx_t filled = 0;
    while (filled < room) {
        size_t want = room - filled < GROUP ? room - filled : GROUP;
        size_t count = 0;
        struct error err;
        if (worker->state->feed->next(worker->source, worker->group, want, &count, &err) != 0) {
            pthread_mutex_lock(&worker->state->lock);
            if (!worker->state->failed) {
                worker->state->error = err;
                worker->state->failed = true;
            }
            pthread_mutex_unlock(&worker->state->lock);
            duck.function_set_error(info, err.text);
            return;
        }
        if (count == 0) {
            break;
        }
        if (worker->state->pool) {
            count = divert_parts(worker->state, worker->group, count);
        }
        put_group(state, sinks, filled, worker->group, count);
        note_runs(&worker->counts, worker->group, count);
        duplicate_note(worker->suspects, worker->group, count, state->keys, state->key_count);
        filled += count;
    }
    duck.data_chunk_set_size(chunk, filled);
}

int feed_register(struct facts *facts, struct error *err)
{
    duckdb_table_function function = duck.create_table_function();
    duckdb_logical_type integer = duck.create_logical_type(DUCKDB_TYPE_BIGINT);
    duck.table_function_set_name(function, "feed");
    duck.table_function_add_parameter(function, integer);
    duck.destroy_logical_type(&integer);
    duck.table_function_set_extra_info(function, facts->store, NULL);
    duck.table_function_set_bind(function, on_bind);
    duck.table_function_set_init(function, on_init);
    duck.table_function_set_local_init(function, on_local_init);
    duck.table_function_set_function(function, on_rows);
    duckdb_state state = duck.register_table_function(facts->connection, function);
    duck.destroy_table_function(&function);
    return state == DuckDBSuccess
               ? 0
               : error_set(err, ERROR_STORE, "cannot register the feed of runs");
}

static void choose_fields(struct run_feed_state *state)
{
    for (unsigned i = 0; i < RUN_FIELD_COUNT; i++) {
        const bool of_parts = !state->pool;
        if (!of_parts || part_buffer_keeps((enum run_field)i)) {
            state->fields[state->field_count++] = (enum run_field)i;
        }
        if (run_fields[i].flags & FIELD_KEY || (of_parts && i == RUN_part)) {
            state->keys[state->key_count++] = (enum run_field)i;
        }
    }
}

static int load_suspects(struct facts *facts, const char *table,
                         struct duplicate_list *suspects, struct error *err)
{
    static const char *const columns[] = {"line"};
    char name[32];
    size_t count = 0;
    int64_t *lines = duplicate_lines(suspects, &count);
    snprintf(name, sizeof(name), "suspects_%s", table);
    int failed = facts_load_integers(facts, name, columns, 1, lines, count, err);
    free(lines);
    return failed;
}

/* Gives a feed an id, by which statements find it; STORE_FEEDS_MAX: all are taken. */
static size_t enter_feed(struct store *store, struct run_feed_state *state)
{
    size_t id = 0;
    pthread_mutex_lock(&store->guard);
    while (id < STORE_FEEDS_MAX && store->feeds[id]) {
        id++;
    }
    if (id < STORE_FEEDS_MAX) {
        store->feeds[id] = state;
    }
    pthread_mutex_unlock(&store->guard);
    return id;
}

static void leave_feed(struct store *store, size_t id)
{
    pthread_mutex_lock(&store->guard);
    store->feeds[id] = NULL;
    pthread_mutex_unlock(&store->guard);
}

static int insert(struct facts *facts, const char *table, const struct run_feed *feed,
                  struct part_buffer *pool, bool expected, struct run_feed_counts *counts,
                  struct error *err)
{
    struct run_feed_state state = {
        .feed = feed, .pool = pool, .expected = expected, .lock = PTHREAD_MUTEX_INITIALIZER};
    char sql[64];
    choose_fields(&state);
    const size_t id = enter_feed(facts->store, &state);
    if (id == STORE_FEEDS_MAX) {
        return error_set(err, ERROR_LIMIT, "too many imports at once in one process");
    }
    snprintf(sql, sizeof(sql), "INSERT INTO %s BY NAME FROM feed(%zu)", table, id);
    int failed = facts_execute(facts, sql, (struct facts_values){0}, NULL, err);
    leave_feed(facts->store, id);
    if (failed && state.failed) {
        *err = state.error; /* in the feed's own words */
        failed = (int)err->kind;
    }
    if (!failed) {
        failed = load_suspects(facts, table, state.suspects, err);
    }
    duplicate_free(state.suspects);
    *counts = state.counts;
    pthread_mutex_destroy(&state.lock);
    return failed;
}

int run_feed_insert(struct facts *facts, const char *table, const struct run_feed *feed,
                    struct part_buffer *pool, struct run_feed_counts *counts, struct error *err)
{
    return insert(facts, table, feed, pool, false, counts, err);
}

int run_feed_insert_waiting(struct facts *facts, const char *table, const struct run_feed *feed,
                            struct part_buffer *pool, struct run_feed_counts *counts,
                            struct error *err)
{
    return insert(facts, table, feed, pool, true, counts, err);
}

static void *pool_worker_new(void *context)
{
    return context;
}

static void pool_worker_free(void *worker)
{
    (void)worker;
}

/* The engine's threads share the one list; a group is taken at a time. */
static int pool_next(void *worker, struct run *runs, size_t max, size_t *count,
                     struct error *err)
{
    (void)err;
    struct part_buffer *pool = worker;
    size_t first = __atomic_fetch_add(&pool->given, max, __ATOMIC_RELAXED);
    size_t left = first < pool->count ? pool->count - first : 0;
    *count = left < max ? left : max;
    for (size_t i = 0; i < *count; i++) {
        part_buffer_get(pool, first + i, &runs[i]);
    }
    return 0;
}

struct run_feed run_feed_of_pool(struct part_buffer *pool)
{
    return (struct run_feed){
        .context = pool,
        .worker_new = pool_worker_new,
        .worker_free = pool_worker_free,
        .next = pool_next,
    };
}
