/* SPDX-License-Identifier: MIT */
#include "base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/attribute.h"

enum { READ_AT_ONCE = 64 << 10 };

/* A file system without O_TMPFILE: a name for a moment. */
static int open_named(const char *folder)
{
    char path[4096];
    if (snprintf(path, sizeof(path), "%s/stint-XXXXXX", folder) >= (int)sizeof(path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) {
        (void)unlink(path);
    }
    return fd;
}

static int open_in(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        fd = open_named(folder);
    }
    return fd;
}

int spool_open(struct spool *out, struct error *err)
{
    const char *const folders[] = {getenv("TMPDIR"), "/tmp", "/var/tmp"};
    const char *tried = NULL;
    *out = SPOOL_NONE;
    for (size_t i = 0; i < COUNT_OF(folders) && out->fd < 0; i++) {
        if (folders[i] && folders[i][0]) {
            tried = folders[i];
            out->fd = open_in(tried);
        }
    }
    return out->fd < 0 ? error_errno(err,
                                     "cannot store incoming data: no temporary file in '%s' "
                                     "(set TMPDIR to another folder)",
                                     tried)
                       : 0;
}

int spool_add(struct spool *spool, struct str bytes, struct error *err)
{
    while (bytes.len > 0) {
        ssize_t put = write(spool->fd, bytes.ptr, bytes.len);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return error_errno(err, "cannot store incoming data in a temporary file (set "
                                    "TMPDIR to another folder)");
        }
        bytes.ptr += put;
        bytes.len -= (size_t)put;
        spool->size += (uint64_t)put;
    }
    return 0;
}

/* Waits for something to read; a stop is noticed soon. */
static int await(int fd, const struct stop *stop, struct error *err)
{
    enum { LOOK_MS = 50 };

    struct pollfd one = {.fd = fd, .events = POLLIN};
    do {
        if (stop_is_set(stop)) {
            return stop_explain(stop, err);
        }
    } while (poll(&one, 1, LOOK_MS) <= 0);
    return 0;
}

int spool_fill(struct spool *spool, int fd, const struct stop *stop,
               void (*progress)(void *watcher, uint64_t done), void *watcher, struct error *err)
{
    char bytes[READ_AT_ONCE];
    int failed;
    while ((failed = await(fd, stop, err)) == 0) {
        const ssize_t got = read(fd, bytes, sizeof(bytes));
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (got < 0) {
            return error_errno(err, "cannot read incoming data");
        }
        if (got == 0 ||
            (failed = spool_add(spool, (struct str){bytes, (size_t)got}, err)) != 0) {
            return failed;
        }
        if (progress) {
            progress(watcher, spool->size);
        }
    }
    return failed;
}

int spool_join(struct spool *to, struct spool *from, struct error *err)
{
    char piece[READ_AT_ONCE];
    int failed = spool_rewind(from, err);
    if (!failed && lseek(to->fd, 0, SEEK_END) < 0) {
        failed = error_errno(err, "cannot extend an answer");
    }
    ssize_t got = 0;
    while (!failed && (got = read(from->fd, piece, sizeof(piece))) > 0) {
        failed = spool_add(to, (struct str){piece, (size_t)got}, err);
    }
    if (!failed && got < 0) {
        failed = error_errno(err, "cannot read an answer back");
    }
    spool_close(from);
    return failed;
}

int spool_rewind(struct spool *spool, struct error *err)
{
    return lseek(spool->fd, 0, SEEK_SET) < 0
               ? error_errno(err, "cannot seek in a temporary file")
               : 0;
}

int spool_text(struct spool *spool, struct buf *out, struct error *err)
{
    if (spool->size > out->max - out->len) {
        return error_set(err, ERROR_LIMIT,
                         "%llu bytes were received, but at most %zu are accepted here",
                         (unsigned long long)spool->size, out->max - out->len);
    }
    for (uint64_t at = 0; at < spool->size;) {
        uint64_t left = spool->size - at;
        size_t want = left < READ_AT_ONCE ? (size_t)left : READ_AT_ONCE;
        buf_reserve(out, want);
        ssize_t got = pread(spool->fd, out->ptr + out->len, want, (off_t)at);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? error_errno(err, "cannot read a temporary file")
                           : error_set(err, ERROR_IO, "a temporary file was cut short");
        }
        at += (uint64_t)got;
        out->len += (size_t)got;
        out->ptr[out->len] = '\0';
    }
    return 0;
}

void spool_close(struct spool *spool)
{
    if (spool->fd >= 0) {
        close(spool->fd);
    }
    *spool = SPOOL_NONE;
}

int spool_map(const struct spool *spool, struct str *out, struct error *err)
{
    *out = STR("");
    if (spool->size == 0) {
        return 0;
    }
    void *bytes = mmap(NULL, spool->size, PROT_READ, MAP_PRIVATE, spool->fd, 0);
    if (bytes == MAP_FAILED) {
        return error_errno(err, "cannot read a temporary file");
    }
    *out = (struct str){bytes, spool->size};
    return 0;
}

void spool_unmap(struct str text)
{
    if (text.len > 0) {
        (void)munmap((void *)(uintptr_t)text.ptr, text.len);
    }
}
