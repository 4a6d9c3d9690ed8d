/* SPDX-License-Identifier: MIT */
#include "facts/facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "facts/append.h"
#include "facts/duckdb/facts_internal.h"

/*
 * What a writer may take of memory, in MB. Each thread that writes holds the columns of the rows it writes, which
 * cannot be put aside: with less than these shares an import fails. MEMORY_LARGE is for facts_grow.
 */
enum { THREADS_MAX = 4, MEMORY_BASE = 40, MEMORY_THREAD = 80, MEMORY_LARGE = 400 };

/*
 * What the engine gets told at open. Order: every question that needs one says so itself, and
 * inserting without it lets all cores write. Checkpoints rewrite row groups with deleted rows, so
 * there had better be few of them. Memory: see set_limits; parts of runs come on top (pool.h). A reader may take what
 * the machine has.
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
    /* Weighing these takes a tenth of the time of writing; without them a store is a twentieth larger. */
    {"disabled_compression_methods", "fsst,rle,zstd", true},
};

int facts_threads(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > THREADS_MAX ? THREADS_MAX : (int)cores;
}

int facts_grow(struct facts *facts, struct error *err)
{
    char sql[64];
    snprintf(sql, sizeof(sql), "SET memory_limit = '%dMB'", MEMORY_LARGE);
    return facts_execute(facts, sql, (struct facts_values){0}, NULL, err);
}

int facts_prepare_bulk(struct facts *facts, struct error *err)
{
    int failed = facts_grow(facts, err);
    return failed ? failed
                  : facts_execute(facts, "SET max_vacuum_tasks = 0", (struct facts_values){0},
                                  NULL, err);
}

static bool is_disk_full(const char *message)
{
    return strstr(message, "No space left on device") || strstr(message, "ENOSPC") ||
           strstr(message, "Disk quota exceeded") ||
           strstr(message, "max_temp_directory_size"); /* which is what was free on the disk */
}

int facts_engine_error(struct error *err, const char *what, const char *message)
{
    message = message ? message : "no reason given";
    if (is_disk_full(message)) {
        return error_set(
            err, ERROR_IO,
            "%s: no space left on the store's disk; what was committed before is intact: "
            "make room and run the same command again",
            what);
    }
    if (strstr(message, "Overflow in ") || strstr(message, "overflow")) {
        return error_set(err, ERROR_LIMIT, "%s: a number grew too large", what);
    }
    if (strstr(message, "Permission denied")) {
        return error_set(err, ERROR_DENIED, "%s: permission denied", what);
    }
    if (strstr(message, "Out of Memory Error")) {
        return error_set(err, ERROR_STORE, "%s: it needs more memory than the store may use",
                         what);
    }
    /* The first line says what happened, the others how to use SQL. */
    return error_set(err, ERROR_STORE, "%s: %.*s", what, (int)strcspn(message, "\n"), message);
}

/* A writer's threads and memory, which belong together. */
static bool set_limits(duckdb_config config)
{
    char threads[16], memory[16];
    snprintf(threads, sizeof(threads), "%d", facts_threads());
    snprintf(memory, sizeof(memory), "%dMB", MEMORY_BASE + MEMORY_THREAD * facts_threads());
    return duck.set_config(config, "threads", threads) == DuckDBSuccess &&
           duck.set_config(config, "memory_limit", memory) == DuckDBSuccess;
}

/* A small store is read by one thread: to start another takes longer than it saves. */
static bool is_small(const char *path)
{
    enum { SMALL_BYTES = 16 << 20 };

    struct stat st;
    return stat(path, &st) == 0 && st.st_size < SMALL_BYTES;
}

static int make_config(const char *path, enum facts_mode mode, duckdb_config *config,
                       struct error *err)
{
    if (duck.create_config(config) != DuckDBSuccess) {
        return error_set(err, ERROR_STORE, "cannot configure the store");
    }
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        if (settings[i].for_writers_only && mode != FACTS_WRITE) {
            continue;
        }
        if (duck.set_config(*config, settings[i].name, settings[i].value) != DuckDBSuccess) {
            return error_set(err, ERROR_STORE, "cannot configure the store: no setting '%s'",
                             settings[i].name);
        }
    }
    if (mode == FACTS_WRITE && !set_limits(*config)) {
        return error_set(err, ERROR_STORE, "cannot configure the store: no limit of memory");
    }
    if (mode == FACTS_READ && is_small(path) &&
        duck.set_config(*config, "threads", "1") != DuckDBSuccess) {
        return error_set(err, ERROR_STORE, "cannot configure the store: no number of threads");
    }
    bool in_memory = strcmp(path, ":memory:") == 0;
    const char *access = mode == FACTS_READ && !in_memory ? "READ_ONLY" : "READ_WRITE";
    if (duck.set_config(*config, "access_mode", access) != DuckDBSuccess) {
        return error_set(err, ERROR_STORE, "cannot configure the store: no access mode");
    }
    return 0;
}

