/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Whole-file helpers.
 */

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"

/*
 * Reads a file and adds it to `out`, initialised by the caller, whose limit holds: a file larger
 * than that is ERROR_LIMIT.
 */
int file_read(const char *path, struct buf *out, struct error *err) MUST_CHECK;

/*
 * Writes a file as a whole or not at all: under a temporary name beside it, synced, then renamed.
 * A file that was there keeps its mode; a link stays and what it leads to is replaced; a device or
 * pipe (/dev/stdout) is simply written to.
 */
int file_write(const char *path, struct str content, struct error *err) MUST_CHECK;

/* Makes a folder and those above it, mode 0700 for new ones; no error if it is there. */
int file_make_folder(const char *path, struct error *err) MUST_CHECK;

/* folder/name, freed by the caller; an empty folder gives the name alone. */
char *file_join(const char *folder, const char *name);
