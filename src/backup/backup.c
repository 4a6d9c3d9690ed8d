/* SPDX-License-Identifier: MIT */
#include "backup/backup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/civil.h"
#include "base/file.h"
#include "base/lockfile.h"
#include "base/mem.h"
#include "base/scan.h"
#include "base/zone.h"

/* The first line; another number is another layout. */
#define FIRST_LINE "stint-backup 1"
#define PIECES     "pieces"

struct backup_writer {
    char *folder;
    struct lockfile lock;
    struct buf text;
    struct backup_summary summary;
    unsigned char *bytes; /* of the piece that is being read */
};

/* --- names -------------------------------------------------------------------------------- */

/* Digits and a few letters: no name leads out of the folder. */
static bool is_backup_name(const char *name)
{
    const size_t length = strlen(name);
    return length >= 16 && length < BACKUP_NAME_MAX && name[8] == 'T' && name[15] == 'Z' &&
           strspn(name, "0123456789TZ-") == length;
}

static bool is_digest(struct str text)
{
    return text.len == SHA256_TEXT && strspn(text.ptr, "0123456789abcdef") >= SHA256_TEXT;
}

static bool is_file_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        const char c = name.ptr[i];
        if (!((c >= 'a' && c <= 'z') || c == '.' || c == '_')) {
            return false;
        }
    }
    return name.len > 0 && name.len < 64 && name.ptr[0] != '.';
}

static void digest_of(const unsigned char *bytes, size_t count, char out[SHA256_TEXT + 1])
{
    struct sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, (struct str){(const char *)bytes, count});
    sha256_end(&sha, out);
}

/* folder/pieces/3f, or with the name of a piece; freed by the caller. */
static char *piece_path(const char *folder, const char *digest, bool whole)
{
    char name[sizeof(PIECES) + SHA256_TEXT + 8];
    snprintf(name, sizeof(name), PIECES "/%.2s%s%s", digest, whole ? "/" : "",
             whole ? digest : "");
    return file_join(folder, name);
}

static size_t piece_room(size_t index)
{
    return index == 0 ? BACKUP_HEAD : BACKUP_PIECE;
}

static int sync_folder(const char *folder, struct error *err)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* every piece that was written, in one go */
    int failed =
        fd < 0 || syncfs(fd) != 0 ? error_errno(err, "cannot write to '%s'", folder) : 0;
    if (fd >= 0) {
        close(fd);
    }
    return failed;
}

/* --- writing ------------------------------------------------------------------------------ */

int backup_begin(const char *folder, int64_t now, struct backup_writer **out, struct error *err)
{
    struct backup_writer *writer = mem_alloc(1, sizeof(*writer));
    const struct civil at = civil_of_days(now / (INT64_C(86400) * SECOND_US));
    const int second = (int)(now / SECOND_US % 86400);
    char *pieces = file_join(folder, PIECES);
    *out = NULL;
    writer->folder = mem_text(folder);
    writer->lock = LOCKFILE_NONE;
    writer->bytes = mem_alloc(1, BACKUP_PIECE);
    buf_init(&writer->text, BACKUP_TEXT_MAX);
    int failed = file_make_folder(pieces, err);
    if (!failed) {
        failed = lockfile_take(folder, "backup", "backup into this folder", &writer->lock, err);
    }
    free(pieces);
    if (failed) {
        backup_abandon(writer);
        return failed;
    }
    snprintf(writer->summary.name, sizeof(writer->summary.name), "%04d%02d%02dT%02d%02d%02dZ",
             at.year, at.month, at.day, second / 3600, second / 60 % 60, second % 60);
    char *path = file_join(folder, writer->summary.name);
    for (int i = 2; access(path, F_OK) == 0; i++) { /* another one of the same second */
        free(path);
        snprintf(writer->summary.name + 16, sizeof(writer->summary.name) - 16, "-%d", i);
        path = file_join(folder, writer->summary.name);
    }
    free(path);
    buf_addz(&writer->text, FIRST_LINE "\n");
    *out = writer;
    return 0;
}

void backup_add_fact(struct backup_writer *writer, const char *name, struct str value)
{
    buf_addf(&writer->text, "fact %s ", name);
    for (size_t i = 0; i < value.len; i++) {
        buf_addc(&writer->text, value.ptr[i] == '\n' ? ' ' : value.ptr[i]);
    }
    buf_addc(&writer->text, '\n');
}

