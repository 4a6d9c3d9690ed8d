/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * An answer as bytes of a format for machines, while its rows still come and in bounded memory.
 * Where the bytes go is the caller's: a file, a pipe, a connection.
 */

#include "base/attribute.h"
#include "base/error.h"
#include "facts/parquet.h"
#include "table/sink.h"
#include "view/export/export.h"

struct formatter {
    struct export_style style;
    const struct export_format *format; /* NULL: Parquet */
    const char *path;                   /* of a Parquet file; NULL: by way of `spool` */
    char *spool;                        /* file that Parquet is written to before it is sent */
    struct parquet *parquet;
    struct buf text;
    bool begun;
    bool empty; /* no row came so far */

    int (*add)(void *context, struct str bytes, struct error *err);
    void *context;
};

/* The formats until NULL: those of export_formats, and Parquet. */
const char *formatter_name(size_t index);

/*
 * For one of these; ERROR_USAGE for another. `add` gets the bytes, in order. A Parquet file is
 * written to `parquet_path` if there is one, and then not given to `add`. Nothing is opened
 * before the first chunk.
 */
int formatter_init(struct formatter *formatter, struct str format, const char *parquet_path,
                   const struct export_style *style,
                   int (*add)(void *context, struct str bytes, struct error *err),
                   void *context, struct error *err) MUST_CHECK;

/* Adds rows: for a struct table_sink, with the formatter as context. */
int formatter_take(void *context, const struct table *chunk, struct error *err) MUST_CHECK;

/* Writes the end; nothing if there was no beginning. */
int formatter_end(struct formatter *formatter, struct error *err) MUST_CHECK;

/* In any case; of one that has not ended no Parquet file is left. Accepts a zeroed one. */
void formatter_release(struct formatter *formatter);
