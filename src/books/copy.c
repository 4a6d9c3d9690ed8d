/* SPDX-License-Identifier: MIT */
#include "books/books.h"

#include <fcntl.h>
#include <unistd.h>

#include "books/books_internal.h"

const char *const books_files[] = {"books.sqlite", "books.sqlite-wal", "books.sqlite-shm",
                                   NULL};

/* Pages are copied as they are, so that what has not changed is the same in every copy. */
int books_copy(struct books *books, const char *path, struct error *err)
{
    sqlite3 *copy = NULL;
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return error_errno(err, "cannot create '%s'", path);
    }
    close(fd);
    int code = sqlite3_open_v2(path, &copy, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    sqlite3_backup *backup =
        code == SQLITE_OK ? sqlite3_backup_init(copy, "main", books->db, "main") : NULL;
    if (backup) {
        (void)sqlite3_backup_step(backup, -1);
        code = sqlite3_backup_finish(backup);
    } else if (code == SQLITE_OK) {
        code = sqlite3_errcode(copy);
    }
    int failed = code == SQLITE_OK ? 0 : books_error(books, code, "cannot copy the books", err);
    sqlite3_close(copy);
    if (failed) {
        (void)unlink(path);
    }
    return failed;
}
