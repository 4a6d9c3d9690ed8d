/* SPDX-License-Identifier: MIT */
#include "demo/demo_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum {
    FLUSH_AT = 1 << 20,
    RUN_MAX = (DEMO_PARTS_MAX + 2) * DEMO_ROW_MAX,
};

static int flush(struct demo_writer *writer, struct error *err)
{
    size_t done = 0;
    while (done < writer->used) {
        ssize_t put = write(writer->fd, writer->buffer + done, writer->used - done);
        if (put < 0 && errno != EINTR) {
            return error_errno(err, "cannot write '%s'", writer->path);
        }
        done += put > 0 ? (size_t)put : 0;
    }
    writer->used = 0;
    return 0;
}

int demo_writer_open(struct demo_writer *writer, const char *folder, const char *cluster,
                     const struct demo_format *format, struct error *err)
{
    *writer = (struct demo_writer){.format = format, .fd = -1};
    char *home = file_join(folder, cluster);
    int rc = file_make_folder(home, err);
    writer->path = file_join(home, format->file);
    free(home);
    if (rc != 0) {
        goto out;
    }
    size_t length = strlen(writer->path);
    writer->temporary = mem_alloc(length + sizeof(".part"), 1);
    memcpy(writer->temporary, writer->path, length);
    memcpy(writer->temporary + length, ".part", sizeof(".part"));
    writer->fd = open(writer->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (writer->fd < 0) {
        rc = error_errno(err, "cannot write '%s'", writer->temporary);
        goto out;
    }
    writer->buffer = mem_alloc(FLUSH_AT + RUN_MAX, 1);
    writer->used = strlen(format->header);
    memcpy(writer->buffer, format->header, writer->used);
    writer->bytes = (int64_t)writer->used;
out:
    if (rc != 0) {
        demo_writer_close(writer);
    }
    return rc;
}

int demo_writer_add(struct demo_writer *writer, const struct demo_run *run, struct error *err)
{
    char *at = writer->buffer + writer->used;
    size_t length = (size_t)(writer->format->append(at, run) - at);
    writer->used += length;
    writer->bytes += (int64_t)length;
    return writer->used < FLUSH_AT ? 0 : flush(writer, err);
}

int demo_writer_finish(struct demo_writer *writer, struct error *err)
{
    int rc = flush(writer, err);
    if (rc != 0) {
        return rc;
    }
    int closed = close(writer->fd);
    writer->fd = -1;
    if (closed != 0 || rename(writer->temporary, writer->path) != 0) {
        return error_errno(err, "cannot write '%s'", writer->path);
    }
    free(writer->temporary);
    writer->temporary = NULL;
    return 0;
}

void demo_writer_close(struct demo_writer *writer)
{
    if (writer->path && writer->fd >= 0) {
        close(writer->fd);
    }
    if (writer->temporary) {
        unlink(writer->temporary); /* best effort: it may not even be there */
    }
    free(writer->temporary);
    free(writer->path);
    free(writer->buffer);
    *writer = (struct demo_writer){.fd = -1};
}
