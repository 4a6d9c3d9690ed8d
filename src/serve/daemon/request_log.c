/* SPDX-License-Identifier: MIT */
#include "serve/daemon/request_log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/scan.h"
#include "facts/journal.h"
#include "facts/pull_state.h"
#include "facts/session.h"
#include "serve/auth/refusals.h"
#include "serve/daemon/server_context.h"
#include "serve/http/http_server.h"

enum { SHOWN_MAX = 25, KIND_MAX = 48, STATUS_TEXT_MAX = 8192 };

struct seen {
    int64_t at, took_us;
    int status;
    bool posted;
    char target[REQUEST_LOG_TARGET_MAX], who[REQUEST_LOG_WHO_MAX];
};

struct request_log {
    pthread_mutex_t guard;
    uint64_t count; /* since the start; the last is at (count - 1) % REQUEST_LOG_KEPT */
    struct seen seen[REQUEST_LOG_KEPT];
};

struct request_log *request_log_new(void)
{
    struct request_log *watch = mem_alloc(1, sizeof(*watch));
    pthread_mutex_init(&watch->guard, NULL);
    return watch;
}

void request_log_free(struct request_log *watch)
{
    if (watch) {
        pthread_mutex_destroy(&watch->guard);
        free(watch);
    }
}

static void copy(char *out, size_t room, struct str text)
{
    (void)snprintf(out, room, "%.*s", STR_ARG(text));
}

void request_log_add(struct request_log *watch, const struct exchange *exchange,
                     int64_t took_us)
{
    const int64_t now = server_context_of(exchange)->service->now();
    pthread_mutex_lock(&watch->guard);
    struct seen *seen = &watch->seen[watch->count++ % REQUEST_LOG_KEPT];
    seen->at = now;
    seen->took_us = took_us;
    seen->status = exchange->status;
    seen->posted = exchange->method == METHOD_POST;
    copy(seen->target, sizeof seen->target, exchange->target);
    copy(seen->who, sizeof seen->who, str_of(exchange->caller.name));
    pthread_mutex_unlock(&watch->guard);
}

/* --- tables ------------------------------------------------------------------------------- */

const char *request_log_title(size_t index)
{
    static const char *const titles[REQUEST_LOG_TABLES] = {
        "How it stands",     "Requests of late, by kind", "What took longest",
        "The last requests", "Queries that took longest", "The last pulls",
        "The last imports"};
    return titles[index];
}

/* A line of /proc/self/status, in bytes: "VmRSS:     1234 kB". */
static bool memory_of(const char *name, int64_t *out)
{
    struct buf text;
    struct error ignored;
    int64_t kib = 0;
    buf_init(&text, STATUS_TEXT_MAX);
    bool found = file_read("/proc/self/status", &text, &ignored) == 0;
    const char *at = found ? strstr(text.ptr, name) : NULL;
    struct str rest = str_of(at ? at + strlen(name) : "");
    rest = str_trim(str_cut(&rest, '\n'));
    found = at && scan_int(str_trim(str_cut(&rest, ' ')), &kib);
    *out = kib * 1024;
    buf_release(&text);
    return found;
}

static void put(struct table *table, const char *id, const char *label, enum unit unit)
{
    table_column(table, id, label, CELL_INT, unit, COLUMN_MEASURE);
}

static void describe_state(const struct server_context *world, struct table *table)
{
    struct http_counts counts = {0};
    uint64_t hits = 0, misses = 0;
    size_t kept = 0;
    int64_t memory = 0, peak = 0;

    enum {
        UP,
        REQUESTS,
        REFUSED,
        FAILED,
        UNDER_WAY,
        OPEN,
        HITS,
        MISSES,
        KEPT,
        MEMORY,
        PEAK,
        LOGINS
    };

    http_count(world->http, &counts);
    reply_cache_count(world->cache, &hits, &misses, &kept);
    put(table, "up", "Up for", UNIT_SECONDS);
    put(table, "requests", "Requests", UNIT_COUNT);
    put(table, "refused", "Refused", UNIT_COUNT);
    put(table, "failed", "Cut short", UNIT_COUNT);
    put(table, "under_way", "Under way", UNIT_COUNT);
    put(table, "open", "Connections", UNIT_COUNT);
    put(table, "hits", "From cache", UNIT_COUNT);
    put(table, "misses", "Not in cache", UNIT_COUNT);
    put(table, "cache", "Cache", UNIT_BYTES);
    put(table, "memory", "Memory", UNIT_BYTES);
    put(table, "peak", "Peak memory", UNIT_BYTES);
    put(table, "logins_refused", "Logins refused", UNIT_COUNT);
    const size_t row = table_row(table);
    table_set_int(table, UP, row, world->service->now() - world->began);
    table_set_int(table, REQUESTS, row, (int64_t)counts.requests);
    table_set_int(table, REFUSED, row, (int64_t)counts.refused);
    table_set_int(table, FAILED, row, (int64_t)counts.failed);
    table_set_int(table, UNDER_WAY, row, (int64_t)counts.under_way);
    table_set_int(table, OPEN, row, (int64_t)counts.connections);
    table_set_int(table, HITS, row, (int64_t)hits);
    table_set_int(table, MISSES, row, (int64_t)misses);
    table_set_int(table, KEPT, row, (int64_t)kept);
    table_set_int(table, LOGINS, row, (int64_t)refusals_count(world->refusals));
    if (memory_of("VmRSS:", &memory)) {
        table_set_int(table, MEMORY, row, memory);
    }
    if (memory_of("VmHWM:", &peak)) {
        table_set_int(table, PEAK, row, peak);
    }
}

