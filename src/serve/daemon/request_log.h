/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the server itself does and how long it takes: the last REQUEST_LOG_KEPT requests, and
 * what it holds. Secrets are in no address, so addresses are kept whole, up to
 * REQUEST_LOG_TARGET_MAX bytes. Any thread.
 */

#include <stddef.h>
#include <stdint.h>

#include "serve/http/exchange.h"
#include "table/table.h"

struct request_log;
struct server_context;

enum { REQUEST_LOG_KEPT = 1000, REQUEST_LOG_TARGET_MAX = 256, REQUEST_LOG_WHO_MAX = 64 };

struct request_log *request_log_new(void);
void request_log_free(struct request_log *watch); /* accepts NULL */

/* Notes an exchange that was answered in that time. */
void request_log_add(struct request_log *watch, const struct exchange *exchange,
                     int64_t took_us);

/*
 * As tables for people: how it stands, what was asked by kind, what took longest, what was
 * asked last, which statements took longest, which pulls and imports there were last.
 */
enum { REQUEST_LOG_TABLES = 7 };

struct request_log_tables {
    struct table rows[REQUEST_LOG_TABLES];
};

const char *request_log_title(size_t index);
void request_log_describe(const struct server_context *world, struct request_log_tables *out);
void request_log_tables_release(struct request_log_tables *tables);