/* Not synced: that is done once, before the backup gets its name. */
static int write_piece(const char *path, const unsigned char *bytes, size_t count,
                       struct error *err)
{
    struct buf part;
    buf_init(&part, 8192);
    buf_addf(&part, "%s.part", path);
    int failed = 0;
    const int fd = open(part.ptr, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t done = 0;
    while (fd >= 0 && done < count) {
        const ssize_t wrote = write(fd, bytes + done, count - done);
        if (wrote < 0 && errno != EINTR) {
            break;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    if (fd < 0 || done < count || rename(part.ptr, path) != 0) {
        failed = error_errno(err, "cannot write '%s'", path);
        (void)unlink(part.ptr);
    }
    if (fd >= 0) {
        close(fd);
    }
    buf_release(&part);
    return failed;
}

static int store_piece(struct backup_writer *writer, size_t count, struct error *err)
{
    char digest[SHA256_TEXT + 1];
    struct stat st;
    digest_of(writer->bytes, count, digest);
    char *path = piece_path(writer->folder, digest, true);
    int failed = 0;
    if (stat(path, &st) != 0 || (size_t)st.st_size != count) {
        char *folder = piece_path(writer->folder, digest, false);
        failed = file_make_folder(folder, err);
        failed = failed ? failed : write_piece(path, writer->bytes, count, err);
        writer->summary.added += failed ? 0 : (int64_t)count;
        free(folder);
    }
    free(path);
    buf_addf(&writer->text, "piece %s\n", digest);
    return failed;
}

/* Fills `bytes` unless the file ends; *count is less than `room` only at its end. */
static int read_piece(int fd, unsigned char *bytes, size_t room, size_t *count,
                      const char *path, struct error *err)
{
    *count = 0;
    while (*count < room) {
        const ssize_t got = read(fd, bytes + *count, room - *count);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return error_errno(err, "cannot read '%s'", path);
        }
        if (got == 0) {
            break;
        }
        *count += (size_t)got;
    }
    return 0;
}

int backup_add_file(struct backup_writer *writer, const char *name, const char *path,
                    const struct stop *stop, struct error *err)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        int failed = error_errno(err, "cannot read '%s'", path);
        if (fd >= 0) {
            close(fd);
        }
        return failed;
    }
    buf_addf(&writer->text, "file %s %" PRId64 "\n", name, (int64_t)st.st_size);
    int failed = 0;
    int64_t size = 0;
    for (size_t i = 0; !failed; i++) {
        size_t count = 0;
        failed = stop_is_set(stop) ? stop_explain(stop, err) : 0;
        failed =
            failed ? failed : read_piece(fd, writer->bytes, piece_room(i), &count, path, err);
        if (failed || count == 0) {
            break;
        }
        failed = store_piece(writer, count, err);
        size += (int64_t)count;
    }
    close(fd);
    if (!failed && size != st.st_size) {
        failed = error_set(err, ERROR_CONFLICT, "'%s' changed while it was read", path);
    }
    writer->summary.files++;
    writer->summary.bytes += size;
    return failed;
}

int backup_end(struct backup_writer *writer, struct backup_summary *out, struct error *err)
{
    char digest[SHA256_TEXT + 1];
    char *path = file_join(writer->folder, writer->summary.name);
    digest_of((const unsigned char *)writer->text.ptr, writer->text.len, digest);
    buf_addf(&writer->text, "end %s\n", digest);
    int failed = writer->text.overflow
                     ? error_set(err, ERROR_LIMIT, "the files are too large for a backup")
                     : sync_folder(writer->folder, err);
    failed = failed ? failed : file_write(path, buf_str(&writer->text), err);
    *out = writer->summary;
    free(path);
    backup_abandon(writer);
    return failed;
}

void backup_abandon(struct backup_writer *writer)
{
    if (!writer) {
        return;
    }
    lockfile_release(&writer->lock);
    buf_release(&writer->text);
    free(writer->bytes);
    free(writer->folder);
    free(writer);
}

/* --- reading ------------------------------------------------------------------------------ */

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

