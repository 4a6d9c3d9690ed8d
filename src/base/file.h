/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whole-file helpers.
 */

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"

/*
 * Reads a file and adds it to `out`, initialised by the caller, whose limit holds: a file
 * larger than that is ERROR_LIMIT. A pipe with a name is read if somebody writes to it within
 * seconds.
 */
int file_read(const char *path, struct buf *out, struct error *err) MUST_CHECK;

/*
 * Writes a file as a whole or not at all: under a temporary name beside it, synced, then
 * renamed. A file that was there keeps its mode; a link stays and what it leads to is replaced;
 * a device or pipe (/dev/stdout) is simply written to, and so is standard output, for which
 * `path` is NULL.
 */
int file_write(const char *path, struct str content, struct error *err) MUST_CHECK;

/*
 * The same piece by piece: nothing is at `path` before the close, and nothing is left after
 * file_writer_abandon. A NULL path is standard output, which stays open.
 */
struct file_writer {
    int fd;
    char *path; /* what is to be replaced; NULL: standard output */
    char *name; /* of the file beside it; NULL: it is written to as it is */
};

int file_writer_open(const char *path, struct file_writer *writer,
                     struct error *err) MUST_CHECK;
int file_writer_add(struct file_writer *writer, struct str content,
                    struct error *err) MUST_CHECK;
int file_writer_close(struct file_writer *writer, struct error *err) MUST_CHECK;
void file_writer_abandon(struct file_writer *writer); /* also of one that was never opened */

/* Makes a folder and those above it, mode 0700 for new ones; no error if it is there. */
int file_make_folder(const char *path, struct error *err) MUST_CHECK;

/* folder/name, freed by the caller; an empty folder gives the name alone. */
char *file_join(const char *folder, const char *name);
