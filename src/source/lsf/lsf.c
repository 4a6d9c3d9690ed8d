/* SPDX-License-Identifier: MIT */
#include "source/lsf/lsf.h"

#include "base/limit.h"
#include "source/common/record_text.h"
#include "source/lsf/lsf_record.h"

/*
 * Format: lsb.acct(5) of LSF 5.1 to 10.1. docs/sources/lsf.md says how fields become those of a
 * run.
 *
 *   lsf_reader.c  takes one field after the other
 *   lsf_code.c    knows why jobs end
 *   lsf_run.c     makes a run of a record
 */

enum {
    LINES_TO_RECOGNISE = 50,
    SURE = 100,
    SURE_LEAST = 10,
    LINES_OF_RECORD =
        200, /* a text of more lines is not worth looking for its end again and again */
};

/* Events of lsb.acct that are no runs. */
static bool is_skipped(struct str event)
{
    return str_eq(event, STR("JOB_RESIZE")) || str_eq(event, STR("EVENT_ADRSV_FINISH"));
}

static bool is_ours(struct str event)
{
    return str_eq(event, STR("JOB_FINISH")) || is_skipped(event);
}

static struct str event_of(struct str line)
{
    line.ptr++;
    line.len--;
    return str_cut(&line, '"');
}

static enum source_step read_record(struct str record, struct arena *arena, struct run *run,
                                    struct error *err)
{
    struct str event = event_of(record);
    if (is_skipped(event)) {
        return SOURCE_SKIP;
    }
    if (!is_ours(event)) {
        error_set(err, ERROR_INPUT, "is an event '%.*s', which is not known",
                  (int)(event.len < 40 ? event.len : 40), event.ptr);
        return SOURCE_REJECT;
    }
    struct lsf_reader reader = {.rest = record, .arena = arena};
    (void)lsf_text(&reader, "event");
    (void)lsf_text(&reader, "version");
    int64_t time = lsf_int(&reader, "eventTime");
    if (!lsf_run_fill(&reader, time, run, err) || source_check_texts(run, err) != 0) {
        return SOURCE_REJECT;
    }
    return SOURCE_RECORD;
}

/*
 * Whether the text that a record ends in continues in the next line: takes that line as well.
 */
static bool take_another_line(struct source_cursor *cursor)
{
    struct str record = cursor->record;
    const uint64_t line = cursor->line;
    if (cursor->rest.len == 0 || lsf_begins_record(cursor->rest) || !lsf_ends_in_text(record)) {
        return false;
    }
    (void)source_next_line(cursor);
    record.len = (size_t)(cursor->record.ptr + cursor->record.len - record.ptr);
    cursor->record = record;
    cursor->line = line;
    return true;
}

static enum source_step read_lines(struct source_cursor *cursor, struct run *run,
                                   struct error *err)
{
    if (source_check_line(cursor, err) != 0) {
        return SOURCE_REJECT;
    }
    bool recoded = false;
    struct str record = source_utf8(cursor->record, cursor->arena, &recoded);
    enum source_step step = read_record(record, cursor->arena, run, err);
    if (recoded) {
        run->flags |= RUN_FLAG_RECODED;
    }
    return step;
}

static enum source_step lsf_next(const void *format, struct source_cursor *cursor,
                                 struct run *run, struct error *err)
{
    (void)format;
    if (!source_next_line(cursor)) {
        return SOURCE_END;
    }
    struct str line = str_trim(cursor->record);
    if (line.len == 0 || line.ptr[0] == '#') {
        return SOURCE_SKIP;
    }
    if (!lsf_begins_record(cursor->record)) {
        error_set(err, ERROR_INPUT, "does not begin with an event and a version");
        return SOURCE_REJECT;
    }
    struct error why;
    enum source_step step = read_lines(cursor, run, &why);
    if (step != SOURCE_REJECT) {
        return step;
    }
    /* Once more with all lines of its text, if that may be what is missing. */
    for (int lines = 1; lines < LINES_OF_RECORD && cursor->record.len <= LIMIT_RECORD;
         lines++) {
        if (!take_another_line(cursor)) {
            if (lines == 1) {
                *err = why;
                return step;
            }
            break;
        }
    }
    *run = (struct run){0};
    return read_lines(cursor, run, err);
}

/* The last line end, unless the record before it may go on: then the beginning of that one. */
static size_t lsf_cut(const void *format, struct str data, bool last)
{
    (void)format;
    (void)last;
    struct str whole = source_whole_lines(data);
    if (whole.len == 0 || whole.ptr[whole.len - 1] != '\n') {
        return 0;
    }
    size_t begin = whole.len;
    do {
        const char *feed = begin > 1 ? memrchr(whole.ptr, '\n', begin - 1) : NULL;
        begin = feed ? (size_t)(feed - whole.ptr) + 1 : 0;
    } while (begin > 0 &&
             !lsf_begins_record((struct str){whole.ptr + begin, whole.len - begin}));
    struct str record = {whole.ptr + begin, whole.len - begin};
    return lsf_begins_record(record) && lsf_ends_in_text(record) ? begin : whole.len;
}

static int lsf_recognise(struct str head)
{
    struct source_cursor cursor = {.rest = source_whole_lines(head), .next_line = 1};
    int records = 0;
    int others = 0;
    for (int i = 0; i < LINES_TO_RECOGNISE && source_next_line(&cursor); i++) {
        struct str line = str_trim(cursor.record);
        if (line.len > 0 && line.ptr[0] != '#') {
            bool ours = lsf_begins_record(cursor.record) && is_ours(event_of(cursor.record));
            records += ours;
            others += !ours;
        }
    }
    if (records == 0) {
        return 0;
    }
    int sure = SURE * records / (records + others);
    return sure > SURE_LEAST ? sure : SURE_LEAST;
}

/* What people have before them when they look for the jobs. */
static const struct source_table tables[] = {
    {"JOBID USER STAT QUEUE", "bjobs",
     "give stint the accounting file: stint import lsf $LSB_SHAREDIR/CLUSTER/logdir/lsb.acct"},
    {"Accounting information about jobs that are:", "bacct",
     "give stint the accounting file: stint import lsf $LSB_SHAREDIR/CLUSTER/logdir/lsb.acct"},
    {"Summary of time in seconds spent in various states:", "bhist",
     "give stint the accounting file: stint import lsf $LSB_SHAREDIR/CLUSTER/logdir/lsb.acct"},
    {0},
};

const struct source_driver lsf_driver = {
    .name = "lsf",
    .summary = "LSF accounting file (lsb.acct of LSF 5 to 10)",
    .version = 1,
    .recognise = lsf_recognise,
    .cut = lsf_cut,
    .next = lsf_next,
    .tables = tables,
};
