/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { READ_STEP = 64 << 10, NAME_TRIES = 100 };

static ssize_t read_retry(int fd, void *data, size_t size)
{
    ssize_t got = 0;
    do {
        got = read(fd, data, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

/* Reads to the end, straight into the buf where it has room; one byte too many tells of a limit. */
static int read_all(int fd, const char *path, struct buf *out, struct error *err)
{
    for (;;) {
        size_t left = out->max - out->len;
        size_t step = left < READ_STEP ? left : READ_STEP;
        buf_reserve(out, step);
        char beyond = 0;
        ssize_t got =
            step > 0 ? read_retry(fd, out->ptr + out->len, step) : read_retry(fd, &beyond, 1);
        if (got < 0) {
            return error_errno(err, "cannot read '%s'", path);
        }
        if (got == 0) {
            return 0;
        }
        if (step == 0) {
            return error_set(err, ERROR_LIMIT, "cannot read '%s': it is larger than %zu bytes",
                             path, out->max);
        }
        out->len += (size_t)got;
        out->ptr[out->len] = '\0';
    }
}

int file_read(const char *path, struct buf *out, struct error *err)
{
    assert(!out->overflow);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return error_errno(err, "cannot read '%s'", path);
    }
    int rc = read_all(fd, path, out, err);
    close(fd);
    return rc;
}

static int write_all(int fd, struct str content)
{
    while (content.len > 0) {
        ssize_t put = write(fd, content.ptr, content.len);
        if (put < 0 && errno != EINTR) {
            return -1;
        }
        if (put > 0) {
            content.ptr += put;
            content.len -= (size_t)put;
        }
    }
    return 0;
}

/* Length of the folder part of a path, its last slash included; 0 if there is none. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/*
 * Makes a new file beside `path` under a name nobody has. Not mkstemp: the file is to get the
 * mode that the user's umask asks for.
 */
static int open_beside(const char *path, char **name)
{
    size_t folder = folder_length(path);
    for (int i = 0; i < NAME_TRIES; i++) {
        struct buf text;
        buf_init(&text, 2 * strlen(path) + 64);
        buf_add(&text, (struct str){path, folder});
        buf_addf(&text, ".%s.%ld-%d.tmp", path + folder, (long)getpid(), i);
        char *candidate = buf_take(&text);
        buf_release(&text);
        int fd = open(candidate, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            *name = candidate;
            return fd;
        }
        free(candidate);
        if (errno != EEXIST) {
            return -1;
        }
    }
    return -1;
}

/* So that the new name is there after a power cut, too. */
static int sync_folder(const char *path)
{
    size_t length = folder_length(path);
    char *folder = length > 0 ? mem_text(path) : mem_text(".");
    if (length > 0) {
        folder[length] = '\0';
    }
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    if (fd < 0) {
        return -1;
    }
    int rc = fsync(fd);
    if (rc != 0 && errno == EINVAL) { /* a file system that cannot */
        rc = 0;
    }
    close(fd);
    return rc;
}

/* Replaces a plain file, or makes it; `old` is NULL if there is none. */
static int replace_file(const char *path, const struct stat *old, struct str content,
                        struct error *err)
{
    char *name = NULL;
    int rc = 0;
    int fd = open_beside(path, &name);
    if (fd < 0) {
        return error_errno(err, "cannot write '%s'", path);
    }
    bool written = (!old || fchmod(fd, old->st_mode & 07777) == 0) &&
                   write_all(fd, content) == 0 && fsync(fd) == 0;
    int cause = errno;
    if (close(fd) != 0 && written) {
        written = false;
        cause = errno;
    }
    errno = cause;
    if (!written || rename(name, path) != 0) {
        rc = error_errno(err, "cannot write '%s'", path);
        unlink(name);
    } else if (sync_folder(path) != 0) {
        rc = error_errno(err, "cannot write '%s'", path);
    }
    free(name);
    return rc;
}

/* A device or a pipe cannot be replaced: renaming over /dev/null would remove it. */
static int write_through(const char *path, struct str content, struct error *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        return error_errno(err, "cannot write '%s'", path);
    }
    int rc = 0;
    if (write_all(fd, content) != 0) {
        rc = error_errno(err, "cannot write '%s'", path);
    }
    if (close(fd) != 0 && rc == 0) {
        rc = error_errno(err, "cannot write '%s'", path);
    }
    return rc;
}

int file_write(const char *path, struct str content, struct error *err)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        return replace_file(path, NULL, content, err);
    }
    if (!S_ISREG(st.st_mode)) {
        return write_through(path, content, err);
    }
    char *target = realpath(path, NULL); /* a link stays, what it leads to is replaced */
    if (!target) {
        return error_errno(err, "cannot write '%s'", path);
    }
    int rc = replace_file(target, &st, content, err);
    free(target);
    return rc;
}

static int make_one_folder(const char *path, struct error *err)
{
    struct stat st;
    if (mkdir(path, 0700) == 0) {
        return 0;
    }
    int cause = errno;
    if (stat(path, &st) == 0) {
        if (S_ISDIR(st.st_mode)) {
            return 0;
        }
        cause = ENOTDIR;
    }
    errno = cause;
    return error_errno(err, "cannot make folder '%s'", path);
}

int file_make_folder(const char *path, struct error *err)
{
    char *part = mem_text(path);
    int rc = 0;
    for (char *slash = strchr(part + (part[0] == '/'), '/'); slash && rc == 0;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        rc = make_one_folder(part, err);
        *slash = '/';
    }
    if (rc == 0) {
        rc = make_one_folder(part, err);
    }
    free(part);
    return rc;
}

char *file_join(const char *folder, const char *name)
{
    size_t length = strlen(folder);
    bool bare = length == 0 || folder[length - 1] == '/';
    size_t size = length + strlen(name) + 2;
    char *path = mem_alloc(size, 1);
    snprintf(path, size, "%s%s%s", folder, bare ? "" : "/", name);
    return path;
}
