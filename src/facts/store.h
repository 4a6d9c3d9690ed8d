/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A store: a folder, its lock, its database with the schema, and the engine's settings. A
 * process opens it once. Connections (facts.h) work in it at the same time: any number that
 * read, and one that writes. Readers see the last committed batch, each in a snapshot of its
 * own. Sessions (session.h) open both as needed.
 *
 * Between processes there is one writer or several readers. A process that opens the store to
 * write waits for its turn, and comes before readers that arrive later; one that wants to read
 * while another writes asks that process (serve/rpc/rpc_server.h). Everything committed
 * survives kill -9; everything else never happened.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "base/stop.h"

struct store;

enum facts_mode {
    FACTS_READ,  /* beside other readers */
    FACTS_WRITE, /* exclusive; creates a store that does not exist */
};

/* How to wait for another process. */
struct store_wait {
    int64_t limit_us;        /* 0: do not wait; negative: without limit */
    const struct stop *stop; /* may be NULL */

    /*
     * Whether the process that has the store would carry out the request: checked every second.
     * If so, the wait ends with ERROR_CONFLICT. May be NULL.
     */
    bool (*elsewhere)(void *watcher);

    /*
     * Called once, after a while, with a line that says which process holds the store; may be
     * NULL.
     */
    void (*waiting)(void *watcher, const char *line);
    void *watcher; /* passed to these functions */
};

/*
 * Opens the store in `folder`. An older schema is migrated and an unsettled batch is settled
 * (see append.h), even for FACTS_READ. A process without permission to write reads an unsettled
 * batch as it is (store_is_unsettled), and cannot open an older schema. A newer schema is
 * refused. FACTS_READ of a folder without a store is ERROR_MISSING, with a sentence on how to
 * begin. ERROR_CONFLICT, when the wait is over, names the process that holds the store.
 */
int store_open(const char *folder, enum facts_mode mode, const struct store_wait *wait,
               struct store **out, struct error *err) MUST_CHECK;

/*
 * Whether the last import was killed before parts of its last batch were added to their runs,
 * and this process has no permission to add them.
 */
bool store_is_unsettled(const struct store *store);

/* All its connections must have been closed. Accepts NULL. */
void store_close(struct store *store);

const char *store_folder(const struct store *store);

/*
 * A number that changes with each commit of this process, the only one that writes while it
 * holds the store: an answer given under the same number is still valid. Cheaper than the
 * change feed, and covers node states too.
 */
uint64_t store_generation(const struct store *store);

/*
 * Whether the engine failed to write, on a full disk for instance: reading continues, and the
 * next connection that writes first opens the database again, which fails as long as there is
 * no room. store_reopened counts how often that succeeded.
 */
bool store_is_broken(const struct store *store);
uint64_t store_reopened(struct store *store);

/* Whether the engine answers a question. */
int store_check_readable(struct store *store, struct error *err) MUST_CHECK;

/* Whether a file can be written beside the store; the error says why not. */
int store_check_writable(const struct store *store, struct error *err) MUST_CHECK;

/*
 * Moves what is committed from the log into the database, so that closing takes no time. What
 * it cannot do is done at close or at the next open.
 */
void store_checkpoint(struct store *store);

/* A statement that some connection ran. Bound values are not part of its text. */
enum { STORE_QUERIES_KEPT = 256, STORE_QUERY_MAX = 4096 };

struct store_query {
    int64_t ended; /* on the clock of stop_clock */
    int64_t took_us;
    bool failed;
    char sql[STORE_QUERY_MAX]; /* its beginning */
};

/*
 * Begins to keep the last STORE_QUERIES_KEPT. To be called before several threads use the
 * store.
 */
void store_keep_queries(struct store *store);

/* Copies up to `max` of them, newest first; returns how many. */
size_t store_queries(struct store *store, struct store_query *out, size_t max);

/* Schema number of this build. */
int store_schema(void);

/*
 * The files of the facts in a store's folder, for copies: NULL ends them, and only the first
 * must be there. While a connection that writes is open and not in a transaction (facts.h),
 * nobody changes them, and a copy of all of them is a store as it is after a kill: everything
 * committed is in it.
 */
extern const char *const store_files[];

/*
 * Takes the store in a folder from all other processes without opening it, to replace its
 * files; waits for nobody. The folder must be there. ERROR_CONFLICT names the process that has
 * it.
 */
int store_lock(const char *folder, int *lock, struct error *err) MUST_CHECK;
void store_unlock(int lock); /* also of -1 */
