/* SPDX-License-Identifier: MIT */
#include "command/render.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/limit.h"
#include "view/export/export.h"
#include "view/text/text.h"

static int write_out(const char *path, struct str content, struct error *err)
{
    if (path) {
        return file_write(path, content, err);
    }
    while (content.len > 0) {
        ssize_t written = write(STDOUT_FILENO, content.ptr, content.len);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return error_errno(err, "cannot write the answer");
        }
        content = (struct str){content.ptr + written, content.len - (size_t)written};
    }
    return 0;
}

/* A row as a label and its other cells in one text, which may need several lines and is never cut. */
static void render_list(struct buf *out, const struct table *table,
                        const struct text_style *style)
{
    struct table list = {0};
    for (size_t row = 0; row < table->row_count; row++) {
        const char *label = arena_text(&list.arena, table->columns[0].cells[row].text);
        table_column(&list, "", label, CELL_TEXT, UNIT_NONE, COLUMN_DIMENSION);
    }
    size_t only = table_row(&list);
    for (size_t row = 0; row < table->row_count; row++) {
        struct buf text;
        buf_init(&text, LIMIT_OUTPUT);
        for (size_t c = 1; c < table->column_count; c++) {
            buf_addz(&text, c > 1 ? ": " : "");
            buf_add(&text, table->columns[c].cells[row].text);
        }
        table_set_text(&list, row, only, buf_str(&text));
        buf_release(&text);
    }
    text_record(out, &list, only, style);
    table_release(&list);
}

static void render_text(struct buf *out, const struct answer *answer,
                        const struct render_options *options)
{
    const struct table *table =
        answer->shown.column_count > 0 ? &answer->shown : &answer->table;
    const struct text_style style = {
        .width = options->width,
        .colour = options->colour,
        .ascii = options->ascii,
        .header = options->header,
        .zone = options->zone,
    };
    if (answer->as_records && table->row_count > 0) {
        for (size_t row = 0; row < table->row_count; row++) {
            buf_addz(out, row ? "\n" : "");
            text_record(out, table, row, &style);
        }
    } else if (answer->as_list) {
        render_list(out, table, &style);
    } else {
        text_table(out, table, &style);
    }
    if (answer->notes.len > 0 && render_shows_notes(options)) {
        buf_addc(out, '\n');
        buf_add(out, buf_str(&answer->notes));
    }
}

bool render_shows_notes(const struct render_options *options)
{
    return str_eq(options->format, STR("table")) && options->header && !options->quiet;
}

/* Parquet is written by the engine, into a file; for standard output by way of a temporary one. */
static int render_parquet(const struct answer *answer, const struct render_options *options,
                          struct error *err)
{
    if (options->output) {
        return facts_write_parquet(&answer->table, options->output, err);
    }
    if (isatty(STDOUT_FILENO)) {
        return error_set(err, ERROR_USAGE,
                         "Parquet is not for the terminal: name a file with --output");
    }
    const char *folder = getenv("TMPDIR");
    char *path = file_join(folder && *folder ? folder : "/tmp", "stint-parquet-XXXXXX");
    struct buf content;
    buf_init(&content, LIMIT_OUTPUT);
    int failed = 0;
    int fd = mkstemp(path);
    if (fd < 0) {
        failed = error_errno(err, "cannot make a temporary file '%s'", path);
        goto out;
    }
    close(fd);
    (void)((failed = facts_write_parquet(&answer->table, path, err)) ||
           (failed = file_read(path, &content, err)) ||
           (failed = write_out(NULL, buf_str(&content), err)));
    unlink(path);
out:
    free(path);
    buf_release(&content);
    return failed;
}

int render_answer(const struct answer *answer, const struct render_options *options,
                  struct error *err)
{
    if (answer->table.column_count == 0) {
        return 0;
    }
    if (str_eq(options->format, STR("parquet"))) {
        return render_parquet(answer, options, err);
    }
    struct buf out;
    buf_init(&out, LIMIT_OUTPUT);
    const struct export_format *format = export_find(options->format);
    if (format) {
        const struct export_style style = {.header = options->header, .zone = options->zone};
        format->write(&out, &answer->table, &style);
    } else {
        render_text(&out, answer, options);
    }
    int failed =
        out.overflow
            ? error_set(
                  err, ERROR_LIMIT,
                  "the answer is larger than %d MiB: ask for less, or use --format parquet",
                  LIMIT_OUTPUT >> 20)
            : write_out(options->output, buf_str(&out), err);
    buf_release(&out);
    return failed;
}
