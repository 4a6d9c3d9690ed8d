/* SPDX-License-Identifier: MIT */

/*
 * What the engine is set to: once, when a database is opened, and again as connections come and
 * go, since one process may write and answer at the same time.
 */

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "facts/duckdb/facts_internal.h"

/*
 * What a writer may take of memory, in MB. Each thread that writes holds the columns of the
 * rows it writes, which cannot be put aside: with less than these shares an import fails.
 * MEMORY_LARGE is for facts_grow. Those who read beside it get MEMORY_READERS together; what
 * they cannot hold in it they put aside on the disk.
 */
enum {
    THREADS_MAX = 4,
    MEMORY_BASE = 40,
    MEMORY_THREAD = 80,
    MEMORY_LARGE = 400,
    MEMORY_READERS = 500
};

/*
 * Order: every question that needs one says so itself, and inserting without it lets all cores
 * write. Checkpoints rewrite row groups with deleted rows, so there had better be few of them.
 * Memory: see set_limits; parts of runs come on top (part_buffer.h). A process that only reads
 * may take what the machine has.
 */
static const struct setting {
    const char *name, *value;
    bool for_writers_only;
} settings[] = {
    {"preserve_insertion_order", "false", false},
    {"autoinstall_known_extensions", "false", false},
    {"autoload_known_extensions", "false", false},
    {"wal_autocheckpoint", "256MB", true},
    /*
     * For new files. Before 1.1 statistics were written in a way that takes a quarter of the
     * time of an open to read.
     */
    {"storage_compatibility_version", "v1.2.0", true},
    /*
     * Weighing these takes a tenth of the time of writing; without them a store is a twentieth
     * larger.
     */
    {"disabled_compression_methods", "fsst,rle,zstd", true},
};

int store_threads(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > THREADS_MAX ? THREADS_MAX : (int)cores;
}

static int memory_of_writer(bool grown)
{
    const int usual = MEMORY_BASE + MEMORY_THREAD * store_threads();
    return grown && usual < MEMORY_LARGE ? MEMORY_LARGE : usual;
}

static int set(duckdb_config config, const char *name, const char *value, struct error *err)
{
    return duck.set_config(config, name, value) == DuckDBSuccess
               ? 0
               : error_set(err, ERROR_STORE, "cannot configure the store: no setting '%s'",
                           name);
}

/* A writer's threads and memory, which belong together. */
static int set_limits(duckdb_config config, struct error *err)
{
    char threads[16], memory[16];
    snprintf(threads, sizeof(threads), "%d", store_threads());
    snprintf(memory, sizeof(memory), "%dMB", memory_of_writer(false));
    int failed = set(config, "threads", threads, err);
    return failed ? failed : set(config, "memory_limit", memory, err);
}

/* A small store is read by one thread: to start another takes longer than it saves. */
static bool is_small(const char *path)
{
    enum { SMALL_BYTES = 16 << 20 };

    struct stat st;
    return stat(path, &st) == 0 && st.st_size < SMALL_BYTES;
}

int settings_make(const char *path, enum facts_mode mode, duckdb_config *out, struct error *err)
{
    const bool in_memory = strcmp(path, ":memory:") == 0;
    int failed = duck.create_config(out) == DuckDBSuccess
                     ? 0
                     : error_set(err, ERROR_STORE, "cannot configure the store");
    for (size_t i = 0; !failed && i < COUNT_OF(settings); i++) {
        if (mode == FACTS_WRITE || !settings[i].for_writers_only) {
            failed = set(*out, settings[i].name, settings[i].value, err);
        }
    }
    if (!failed && mode == FACTS_WRITE) {
        failed = set_limits(*out, err);
    }
    if (!failed && mode == FACTS_READ && is_small(path)) {
        failed = set(*out, "threads", "1", err);
    }
    return failed ? failed
                  : set(*out, "access_mode",
                        mode == FACTS_READ && !in_memory ? "READ_ONLY" : "READ_WRITE", err);
}

int settings_adapt(struct facts *facts, struct error *err)
{
    const struct store *store = facts->store;
    char sql[96];
    snprintf(sql, sizeof(sql), "SET memory_limit = '%dMB'; SET max_vacuum_tasks = %d",
             memory_of_writer(store->grown) + (store->readers > 0 ? MEMORY_READERS : 0),
             store->bulk ? 0 : 100);
    duckdb_result result = {0};
    int failed = 0;
    if (duck.query(facts->connection, sql, &result) != DuckDBSuccess) {
        failed = facts_engine_error(facts, "cannot set the limits of the store",
                                    duck.result_error_type(&result), duck.result_error(&result),
                                    err);
    }
    duck.destroy_result(&result);
    return failed;
}

static int ask_for(struct facts *facts, bool bulk, struct error *err)
{
    struct store *store = facts->store;
    pthread_mutex_lock(&store->guard);
    store->grown = true;
    store->bulk |= bulk;
    int failed = settings_adapt(facts, err);
    pthread_mutex_unlock(&store->guard);
    return failed;
}

int facts_grow(struct facts *facts, struct error *err)
{
    return ask_for(facts, false, err);
}

int facts_prepare_bulk(struct facts *facts, struct error *err)
{
    return ask_for(facts, true, err);
}
