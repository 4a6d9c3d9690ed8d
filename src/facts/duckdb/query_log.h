/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Ring buffer of the latest statements of a store, for store_queries. Any thread; costs nothing
 * where nobody asked for it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "facts/store.h"

struct query_log;

struct query_log *query_log_new(void);
void query_log_free(struct query_log *log); /* accepts NULL, as do all of these */

/* Notes a statement that took that long. */
void query_log_add(struct query_log *log, const char *sql, int64_t took_us, bool failed);

/* Copies the newest, newest first; returns how many. */
size_t query_log_copy(struct query_log *log, struct store_query *out, size_t max);
