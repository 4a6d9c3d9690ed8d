/* SPDX-License-Identifier: MIT */
#include "ingest/locate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int64_t hash_bytes(const char *data, size_t length)
{
    return (int64_t)str_hash((struct str){data, length}, 0);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A hash of the first and last bytes of the file as it lies on disk. */
static int hash_raw(const char *path, int64_t size, int64_t *hash, struct error *err)
{
    char ends[2 * LOCATE_BYTES];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return error_errno(err, "cannot open '%s'", path);
    }
    off_t tail = size > LOCATE_BYTES ? (off_t)size - LOCATE_BYTES : 0;
    ssize_t first = pread(fd, ends, LOCATE_BYTES, 0);
    ssize_t last = first < 0 ? -1 : pread(fd, ends + first, LOCATE_BYTES, tail);
    int failed = last < 0 ? error_errno(err, "cannot read '%s'", path) : 0;
    close(fd);
    if (!failed) {
        *hash = hash_bytes(ends, (size_t)first + (size_t)last);
    }
    return failed;
}

/*
 * Hashes the first `head` bytes of the content and the last bytes before `to`. *whole is false if
 * the content ends before that.
 */
static int hash_content(const char *path, int64_t head, int64_t to, int64_t *head_hash,
                        int64_t *tail_hash, bool *whole, struct error *err)
{
    char bytes[LOCATE_BYTES];
    struct stream *stream = NULL;
    size_t got = 0;
    const int64_t tail = smaller(to, LOCATE_BYTES);
    int failed = stream_open(path, &stream, err);
    if (failed || (failed = stream_read(stream, bytes, (size_t)head, &got, err)) != 0) {
        goto out;
    }
    *head_hash = hash_bytes(bytes, got);
    *whole = (int64_t)got == head;
    if (!*whole) {
        goto out;
    }
    if (to - tail < (int64_t)stream_offset(stream)) { /* the two overlap: begin again */
        stream_close(stream);
        stream = NULL;
        if ((failed = stream_open(path, &stream, err)) != 0) {
            goto out;
        }
    }
    (void)((failed = stream_skip_to(stream, (uint64_t)(to - tail), err)) ||
           (failed = stream_read(stream, bytes, (size_t)tail, &got, err)));
    if (!failed) {
        *tail_hash = hash_bytes(bytes, got);
        *whole = (int64_t)got == tail;
    }
out:
    stream_close(stream);
    return failed;
}

/* Whether the content at `path` begins with what was imported as `known`. */
static bool continues(const char *path, const struct journal_file *known)
{
    struct error ignored;
    int64_t head_hash = 0, tail_hash = 0;
    bool whole = false;
    return known->read_to > 0 &&
           hash_content(path, known->head_length, known->read_to, &head_hash, &tail_hash, &whole,
                        &ignored) == 0 &&
           whole && head_hash == known->head_hash && tail_hash == known->tail_hash;
}

static void describe(const struct ingest_options *options, const struct stream *stream,
                     struct arena *arena, struct journal_file *file)
{
    char *real = stream_is_file(stream) ? realpath(options->path, NULL) : NULL;
    const struct stat *st = stream_stat(stream);
    file->cluster = str_of(options->cluster);
    file->source = str_of(options->driver->name);
    file->path = arena_copy(arena, str_of(real ? real : options->path));
    file->device = (int64_t)st->st_dev;
    file->inode = (int64_t)st->st_ino;
    file->size = stream_is_file(stream) ? (int64_t)st->st_size : 0;
    file->last_read = options->now;
    free(real);
}

/* The row of the same content that was read furthest; NULL if this content is new. */
static const struct journal_file *find_known(const struct ingest_options *options,
                                             const struct stream *stream, int64_t raw_hash,
                                             const struct journal_file *files, size_t count)
{
    const struct journal_file *best = NULL;
    const int64_t size = (int64_t)stream_stat(stream)->st_size;
    for (size_t i = 0; i < count; i++) {
        const struct journal_file *f = &files[i];
        if (best && f->read_to <= best->read_to) {
            continue;
        }
        bool same = f->size == size && f->raw_hash == raw_hash;
        bool possible = !stream_is_plain(stream) || f->read_to <= size;
        if ((same && !stream_is_plain(stream)) || (possible && continues(options->path, f))) {
            best = f;
        }
    }
    return best;
}

/* Why a file that is not known is read from the start: what its name held before. */
static enum ingest_verdict explain_new(const struct journal_file *file, const struct journal_file *files,
                                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (str_eq(files[i].path, file->path)) {
            bool same_inode = files[i].inode == file->inode && files[i].device == file->device;
            return same_inode && file->size < files[i].size ? INGEST_TRUNCATED : INGEST_REPLACED;
        }
    }
    return INGEST_NEW;
}

int locate_file(struct facts *facts, const struct ingest_options *options, const struct stream *stream,
                struct arena *arena, struct journal_file *file, enum ingest_verdict *verdict,
                struct error *err)
{
    struct journal_file *files = NULL;
    size_t count = 0;
    *file = (struct journal_file){.first_read = options->now};
    *verdict = INGEST_NEW;
    describe(options, stream, arena, file);
    if (!facts) {
        return 0;
    }
    int failed = journal_files(facts, file->cluster, file->source, arena, &files, &count, err);
    if (failed) {
        return failed;
    }
    if (!stream_is_file(stream)) { /* a pipe has no memory, but keeps one row */
        for (size_t i = 0; i < count; i++) {
            file->file = str_eq(files[i].path, file->path) ? files[i].file : file->file;
        }
        return 0;
    }
    if ((failed = hash_raw(options->path, file->size, &file->raw_hash, err)) != 0) {
        return failed;
    }
    const struct journal_file *known = find_known(options, stream, file->raw_hash, files, count);
    if (!known) {
        *verdict = explain_new(file, files, count);
        return 0;
    }
    bool unchanged = stream_is_plain(stream) ? known->read_to == file->size
                                             : known->size == file->size && known->raw_hash == file->raw_hash;
    *verdict = unchanged                             ? INGEST_UNCHANGED
               : str_eq(known->path, file->path) ? INGEST_GROWN
                                                     : INGEST_RENAMED;
    file->file = known->file;
    file->first_read = known->first_read;
    file->head_length = known->head_length;
    file->head_hash = known->head_hash;
    file->tail_hash = known->tail_hash;
    file->read_to = known->read_to;
    file->lines = known->lines;
    return 0;
}

int locate_remember(const struct ingest_options *options, struct journal_file *file, struct error *err)
{
    bool whole = false;
    file->head_length = smaller(file->read_to, LOCATE_BYTES);
    return hash_content(options->path, file->head_length, file->read_to, &file->head_hash,
                        &file->tail_hash, &whole, err);
}
