/* SPDX-License-Identifier: MIT */
#include "source/sge/sge.h"

#include "base/limit.h"
#include "source/common/record_text.h"
#include "source/sge/sge_row.h"

/*
 * Format: accounting(5) of Sun Grid Engine 6.2, Son of Grid Engine 8.1 and Univa Grid Engine
 * 8.x; sge_accounting(5) of Open Cluster Scheduler 9. docs/sources/sge.md says how columns
 * become fields.
 *
 *   sge_text.c     cuts a row at its colons
 *   sge_align.c    finds the columns of rows with colons too many
 *   sge_json.c     makes a row of a JSON line
 *   sge_value.c    reads the numbers of a row (sge_number.h: fast)
 *   sge_reported.c knows the rows of the reporting file
 *   sge_request.c  reads what was asked for
 *   sge_code.c     knows what failure codes mean
 *   sge_run.c      makes a run of a row
 */

enum {
    LINES_TO_RECOGNISE = 50,
    SURE = 100,
    SURE_OF_HEADER = 50, /* nothing but "# Version: 8.1.9" */
    SURE_LEAST = 10,
};

static enum source_step reject_text_fields(struct error *err)
{
    error_set(err, ERROR_LIMIT, "has a text of more than %d KiB", LIMIT_TEXT_FIELD >> 10);
    return SOURCE_REJECT;
}

/* Only a long record can hold a long text. */
static bool has_long_text(const struct sge_row *row)
{
    for (unsigned i = 0; i < row->count; i++) {
        if (sge_column(row, i).len > LIMIT_TEXT_FIELD) {
            return true;
        }
    }
    return false;
}

static enum source_step finish(const struct sge_row *row, struct run *run, bool recoded,
                               struct error *err)
{
    if (row->at[row->count] > LIMIT_TEXT_FIELD && has_long_text(row)) {
        return reject_text_fields(err);
    }
    if (!sge_run_fill(row, run, err)) {
        return SOURCE_REJECT;
    }
    if (recoded) {
        run->flags |= RUN_FLAG_RECODED;
    }
    return row->reported && sge_reported_continues(row) ? SOURCE_SKIP : SOURCE_RECORD;
}

/*
 * Whether more columns follow the submit command than versions with more of them would write.
 */
static bool command_runs_on(const struct sge_row *row, unsigned fields)
{
    if (fields <= SGE_WALLCLOCK) {
        return false;
    }
    if (fields == SGE_WALLCLOCK + 1) {
        return true;
    }
    for (unsigned column = SGE_WALLCLOCK; column <= SGE_IOOPS; column++) {
        struct str text = sge_column(row, column);
        if (text.len == 0 || text.len > 32) {
            return true;
        }
        for (size_t i = 0; i < text.len; i++) {
            if ((text.ptr[i] < '0' || text.ptr[i] > '9') && text.ptr[i] != '.') {
                return true;
            }
        }
    }
    return false;
}

static enum source_step read_text(struct str line, bool reported, struct arena *arena,
                                  struct run *run, struct error *err)
{
    struct sge_row row;
    unsigned fields = 0;
    bool recoded = false;
    enum sge_bytes bytes = sge_text_split(line, &row, &fields);
    row.reported = reported;
    if (bytes == SGE_BYTES_NUL) {
        error_set(err, ERROR_INPUT, "holds a NUL byte");
        return SOURCE_REJECT;
    }
    if (bytes == SGE_BYTES_HIGH) {
        line = source_utf8(line, arena, &recoded);
    }
    if (recoded) {
        (void)sge_text_split(line, &row, &fields);
    }
    if (fields < SGE_COLUMN_LEAST) {
        error_set(err, ERROR_INPUT, "has %u fields, expected at least %d", fields,
                  SGE_COLUMN_LEAST);
        return SOURCE_REJECT;
    }
    if (command_runs_on(&row, fields)) {
        sge_align_command(line, &row);
    }
    struct error why;
    enum source_step step = finish(&row, run, recoded, &why);
    if (step != SOURCE_REJECT) {
        return step;
    }
    /* A column does not fit: perhaps colons in a text moved the others. */
    *run = (struct run){0};
    if (sge_align(line, &row, &why)) {
        return finish(&row, run, recoded, err);
    }
    *err = why;
    return SOURCE_REJECT;
}

