/* SPDX-License-Identifier: MIT */
#include "source/pbs/pbs.h"

#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "source/common/record_text.h"
#include "source/pbs/pbs_record.h"

/*
 * Format: PBS Professional Administrator's Guide, "Accounting"; Torque Administrator Guide,
 * "Job accounting". docs/sources/pbs.md says how pairs become fields, and which letters are not
 * read.
 *
 *   pbs_pairs.c   cuts a line into header, id and pairs
 *   pbs_value.c   reads sizes and the lists of places
 *   pbs_code.c    knows what exit statuses mean
 *   pbs_run.c     makes a run of a record
 */

enum {
    LINES_TO_RECOGNISE = 50,
    SURE = 100,
    SURE_LEAST = 10,
};

/* All there is to know before the first record. */
struct pbs_format {
    const struct zone *zone;
};

/* Letters of records that hold no run of their own; docs/sources/pbs.md says what each is. */
static const char skipped_letters[] = "QDAMCTaLcuezrUYBFKkPp";

static bool is_array(struct str id)
{
    return memmem(id.ptr, id.len, "[]", 2) != NULL;
}

static enum source_step read_record(struct pbs_record *record, struct str rest,
                                    const struct zone *zone, struct arena *arena,
                                    struct run *run, struct error *err)
{
    if (!pbs_record_pairs(rest, record, err) || !pbs_run_fill(record, zone, arena, run, err) ||
        source_check_texts(run, err) != 0) {
        return SOURCE_REJECT;
    }
    return SOURCE_RECORD;
}

static enum source_step read_line(struct str line, const struct zone *zone, struct arena *arena,
                                  struct run *run, struct error *err)
{
    struct pbs_record record;
    struct str rest;
    bool recoded = false;
    line = source_utf8(line, arena, &recoded);
    if (!pbs_record_begin(line, &record, &rest)) {
        error_set(err, ERROR_INPUT, "does not begin with a date, a letter and a job id");
        return SOURCE_REJECT;
    }
    if (strchr(skipped_letters, record.letter) || is_array(record.id)) {
        return SOURCE_SKIP;
    }
    if (!strchr("SsER", record.letter)) {
        error_set(err, ERROR_INPUT, "is a record of type '%c', which is not known",
                  record.letter);
        return SOURCE_REJECT;
    }
    enum source_step step = read_record(&record, rest, zone, arena, run, err);
    /* Torque says of a rerun only that there was one. */
    if (record.letter == 'R' && step == SOURCE_RECORD && !RUN_HAS(run, start)) {
        return SOURCE_SKIP;
    }
    if (recoded) {
        run->flags |= RUN_FLAG_RECODED;
    }
    return step;
}

static enum source_step pbs_next(const void *format, struct source_cursor *cursor,
                                 struct run *run, struct error *err)
{
    if (!source_next_line(cursor)) {
        return SOURCE_END;
    }
    struct str line = cursor->record;
    if (str_trim(line).len == 0) {
        return SOURCE_SKIP;
    }
    if (source_check_line(cursor, err) != 0) {
        return SOURCE_REJECT;
    }
    const struct pbs_format *known = format;
    return read_line(line, known ? known->zone : NULL, cursor->arena, run, err);
}

static int pbs_open(struct str head, const struct source_options *options, void **format,
                    struct error *err)
{
    (void)head;
    (void)err;
    struct pbs_format *out = mem_alloc(1, sizeof(*out));
    out->zone = options->zone;
    *format = out;
    return 0;
}

static int pbs_recognise(struct str head)
{
    struct source_cursor cursor = {.rest = source_whole_lines(head), .next_line = 1};
    int records = 0;
    int others = 0;
    for (int i = 0; i < LINES_TO_RECOGNISE && source_next_line(&cursor); i++) {
        struct pbs_record record;
        struct str rest;
        bool begins = pbs_record_begin(cursor.record, &record, &rest);
        records += begins;
        others += !begins && str_trim(cursor.record).len > 0;
    }
    if (records == 0) {
        return 0;
    }
    int sure = SURE * records / (records + others);
    return sure > SURE_LEAST ? sure : SURE_LEAST;
}

/* What people have before them when they look for the jobs. */
static const struct source_table tables[] = {
    {"Job id Name User", "qstat",
     "give stint the accounting files: stint import pbs "
     "$PBS_HOME/server_priv/accounting/2026*; jobs that wait and run: stint pull"},
    {"Job ID Username Queue", "qstat -a",
     "give stint the accounting files: stint import pbs "
     "$PBS_HOME/server_priv/accounting/2026*; jobs that wait and run: stint pull"},
    {"Job Id:", "qstat -f",
     "give stint the accounting files: stint import pbs "
     "$PBS_HOME/server_priv/accounting/2026*; jobs that wait and run: stint pull"},
    {0},
};

const struct source_driver pbs_driver = {
    .name = "pbs",
    .summary = "PBS accounting file (PBS Professional, OpenPBS, Torque)",
    .version = 1,
    .recognise = pbs_recognise,
    .open = pbs_open,
    .close = free,
    .next = pbs_next,
    .tables = tables,
};
