/* SPDX-License-Identifier: MIT */
#include "command/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limit.h"
#include "base/mem.h"

/* Rows of a table that is there as a whole are written in slices, so that their text need not be in memory at once. */
enum { SLICE_ROWS = 4096, BLOCK = 1 << 16 };

int output_init(struct output *output, struct str format, const char *path,
                const struct export_style *style, struct error *err)
{
    *output = (struct output){
        .style = *style,
        .format = export_find(format),
        .path = path,
        .writer = {.fd = -1},
        .backlog = BACKLOG_NONE,
        .empty = true,
    };
    buf_init(&output->text, LIMIT_OUTPUT);
    if (!output->format && !str_eq(format, STR("parquet"))) {
        return error_set(err, ERROR_USAGE, "there is no format '%.*s'", STR_ARG(format));
    }
    return 0;
}

static void output_release(struct output *output)
{
    if (output->spool) {
        unlink(output->spool);
    }
    free(output->spool);
    backlog_release(&output->backlog);
    buf_release(&output->text);
    *output = (struct output){.writer = {.fd = -1}, .backlog = BACKLOG_NONE};
}

/* Gives what was written so far away. */
static int flush(struct output *output, struct error *err)
{
    if (output->text.overflow) {
        return error_set(err, ERROR_LIMIT, "a part of the answer is larger than %d MiB",
                         LIMIT_OUTPUT >> 20);
    }
    int failed = output->path ? file_writer_add(&output->writer, buf_str(&output->text), err)
                              : backlog_add(&output->backlog, buf_str(&output->text), err);
    buf_clear(&output->text);
    return failed;
}

/* --- Parquet: written by the engine, into a file; for standard output by way of a temporary one ------- */

static int make_spool(struct output *output, struct error *err)
{
    const char *folder = getenv("TMPDIR");
    output->spool = file_join(folder && *folder ? folder : "/tmp", "stint-parquet-XXXXXX");
    int fd = mkstemp(output->spool);
    if (fd < 0) {
        int failed = error_errno(err, "cannot make a temporary file '%s'", output->spool);
        free(output->spool);
        output->spool = NULL;
        return failed;
    }
    close(fd);
    return 0;
}

/* The file, block by block, to standard output. */
static int send_spool(struct output *output, struct error *err)
{
    struct file_writer out;
    char *block = mem_alloc(BLOCK, 1);
    ssize_t got = 0;
    int fd = open(output->spool, O_RDONLY | O_CLOEXEC);
    int failed = fd < 0 ? error_errno(err, "cannot read '%s'", output->spool)
                        : file_writer_open(NULL, &out, err);
    while (!failed && (got = read(fd, block, BLOCK)) != 0) {
        if (got > 0) {
            failed = file_writer_add(&out, (struct str){block, (size_t)got}, err);
        } else if (errno != EINTR) {
            failed = error_errno(err, "cannot read '%s'", output->spool);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    free(block);
    return failed;
}

/* --- all formats ------------------------------------------------------------------------------------ */

static int begin(struct output *output, const struct table *columns, struct error *err)
{
    int failed = 0;
    output->begun = true;
    if (!output->format) {
        failed = output->path ? 0 : make_spool(output, err);
        return failed ? failed
                      : parquet_open(output->path ? output->path : output->spool, columns,
                                     &output->parquet, err);
    }
    failed = file_writer_open(output->path, &output->writer, err);
    if (!failed) {
        output->format->begin(&output->text, columns, &output->style);
    }
    return failed;
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

static int write_rows(struct output *output, const struct table *chunk, struct error *err)
{
    struct column *columns = mem_alloc(chunk->column_count, sizeof(*columns));
    int failed = 0;
    for (size_t first = 0; !failed && first < chunk->row_count; first += SLICE_ROWS) {
        const struct table slice = slice_of(chunk, first, columns);
        output->format->rows(&output->text, &slice, &output->style, output->empty);
        output->empty = false;
        failed = flush(output, err);
    }
    free(columns);
    return failed;
}

int output_take(void *context, const struct table *chunk, struct error *err)
{
    struct output *output = context;
    struct table seen;
    table_seen(chunk, COLUMN_FOR_MACHINES, &seen);
    int failed = output->begun ? 0 : begin(output, &seen, err);
    if (!failed) {
        failed = output->format ? write_rows(output, &seen, err)
                                : parquet_take(output->parquet, &seen, err);
    }
    table_seen_release(&seen);
    return failed;
}

int output_close(struct output *output, struct error *err)
{
    int failed = 0;
    if (output->parquet) {
        failed = parquet_close(output->parquet, err);
        failed = failed || !output->spool ? failed : send_spool(output, err);
    } else if (output->begun) {
        output->format->end(&output->text, &output->style, output->empty);
        failed = flush(output, err);
        failed = failed || output->path ? failed : backlog_drain(&output->backlog, err);
        failed = failed ? failed : file_writer_close(&output->writer, err);
    }
    if (failed) {
        file_writer_abandon(&output->writer);
    }
    output_release(output);
    return failed;
}

void output_abandon(struct output *output)
{
    parquet_abandon(output->parquet);
    file_writer_abandon(&output->writer);
    output_release(output);
}
