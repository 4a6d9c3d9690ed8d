/* SPDX-License-Identifier: MIT */

/*
 * Loaded before a program (LD_PRELOAD): its n-th change of a file fails, whoever asks for it, ourselves or a database.
 *
 *   FAIL_UNDER=FOLDER   which files: those in this folder
 *   FAIL_AT=N           the n-th change fails, as if the disk were full or broken; 0 or nothing: none
 *   FAIL_HOW=kill       the process is killed in place of it; full: all that come after fail as well
 *   TEAR_AT=N           the process is killed in the n-th write at a place (pwrite), as of the blocks of a database, of which
 *   TEAR_BYTES=B        the first B bytes are written
 *   FAIL_LOG=FILE       a line for each change: what was called
 *
 * Changes are write, pwrite, fsync, fdatasync, ftruncate, rename and unlink; they are counted from 1 on, in the order in
 * which they come. Used by tests/sh/test_faults.sh, test_store_torn.sh and test_world.sh.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_under(const char *path)
{
    const char *folder = getenv("FAIL_UNDER");
    return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static bool fd_is_under(int fd)
{
    char link[64], path[4096];
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof(path) - 1);
    if (length < 0) {
        return false;
    }
    path[length] = '\0';
    return is_under(path);
}

static void note(const char *what)
{
    const char *log = getenv("FAIL_LOG");
    char line[64];
    if (!log) {
        return;
    }
    const int length = snprintf(line, sizeof(line), "%s\n", what);
    const long fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    (void)!syscall(SYS_write, fd, line, (size_t)length);
    (void)syscall(SYS_close, fd);
}

/* Counts a change that is ours to fail; true, and errno, if it is the one. */
static bool fails(bool ours, const char *what, int with)
{
    static atomic_long count;
    const char *at = getenv("FAIL_AT"), *how = getenv("FAIL_HOW");
    const long number = at ? strtol(at, NULL, 10) : 0;
    if (!ours) {
        return false;
    }
    note(what);
    const long this = atomic_fetch_add(&count, 1) + 1;
    const bool full = how && strcmp(how, "full") == 0;
    if (number == 0 || this < number || (this > number && !full)) {
        return false;
    }
    if (how && strcmp(how, "kill") == 0) {
        (void)raise(SIGKILL);
    }
    errno = full ? ENOSPC : with;
    return true;
}

/* The function that the program would have called. */
static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        abort();
    }
    return found;
}

#define PASS_ON(type, name, ...)                                                               \
    type name##_next;                                                                          \
    *(void **)(&name##_next) = next(#name);                                                    \
    return name##_next(__VA_ARGS__)

typedef ssize_t (*write_call)(int, const void *, size_t);
typedef ssize_t (*pwrite_call)(int, const void *, size_t, off_t);
typedef int (*fd_call)(int);
typedef int (*truncate_call)(int, off_t);
typedef int (*path_call)(const char *);
typedef int (*rename_call)(const char *, const char *);

ssize_t write(int fd, const void *bytes, size_t count)
{
    if (fails(fd_is_under(fd), "write", ENOSPC)) {
        return -1;
    }
    PASS_ON(write_call, write, fd, bytes, count);
}

/* As a kill in the middle of the call would leave it. */
static void tear(int fd, const void *bytes, size_t count, off_t at)
{
    static atomic_long written;
    const char *tear_at = getenv("TEAR_AT"), *part = getenv("TEAR_BYTES");
    if (!tear_at || !fd_is_under(fd) ||
        atomic_fetch_add(&written, 1) + 1 != strtol(tear_at, NULL, 10)) {
        return;
    }
    const size_t first = part ? strtoul(part, NULL, 10) : 0;
    (void)syscall(SYS_pwrite64, fd, bytes, first < count ? first : count, at);
    (void)raise(SIGKILL);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at)
{
    tear(fd, bytes, count, at);
    if (fails(fd_is_under(fd), "write", ENOSPC)) {
        return -1;
    }
    PASS_ON(pwrite_call, pwrite, fd, bytes, count, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t at);

ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t at)
{
    tear(fd, bytes, count, at);
    if (fails(fd_is_under(fd), "write", ENOSPC)) {
        return -1;
    }
    PASS_ON(pwrite_call, pwrite64, fd, bytes, count, at);
}

int fsync(int fd)
{
    if (fails(fd_is_under(fd), "sync", EIO)) {
        return -1;
    }
    PASS_ON(fd_call, fsync, fd);
}

int fdatasync(int fd)
{
    if (fails(fd_is_under(fd), "sync", EIO)) {
        return -1;
    }
    PASS_ON(fd_call, fdatasync, fd);
}

int ftruncate(int fd, off_t length)
{
    if (fails(fd_is_under(fd), "truncate", EIO)) {
        return -1;
    }
    PASS_ON(truncate_call, ftruncate, fd, length);
}

int ftruncate64(int fd, off_t length);

int ftruncate64(int fd, off_t length)
{
    if (fails(fd_is_under(fd), "truncate", EIO)) {
        return -1;
    }
    PASS_ON(truncate_call, ftruncate64, fd, length);
}

int rename(const char *from, const char *to)
{
    if (fails(is_under(from), "rename", ENOSPC)) {
        return -1;
    }
    PASS_ON(rename_call, rename, from, to);
}

int unlink(const char *path)
{
    if (fails(is_under(path), "unlink", EIO)) {
        return -1;
    }
    PASS_ON(path_call, unlink, path);
}
