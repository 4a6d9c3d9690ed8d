/* SPDX-License-Identifier: MIT */
#include "facts/duckdb/query_log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/stop.h"

struct query_log {
    pthread_mutex_t guard;
    uint64_t count; /* the last is at (count - 1) % STORE_QUERIES_KEPT */
    struct store_query rows[STORE_QUERIES_KEPT];
};

struct query_log *query_log_new(void)
{
    struct query_log *log = mem_alloc(1, sizeof(*log));
    pthread_mutex_init(&log->guard, NULL);
    return log;
}

void query_log_free(struct query_log *log)
{
    if (log) {
        pthread_mutex_destroy(&log->guard);
        free(log);
    }
}

void query_log_add(struct query_log *log, const char *sql, int64_t took_us, bool failed)
{
    if (!log) {
        return;
    }
    pthread_mutex_lock(&log->guard);
    struct store_query *row = &log->rows[log->count++ % STORE_QUERIES_KEPT];
    row->ended = stop_clock();
    row->took_us = took_us;
    row->failed = failed;
    (void)snprintf(row->sql, sizeof(row->sql), "%s", sql);
    pthread_mutex_unlock(&log->guard);
}

size_t query_log_copy(struct query_log *log, struct store_query *out, size_t max)
{
    size_t copied = 0;
    if (!log) {
        return 0;
    }
    pthread_mutex_lock(&log->guard);
    for (uint64_t at = log->count;
         at > 0 && log->count - at < STORE_QUERIES_KEPT && copied < max; at--) {
        out[copied++] = log->rows[(at - 1) % STORE_QUERIES_KEPT];
    }
    pthread_mutex_unlock(&log->guard);
    return copied;
}