int facts_open_file(const char *path, enum facts_mode mode, struct facts *facts,
                    struct error *err)
{
    duckdb_config config = NULL;
    char *message = NULL;
    int failed = duck_load(err);
    if (failed) {
        return failed;
    }
    failed = make_config(path, mode, &config, err);
    if (failed) {
        goto out;
    }
    if (duck.open_ext(path, &facts->database, config, &message) != DuckDBSuccess) {
        char what[512];
        snprintf(what, sizeof(what), "cannot open the store '%.400s'", path);
        failed = facts_engine_error(err, what, message);
        goto out;
    }
    if (duck.connect(facts->database, &facts->connection) != DuckDBSuccess) {
        failed = error_set(err, ERROR_STORE, "cannot connect to the store '%s'", path);
    }
out:
    duck.free(message);
    duck.destroy_config(&config);
    return failed;
}

void facts_close_file(struct facts *facts)
{
    if (facts->connection &&
        facts->broken) { /* leaves the file as it is; the log is read at the next open */
        struct error ignored;
        (void)!facts_execute(facts, "PRAGMA disable_checkpoint_on_shutdown",
                             (struct facts_values){0}, NULL, &ignored);
    }
    if (facts->connection) {
        duck.disconnect(&facts->connection);
    }
    if (facts->database) {
        duck.close(&facts->database);
    }
}

/* Opens the file and settles its schema; *again asks for a second open, as a writer. */
static int open_checked(const char *folder, const char *path, enum facts_mode mode,
                        struct facts *facts, bool *again, struct error *err)
{
    int version = 0;
    bool unsettled = false;
    int failed = facts_open_file(path, mode, facts, err);
    if (failed || (failed = facts_version(facts, &version, &unsettled, err)) != 0) {
        return failed;
    }
    if (version > facts_schema()) {
        return error_set(
            err, ERROR_STORE,
            "the store '%s' was written by a newer stint (schema %d, this one knows %d); "
            "install that version to use it",
            folder, version, facts_schema());
    }
    if (version < facts_schema()) {
        *again = mode == FACTS_READ;
        if (*again || (failed = facts_migrate(facts, version, err)) != 0) {
            return failed;
        }
    }
    if (!unsettled) {
        return 0;
    }
    *again = mode == FACTS_READ;
    return *again ? 0 : facts_settle(facts, err);
}

static int check_folder(const char *folder, const char *path, enum facts_mode mode,
                        struct error *err)
{
    struct stat st;
    if (mode == FACTS_WRITE) {
        return file_make_folder(folder, err);
    }
    if (stat(path, &st) != 0) {
        return errno == ENOENT
                   ? error_set(
                         err, ERROR_MISSING,
                         "there is no store in '%s' yet; import something first, for example: "
                         "stint import auto --cluster NAME FILE",
                         folder)
                   : error_errno(err, "cannot read the store '%s'", path);
    }
    return 0;
}

int facts_open(const char *folder, enum facts_mode mode, struct facts **out, struct error *err)
{
    char *path = file_join(folder, "facts.duckdb");
    struct facts *facts = mem_alloc(1, sizeof(*facts));
    facts->lock = -1;
    bool again = false;
    int failed = check_folder(folder, path, mode, err);
    if (failed || (failed = facts_lock(folder, mode, &facts->lock, err)) != 0) {
        goto out;
    }
    failed = open_checked(folder, path, mode, facts, &again, err);
    if (!failed && mode == FACTS_WRITE) {
        failed = facts_register_feed(facts, err);
    }
out:
    free(path);
    if (failed || again) {
        facts_close(facts);
        facts = NULL;
    }
    if (!failed && again) { /* an older or unfinished store: mend it as a writer, then read */
        failed = facts_open(folder, FACTS_WRITE, &facts, err);
        facts_close(failed ? NULL : facts);
        return failed ? failed : facts_open(folder, mode, out, err);
    }
    *out = facts;
    return failed;
}

void facts_close(struct facts *facts)
{
    if (!facts) {
        return;
    }
    if (facts->in_transaction) {
        facts_rollback(facts);
    }
    facts_close_file(facts);
    if (facts->lock >= 0) {
        close(facts->lock);
    }
    free(facts);
}
