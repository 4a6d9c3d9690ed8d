/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { READ_STEP = 64 << 10, NAME_TRIES = 100, PIPE_WAIT_MS = 5000 };

static ssize_t read_retry(int fd, void *data, size_t size)
{
    ssize_t got = 0;
    do {
        got = read(fd, data, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

/*
 * Reads to the end, straight into the buf where it has room; one byte too many shows that a
 * limit was reached.
 */
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

/*
 * Of a pipe with a name: that somebody writes to it soon, for opening it and reading it would
 * wait for ever.
 */
static int await_writer(int fd, const char *path, struct error *err)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    const int ready = poll(&one, 1, PIPE_WAIT_MS);
    return ready > 0 && one.revents & POLLIN
               ? 0
               : error_set(err, ERROR_INPUT,
                           "cannot read '%s': it is a pipe to which nothing is written", path);
}

int file_read(const char *path, struct buf *out, struct error *err)
{
    assert(!out->overflow);
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0) {
        const int failed = error_errno(err, "cannot read '%s'", path);
        if (fd >= 0) {
            close(fd);
        }
        return failed;
    }
    int rc = S_ISFIFO(st.st_mode) ? await_writer(fd, path, err) : 0;
    (void)fcntl(fd, F_SETFL, 0); /* what was begun is read to its end */
    rc = rc ? rc : read_all(fd, path, out, err);
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

static int writer_failed(const struct file_writer *writer, struct error *err)
{
    return writer->path ? error_errno(err, "cannot write '%s'", writer->path)
                        : error_errno(err, "cannot write the answer");
}

static void writer_clear(struct file_writer *writer)
{
    free(writer->path);
    free(writer->name);
    *writer = (struct file_writer){.fd = -1};
}

int file_writer_open(const char *path, struct file_writer *writer, struct error *err)
{
    struct stat st;
    *writer = (struct file_writer){.fd = -1};
    if (!path) {
        writer->fd = STDOUT_FILENO;
        return 0;
    }
    const bool old = stat(path, &st) == 0;
    const bool plain = !old || S_ISREG(st.st_mode);
    /* a link stays, what it leads to is replaced; renaming over /dev/null would remove it */
    writer->path = old && plain ? realpath(path, NULL) : mem_text(path);
    if (writer->path) {
        writer->fd =
            plain ? open_beside(writer->path, &writer->name) : open(path, O_WRONLY | O_CLOEXEC);
    }
    if (writer->fd < 0 ||
        (writer->name && old && fchmod(writer->fd, st.st_mode & 07777) != 0)) {
        int failed = error_errno(err, "cannot write '%s'", path);
        file_writer_abandon(writer);
        return failed;
    }
    return 0;
}

int file_writer_add(struct file_writer *writer, struct str content, struct error *err)
{
    return write_all(writer->fd, content) == 0 ? 0 : writer_failed(writer, err);
}

int file_writer_close(struct file_writer *writer, struct error *err)
{
    int failed = 0;
    bool good = !writer->name || fsync(writer->fd) == 0;
    int cause = errno;
    if (writer->path && close(writer->fd) != 0 && good) {
        good = false;
        cause = errno;
    }
    writer->fd = -1;
    errno = cause;
    good = good && (!writer->name || rename(writer->name, writer->path) == 0);
    if (!good) {
        failed = writer_failed(writer, err);
        file_writer_abandon(writer);
    } else if (writer->name && sync_folder(writer->path) != 0) {
        failed = writer_failed(writer, err);
    }
    writer_clear(writer);
    return failed;
}

void file_writer_abandon(struct file_writer *writer)
{
    if (writer->path && writer->fd >= 0) {
        close(writer->fd);
    }
    if (writer->name) {
        unlink(writer->name);
    }
    writer_clear(writer);
}

int file_write(const char *path, struct str content, struct error *err)
{
    struct file_writer writer;
    int failed = file_writer_open(path, &writer, err);
    if (failed) {
        return failed;
    }
    failed = file_writer_add(&writer, content, err);
    if (failed) {
        file_writer_abandon(&writer);
        return failed;
    }
    return file_writer_close(&writer, err);
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
