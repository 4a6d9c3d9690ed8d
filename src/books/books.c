/* SPDX-License-Identifier: MIT */
#include "books/books.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "books/books_internal.h"
#include "books/books_migrations.h"
#include "books/chain.h"
#include "books/packed_sql.h"

static const char FILE_NAME[] = "books.sqlite";

/* Tells our files from other SQLite files: "stin" in bytes. */
#define BOOKS_APPLICATION_ID 0x7374696e

/* FULL: a commit is on the disk when it returns. */
static const char settings[] = "PRAGMA foreign_keys = ON;"
                               "PRAGMA synchronous = FULL;"
                               "PRAGMA trusted_schema = OFF;"
                               "PRAGMA journal_size_limit = 1048576;";

int books_error(struct books *books, int code, const char *what, struct error *err)
{
    const char *path = books->path ? books->path : "";
    const int cause = books->db ? sqlite3_system_errno(books->db) : 0;
    if (code == SQLITE_FULL || cause == ENOSPC || cause == EDQUOT) {
        return error_set(
            err, ERROR_IO,
            "%s: no space left on the disk of '%s'; nothing was changed: make room "
            "and run the same command again",
            what, path);
    }
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(err, ERROR_CONFLICT,
                         "%s: another process is changing '%s'; try again when it has finished",
                         what, path);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return error_set(err, ERROR_DENIED, "%s: '%s' may not be written by user %u", what,
                         path, geteuid());
    case SQLITE_CANTOPEN:
        return error_set(err, ERROR_DENIED, "%s: '%s' cannot be opened: %s", what, path,
                         cause ? strerrordesc_np(cause) : "look at its permissions");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return error_set(err, ERROR_STORE,
                         "%s: '%s' is damaged or not an SQLite file; move it away and restore "
                         "the last dump: stint books restore FILE",
                         what, path);
    case SQLITE_CONSTRAINT:
        if (code == SQLITE_CONSTRAINT_TRIGGER && books->db) {
            /* a sentence of the schema's own */
            return error_set(err, ERROR_CONFLICT, "%s: %s", what, sqlite3_errmsg(books->db));
        }
        return error_set(
            err, ERROR_CONFLICT,
            "%s: two rows have the same number or key, or one refers to a missing entry", what);
    case SQLITE_IOERR:
        return error_set(err, ERROR_IO, "%s: the disk of '%s' fails: %s", what, path,
                         cause ? strerrordesc_np(cause) : sqlite3_errstr(code));
    default:
        return error_set(err, ERROR_STORE, "%s: %s", what,
                         books->db ? sqlite3_errmsg(books->db) : sqlite3_errstr(code));
    }
}

int books_run(struct books *books, const char *sql, const char *what, struct error *err)
{
    int code = sqlite3_exec(books->db, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? 0 : books_error(books, code, what, err);
}

int books_schema(void)
{
    return books_migrations[books_migrations_count - 1].number;
}

const struct kind_world *books_kind_world(const struct books *books)
{
    return &books->world->kind;
}

static int read_pragma(struct books *books, const char *sql, int64_t *out, struct error *err)
{
    struct query q = query_begin(books, sql);
    *out = query_row(&q) ? query_int_at(&q, 0) : 0;
    return query_finish(&q, "cannot read the books", err);
}

int books_verify(struct books *books, struct error *err)
{
    struct query q = query_begin(books, "PRAGMA integrity_check(1)");
    struct arena arena = {0};
    struct error found = {0};
    const struct str text = query_row(&q) ? query_text_at(&q, 0, &arena) : STR("ok");
    if (!str_eq(text, STR("ok"))) {
        error_set(&found, ERROR_STORE,
                  "the books '%s' are damaged; move the file away and restore the last dump: "
                  "stint books restore FILE (%.*s)",
                  books->path, STR_ARG(text));
    }
    arena_release(&arena);
    const int failed = query_finish(&q, "cannot read the books", err);
    if (!failed && found.text[0]) {
        *err = found;
    }
    return failed ? failed : found.kind;
}

/* Whether the file is ours, and its schema: 0 for an empty file. */
static int read_version(struct books *books, int *version, struct error *err)
{
    int64_t application = 0, number = 0, objects = 0;
    int failed;
    (void)((failed = read_pragma(books, "PRAGMA application_id", &application, err)) ||
           (failed = read_pragma(books, "PRAGMA user_version", &number, err)) ||
           (failed = read_pragma(books, "SELECT count(*) FROM sqlite_schema", &objects, err)));
    if (failed) {
        return failed;
    }
    if (application != BOOKS_APPLICATION_ID && objects > 0) {
        return error_set(err, ERROR_STORE,
                         "'%s' is an SQLite file, but not one of stint; move it elsewhere",
                         books->path);
    }
    if (number > books_schema()) {
        return error_set(err, ERROR_STORE,
                         "the books '%s' were written by a newer stint (schema %d, this one "
                         "knows %d); install that version to use them",
                         books->path, (int)number, books_schema());
    }
    *version = (int)number;
    return 0;
}

static int take_steps(struct books *books, int version, struct error *err)
{
    char sql[128];
    const int code = packed_sql_define(books->db);
    int failed =
        code == SQLITE_OK ? 0 : books_error(books, code, "cannot upgrade the books", err);
    for (size_t i = 0; !failed && i < books_migrations_count; i++) {
        if (books_migrations[i].number > version) {
            failed = books_run(books, books_migrations[i].sql, "cannot upgrade the books", err);
        }
    }
    snprintf(sql, sizeof(sql), "PRAGMA application_id = %d; PRAGMA user_version = %d",
             BOOKS_APPLICATION_ID, books_schema());
    return failed ? failed : books_run(books, sql, "cannot upgrade the books", err);
}

/* The version is read again inside: somebody else may have done it in the meantime. */
static int migrate(struct books *books, struct error *err)
{
    int version = 0;
    int failed = books_begin(books, err);
    if (failed) {
        return failed;
    }
    (void)((failed = read_version(books, &version, err)) ||
           (failed = take_steps(books, version, err)) || (failed = books_commit(books, err)));
    if (failed) {
        books_rollback(books);
    }
    return failed;
}

/*
 * Turning on WAL wants the file alone for a moment and, unlike everything else, does not wait
 * for it (there would be a deadlock to fear): so it is tried again for as long as others wait.
 */
static int turn_on_wal(struct books *books, struct error *err)
{
    int code;
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int tries = BOOKS_WAIT_MS / 10;; tries--) {
        code = sqlite3_exec(books->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if ((code & 0xff) != SQLITE_BUSY || tries == 0) {
            break;
        }
        nanosleep(&pause, NULL);
    }
    return code == SQLITE_OK ? 0 : books_error(books, code, "cannot open the books", err);
}

/* Settings of the connection; of the file, those that it does not have. */
static int prepare(struct books *books, bool writable, struct error *err)
{
    int version = 0;
    sqlite3_extended_result_codes(books->db, 1);
    sqlite3_busy_timeout(books->db, BOOKS_WAIT_MS);
    int failed = books_run(books, settings, "cannot open the books", err);
    if (failed || (failed = read_version(books, &version, err)) != 0) {
        return failed;
    }
    if (writable) {
        int on = 1; /* so that those who may only read find the files they need */
        sqlite3_file_control(books->db, NULL, SQLITE_FCNTL_PERSIST_WAL, &on);
        failed = turn_on_wal(books, err);
    }
    if (!failed && version < books_schema()) {
        failed = migrate(books, err);
    }
    return failed;
}

/*
 * An empty file is an empty database. It has hashes of passwords: for its owner alone, whatever
 * the umask is.
 */
static int create_file(const char *path, struct error *err)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return errno == EEXIST ? 0 : error_errno(err, "cannot create the books '%s'", path);
    }
    close(fd);
    return 0;
}

