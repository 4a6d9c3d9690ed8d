/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A folder of backups. A backup is a list of files, each cut into pieces; a piece is stored
 * once, under its SHA-256 digest, however many backups have it, so that the next backup takes
 * only what has changed:
 *
 *     pieces/3f/3f9a...        the bytes of a piece
 *     20261119T204512Z         a backup: what it is of, its files, and the digests of their pieces
 *
 * A backup is text and appears last, under its name, after all its pieces are on the disk: a
 * process that is killed leaves pieces that the next backup uses or removes, never half a
 * backup. The last line of a backup is the digest of the lines before it.
 *
 *     struct backup_writer *writer;
 *     backup_begin(folder, now, &writer, err)
 *     backup_add_fact(writer, "version", STR("0.1.0"))
 *     backup_add_file(writer, "books.sqlite", path, stop, err)
 *     backup_end(writer, &summary, err)       also releases the writer
 *
 * Nothing here knows what the files are.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/stop.h"
#include "base/str.h"

enum {
    BACKUP_NAME_MAX = 40,      /* "20261119T204512Z", "20261119T204512Z-2", with its NUL */
    BACKUP_HEAD = 12 * 1024,   /* bytes of the first piece of a file, */
    BACKUP_PIECE = 256 * 1024, /* and of all others but the last: blocks of the database keep
                                      their borders */
    BACKUP_TEXT_MAX = 1024 * 1024 * 1024,
};

struct backup_writer;

struct backup_summary {
    char name[BACKUP_NAME_MAX];
    int64_t files;
    int64_t bytes; /* of all files */
    int64_t added; /* bytes of pieces that were not there before */
};

/*
 * Begins a backup in a folder, which is made if it is missing. ERROR_CONFLICT: another one is
 * under way.
 */
int backup_begin(const char *folder, int64_t now, struct backup_writer **out,
                 struct error *err) MUST_CHECK;

/* A line about the backup: a name of lower case letters, and a value without a line break. */
void backup_add_fact(struct backup_writer *writer, const char *name, struct str value);

/* Nobody may write to the file meanwhile. */
int backup_add_file(struct backup_writer *writer, const char *name, const char *path,
                    const struct stop *stop, struct error *err) MUST_CHECK;

/*
 * Makes it a backup. The writer is released in any case, as by backup_abandon; the lock of the
 * folder stays with neither.
 */
int backup_end(struct backup_writer *writer, struct backup_summary *out,
               struct error *err) MUST_CHECK;
void backup_abandon(struct backup_writer *writer); /* accepts NULL */

/* The names of the backups in a folder, oldest first. A missing folder has none. */
struct backup_list {
    char (*names)[BACKUP_NAME_MAX];
    size_t count;
};

int backup_names(const char *folder, struct backup_list *out, struct error *err) MUST_CHECK;
void backup_names_release(struct backup_list *list);

/* A backup as it is written. Text lives as long as the backup. */
struct backup_fact {
    struct str name, value;
};

struct backup_file {
    struct str name;
    int64_t size;
    const char (*pieces)[SHA256_TEXT + 1];
    size_t piece_count;
};

struct backup {
    char name[BACKUP_NAME_MAX];
    struct backup_fact *facts;
    size_t fact_count;
    struct backup_file *files;
    size_t file_count;
    struct arena arena;
};

/*
 * Reads a backup; a null name is the newest. ERROR_MISSING if it does not exist, ERROR_INPUT if
 * it is not what was written. `out` is released also when it fails.
 */
int backup_read(const char *folder, struct str name, struct backup *out,
                struct error *err) MUST_CHECK;
/* The same from its text, all but the name; false if it is not what was written. */
bool backup_parse(struct str text, struct backup *out) MUST_CHECK;
void backup_release(struct backup *backup);
struct str backup_fact_value(const struct backup *backup, const char *name); /* null: absent */
int64_t backup_size(const struct backup *backup);

/*
 * Writes a file of it to `path`, which must not exist, mode 0600, on the disk when it returns.
 * Every piece is compared with its digest.
 */
int backup_extract(const char *folder, const struct backup_file *file, const char *path,
                   const struct stop *stop, struct error *err) MUST_CHECK;

/*
 * Removes all but the newest `keep` backups (0: keeps all), and the pieces that no backup has.
 * `freed` counts their bytes.
 */
int backup_prune(const char *folder, int64_t keep, int64_t *removed, int64_t *freed,
                 struct error *err) MUST_CHECK;
