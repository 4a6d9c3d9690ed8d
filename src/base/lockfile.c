/* SPDX-License-Identifier: MIT */
#include "base/lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/limit.h"

int lockfile_take(const char *folder, const char *name, const char *what, struct lockfile *out,
                  struct error *err)
{
    struct buf file;
    buf_init(&file, LIMIT_BOOKS_NAME);
    buf_addf(&file, "%s.lock", name);
    char *path = file_join(folder, file.ptr);
    buf_release(&file);
    int failed = 0;
    out->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (out->fd < 0) {
        failed = error_set(err, ERROR_IO, "cannot lock '%s': %s", path, strerror(errno));
    } else if (flock(out->fd, LOCK_EX | LOCK_NB) != 0) {
        failed = errno == EWOULDBLOCK
                     ? error_set(err, ERROR_CONFLICT,
                                 "another %s is running; wait until it has finished", what)
                     : error_set(err, ERROR_IO, "cannot lock '%s': %s", path, strerror(errno));
        lockfile_release(out);
    }
    free(path);
    return failed;
}

void lockfile_release(struct lockfile *lock)
{
    if (lock->fd >= 0) {
        (void)close(lock->fd);
    }
    lock->fd = -1;
}
