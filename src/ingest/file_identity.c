/* SPDX-License-Identifier: MIT */
#include "ingest/file_identity.h"

#include <string.h>

static int64_t hash_bytes(const char *data, size_t length)
{
    return (int64_t)str_hash((struct str){data, length}, 0);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t hash_head(const struct content *content, int64_t length)
{
    return (int64_t)str_hash((struct str){content->head.ptr, (size_t)length},
                             (uint64_t)content->listed);
}

/* Bytes of the file as it lies on disk, to its end or to LOCATE_BYTES of them. */
static int read_raw(const struct input *input, int64_t from, char *to, size_t *length,
                    struct error *err)
{
    size_t got = 1;
    int failed = 0;
    *length = 0;
    while (!failed && got > 0 && *length < LOCATE_BYTES) {
        failed = input_read(input, (uint64_t)from + *length, to + *length,
                            LOCATE_BYTES - *length, &got, err);
        *length += failed ? 0 : got;
    }
    return failed;
}

/* A hash of the first and last bytes of the file as it lies on disk. */
static int hash_raw(const struct input *input, int64_t size, int64_t *hash, struct error *err)
{
    char ends[2 * LOCATE_BYTES];
    const int64_t tail = size > LOCATE_BYTES ? size - LOCATE_BYTES : 0;
    size_t first = 0, last = 0;
    int failed = read_raw(input, 0, ends, &first, err);
    failed = failed ? failed : read_raw(input, tail, ends + first, &last, err);
    if (!failed) {
        *hash = hash_bytes(ends, first + last);
    }
    return failed;
}

/*
 * Whether the content begins with what was imported as `known`, as far as the first bytes tell.
 */
static bool begins_alike(const struct content *content, const struct journal_file *known)
{
    return known->read_to > 0 && known->head_length <= (int64_t)content->head.len &&
           hash_head(content, known->head_length) == known->head_hash;
}

/* Moves the stream, which is before it, to `to`; *tail is what lies just before that. */
static int read_tail(struct stream *stream, int64_t to, struct arena *arena, struct str *tail,
                     struct error *err)
{
    const int64_t length = smaller(to, LOCATE_BYTES);
    char *bytes = arena_alloc(arena, LOCATE_BYTES);
    size_t got = 0;
    int failed;
    (void)((failed = stream_skip_to(stream, (uint64_t)(to - length), err)) ||
           (failed = stream_read(stream, bytes, (size_t)length, &got, err)));
    *tail = (struct str){bytes, got};
    return failed;
}

/* Whether it is the same up to where the import ended, which takes reading it up to there. */
static bool continues(const struct content *content, const struct journal_file *known)
{
    struct arena arena = {0};
    struct stream *stream = NULL;
    struct error ignored;
    struct str tail;
    bool same = stream_open_input(content->input, &stream, &ignored) == 0 &&
                read_tail(stream, known->read_to, &arena, &tail, &ignored) == 0 &&
                (int64_t)tail.len == smaller(known->read_to, LOCATE_BYTES) &&
                hash_bytes(tail.ptr, tail.len) == known->tail_hash;
    stream_close(stream);
    arena_release(&arena);
    return same;
}

/*
 * A file's name is bytes, the store's text is UTF-8: bytes of a name that is not become \xe9.
 */
static struct str readable(struct str name, struct arena *arena)
{
    static const char digits[] = "0123456789abcdef";
    if (str_is_utf8(name)) {
        return arena_copy(arena, name);
    }
    char *text = arena_alloc(arena, 4 * name.len);
    size_t length = 0;
    for (size_t i = 0; i < name.len; i++) {
        const unsigned char byte = (unsigned char)name.ptr[i];
        if (byte < 0x80) {
            text[length++] = (char)byte;
        } else {
            memcpy(text + length,
                   (const char[4]){'\\', 'x', digits[byte >> 4], digits[byte & 15]}, 4);
            length += 4;
        }
    }
    return (struct str){text, length};
}

static void describe(const struct content *content, struct arena *arena,
                     struct journal_file *file)
{
    const struct ingest_options *options = content->options;
    const struct input_about *about = &content->input->about;
    file->cluster = str_of(options->cluster);
    file->source = str_of(options->driver->name);
    file->path = readable(str_of(content->input->path), arena);
    file->device = about->device;
    file->inode = about->inode;
    file->size = about->is_file ? about->size : 0;
    file->last_read = options->now;
}

/* The row of the same content that was read furthest; NULL if this content is new. */
static const struct journal_file *find_known(const struct content *content, int64_t raw_hash,
                                             const struct journal_file *files, size_t count)
{
    const struct journal_file *best = NULL;
    const bool plain = stream_is_plain(content->stream);
    const int64_t size = content->input->about.size;
    for (size_t i = 0; i < count; i++) {
        const struct journal_file *f = &files[i];
        if ((best && f->read_to <= best->read_to) || (plain && f->read_to > size) ||
            !begins_alike(content, f)) {
            continue;
        }
        bool same_bytes = !plain && f->size == size && f->raw_hash == raw_hash;
        if (same_bytes || continues(content, f)) {
            best = f;
        }
    }
    return best;
}

/*
 * Why a file that is not known is read from the start: what its name held before. If that was
 * not one whole record, its row is taken over.
 */
static enum ingest_verdict explain_new(struct journal_file *file,
                                       const struct journal_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct journal_file *f = &files[i];
        if (!str_eq(f->path, file->path)) {
            continue;
        }
        if (f->read_to == 0) {
            file->file = f->file;
            file->first_read = f->first_read;
            return INGEST_NEW;
        }
        bool same_inode = f->inode == file->inode && f->device == file->device;
        return same_inode && file->size < f->size ? INGEST_TRUNCATED : INGEST_REPLACED;
    }
    return INGEST_NEW;
}

