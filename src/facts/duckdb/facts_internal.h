/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the files of facts/duckdb/ share and nobody else sees.
 */

#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "facts/duckdb/duck.h"
#include "facts/duckdb/interrupter.h"
#include "facts/duckdb/query_cache.h"
#include "facts/facts.h"

struct run_feed_state; /* run_feed.h */

/* Feeds that may be at work at once in a process: a writer has one, tests have a few. */
enum { STORE_FEEDS_MAX = 8 };

struct store {
    char *folder;
    enum facts_mode mode;
    int lock;       /* descriptor of the lock file, -1 if none */
    bool as_it_is;  /* read without being settled, by somebody who may not write */
    bool unsettled; /* and there was something to settle */
    bool repaired;  /* a writer opened it just before, and repaired what was torn */
    duckdb_database database;
    /* the engine failed to write; what it would write after that is not to be trusted */
    atomic_bool broken;
    atomic_uint_fast64_t generation; /* goes up with everything that was written */

    pthread_mutex_t writing;   /* held by the one connection that writes */
    struct interrupter watch;  /* ends statements whose stop is set */
    struct query_log *queries; /* NULL: nobody wants to know */

    pthread_mutex_t guard; /* of all below */
    pthread_cond_t changed;
    size_t connections; /* all that are open */
    bool reopening;     /* nobody but `reopener` gets a connection */
    pthread_t reopener;
    uint64_t reopened;     /* how often that succeeded */
    size_t readers;        /* connections that read beside a writer */
    bool grown, bulk;      /* what the writer has asked for */
    char usual_limits[96]; /* the statement that ends those of a stream; empty: not known yet */
    struct run_feed_state *feeds[STORE_FEEDS_MAX];
};

struct facts {
    struct store *store;
    duckdb_connection connection;
    enum facts_mode mode;
    const struct stop *stop;
    const struct scope *scope; /* what it may see; NULL: all */
    bool in_transaction;
    bool snapshot;           /* reads beside a writer: all statements see one snapshot */
    bool snapshot_is_open;   /* it was begun, and no statement has failed in it */
    struct query_cache kept; /* what was asked in it, of what is asked again */
    /*
     * batch whose repeats are among the lines in suspects_runs (run_feed.h), and whose parts
     * that need a second look are among those in open_parts (parts.h); 0: none
     */
    int64_t sifted;
};

/*
 * duck_error.c: turns what the engine says into an error, by the kind it gives, not by its
 * words: disk full, overflow, missing memory, permission and being interrupted get their own.
 * Notes in the store when it must not be written to any more.
 */
int facts_engine_error(struct facts *facts, const char *what, duckdb_error_type kind,
                       const char *message, struct error *err);

/*
 * duck_error.c: the same where the engine gives no kind; `folder` (may be NULL) is where it was
 * to write.
 */
int store_engine_error(const char *folder, const char *what, const char *message,
                       struct error *err);

/* duck_query.c: one statement with its values; the caller destroys it in any case. */
int facts_prepare(struct facts *facts, const char *sql, struct facts_values values,
                  duckdb_prepared_statement *statement, struct error *err) MUST_CHECK;

/*
 * duck_query.c: around a statement of a connection that reads: within its snapshot, and until
 * its stop is set.
 */
int facts_read_begin(struct facts *facts, struct watched *watched,
                     struct error *err) MUST_CHECK;
void facts_read_end(struct facts *facts, struct watched *watched, int failed);

/* duck_query.c: says why a statement failed. */
int facts_statement_failed(struct facts *facts, duckdb_result *result, struct error *err);

/*
 * duck_query.c: the columns of a result as those of a table, and a chunk of it as rows of that
 * table.
 */
int facts_copy_columns(duckdb_result *result, struct table *out, struct error *err) MUST_CHECK;
void facts_copy_chunk(duckdb_result *result, duckdb_data_chunk chunk, struct table *table);

/*
 * store.c: opens a database file and nothing else: no lock, no migration. ":memory:" is
 * allowed.
 */
int store_open_file(const char *path, enum facts_mode mode, struct store **out,
                    struct error *err) MUST_CHECK;

/*
 * torn.c: blocks that were written in part when a writer was killed. torn_is_possible: it has
 * left its log. torn_named: whether the block that a message of the engine names is one;
 * torn_listed: whether any block of metadata is. With `repair` they get the right checksum;
 * torn_named wants the database to be closed, torn_listed closes it.
 */
bool torn_is_possible(const char *path);
bool torn_named(const char *path, const char *message, bool repair);
bool torn_listed(struct store *store, const char *path, bool repair);

/*
 * store.c: opens the database again after the engine failed to write, once there is room and
 * all connections are closed. The caller holds none, and is not the one that writes.
 */
int store_reopen(struct store *store, const struct stop *stop, struct error *err) MUST_CHECK;

/*
 * store.c: counts a connection that is opened or closed; one that comes waits while the
 * database is opened again.
 */
void store_enter(struct store *store);
void store_leave(struct store *store);

/* store.c: how many threads a writer has: as many as there are cores, up to four. */
int store_threads(void);

/* duck_settings.c: what the engine is set to when a database is opened. */
int settings_make(const char *path, enum facts_mode mode, duckdb_config *out,
                  struct error *err) MUST_CHECK;

/*
 * duck_settings.c: a connection came, went or asked for more; sets what the engine may take.
 * Under store->guard.
 */
int settings_adapt(struct facts *facts, struct error *err) MUST_CHECK;

/* lock.c: takes the store's lock, or names who has it. */
int lock_take(const char *folder, enum facts_mode mode, const struct store_wait *wait,
              int *lock, struct error *err) MUST_CHECK;

/* facts.c: begins the snapshot of a connection that reads beside a writer. */
int snapshot_begin(struct facts *facts, struct error *err) MUST_CHECK;

/*
 * restrict.c: the views of a connection that may see a part only; of runs those of batches
 * below `before`.
 */
int restrict_views(struct facts *facts, const struct scope *scope, int64_t before,
                   struct error *err) MUST_CHECK;

/*
 * migrate.c: schema number found (0 = empty), whether a batch waits to be settled, and the way
 * up to the present one.
 */
int facts_version(struct facts *facts, int *version, bool *unsettled,
                  struct error *err) MUST_CHECK;
int facts_migrate(struct facts *facts, int version, struct error *err) MUST_CHECK;

struct statement;

/*
 * append.c: adds "n.cluster IS NOT DISTINCT FROM o.cluster AND ..." over the identity of runs.
 */
void facts_add_same_identity(struct statement *sql, bool with_part);

/* append.c: adds "'completed', 'failed', ...", the classes of runs that are over. */
void facts_add_classes_over(struct statement *sql);

/*
 * hostlist_functions.c: makes hostlist_expand(text) and hostlist_cpus(text) known to the
 * database.
 */
int hostlists_register(struct facts *facts, struct error *err) MUST_CHECK;

/* run_feed.c: makes the table function `feed(id)` known to the database. */
int feed_register(struct facts *facts, struct error *err) MUST_CHECK;

/*
 * load.c: adds rows, whose values follow each other, to a table of the store; part of the
 * transaction that is open. One call costs the engine as much as one statement, however many
 * rows.
 */
int facts_load_rows(struct facts *facts, const char *table, size_t column_count,
                    struct facts_values values, struct error *err) MUST_CHECK;

/*
 * load.c: the same for a temporary table, many calls of facts_loader_add long. Close is due in
 * any case.
 */
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