int backup_names(const char *folder, struct backup_list *out, struct error *err)
{
    DIR *dir = opendir(folder);
    size_t room = 0;
    *out = (struct backup_list){0};
    if (!dir) {
        return errno == ENOENT ? error_set(err, ERROR_MISSING,
                                           "there is no backup in '%s': no such folder", folder)
                               : error_errno(err, "cannot read '%s'", folder);
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (is_backup_name(entry->d_name)) {
            out->names = mem_grow(out->names, out->count, &room, sizeof(*out->names));
            memcpy(out->names[out->count++], entry->d_name, strlen(entry->d_name) + 1);
        }
    }
    closedir(dir);
    if (out->count > 0) {
        qsort(out->names, out->count, sizeof(*out->names), compare_names);
    }
    return 0;
}

void backup_names_release(struct backup_list *list)
{
    free(list->names);
    *list = (struct backup_list){0};
}

/* What grows while a backup is read; moved to its arena at the end. */
struct reading {
    struct backup *backup;
    size_t fact_room, file_room, piece_room;
    char (*pieces)[SHA256_TEXT + 1];
    size_t piece_count;
    size_t file_from; /* the first piece of the file that is being read */
};

static bool end_file(struct reading *r)
{
    struct backup *backup = r->backup;
    if (backup->file_count == 0) {
        return r->piece_count == 0;
    }
    struct backup_file *file = &backup->files[backup->file_count - 1];
    const size_t count = r->piece_count - r->file_from;
    const int64_t rest = file->size - BACKUP_HEAD;
    const int64_t wanted =
        file->size == 0 ? 0 : 1 + (rest > 0 ? (rest + BACKUP_PIECE - 1) / BACKUP_PIECE : 0);
    if ((int64_t)count != wanted) {
        return false;
    }
    char(*pieces)[SHA256_TEXT + 1] = arena_alloc(&backup->arena, (count + 1) * sizeof(*pieces));
    if (count > 0) {
        memcpy(pieces, r->pieces + r->file_from, count * sizeof(*pieces));
    }
    file->pieces = (const char(*)[SHA256_TEXT + 1]) pieces;
    file->piece_count = count;
    r->file_from = r->piece_count;
    return true;
}

static bool begin_file(struct reading *r, struct str rest)
{
    struct backup *backup = r->backup;
    struct backup_file file = {.name = str_cut(&rest, ' ')};
    if (!end_file(r) || !is_file_name(file.name) || !scan_int(rest, &file.size) ||
        file.size < 0) {
        return false;
    }
    file.name = arena_copy(&backup->arena, file.name);
    backup->files =
        mem_grow(backup->files, backup->file_count, &r->file_room, sizeof(*backup->files));
    backup->files[backup->file_count++] = file;
    return true;
}

static bool read_line(struct reading *r, struct str line)
{
    struct backup *backup = r->backup;
    const struct str word = str_cut(&line, ' ');
    if (str_eq(word, STR("fact"))) {
        const struct str name = str_cut(&line, ' ');
        backup->facts =
            mem_grow(backup->facts, backup->fact_count, &r->fact_room, sizeof(*backup->facts));
        backup->facts[backup->fact_count++] = (struct backup_fact){
            arena_copy(&backup->arena, name), arena_copy(&backup->arena, line)};
        return true;
    }
    if (str_eq(word, STR("file"))) {
        return begin_file(r, line);
    }
    if (!str_eq(word, STR("piece")) || backup->file_count == 0 || !is_digest(line)) {
        return false;
    }
    r->pieces = mem_grow(r->pieces, r->piece_count, &r->piece_room, sizeof(*r->pieces));
    memcpy(r->pieces[r->piece_count], line.ptr, SHA256_TEXT);
    r->pieces[r->piece_count++][SHA256_TEXT] = '\0';
    return true;
}

/* The text up to its last line, which has the digest of it. */
static bool cut_end(struct str *text)
{
    enum { END = 4 + SHA256_TEXT + 1 }; /* "end ", a digest, a line break */

    char digest[SHA256_TEXT + 1];
    if (text->len < END || memcmp(text->ptr + text->len - END, "end ", 4) != 0) {
        return false;
    }
    digest_of((const unsigned char *)text->ptr, text->len - END, digest);
    const bool same = memcmp(digest, text->ptr + text->len - END + 4, SHA256_TEXT) == 0;
    text->len -= END;
    return same;
}

