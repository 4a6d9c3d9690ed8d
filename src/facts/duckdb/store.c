/* SPDX-License-Identifier: MIT */
#include "facts/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/timed_wait.h"
#include "facts/append.h"
#include "facts/duckdb/facts_internal.h"
#include "facts/duckdb/migrations.h"
#include "facts/duckdb/query_log.h"

/* How long connections may take to close before the database is opened again. */
#define REOPEN_WAIT_US INT64_C(10000000)

int store_schema(void)
{
    return migrations[migrations_count - 1].number;
}

const char *store_folder(const struct store *store)
{
    return store->folder;
}

uint64_t store_generation(const struct store *store)
{
    return atomic_load(&store->generation);
}

static struct store *store_new(const char *folder, enum facts_mode mode)
{
    struct store *store = mem_alloc(1, sizeof(*store));
    store->folder = mem_text(folder);
    store->mode = mode;
    store->lock = -1;
    pthread_mutex_init(&store->writing, NULL);
    pthread_mutex_init(&store->guard, NULL);
    pthread_cond_init(&store->changed, NULL);
    interrupter_init(&store->watch);
    return store;
}

/*
 * The loader of the C library ends a program that has no room for the variables of a thread,
 * and with next to nothing the engine crashes as it starts: so a limit (ulimit -v) that is too
 * low is said before. Each thread reserves addresses of its own.
 */
static int check_room(enum facts_mode mode, struct error *err)
{
    enum { MIB = 1 << 20, TO_READ = 160, TO_WRITE = 200, A_THREAD = 100 };

    struct rlimit limit;
    const rlim_t needed =
        mode == FACTS_READ ? TO_READ : TO_WRITE + A_THREAD * (rlim_t)store_threads();
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        limit.rlim_cur / MIB >= needed) {
        return 0;
    }
    return error_set(
        err, ERROR_LIMIT,
        "the limit on memory is %llu MiB (ulimit -v), and %s the store needs %llu: "
        "raise the limit",
        (unsigned long long)(limit.rlim_cur / MIB), mode == FACTS_READ ? "reading" : "writing",
        (unsigned long long)needed);
}

static int open_database(const char *path, struct store *store, char **message,
                         struct error *err)
{
    duckdb_config config = NULL;
    int failed = settings_make(path, store->mode, &config, err);
    *message = NULL;
    if (!failed && duck.open_ext(path, &store->database, config, message) != DuckDBSuccess) {
        char what[512];
        snprintf(what, sizeof(what), "cannot open the store '%.400s'", path);
        failed = store_engine_error(store->folder, what, *message, err);
    }
    duck.destroy_config(&config);
    return failed;
}

/*
 * Opens the file after its writer was killed: what was written in part is repaired by a writer;
 * for a reader *torn says that one is needed.
 */
static int open_torn(const char *path, struct store *store, bool *torn, struct error *err)
{
    enum { TRIES = 1000 }; /* blocks that may have to be repaired before it opens */

    const bool writes = store->mode == FACTS_WRITE;
    int failed = 0;
    for (int i = 0; i < TRIES; i++) {
        char *message;
        failed = open_database(path, store, &message, err);
        *torn = failed && torn_named(path, message, writes);
        duck.free(message);
        if (!*torn || !writes) {
            break;
        }
    }
    if (failed) {
        return failed;
    }
    *torn = torn_listed(store, path, writes);
    return 0;
}

static int open_file(const char *path, struct store *store, bool *torn, struct error *err)
{
    char *message = NULL;
    const bool killed = torn_is_possible(path);
    *torn = false;
    int failed = check_room(store->mode, err);
    failed = failed ? failed : duck_load(err);
    if (!failed && killed) {
        failed = open_torn(path, store, torn, err);
    }
    if (!failed && !store->database) {
        failed = open_database(path, store, &message, err);
        duck.free(message);
    }
    return failed;
}

