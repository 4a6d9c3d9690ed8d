/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the server itself does and how long it takes: the last WATCH_KEPT requests, and what it holds. Secrets are in no
 * address, so addresses are kept whole, up to WATCH_TARGET_MAX bytes. Any thread.
 */

#include <stddef.h>
#include <stdint.h>

#include "serve/exchange.h"
#include "table/table.h"

struct watch;
struct world;

enum { WATCH_KEPT = 1000, WATCH_TARGET_MAX = 256, WATCH_WHO_MAX = 64 };

struct watch *watch_new(void);
void watch_free(struct watch *watch); /* accepts NULL */

/* Notes an exchange that was answered in that time. */
void watch_add(struct watch *watch, const struct exchange *exchange, int64_t took_us);

/* As tables for people: how it stands, what was asked by kind, what took longest, what was asked last,
 * which statements took longest, which pulls and imports there were last. */
enum { WATCH_TABLES = 7 };

struct watch_tables {
    struct table rows[WATCH_TABLES];
};

const char *watch_title(size_t index);
void watch_describe(const struct world *world, struct watch_tables *out);
void watch_tables_release(struct watch_tables *tables);
