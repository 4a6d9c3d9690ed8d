/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the files of facts/ share and nobody else sees.
 */

#include "base/buf.h"
#include "facts/duckdb/duck.h"
#include "facts/facts.h"

struct feed_state; /* feed.h */

struct facts {
    int lock; /* descriptor of the lock file, -1 if none */
    duckdb_database database;
    duckdb_connection connection;
    bool in_transaction;
    /* the engine failed to write; what it would write after that is not to be trusted */
    bool broken;
    struct feed_state *feed; /* set while facts_append runs */
    /*
     * batch whose repeats are among the lines in suspects_runs (feed.h), and whose parts that
     * need a second look are among those in open_parts (parts.h); 0: none
     */
    int64_t sifted;
};

/* Translates a DuckDB message into an error: disk full, overflow and damage get their own words. */
int facts_engine_error(struct error *err, const char *what, const char *message);

/* Opens the database file itself: no lock, no migration. ":memory:" is allowed. */
int facts_open_file(const char *path, enum facts_mode mode, struct facts *facts,
                    struct error *err) MUST_CHECK;
void facts_close_file(struct facts *facts);

/* How many threads a writer has: as many as there are cores, up to four. */
int facts_threads(void);

/* lock.c: takes the store's lock within FACTS_WAIT_MS, or names who has it. */
int facts_lock(const char *folder, enum facts_mode mode, int *lock,
               struct error *err) MUST_CHECK;

/* migrate.c: schema number found (0 = empty), whether a batch waits to be settled, and the way up to the present one. */
int facts_version(struct facts *facts, int *version, bool *unsettled,
                  struct error *err) MUST_CHECK;
int facts_migrate(struct facts *facts, int version, struct error *err) MUST_CHECK;

/* append.c: adds "n.cluster IS NOT DISTINCT FROM o.cluster AND ..." over the identity of runs. */
void facts_add_same_identity(struct buf *sql, bool with_part);

/* append.c: adds "'completed', 'failed', ...", the classes of runs that are over. */
void facts_add_classes_over(struct buf *sql);

/* feed.c: makes the table function `feed()` known to the connection. */
int facts_register_feed(struct facts *facts, struct error *err) MUST_CHECK;

/*
 * load.c: adds rows, whose values follow each other, to a table of the store; part of the
 * transaction that is open. One call costs the engine as much as one statement, however many rows.
 */
int facts_load_rows(struct facts *facts, const char *table, size_t column_count,
                    struct facts_values values, struct error *err) MUST_CHECK;

/* load.c: the same for a temporary table, many calls of facts_loader_add long. Close is due in any case. */
struct facts_loader {
    struct facts *facts;
    duckdb_appender appender;
    size_t columns; /* of the table; the caller's to set */
    bool good;
};

int facts_loader_open(struct facts *facts, const char *name, struct facts_loader *loader,
                      struct error *err) MUST_CHECK;
int facts_loader_add(struct facts_loader *loader, struct facts_values values,
                     struct error *err) MUST_CHECK;
int facts_loader_close(struct facts_loader *loader, struct error *err) MUST_CHECK;