int store_open_file(const char *path, enum facts_mode mode, struct store **out,
                    struct error *err)
{
    *out = store_new(".", mode);
    bool torn;
    int failed = open_file(path, *out, &torn, err);
    if (failed) {
        store_close(*out);
        *out = NULL;
    }
    return failed;
}

/* What the engine would only say in its own words. */
static int check_permission(const char *path, enum facts_mode mode, struct error *err)
{
    const int wanted = mode == FACTS_WRITE ? R_OK | W_OK : R_OK;
    return access(path, wanted) == 0 || errno == ENOENT
               ? 0
               : error_errno(err, "cannot open the store '%s'", path);
}

static int check_folder(const char *folder, const char *path, enum facts_mode mode,
                        struct error *err)
{
    struct stat st;
    if (mode == FACTS_WRITE) {
        return file_make_folder(folder, err);
    }
    if (stat(path, &st) == 0) {
        return 0;
    }
    return errno == ENOENT
               ? error_set(err, ERROR_MISSING,
                           "there is no store in '%s' yet; import something first, for "
                           "example: stint import auto --cluster NAME FILE",
                           folder)
               : error_errno(err, "cannot read the store '%s'", path);
}

/*
 * Brings the schema up and settles what a killed import left; *again asks for a second open, as
 * a writer.
 */
static int mend(struct store *store, struct facts *facts, bool *again, struct error *err)
{
    int version = 0;
    bool unsettled = false;
    int failed = facts_version(facts, &version, &unsettled, err);
    if (failed) {
        return failed;
    }
    if (version > store_schema()) {
        return error_set(
            err, ERROR_STORE,
            "the store '%s' was written by a newer stint (schema %d, this one knows %d); "
            "install that version to use it",
            store->folder, version, store_schema());
    }
    store->unsettled = unsettled;
    *again = store->mode == FACTS_READ &&
             (version < store_schema() || (unsettled && !store->as_it_is));
    if (*again || store->mode == FACTS_READ) {
        return 0;
    }
    if (version < store_schema()) {
        failed = facts_migrate(facts, version, err);
    }
    return failed || !unsettled ? failed : facts_settle(facts, err);
}

/*
 * The engine writes a new file in pieces, and cannot open one whose writer was killed in
 * between: so it is written under another name first.
 */
static int create_file(const struct store *store, const char *path, struct error *err)
{
    struct stat st;
    struct store *created = NULL;
    if (stat(path, &st) == 0 || errno != ENOENT) {
        return 0;
    }
    char *fresh = file_join(store->folder, "facts.new");
    (void)unlink(fresh);
    int failed = store_open_file(fresh, FACTS_WRITE, &created, err);
    store_close(created);
    /* for its owner alone, whatever the umask is: the folder may be one that others enter */
    if (!failed && (chmod(fresh, 0600) != 0 || rename(fresh, path) != 0)) {
        failed = error_errno(err, "cannot create the store '%s'", path);
    }
    free(fresh);
    return failed;
}

/* Opens the file and looks at what is in it. */
static int open_checked(const char *path, struct store *store, bool *again, struct error *err)
{
    struct facts *facts = NULL;
    bool torn = false;
    int failed = check_permission(path, store->mode, err);
    if (!failed && store->mode == FACTS_WRITE) {
        failed = create_file(store, path, err);
    }
    failed = failed ? failed : open_file(path, store, &torn, err);
    if (torn && store->mode == FACTS_READ && !store->repaired) {
        *again = true;
        return 0;
    }
    if (failed) {
        return failed;
    }
    failed = facts_open(store, store->mode, NULL, &facts, err);
    if (!failed) {
        failed = mend(store, facts, again, err);
    }
    if (!failed) {
        failed = hostlists_register(facts, err);
    }
    if (!failed && store->mode == FACTS_WRITE) {
        failed = feed_register(facts, err);
    }
    facts_close(facts);
    return failed;
}

