/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * An answer in a format for machines on its way out: to standard output or a file, written
 * while rows still come, in bounded memory. A file is there as a whole or not at all. A slow
 * reader of standard output does not hold up the rows (backlog.h), nor with them the store.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "base/file.h"
#include "command/backlog.h"
#include "service/core/formatter.h"

struct output {
    struct formatter formatter;
    const char *path; /* NULL: standard output */
    struct file_writer writer;
    bool opened;
    struct backlog backlog; /* of standard output */
    bool begun;
};

/*
 * For one of export_formats or "parquet"; ERROR_USAGE for another. Nothing is opened before the
 * first chunk.
 */
int output_init(struct output *output, struct str format, const char *path,
                const struct export_style *style, struct error *err) MUST_CHECK;

/* Adds rows: for a struct table_sink, with the output as context. */
int output_take(void *context, const struct table *chunk, struct error *err) MUST_CHECK;

/*
 * Adds a piece of a document, in place of rows: for a struct text_sink, likewise. It goes to
 * `path` of the output.
 */
int output_piece(void *context, struct str piece, struct error *err) MUST_CHECK;

/* Writes the end. Releases the output, as output_abandon does, which leaves no file. */
int output_close(struct output *output, struct error *err) MUST_CHECK;
void output_abandon(struct output *output);
