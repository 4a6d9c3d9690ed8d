/* SPDX-License-Identifier: MIT */
#include "command/output.h"

static int open_file(struct output *output, struct error *err)
{
    int failed = output->opened ? 0 : file_writer_open(output->path, &output->writer, err);
    output->opened = output->opened || !failed;
    return failed;
}

static int add_bytes(void *context, struct str bytes, struct error *err)
{
    struct output *output = context;
    if (!output->path) {
        return backlog_add(&output->backlog, bytes, err);
    }
    int failed = open_file(output, err);
    return failed ? failed : file_writer_add(&output->writer, bytes, err);
}

int output_init(struct output *output, struct str format, const char *path,
                const struct export_style *style, struct error *err)
{
    *output = (struct output){.path = path, .writer = {.fd = -1}, .backlog = BACKLOG_NONE};
    return formatter_init(&output->formatter, format, path, style, add_bytes, output, err);
}

static void output_release(struct output *output)
{
    formatter_release(&output->formatter);
    backlog_release(&output->backlog);
    *output = (struct output){.writer = {.fd = -1}, .backlog = BACKLOG_NONE};
}

int output_take(void *context, const struct table *chunk, struct error *err)
{
    struct output *output = context;
    /* a file that cannot be written is found out before the rows are */
    int failed = output->path && output->formatter.format ? open_file(output, err) : 0;
    output->begun = true;
    return failed ? failed : formatter_take(&output->formatter, chunk, err);
}

int output_piece(void *context, struct str piece, struct error *err)
{
    struct output *output = context;
    output->begun = true;
    return add_bytes(output, piece, err);
}

int output_close(struct output *output, struct error *err)
{
    int failed = formatter_end(&output->formatter, err);
    if (!failed && !output->path) {
        failed = backlog_drain(&output->backlog, err);
    } else if (!failed && output->opened) {
        failed = file_writer_close(&output->writer, err);
    }
    output_abandon(output);
    return failed;
}

void output_abandon(struct output *output)
{
    file_writer_abandon(&output->writer);
    output_release(output);
}