/* Opens the file, or, to read what is not there, empty books in memory. */
static int open_file(struct books *books, const char *folder, enum books_mode mode,
                     struct error *err)
{
    const bool there = access(books->path, F_OK) == 0;
    const bool may_write = there && access(books->path, W_OK) == 0 && access(folder, W_OK) == 0;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    const char *path = books->path;
    if (mode == BOOKS_WRITE) {
        int failed = file_make_folder(folder, err);
        failed = failed ? failed : create_file(books->path, err);
        if (failed) {
            return failed;
        }
    } else if (!there && errno != ENOENT) {
        return error_errno(err, "cannot read the books '%s'", books->path);
    } else if (!there) {
        path = ":memory:";
    } else if (!may_write) {
        flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
    }
    int code = sqlite3_open_v2(path, &books->db, flags, NULL);
    if (code != SQLITE_OK) {
        return books_error(books, code, "cannot open the books", err);
    }
    return prepare(books, mode == BOOKS_WRITE || may_write, err);
}

bool books_exist(const char *folder)
{
    char *path = file_join(folder, FILE_NAME);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

int books_open(const char *folder, enum books_mode mode, const struct books_world *world,
               struct books **out, struct error *err)
{
    struct books *books = mem_alloc(1, sizeof(*books));
    books->path = file_join(folder, FILE_NAME);
    books->world = world;
    int failed = open_file(books, folder, mode, err);
    if (failed) {
        books_close(books);
        books = NULL;
    }
    *out = books;
    return failed;
}

void books_close(struct books *books)
{
    if (!books) {
        return;
    }
    books_rollback(books);
    books_forget_statements(books);
    sqlite3_close(books->db);
    free(books->path);
    free(books);
}

int books_begin(struct books *books, struct error *err)
{
    int failed = books_run(books, "BEGIN IMMEDIATE", "cannot change the books", err);
    books->in_transaction = !failed;
    books->touched = 0;
    return failed;
}

int books_begin_reading(struct books *books, struct error *err)
{
    const int failed = books_run(books, "BEGIN", "cannot read the books", err);
    books->in_transaction = !failed;
    return failed;
}

void books_touch(struct books *books, const struct kind *kind)
{
    books->touched |= 1U << (kind - kinds);
}

int books_commit(struct books *books, struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < kind_count; i++) {
        if (books->touched & 1U << i && kinds[i].check_all) {
            failed = kinds[i].check_all(books, err);
        }
    }
    failed = failed ? failed : chain_extend(books, err);
    if (!failed) {
        failed = books_run(books, "COMMIT", "cannot change the books", err);
    }
    if (failed) {
        books_rollback(books);
    }
    books->in_transaction = false;
    return failed;
}

void books_rollback(struct books *books)
{
    if (books->in_transaction) {
        /*
         * SQLite may have done it already, when the disk was full: then this finds nothing to
         * do.
         */
        (void)sqlite3_exec(books->db, "ROLLBACK", NULL, NULL, NULL);
        books->in_transaction = false;
    }
}