static enum source_step read_json(struct str line, struct arena *arena, struct run *run,
                                  struct error *err)
{
    bool recoded;
    struct sge_row row;
    if (sge_json_row(source_utf8(line, arena, &recoded), arena, &row, err)) {
        return SOURCE_REJECT;
    }
    return finish(&row, run, recoded, err);
}

static enum source_step sge_next(const void *format, struct source_cursor *cursor,
                                 struct run *run, struct error *err)
{
    (void)format;
    if (!source_next_line(cursor)) {
        return SOURCE_END;
    }
    struct str line = cursor->record;
    /* qacct ignores lines of one character, too. */
    if (line.len <= 1 || line.ptr[0] == '#') {
        return SOURCE_SKIP;
    }
    if (line.len > LIMIT_RECORD) {
        error_set(err, ERROR_LIMIT, "is longer than %d KiB", LIMIT_RECORD >> 10);
        return SOURCE_REJECT;
    }
    if (line.ptr[0] == '{') {
        return read_json(line, cursor->arena, run, err);
    }
    if (line.ptr[0] == ' ' || line.ptr[0] == '\t') {
        struct str inner = str_trim(line);
        if (inner.len == 0) {
            return SOURCE_SKIP;
        }
    }
    struct str type;
    struct str row;
    if (!sge_reported_cut(line, &type, &row)) {
        return read_text(line, false, cursor->arena, run, err);
    }
    return str_eq(type, STR("acct")) ? read_text(row, true, cursor->arena, run, err)
                                     : SOURCE_SKIP;
}

/* The complete lines of a head that may be cut anywhere. */
static struct str whole_lines(struct str head)
{
    const char *feed = head.len > 0 ? memrchr(head.ptr, '\n', head.len) : NULL;
    return feed ? (struct str){head.ptr, (size_t)(feed - head.ptr) + 1} : head;
}

static int sge_recognise(struct str head)
{
    struct arena arena = {0};
    struct source_cursor cursor = {.rest = whole_lines(head), .next_line = 1, .arena = &arena};
    int records = 0;
    int rejects = 0;
    bool header = false;
    struct str type, row;
    enum source_step step = SOURCE_SKIP;
    for (int i = 0; i < LINES_TO_RECOGNISE && step != SOURCE_END; i++) {
        struct run run = {0};
        struct error err;
        step = sge_next(NULL, &cursor, &run, &err);
        records += step == SOURCE_RECORD;
        rejects += step == SOURCE_REJECT;
        header |= step == SOURCE_SKIP && (str_starts(cursor.record, STR("# Version: ")) ||
                                          sge_reported_cut(cursor.record, &type, &row));
    }
    arena_release(&arena);
    if (records == 0) {
        return header && rejects == 0 ? SURE_OF_HEADER : 0;
    }
    int sure = SURE * records / (records + rejects);
    return sure > SURE_LEAST ? sure : SURE_LEAST;
}

/* What people have before them when they look for the jobs. */
static const struct source_table tables[] = {
    {"job-ID prior name", "qstat",
     "give stint the accounting file: stint import sge $SGE_ROOT/$SGE_CELL/common/accounting; "
     "jobs that wait and run: stint pull"},
    {"OWNER WALLCLOCK UTIME", "qacct",
     "give stint the accounting file: stint import sge $SGE_ROOT/$SGE_CELL/common/accounting"},
    {"Total System Usage", "qacct",
     "give stint the accounting file: stint import sge $SGE_ROOT/$SGE_CELL/common/accounting"},
    {"qname", "qacct -j",
     "give stint the accounting file: stint import sge $SGE_ROOT/$SGE_CELL/common/accounting"},
    {0},
};

const struct source_driver sge_driver = {
    .name = "sge",
    .summary =
        "Grid Engine accounting file (Sun, Son of, Univa, Altair, Open Cluster Scheduler)",
    .version = 2,
    .recognise = sge_recognise,
    .next = sge_next,
    .tables = tables,
};