bool backup_parse(struct str text, struct backup *out)
{
    struct reading r = {.backup = out};
    bool good = cut_end(&text) && str_eq(str_cut(&text, '\n'), STR(FIRST_LINE));
    while (good && text.len > 0) {
        good = read_line(&r, str_cut(&text, '\n'));
    }
    good = good && end_file(&r);
    free(r.pieces);
    return good;
}

/* The name that was asked for, or the newest. */
static int choose(const char *folder, struct str name, struct backup *out, struct error *err)
{
    struct backup_list list;
    int failed = backup_names(folder, &list, err);
    if (failed) {
        return failed;
    }
    for (size_t i = list.count; i > 0 && !out->name[0]; i--) {
        if (!name.ptr || str_eq(name, str_of(list.names[i - 1]))) {
            memcpy(out->name, list.names[i - 1], BACKUP_NAME_MAX);
        }
    }
    if (!out->name[0]) {
        failed = name.ptr ? error_set(err, ERROR_MISSING, "there is no backup '%.*s' in '%s'",
                                      STR_ARG(name), folder)
                          : error_set(err, ERROR_MISSING, "there is no backup in '%s'", folder);
    }
    backup_names_release(&list);
    return failed;
}

int backup_read(const char *folder, struct str name, struct backup *out, struct error *err)
{
    struct buf text;
    *out = (struct backup){0};
    int failed = choose(folder, name, out, err);
    if (failed) {
        return failed;
    }
    char *path = file_join(folder, out->name);
    buf_init(&text, BACKUP_TEXT_MAX);
    failed = file_read(path, &text, err);
    if (!failed && !backup_parse(buf_str(&text), out)) {
        failed =
            error_set(err, ERROR_INPUT,
                      "the backup '%s' is damaged: its text is not what was written", path);
    }
    buf_release(&text);
    free(path);
    return failed;
}

void backup_release(struct backup *backup)
{
    free(backup->facts);
    free(backup->files);
    arena_release(&backup->arena);
    *backup = (struct backup){0};
}

struct str backup_fact_value(const struct backup *backup, const char *name)
{
    for (size_t i = 0; i < backup->fact_count; i++) {
        if (str_eq(backup->facts[i].name, str_of(name))) {
            return backup->facts[i].value;
        }
    }
    return (struct str){0};
}

int64_t backup_size(const struct backup *backup)
{
    int64_t size = 0;
    for (size_t i = 0; i < backup->file_count; i++) {
        size += backup->files[i].size;
    }
    return size;
}

/* --- extracting --------------------------------------------------------------------------- */

/* Reads piece `index` into `bytes`. */
static int load_piece(const char *folder, const struct backup_file *file, size_t index,
                      unsigned char *bytes, size_t *count, struct error *err)
{
    const char *digest = file->pieces[index];
    char found[SHA256_TEXT + 1];
    const int64_t before = index == 0 ? 0 : BACKUP_HEAD + (int64_t)(index - 1) * BACKUP_PIECE;
    const int64_t rest = file->size - before;
    const size_t wanted = rest < (int64_t)piece_room(index) ? (size_t)rest : piece_room(index);
    char *path = piece_path(folder, digest, true);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    int failed = fd < 0 ? error_errno(err, "a piece of the backup is missing: '%s'", path)
                        : read_piece(fd, bytes, wanted, count, path, err);
    if (!failed) {
        digest_of(bytes, *count, found);
        if (*count != wanted || strcmp(found, digest) != 0) {
            failed =
                error_set(err, ERROR_INPUT,
                          "a piece of the backup is damaged: '%s'; restore another backup, "
                          "and remove the piece so that the next backup writes it again",
                          path);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    free(path);
    return failed;
}

int backup_extract(const char *folder, const struct backup_file *file, const char *path,
                   const struct stop *stop, struct error *err)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return error_errno(err, "cannot create '%s'", path);
    }
    unsigned char *bytes = mem_alloc(1, BACKUP_PIECE);
    int failed = 0;
    for (size_t i = 0; !failed && i < file->piece_count; i++) {
        size_t count = 0, done = 0;
        failed = stop_is_set(stop) ? stop_explain(stop, err) : 0;
        failed = failed ? failed : load_piece(folder, file, i, bytes, &count, err);
        while (!failed && done < count) {
            const ssize_t wrote = write(fd, bytes + done, count - done);
            if (wrote < 0 && errno != EINTR) {
                failed = error_errno(err, "cannot write '%s'", path);
            }
            done += wrote > 0 ? (size_t)wrote : 0;
        }
    }
    if (!failed && fsync(fd) != 0) {
        failed = error_errno(err, "cannot write '%s'", path);
    }
    close(fd);
    free(bytes);
    return failed;
}

