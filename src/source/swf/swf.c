/* SPDX-License-Identifier: MIT */
#include "source/swf/swf.h"

#include "base/limit.h"
#include "source/common/record_text.h"
#include "source/swf/swf_row.h"

/*
 * Format: "The Standard Workload Format", version 2.2, of the Parallel Workloads Archive.
 *
 *   swf_head.c  what the comments say
 *   swf_run.c   makes a run of a row
 */

enum {
    LINES_TO_RECOGNISE = 300, /* heads of a hundred comments are usual */
    SURE = 100,
    SURE_OF_HEADER = 50, /* comments alone */
    SURE_LEAST = 10,
};

static enum source_step read_row(struct str line, const struct swf_format *format,
                                 struct run *run, struct error *err)
{
    struct swf_row row;
    enum swf_column bad;
    if (!swf_row_read(line, &row, &bad)) {
        error_set(err, ERROR_INPUT, "column %d of %d is %s", (int)bad + 1, SWF_COLUMNS,
                  row.text[bad].len == 0 ? "missing" : "not a number");
        return SOURCE_REJECT;
    }
    if (row.micro[SWF_JOB] < 0) {
        error_set(err, ERROR_INPUT, "has no job number");
        return SOURCE_REJECT;
    }
    /*
     * Pieces of a job that was stopped and went on: its own row, of status 0 or 1, has it all.
     */
    if (row.micro[SWF_STATUS] >= 2000000 && row.micro[SWF_STATUS] <= 4000000) {
        return SOURCE_SKIP;
    }
    if (!swf_run_fill(&row, format, run)) {
        error_set(err, ERROR_INPUT, "has no submission time, so it is unknown when it ran");
        return SOURCE_REJECT;
    }
    return SOURCE_RECORD;
}

static enum source_step swf_next(const void *format, struct source_cursor *cursor,
                                 struct run *run, struct error *err)
{
    if (!source_next_line(cursor)) {
        return SOURCE_END;
    }
    struct str line = str_trim(cursor->record);
    if (line.len == 0 || line.ptr[0] == ';') {
        return SOURCE_SKIP;
    }
    if (line.len > LIMIT_RECORD) {
        error_set(err, ERROR_LIMIT, "is longer than %d KiB", LIMIT_RECORD >> 10);
        return SOURCE_REJECT;
    }
    enum source_step step = read_row(line, format, run, err);
    return step == SOURCE_RECORD && source_check_texts(run, err) != 0 ? SOURCE_REJECT : step;
}

static int swf_open(struct str head, const struct source_options *options, void **format,
                    struct error *err)
{
    struct swf_format *out = NULL;
    int failed = swf_format_read(head, options, &out, err);
    *format = out;
    return failed;
}

static int swf_recognise(struct str head)
{
    struct source_cursor cursor = {.rest = source_whole_lines(head), .next_line = 1};
    int rows = 0;
    int others = 0;
    bool header = false;
    for (int i = 0; i < LINES_TO_RECOGNISE && source_next_line(&cursor); i++) {
        struct str line = str_trim(cursor.record);
        struct swf_row row;
        enum swf_column bad;
        if (line.len == 0 || line.ptr[0] == ';') {
            header |= line.len > 0 && memmem(line.ptr, line.len, "UnixStartTime:", 14);
            continue;
        }
        bool is_row = swf_row_read(line, &row, &bad);
        rows += is_row;
        others += !is_row;
    }
    if (rows == 0) {
        return header && others == 0 ? SURE_OF_HEADER : 0;
    }
    int sure = SURE * rows / (rows + others);
    return sure > SURE_LEAST ? sure : SURE_LEAST;
}

const struct source_driver swf_driver = {
    .name = "swf",
    .summary = "Standard Workload Format 2.2 (Parallel Workloads Archive)",
    .version = 2,
    .recognise = swf_recognise,
    .open = swf_open,
    .close = swf_format_free,
    .next = swf_next,
};
