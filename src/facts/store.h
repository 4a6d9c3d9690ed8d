/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A store: a folder, its lock, its database with the schema, and the engine's settings. A process opens it once;
 * connections (facts.h) work in it, any number at a time: many that read, one that writes, at once. Readers
 * see the last committed batch, each a snapshot of its own. Sessions (session.h) open both as they are needed.
 *
 * Between processes there is one writer or several readers. Whoever opens the store to write waits for its turn, and is let in
 * before readers that came later; whoever wants to read while a writer has it asks that process (serve/answering.h).
 * Everything committed survives kill -9; everything else is gone as if it had never been.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/stop.h"

struct store;

enum facts_mode {
    FACTS_READ,  /* other readers may be in at the same time */
    FACTS_WRITE, /* alone; makes the store if there is none */
};

/* How to wait for another process. */
struct store_wait {
    int64_t limit_us;        /* 0: not at all; negative: for as long as it takes */
    const struct stop *stop; /* may be NULL */

    /*
     * Whether whoever has the store would do it: looked at every second. The wait then ends with ERROR_CONFLICT.
     * May be NULL.
     */
    bool (*elsewhere)(void *watcher);

    /* Says, once and after a while, who is being waited for; may be NULL. */
    void (*waiting)(void *watcher, const char *line);
    void *watcher; /* given back to these */
};

/*
 * Opens the store in `folder`. An older schema is migrated, and an unsettled batch settled (see
 * append.h), even for FACTS_READ. Who may not write reads an unsettled batch as it is (store_is_unsettled), and no older
 * schema. A newer schema is refused. FACTS_READ of a folder without a store is ERROR_MISSING with a sentence on how to begin. ERROR_CONFLICT after
 * the wait names the process that has it.
 */
int store_open(const char *folder, enum facts_mode mode, const struct store_wait *wait,
               struct store **out, struct error *err) MUST_CHECK;

/* Whether an import was killed so that parts of its last batch are not added to their runs yet, and this process may not. */
bool store_is_unsettled(const struct store *store);

/* All connections are closed before. NULL is allowed. */
void store_close(struct store *store);

const char *store_folder(const struct store *store);

/*
 * A number that is another after each commit in this process, which is the only one that writes while it has the store: what
 * was answered under the same number is still so. Cheaper than to ask the change feed, and nodes count too.
 */
uint64_t store_generation(const struct store *store);

/*
 * Writes what is committed to its place, so that closing takes no time afterwards. What it could not do, closing or the next
 * open does.
 */
void store_checkpoint(struct store *store);

/* A statement that was run, whichever connection ran it. Values are not part of its text. */
enum { STORE_QUERIES_KEPT = 256, STORE_QUERY_MAX = 4096 };

struct store_query {
    int64_t ended; /* on the clock of stop_clock */
    int64_t took_us;
    bool failed;
    char sql[STORE_QUERY_MAX]; /* its beginning */
};

/* Keeps the last STORE_QUERIES_KEPT from now on; before the store is used by several threads. */
void store_keep_queries(struct store *store);

/* Copies up to `max` of them, newest first; returns how many. */
size_t store_queries(struct store *store, struct store_query *out, size_t max);

/* Schema number of this build. */
int store_schema(void);