/* --- removing ----------------------------------------------------------------------------- */

/* The digests that backups have, sorted. */
struct digests {
    char (*rows)[SHA256_TEXT + 1];
    size_t count, room;
};

static int add_digests(const char *folder, const char *name, struct digests *out,
                       struct error *err)
{
    struct backup backup;
    int failed = backup_read(folder, str_of(name), &backup, err);
    for (size_t i = 0; !failed && i < backup.file_count; i++) {
        const struct backup_file *file = &backup.files[i];
        for (size_t j = 0; j < file->piece_count; j++) {
            out->rows = mem_grow(out->rows, out->count, &out->room, sizeof(*out->rows));
            memcpy(out->rows[out->count++], file->pieces[j], SHA256_TEXT + 1);
        }
    }
    backup_release(&backup);
    return failed;
}

/* Removes what of a folder of pieces no backup has. */
static int prune_folder(const char *path, const struct digests *used, int64_t *freed,
                        struct error *err)
{
    DIR *dir = opendir(path);
    int failed = dir ? 0 : error_errno(err, "cannot read '%s'", path);
    for (struct dirent *entry; !failed && (entry = readdir(dir)) != NULL;) {
        struct stat st;
        if (entry->d_name[0] == '.' || (is_digest(str_of(entry->d_name)) && used->count > 0 &&
                                        bsearch(entry->d_name, used->rows, used->count,
                                                sizeof(*used->rows), compare_names))) {
            continue;
        }
        if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode)) {
            if (unlinkat(dirfd(dir), entry->d_name, 0) != 0) {
                failed = error_errno(err, "cannot remove '%s/%s'", path, entry->d_name);
            }
            *freed += failed ? 0 : (int64_t)st.st_size;
        }
    }
    if (dir) {
        closedir(dir);
    }
    return failed;
}

static int prune_pieces(const char *folder, const struct digests *used, int64_t *freed,
                        struct error *err)
{
    int failed = 0;
    for (int i = 0; !failed && i < 256; i++) {
        char digest[3];
        snprintf(digest, sizeof(digest), "%02x", i);
        char *path = piece_path(folder, digest, false);
        if (access(path, F_OK) == 0) {
            failed = prune_folder(path, used, freed, err);
        }
        free(path);
    }
    return failed;
}

int backup_prune(const char *folder, int64_t keep, int64_t *removed, int64_t *freed,
                 struct error *err)
{
    struct lockfile lock = LOCKFILE_NONE;
    struct backup_list list = {0};
    struct digests used = {0};
    *removed = *freed = 0;
    int failed = lockfile_take(folder, "backup", "backup into this folder", &lock, err);
    failed = failed ? failed : backup_names(folder, &list, err);
    const size_t old = keep > 0 && list.count > (size_t)keep ? list.count - (size_t)keep : 0;
    /* a backup that cannot be read stops it: its pieces are not known */
    for (size_t i = old; !failed && i < list.count; i++) {
        failed = add_digests(folder, list.names[i], &used, err);
    }
    for (size_t i = 0; !failed && i < old; i++) {
        char *path = file_join(folder, list.names[i]);
        if (unlink(path) != 0) {
            failed = error_errno(err, "cannot remove '%s'", path);
        }
        *removed += !failed;
        free(path);
    }
    if (!failed) {
        if (used.count > 0) {
            qsort(used.rows, used.count, sizeof(*used.rows), compare_names);
        }
        failed = prune_pieces(folder, &used, freed, err);
    }
    free(used.rows);
    backup_names_release(&list);
    lockfile_release(&lock);
    return failed;
}
