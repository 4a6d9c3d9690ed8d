/* SPDX-License-Identifier: MIT */
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* A descriptor that is read. */
struct descriptor {
    int fd;
    bool lent; /* not ours to close */
    /* where in the file the input begins: standard input may have been read from */
    uint64_t base;
    uint64_t at; /* of what can be read once: how much of it was read */
};

static int read_descriptor(void *context, const struct input *input, uint64_t offset,
                           void *data, size_t size, size_t *got, struct error *err)
{
    struct descriptor *from = context;
    ssize_t count;
    if (input->about.once && offset != from->at) {
        return error_set(err, ERROR_INPUT, "cannot read '%s' from the middle: it is a pipe",
                         input->name);
    }
    do {
        count = input->about.once ? read(from->fd, data, size)
                                  : pread(from->fd, data, size, (off_t)(from->base + offset));
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        return error_errno(err, "cannot read '%s'", input->name);
    }
    from->at += (uint64_t)count;
    *got = (size_t)count;
    return 0;
}

static void close_descriptor(void *context)
{
    struct descriptor *from = context;
    if (!from->lent) {
        close(from->fd);
    }
    free(from);
}

struct input *input_new(const char *name, const char *path, const struct input_about *about)
{
    struct input *input = mem_alloc(1, sizeof(*input));
    *input = (struct input){
        .name = mem_text(name), .path = mem_text(path ? path : name), .about = *about};
    return input;
}

static struct input *of_descriptor(struct descriptor from, const char *name, const char *path,
                                   const struct stat *st)
{
    const bool regular = S_ISREG(st->st_mode);
    const struct input_about about = {
        .is_file = regular && !from.lent,
        .once = !regular,
        .device = (int64_t)st->st_dev,
        .inode = (int64_t)st->st_ino,
        .size = regular ? (int64_t)st->st_size - (int64_t)from.base : 0,
        .modified_us =
            (int64_t)st->st_mtim.tv_sec * 1000000 + (int64_t)st->st_mtim.tv_nsec / 1000,
    };
    struct input *input = input_new(name, path, &about);
    struct descriptor *context = mem_alloc(1, sizeof(*context));
    *context = from;
    input->context = context;
    input->read = read_descriptor;
    input->close = close_descriptor;
    if (regular) {
        (void)posix_fadvise(from.fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    return input;
}

static int open_path(const char *path, struct input **out, struct error *err)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return error_errno(err, "cannot open '%s'", path);
    }
    int failed = fstat(fd, &st) != 0 ? error_errno(err, "cannot open '%s'", path) : 0;
    if (!failed && S_ISDIR(st.st_mode)) {
        failed = error_set(err, ERROR_INPUT, "cannot read '%s': it is a folder", path);
    }
    if (failed) {
        close(fd);
        return failed;
    }
    char *real = S_ISREG(st.st_mode) ? realpath(path, NULL) : NULL;
    *out = of_descriptor((struct descriptor){.fd = fd}, path, real, &st);
    free(real);
    return 0;
}

int input_open(const char *path, struct input **out, struct error *err)
{
    struct stat st;
    *out = NULL;
    if (strcmp(path, "-") != 0) {
        return open_path(path, out, err);
    }
    if (fstat(STDIN_FILENO, &st) != 0) {
        return error_errno(err, "cannot read standard input");
    }
    if (S_ISDIR(st.st_mode)) {
        return error_set(err, ERROR_INPUT, "cannot read standard input: it is a folder");
    }
    const off_t at = S_ISREG(st.st_mode) ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
    const struct descriptor from = {
        .fd = STDIN_FILENO, .lent = true, .base = at > 0 ? (uint64_t)at : 0};
    *out = of_descriptor(from, path, NULL, &st);
    return 0;
}

struct input *input_of_spool(const struct spool *spool, const char *name)
{
    const struct stat st = {.st_mode = S_IFREG, .st_size = (off_t)spool->size};
    return of_descriptor((struct descriptor){.fd = spool->fd, .lent = true}, name, NULL, &st);
}

int input_read(const struct input *input, uint64_t offset, void *data, size_t size, size_t *got,
               struct error *err)
{
    *got = 0;
    return input->read(input->context, input, offset, data, size, got, err);
}

int input_keep(const struct input *input, struct spool *out, const struct stop *stop,
               void (*progress)(void *watcher, uint64_t done), void *watcher, struct error *err)
{
    const struct descriptor *from = input->context;
    int failed = spool_open(out, err);
    failed = failed ? failed : spool_fill(out, from->fd, stop, progress, watcher, err);
    if (failed) {
        spool_close(out);
    }
    return failed;
}

void input_close(struct input *input)
{
    if (!input) {
        return;
    }
    if (input->close) {
        input->close(input->context);
    }
    free(input->name);
    free(input->path);
    free(input);
}
