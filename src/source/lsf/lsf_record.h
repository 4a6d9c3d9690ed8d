/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Inside of the LSF driver: what its files share. Read docs/sources/lsf.md first.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/str.h"
#include "record/run.h"

/* --- lsf_reader.c ------------------------------------------------------------------------- */

/*
 * The fields of a record, one after the other. Each function takes the next one; a field that
 * is not there or of another kind sets `bad` to its name, and all that follow give nothing.
 */
struct lsf_reader {
    struct str rest;
    struct arena *arena; /* for texts with quotes in them */
    const char *bad;     /* the first field that could not be read; NULL so far */
    bool odd;            /* a quote or blank was missing, and it was read all the same */
};

bool lsf_at_end(struct lsf_reader *reader);
struct str lsf_text(struct lsf_reader *reader, const char *name); /* must be quoted */
struct str lsf_word(struct lsf_reader *reader, const char *name); /* must not be */
int64_t lsf_int(struct lsf_reader *reader, const char *name);

/* Seconds or another number with decimals, in millionths; -1 where LSF says -1: not known. */
int64_t lsf_micro(struct lsf_reader *reader, const char *name);

/* Whether a line is the beginning of a record: "WORD_OF_CAPITALS" "version". */
bool lsf_begins_record(struct str line);

/* Whether the bytes end inside of a text, so that the record may go on in the next line. */
bool lsf_ends_in_text(struct str record);

/* --- lsf_code.c --------------------------------------------------------------------------- */

enum { LSF_STATUS_EXIT = 32, LSF_STATUS_DONE = 64 }; /* of jStatus */

/* How a job ended: the status and exitInfo fields. */
struct lsf_end {
    int64_t status;      /* jStatus */
    int64_t exit_status; /* as wait() gives it */
    int64_t exit_info;   /* why LSF ended it; 0 if it did not, or does not say */
};

enum run_class lsf_code_class(const struct lsf_end *end);
struct str lsf_code_reason(const struct lsf_end *end); /* null string: no reason */

/* --- lsf_run.c ---------------------------------------------------------------------------- */

/*
 * Fills a zeroed run from the fields after the event time's, which is given. False if a field
 * does not hold what it should; the error names it.
 */
bool lsf_run_fill(struct lsf_reader *reader, int64_t event_time, struct run *run,
                  struct error *err);