/* An older or unfinished store is mended by a writer. */
static int mend_as_writer(const char *folder, const struct store_wait *wait, struct error *err)
{
    struct store *writer = NULL;
    int failed = store_open(folder, FACTS_WRITE, wait, &writer, err);
    store_close(writer);
    return failed;
}

/* Once; *again: it wants to be mended first. */
static int open_once(struct store *store, const struct store_wait *wait, bool *again,
                     struct error *err)
{
    const char *folder = store->folder;
    const enum facts_mode mode = store->mode;
    char *path = file_join(folder, "facts.duckdb");
    int failed = check_folder(folder, path, mode, err);
    if (!failed) {
        failed = lock_take(folder, mode, wait, &store->lock, err);
    }
    if (!failed) {
        failed = open_checked(path, store, again, err);
    }
    free(path);
    return failed;
}

bool store_is_unsettled(const struct store *store)
{
    return store->as_it_is && store->unsettled;
}

int store_open(const char *folder, enum facts_mode mode, const struct store_wait *wait,
               struct store **out, struct error *err)
{
    bool as_it_is = false, repaired = false;
    *out = NULL;
    for (;;) {
        struct store *store = store_new(folder, mode);
        bool again = false;
        store->as_it_is = as_it_is;
        store->repaired = repaired;
        int failed = open_once(store, wait, &again, err);
        if (!failed && !again) {
            *out = store;
            return 0;
        }
        const bool readable = again && store->unsettled && !as_it_is;
        store_close(store);
        failed = failed ? failed : mend_as_writer(folder, wait, err);
        if (failed && !(readable && failed == ERROR_DENIED)) {
            return failed;
        }
        as_it_is = failed != 0; /* who may not write reads what there is */
        repaired = true;
    }
}

void store_checkpoint(struct store *store)
{
    struct facts *facts = NULL;
    struct error ignored;
    if (store->broken || facts_open(store, FACTS_WRITE, NULL, &facts, &ignored) != 0) {
        return;
    }
    (void)!facts_execute(facts, "CHECKPOINT", (struct facts_values){0}, NULL, &ignored);
    facts_close(facts);
}

/* Leaves the file as it is; the log is read at the next open. */
static void forgo_checkpoint(struct store *store)
{
    duckdb_connection connection = NULL;
    if (duck.connect(store->database, &connection) == DuckDBSuccess) {
        duck.query(connection, "PRAGMA disable_checkpoint_on_shutdown", NULL);
        duck.disconnect(&connection);
    }
}

static void close_database(struct store *store)
{
    if (store->database && store->broken) {
        forgo_checkpoint(store);
    }
    if (store->database) {
        duck.close(&store->database);
    }
    store->database = NULL;
}

/* --- again -------------------------------------------------------------------------------- */

static bool is_reopener(const struct store *store)
{
    return store->reopening && pthread_equal(store->reopener, pthread_self());
}

void store_enter(struct store *store)
{
    pthread_mutex_lock(&store->guard);
    while (store->reopening && !is_reopener(store)) {
        pthread_cond_wait(&store->changed, &store->guard);
    }
    store->connections++;
    pthread_mutex_unlock(&store->guard);
}

void store_leave(struct store *store)
{
    pthread_mutex_lock(&store->guard);
    store->connections--;
    pthread_cond_broadcast(&store->changed);
    pthread_mutex_unlock(&store->guard);
}

int store_check_readable(struct store *store, struct error *err)
{
    struct facts *facts = NULL;
    int failed = facts_open(store, FACTS_READ, NULL, &facts, err);
    failed =
        failed ? failed : facts_execute(facts, "SELECT 1", (struct facts_values){0}, NULL, err);
    facts_close(facts);
    return failed;
}