/* "/api/v1/report", "/user/": what requests for different things of one kind share. */
static void kind_of(const struct seen *seen, char out[KIND_MAX])
{
    struct str target = str_of(seen->target);
    struct str path = str_cut(&target, '?');
    const bool api = str_starts(path, STR("/api/"));
    size_t slashes = 0, end = 0;
    while (end < path.len && slashes < (api ? 4U : 2U)) {
        slashes += path.ptr[end] == '/' && end > 0 ? 1 : 0;
        end++;
        if (!api && slashes == 1) {
            break;
        }
    }
    copy(out, KIND_MAX, (struct str){path.ptr, end});
}

struct sum {
    char kind[KIND_MAX];
    int64_t count, failed, total_us, most_us;
};

static int more_time(const void *a, const void *b)
{
    const struct sum *one = a, *other = b;
    return (one->total_us < other->total_us) - (one->total_us > other->total_us);
}

static size_t sum_up(const struct seen *seen, size_t count, struct sum *sums)
{
    size_t kind_rows = 0;
    for (size_t i = 0; i < count; i++) {
        char kind[KIND_MAX];
        size_t k = 0;
        kind_of(&seen[i], kind);
        while (k < kind_rows && strcmp(sums[k].kind, kind) != 0) {
            k++;
        }
        if (k == kind_rows) {
            memcpy(sums[kind_rows++].kind, kind, sizeof kind);
        }
        sums[k].count++;
        sums[k].failed += seen[i].status >= 500;
        sums[k].total_us += seen[i].took_us;
        sums[k].most_us = seen[i].took_us > sums[k].most_us ? seen[i].took_us : sums[k].most_us;
    }
    qsort(sums, kind_rows, sizeof *sums, more_time);
    return kind_rows;
}

static void describe_kinds(const struct seen *seen, size_t count, struct table *table)
{
    struct sum *sums = mem_alloc(count + 1, sizeof(*sums));
    const size_t kind_rows = sum_up(seen, count, sums);
    table_column(table, "path", "Path", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    put(table, "requests", "Requests", UNIT_COUNT);
    put(table, "failed", "Failed", UNIT_COUNT);
    put(table, "mean", "Mean", UNIT_SECONDS);
    put(table, "longest", "Longest", UNIT_SECONDS);
    put(table, "together", "Together", UNIT_SECONDS);
    for (size_t i = 0; i < kind_rows && i < SHOWN_MAX; i++) {
        const size_t row = table_row(table);
        table_set_text(table, 0, row, str_of(sums[i].kind));
        table_set_int(table, 1, row, sums[i].count);
        table_set_int(table, 2, row, sums[i].failed);
        table_set_int(table, 3, row, sums[i].total_us / sums[i].count);
        table_set_int(table, 4, row, sums[i].most_us);
        table_set_int(table, 5, row, sums[i].total_us);
    }
    free(sums);
}

static int later(const void *a, const void *b)
{
    const struct seen *one = a, *other = b;
    return (one->at < other->at) - (one->at > other->at);
}

static int longer(const void *a, const void *b)
{
    const struct seen *one = a, *other = b;
    return (one->took_us < other->took_us) - (one->took_us > other->took_us);
}

static void describe_requests(struct seen *seen, size_t count, struct table *table,
                              int (*order)(const void *, const void *))
{
    qsort(seen, count, sizeof *seen, order);
    table_column(table, "at", "At", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION);
    table_column(table, "who", "Who", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "request", "Request", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "status", "Status", CELL_INT, UNIT_NONE, COLUMN_MEASURE);
    put(table, "took", "Took", UNIT_SECONDS);
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++) {
        const size_t row = table_row(table);
        char request[REQUEST_LOG_TARGET_MAX + 8];
        (void)snprintf(request, sizeof request, "%s%s", seen[i].posted ? "POST " : "",
                       seen[i].target);
        table_set_int(table, 0, row, seen[i].at);
        table_set_text(table, 1, row, str_of(seen[i].who));
        table_set_text(table, 2, row, str_of(request));
        table_set_int(table, 3, row, seen[i].status);
        table_set_int(table, 4, row, seen[i].took_us);
    }
}

