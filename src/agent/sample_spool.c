/* SPDX-License-Identifier: MIT */
#include "agent/sample_spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limit.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/zstd_pack.h"

enum { LOOK_MAX = 64 << 20, FILES_MAX = 1 << 20 };

#define SUFFIX ".look.zst"

/* --- names -------------------------------------------------------------------------------- */

/* "00000000000000000042.look.zst": numbers ascend, also over restarts. */
static void spool_file_name(int64_t number, char name[SAMPLE_SPOOL_NAME_MAX])
{
    (void)snprintf(name, SAMPLE_SPOOL_NAME_MAX, "%020" PRId64 SUFFIX, number);
}

static bool number_of(const char *name, int64_t *number)
{
    struct str text = str_of(name);
    if (!str_ends(text, STR(SUFFIX)) || text.len >= SAMPLE_SPOOL_NAME_MAX) {
        return false;
    }
    text.len -= STR(SUFFIX).len;
    while (text.len > 1 && text.ptr[0] == '0') {
        (void)str_take(&text, '0');
    }
    return scan_int(text, number) && *number >= 0;
}

static int by_number(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* The numbers of all files, ascending; freed by the caller. */
static int64_t *list(const struct sample_spool *outbox, size_t *count)
{
    DIR *folder = opendir(outbox->folder);
    const struct dirent *entry;
    int64_t *numbers = NULL, number = 0;
    size_t room = 0;
    *count = 0;
    while (folder && *count < FILES_MAX && (entry = readdir(folder))) {
        if (!number_of(entry->d_name, &number)) {
            continue;
        }
        numbers = mem_grow(numbers, *count, &room, sizeof(*numbers));
        numbers[(*count)++] = number;
    }
    if (folder) {
        closedir(folder);
    }
    if (*count > 0) {
        qsort(numbers, *count, sizeof(*numbers), by_number);
    }
    return numbers;
}

static char *path_of(const struct sample_spool *outbox, const char *name)
{
    return file_join(outbox->folder, name);
}

static int64_t size_of(const struct sample_spool *outbox, const char *name)
{
    struct stat info;
    char *path = path_of(outbox, name);
    const int64_t size = stat(path, &info) == 0 ? (int64_t)info.st_size : 0;
    free(path);
    return size;
}

/* --- what is left over -------------------------------------------------------------------- */

/* Nobody takes as long to write a look. */
enum { LEFT_OVER_S = 3600 };

/* Half-written files (base/file.h) do not count for the limit: they must not pile up. */
static void remove_left_over(const struct sample_spool *outbox)
{
    DIR *folder = opendir(outbox->folder);
    const struct dirent *entry;
    struct stat info;
    while (folder && (entry = readdir(folder))) {
        const struct str name = str_of(entry->d_name);
        if (name.ptr[0] != '.' || !str_ends(name, STR(".tmp")) || !strstr(name.ptr, SUFFIX)) {
            continue;
        }
        char *path = path_of(outbox, entry->d_name);
        if (stat(path, &info) == 0 && info.st_mtime < time(NULL) - LEFT_OVER_S) {
            (void)unlink(path);
        }
        free(path);
    }
    if (folder) {
        closedir(folder);
    }
}

/* --- whose it is -------------------------------------------------------------------------- */

/* A child that was being made when its parent was killed holds the lock for a moment. */
enum { LOCK_TRIES = 20, LOCK_PAUSE_NS = 100000000 };

static int lock_folder(struct sample_spool *outbox, struct error *err)
{
    int wrong = 0;
    outbox->lock = open(outbox->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (outbox->lock < 0) {
        return error_errno(err, "cannot open the folder '%s'", outbox->folder);
    }
    for (int i = 0; i < LOCK_TRIES; i++) {
        wrong = flock(outbox->lock, LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
        if (wrong != EWOULDBLOCK) {
            return 0; /* a file system without locks says another errno: then nobody knows */
        }
        (void)nanosleep(&(struct timespec){.tv_nsec = LOCK_PAUSE_NS}, NULL);
    }
    return error_set(
        err, ERROR_CONFLICT,
        "another stint-agent has the spool '%s': end it, or give this one a folder "
        "of its own with --spool",
        outbox->folder);
}

void sample_spool_leave(const struct sample_spool *outbox)
{
    if (outbox->lock >= 0) {
        close(outbox->lock);
    }
}

/* --- in ----------------------------------------------------------------------------------- */

int sample_spool_open(struct sample_spool *outbox, const char *folder, int64_t limit,
                      struct error *err)
{
    size_t count = 0;
    *outbox = (struct sample_spool){.folder = mem_text(folder), .limit = limit, .lock = -1};
    int failed = file_make_folder(folder, err);
    if (!failed) {
        failed = lock_folder(outbox, err);
    }
    if (!failed) {
        remove_left_over(outbox);
    }
    int64_t *numbers = failed ? NULL : list(outbox, &count);
    for (size_t i = 0; i < count; i++) {
        char name[SAMPLE_SPOOL_NAME_MAX];
        spool_file_name(numbers[i], name);
        outbox->size += size_of(outbox, name);
        outbox->last = numbers[i];
    }
    free(numbers);
    if (failed) {
        sample_spool_close(outbox);
    }
    return failed;
}

void sample_spool_close(struct sample_spool *outbox)
{
    sample_spool_leave(outbox);
    free(outbox->folder);
    *outbox = (struct sample_spool){.lock = -1};
}

static void remove_file(struct sample_spool *outbox, const char *name)
{
    char *path = path_of(outbox, name);
    const int64_t size = size_of(outbox, name);
    if (unlink(path) == 0) {
        outbox->size -= size;
    }
    free(path);
}

/* Makes room for so many bytes: what is oldest goes. */
static void make_spool_room(struct sample_spool *outbox, int64_t bytes)
{
    size_t count = 0;
    if (outbox->size + bytes <= outbox->limit) {
        return;
    }
    int64_t *numbers = list(outbox, &count);
    for (size_t i = 0; i < count && outbox->size + bytes > outbox->limit; i++) {
        char name[SAMPLE_SPOOL_NAME_MAX];
        spool_file_name(numbers[i], name);
        remove_file(outbox, name);
        outbox->lost++;
    }
    free(numbers);
}

int sample_spool_put(struct sample_spool *outbox, struct str look, struct error *err)
{
    char name[SAMPLE_SPOOL_NAME_MAX];
    struct buf packed;
    buf_init(&packed, LOOK_MAX);
    int failed = pack_zstd(look, &packed, err);
    if (!failed) {
        make_spool_room(outbox, (int64_t)packed.len);
        spool_file_name(++outbox->last, name);
        char *path = path_of(outbox, name);
        failed = file_write(path, buf_str(&packed), err);
        free(path);
    }
    outbox->size += failed ? 0 : (int64_t)packed.len;
    outbox->lost += failed != 0;
    buf_release(&packed);
    return failed;
}

/* --- out ---------------------------------------------------------------------------------- */

int sample_spool_take(const struct sample_spool *outbox, size_t limit,
                      struct sample_spool_batch *out, struct error *err)
{
    size_t count = 0;
    int failed = 0;
    int64_t *numbers = list(outbox, &count);
    *out = (struct sample_spool_batch){.names = mem_alloc(count + 1, SAMPLE_SPOOL_NAME_MAX)};
    buf_init(&out->bytes, LOOK_MAX);
    for (size_t i = 0; i < count && !failed; i++) {
        spool_file_name(numbers[i], out->names[out->count]);
        const int64_t size = size_of(outbox, out->names[out->count]);
        if (out->count > 0 && out->bytes.len + (size_t)size > limit) {
            break;
        }
        char *path = path_of(outbox, out->names[out->count]);
        failed = file_read(path, &out->bytes, err);
        free(path);
        out->count += !failed;
    }
    free(numbers);
    return failed;
}

void sample_spool_release(struct sample_spool_batch *batch)
{
    free(batch->names);
    buf_release(&batch->bytes);
    *batch = (struct sample_spool_batch){0};
}

void sample_spool_drop(struct sample_spool *outbox, const struct sample_spool_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        remove_file(outbox, batch->names[i]);
    }
}