int store_check_writable(const struct store *store, struct error *err)
{
    enum { ROOM = 1 << 20 };

    char *path = file_join(store->folder, "room.test");
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    int failed = fd < 0 ? error_errno(err, "cannot write to '%s'", store->folder) : 0;
    const int why = fd < 0 ? 0 : posix_fallocate(fd, 0, ROOM);
    if (!failed && (why != 0 || fsync(fd) != 0)) {
        errno = why != 0 ? why : errno;
        failed = error_errno(err, "cannot write to '%s'", store->folder);
    }
    if (fd >= 0) {
        close(fd);
        (void)unlink(path);
    }
    free(path);
    return failed;
}

/* Takes the database for the caller alone; ERROR_CONFLICT: others still work in it. */
static int begin_reopening(struct store *store, struct error *err)
{
    const int64_t until = stop_clock() + REOPEN_WAIT_US;
    pthread_mutex_lock(&store->guard);
    while (store->reopening) { /* by another: when it is done, so are we */
        pthread_cond_wait(&store->changed, &store->guard);
    }
    store->reopening = store->broken;
    store->reopener = pthread_self();
    while (store->reopening && store->connections > 0 &&
           timed_wait_until(&store->changed, &store->guard, until)) {
    }
    const bool quiet = store->connections == 0 || !store->reopening;
    store->reopening = store->reopening && quiet;
    pthread_cond_broadcast(&store->changed);
    pthread_mutex_unlock(&store->guard);
    return quiet ? 0
                 : error_set(err, ERROR_CONFLICT,
                             "the store could not be written to and is to be opened again, and "
                             "other requests still read it; try again");
}

static void end_reopening(struct store *store)
{
    pthread_mutex_lock(&store->guard);
    store->reopening = false;
    store->reopened += !store->broken;
    pthread_cond_broadcast(&store->changed);
    pthread_mutex_unlock(&store->guard);
}

/*
 * What the engine has in memory after a failed commit is not to be trusted; what it committed
 * before is in the file and its log. The lock of the store stays, so that nobody gets in
 * between.
 */
int store_reopen(struct store *store, const struct stop *stop, struct error *err)
{
    char *path = file_join(store->folder, "facts.duckdb");
    bool ignored = false;
    (void)stop;
    int failed = store_check_writable(store, err);
    failed = failed ? failed : begin_reopening(store, err);
    if (!failed && store->reopening) {
        close_database(store);
        store->broken = false;
        store->usual_limits[0] = '\0';
        failed = open_checked(path, store, &ignored, err);
        store->broken = failed != 0;
        end_reopening(store);
    }
    free(path);
    return failed;
}

bool store_is_broken(const struct store *store)
{
    return store->broken;
}

uint64_t store_reopened(struct store *store)
{
    pthread_mutex_lock(&store->guard);
    const uint64_t count = store->reopened;
    pthread_mutex_unlock(&store->guard);
    return count;
}

void store_close(struct store *store)
{
    if (!store) {
        return;
    }
    interrupter_release(&store->watch);
    close_database(store);
    if (store->lock >= 0) {
        close(store->lock);
    }
    pthread_cond_destroy(&store->changed);
    pthread_mutex_destroy(&store->guard);
    pthread_mutex_destroy(&store->writing);
    query_log_free(store->queries);
    free(store->folder);
    free(store);
}

void store_keep_queries(struct store *store)
{
    store->queries = store->queries ? store->queries : query_log_new();
}

size_t store_queries(struct store *store, struct store_query *out, size_t max)
{
    return query_log_copy(store->queries, out, max);
}

/* --- copies ------------------------------------------------------------------------------- */

const char *const store_files[] = {"facts.duckdb", "facts.duckdb.wal", NULL};

int store_lock(const char *folder, int *lock, struct error *err)
{
    *lock = -1;
    return lock_take(folder, FACTS_WRITE, &(struct store_wait){0}, lock, err);
}

void store_unlock(int lock)
{
    if (lock >= 0) {
        close(lock);
    }
}