static int longer_query(const void *a, const void *b)
{
    const struct store_query *one = a, *other = b;
    return (one->took_us < other->took_us) - (one->took_us > other->took_us);
}

/* Of the last statements of the store those that took longest, with their text. */
static void describe_queries(const struct server_context *world, struct table *table)
{
    struct store_query *queries = mem_alloc(STORE_QUERIES_KEPT, sizeof(*queries));
    const size_t count = store_queries(world->store, queries, STORE_QUERIES_KEPT);
    const int64_t now = world->service->now(), clock = stop_clock();
    qsort(queries, count, sizeof *queries, longer_query);
    table_column(table, "at", "At", CELL_INT, UNIT_INSTANT, COLUMN_DIMENSION);
    put(table, "took", "Took", UNIT_SECONDS);
    table_column(table, "failed", "Failed", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    table_column(table, "sql", "SQL", CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    for (size_t i = 0; i < count && i < SHOWN_MAX; i++) {
        const size_t row = table_row(table);
        table_set_int(table, 0, row, now - (clock - queries[i].ended));
        table_set_int(table, 1, row, queries[i].took_us);
        table_set_text(table, 2, row, queries[i].failed ? STR("yes") : STR(""));
        table_set_text(table, 3, row, str_of(queries[i].sql));
    }
    free(queries);
}

/* How columns of the store's own tables are shown. */
static void dress(struct table *table)
{
    static const struct {
        const char *id, *label;
        enum unit unit;
    } dresses[] = {
        {"at", "At", UNIT_INSTANT},
        {"took", "Took", UNIT_SECONDS},
        {"bytes", "Bytes", UNIT_BYTES},
        {"cluster", "Cluster", UNIT_NONE},
        {"what", "What", UNIT_NONE},
        {"via", "Via", UNIT_NONE},
        {"records", "Records", UNIT_COUNT},
        {"failure", "Failure", UNIT_NONE},
        {"source", "Source", UNIT_NONE},
        {"path", "File", UNIT_NONE},
        {"added", "Added", UNIT_COUNT},
        {"replaced", "Replaced", UNIT_COUNT},
        {"unchanged", "Unchanged", UNIT_COUNT},
        {"rejected", "Rejected", UNIT_COUNT},
    };

    for (size_t c = 0; c < table->column_count; c++) {
        struct column *column = &table->columns[c];
        for (size_t i = 0; i < COUNT_OF(dresses); i++) {
            if (strcmp(column->id, dresses[i].id) == 0) {
                column->label = dresses[i].label;
                column->unit = dresses[i].unit;
                column->role = column->type == CELL_TEXT || column->unit == UNIT_INSTANT
                                   ? COLUMN_DIMENSION
                                   : COLUMN_MEASURE;
            }
        }
    }
}

/* What the store itself remembers; nothing where it cannot be read now. */
static void describe_work(const struct server_context *world, struct table *pulls,
                          struct table *imports)
{
    struct session session = {.folder = world->service->store, .store = world->store};
    struct facts *facts = NULL;
    struct error ignored = {0};
    if (session_facts(&session, FACTS_READ, &facts, &ignored) == 0 &&
        pull_query_last(facts, SHOWN_MAX, pulls, &ignored) == 0) {
        (void)!journal_last(facts, SHOWN_MAX, imports, &ignored);
    }
    session_close(&session);
    dress(pulls);
    dress(imports);
}

void request_log_describe(const struct server_context *world, struct request_log_tables *out)
{
    struct request_log *watch = world->watch;
    struct seen *seen = mem_alloc(REQUEST_LOG_KEPT, sizeof(*seen));
    pthread_mutex_lock(&watch->guard);
    const size_t count =
        watch->count < REQUEST_LOG_KEPT ? (size_t)watch->count : REQUEST_LOG_KEPT;
    memcpy(seen, watch->seen, count * sizeof *seen);
    pthread_mutex_unlock(&watch->guard);
    describe_state(world, &out->rows[0]);
    describe_kinds(seen, count, &out->rows[1]);
    describe_requests(seen, count, &out->rows[2], longer);
    describe_requests(seen, count, &out->rows[3], later);
    describe_queries(world, &out->rows[4]);
    describe_work(world, &out->rows[5], &out->rows[6]);
    free(seen);
}

void request_log_tables_release(struct request_log_tables *tables)
{
    for (size_t i = 0; i < REQUEST_LOG_TABLES; i++) {
        table_release(&tables->rows[i]);
    }
}