/* A file that was read before continues where it ended. */
static enum ingest_verdict go_on(const struct stream *stream, const struct journal_file *known,
                                 struct journal_file *file)
{
    const bool unchanged = stream_is_plain(stream)
                               ? known->read_to == file->size
                               : known->size == file->size && known->raw_hash == file->raw_hash;
    file->file = known->file;
    file->first_read = known->first_read;
    file->head_length = known->head_length;
    file->head_hash = known->head_hash;
    file->tail_hash = known->tail_hash;
    file->read_to = known->read_to;
    file->lines = known->lines;
    return unchanged                         ? INGEST_UNCHANGED
           : str_eq(known->path, file->path) ? INGEST_GROWN
                                             : INGEST_RENAMED;
}

int locate_file(struct facts *facts, const struct content *content, struct arena *arena,
                struct journal_file *file, enum ingest_verdict *verdict, struct error *err)
{
    const struct stream *stream = content->stream;
    struct journal_file *files = NULL;
    size_t count = 0;
    *file = (struct journal_file){.first_read = content->options->now};
    *verdict = INGEST_NEW;
    describe(content, arena, file);
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
    if ((failed = hash_raw(content->input, file->size, &file->raw_hash, err)) != 0) {
        return failed;
    }
    const struct journal_file *known = find_known(content, file->raw_hash, files, count);
    *verdict = known ? go_on(stream, known, file) : explain_new(file, files, count);
    return 0;
}

int locate_resume(const struct content *content, const struct journal_file *file,
                  struct arena *arena, struct str *tail, struct error *err)
{
    int failed = read_tail(content->stream, file->read_to, arena, tail, err);
    if (!failed && file->read_to > 0 &&
        (!begins_alike(content, file) || hash_bytes(tail->ptr, tail->len) != file->tail_hash)) {
        failed = error_set(err, ERROR_INPUT,
                           "'%s' was replaced while it was being opened; run it again",
                           content->options->path);
    }
    return failed;
}

void locate_remember(const struct content *content, struct str tail, struct journal_file *file)
{
    const int64_t head = smaller(file->read_to, LOCATE_BYTES);
    file->head_length = smaller(head, (int64_t)content->head.len); /* it may have grown since */
    file->head_hash = hash_head(content, file->head_length);
    file->tail_hash = hash_bytes(tail.ptr, tail.len);
}
