/* SPDX-License-Identifier: MIT */

/*
 * What the engine says, in our words. It gives a kind with each error; its sentences are
 * English, change with its versions and are only ever shown, never searched. What the operating
 * system had against it is found out by asking that.
 */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "facts/duckdb/facts_internal.h"

/*
 * Something could not be written: less than ROOM_LOW left on the disk is why. What had failed
 * has been taken back by now, so that there may be a little room again. A quota is found out by
 * trying.
 */
enum { ROOM_LOW = 64 << 20, ROOM_TRIED = 1 << 20 };

/* Why nothing can be written in a folder: ENOSPC, EDQUOT, EROFS, EACCES ...; 0: it can. */
static int why_not_written(const char *folder)
{
    struct statvfs fs;
    if (statvfs(folder, &fs) == 0 && (uint64_t)fs.f_bavail * fs.f_frsize < (uint64_t)ROOM_LOW) {
        return ENOSPC;
    }
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) {
        return errno == EOPNOTSUPP ? 0 : errno;
    }
    int why = posix_fallocate(fd, 0, ROOM_TRIED);
    close(fd);
    return why == EOPNOTSUPP || why == EINVAL ? 0 : why;
}

static bool is_full(const char *folder)
{
    const int why = folder ? why_not_written(folder) : 0;
    return why == ENOSPC || why == EDQUOT;
}

static int say_full(const char *what, struct error *err)
{
    return error_set(err, ERROR_IO,
                     "%s: no space left on the store's disk; what was committed before is "
                     "intact: make room and run the same command again",
                     what);
}

/* The first line says what happened, the others how to use SQL. */
static int say_as_it_is(enum error_kind kind, const char *what, const char *message,
                        struct error *err)
{
    message = message ? message : "no reason given";
    return error_set(err, kind, "%s: %.*s", what, (int)strcspn(message, "\n"), message);
}

/*
 * Neither a full disk nor a missing right: a block is not what was written, or cannot be read.
 */
static int say_damaged(const char *folder, const char *what, const char *message,
                       struct error *err)
{
    return error_set(err, ERROR_IO,
                     "%s: a part of '%s/facts.duckdb' is damaged or its disk fails: move the "
                     "file away and import everything again, or restore a copy of it (%.*s)",
                     what, folder, (int)strcspn(message ? message : "", "\n"),
                     message ? message : "");
}

int store_engine_error(const char *folder, const char *what, const char *message,
                       struct error *err)
{
    return is_full(folder) ? say_full(what, err)
                           : say_as_it_is(ERROR_STORE, what, message, err);
}

static int explain(const struct facts *facts, const char *what, duckdb_error_type kind,
                   const char *message, struct error *err)
{
    const char *folder = facts->store->folder;
    if (kind == DUCKDB_ERROR_INTERRUPT) {
        return stop_explain(facts->stop, err);
    }
    if (kind == DUCKDB_ERROR_OUT_OF_RANGE) {
        return error_set(err, ERROR_LIMIT, "%s: a number grew too large", what);
    }
    if (kind ==
        DUCKDB_ERROR_CONVERSION) { /* what is stored has its type: only the size of a number can be wrong */
        return say_as_it_is(ERROR_LIMIT, what, message, err);
    }
    if (kind == DUCKDB_ERROR_PERMISSION) {
        return error_set(err, ERROR_DENIED, "%s: permission denied", what);
    }
    /* What does not fit into memory is put aside on the disk, and fails when that is full. */
    if ((kind == DUCKDB_ERROR_IO || kind == DUCKDB_ERROR_FATAL ||
         kind == DUCKDB_ERROR_INTERNAL || kind == DUCKDB_ERROR_OUT_OF_MEMORY ||
         kind == DUCKDB_ERROR_TRANSACTION) && /* a commit that could not be written */
        is_full(folder)) {
        return say_full(what, err);
    }
    if (kind == DUCKDB_ERROR_OUT_OF_MEMORY) {
        return error_set(err, ERROR_STORE, "%s: it needs more memory than the store may use",
                         what);
    }
    if (kind == DUCKDB_ERROR_IO && why_not_written(folder) != 0) {
        return say_as_it_is(ERROR_IO, what, message, err);
    }
    return kind == DUCKDB_ERROR_IO ? say_damaged(folder, what, message, err)
                                   : say_as_it_is(ERROR_STORE, what, message, err);
}

/*
 * After a disk was full, or an error of its own making, the engine continues as if nothing had
 * happened, but what it commits then may be garbage (seen with 1.4: texts come back a thousand
 * times over). So that store must not be written to any more.
 */
int facts_engine_error(struct facts *facts, const char *what, duckdb_error_type kind,
                       const char *message, struct error *err)
{
    int failed = explain(facts, what, kind, message, err);
    if (failed == ERROR_IO || kind == DUCKDB_ERROR_IO || kind == DUCKDB_ERROR_INTERNAL ||
        kind == DUCKDB_ERROR_FATAL) {
        facts->store->broken = true;
    }
    return failed;
}
