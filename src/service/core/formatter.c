/* SPDX-License-Identifier: MIT */
#include "service/core/formatter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limit.h"
#include "base/mem.h"

/*
 * Rows of a table that is there as a whole are written in slices, so that their text need not
 * be in memory at once.
 */
enum { SLICE_ROWS = 4096, BLOCK = 1 << 16 };

static const char parquet_name[] = "parquet";

const char *formatter_name(size_t index)
{
    size_t count = 0;
    while (export_formats[count].name) {
        count++;
    }
    return index < count ? export_formats[index].name : index == count ? parquet_name : NULL;
}

int formatter_init(struct formatter *formatter, struct str format, const char *parquet_path,
                   const struct export_style *style,
                   int (*add)(void *context, struct str bytes, struct error *err),
                   void *context, struct error *err)
{
    *formatter = (struct formatter){
        .style = *style,
        .format = export_find(format),
        .path = parquet_path,
        .empty = true,
        .add = add,
        .context = context,
    };
    buf_init(&formatter->text, LIMIT_OUTPUT);
    if (!formatter->format && !str_eq(format, str_of(parquet_name))) {
        return error_set(err, ERROR_USAGE, "there is no format '%.*s'", STR_ARG(format));
    }
    return 0;
}

void formatter_release(struct formatter *formatter)
{
    parquet_abandon(formatter->parquet);
    if (formatter->spool) {
        unlink(formatter->spool);
    }
    free(formatter->spool);
    buf_release(&formatter->text);
    *formatter = (struct formatter){0};
}

/* Gives what was written so far away. */
static int flush(struct formatter *formatter, struct error *err)
{
    if (formatter->text.overflow) {
        return error_set(err, ERROR_LIMIT, "a part of the answer is larger than %d MiB",
                         LIMIT_OUTPUT >> 20);
    }
    int failed = formatter->add(formatter->context, buf_str(&formatter->text), err);
    buf_clear(&formatter->text);
    return failed;
}

/* --- Parquet: written by the engine, into a file; to send it by way of a temporary one ---- */

static int make_spool(struct formatter *formatter, struct error *err)
{
    const char *folder = getenv("TMPDIR");
    formatter->spool = file_join(folder && *folder ? folder : "/tmp", "stint-parquet-XXXXXX");
    int fd = mkstemp(formatter->spool);
    if (fd < 0) {
        int failed = error_errno(err, "cannot make a temporary file '%s'", formatter->spool);
        free(formatter->spool);
        formatter->spool = NULL;
        return failed;
    }
    close(fd);
    return 0;
}

/* The file, block by block, to where bytes go. */
static int send_spool(struct formatter *formatter, struct error *err)
{
    char *block = mem_alloc(BLOCK, 1);
    ssize_t got = 0;
    int fd = open(formatter->spool, O_RDONLY | O_CLOEXEC);
    int failed = fd < 0 ? error_errno(err, "cannot read '%s'", formatter->spool) : 0;
    while (!failed && (got = read(fd, block, BLOCK)) != 0) {
        if (got > 0) {
            failed = formatter->add(formatter->context, (struct str){block, (size_t)got}, err);
        } else if (errno != EINTR) {
            failed = error_errno(err, "cannot read '%s'", formatter->spool);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    free(block);
    return failed;
}

/* --- all formats -------------------------------------------------------------------------- */

static int begin_format(struct formatter *formatter, const struct table *columns,
                        struct error *err)
{
    int failed = 0;
    formatter->begun = true;
    if (!formatter->format) {
        failed = formatter->path ? 0 : make_spool(formatter, err);
        return failed ? failed
                      : parquet_open(formatter->path ? formatter->path : formatter->spool,
                                     columns, &formatter->parquet, err);
    }
    formatter->format->begin(&formatter->text, columns, &formatter->style);
    return 0;
}

/* A part of the rows of a table; `columns` has room for as many as it has. */
static struct table slice_of(const struct table *table, size_t first, struct column *columns)
{
    struct table slice = *table;
    const size_t left = table->row_count - first;
    slice.row_count = left < SLICE_ROWS ? left : SLICE_ROWS;
    slice.columns = columns;
    for (size_t c = 0; c < table->column_count; c++) {
        columns[c] = table->columns[c];
        columns[c].cells += first;
        columns[c].present += first;
        columns[c].names = NULL;
    }
    return slice;
}

static int write_rows(struct formatter *formatter, const struct table *chunk, struct error *err)
{
    struct column *columns = mem_alloc(chunk->column_count, sizeof(*columns));
    int failed = 0;
    for (size_t first = 0; !failed && first < chunk->row_count; first += SLICE_ROWS) {
        const struct table slice = slice_of(chunk, first, columns);
        formatter->format->rows(&formatter->text, &slice, &formatter->style, formatter->empty);
        formatter->empty = false;
        failed = flush(formatter, err);
    }
    free(columns);
    return failed;
}

int formatter_take(void *context, const struct table *chunk, struct error *err)
{
    struct formatter *formatter = context;
    struct table seen;
    table_seen(chunk, COLUMN_FOR_MACHINES, &seen);
    int failed = formatter->begun ? 0 : begin_format(formatter, &seen, err);
    if (!failed) {
        failed = formatter->format ? write_rows(formatter, &seen, err)
                                   : parquet_take(formatter->parquet, &seen, err);
    }
    table_seen_release(&seen);
    return failed;
}

int formatter_end(struct formatter *formatter, struct error *err)
{
    int failed = 0;
    if (formatter->parquet) {
        struct parquet *parquet = formatter->parquet;
        formatter->parquet = NULL;
        failed = parquet_close(parquet, err);
        return failed || !formatter->spool ? failed : send_spool(formatter, err);
    }
    if (formatter->begun) {
        formatter->format->end(&formatter->text, &formatter->style, formatter->empty);
        failed = flush(formatter, err);
    }
    return failed;
}
