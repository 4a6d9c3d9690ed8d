/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What drivers do to the text of a record, whichever scheduler wrote it.
 */

#include <stdbool.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "base/str.h"
#include "record/run.h"
#include "source/source.h"

/*
 * The bytes as UTF-8: as they stand if they are, else each taken for a latin-1 character, in
 * the arena; *recoded says which.
 */
struct str source_utf8(struct str bytes, struct arena *arena, bool *recoded);

/* Refuses a run with a text beyond LIMIT_TEXT_FIELD. */
int source_check_texts(const struct run *run, struct error *err) MUST_CHECK;

/* A text field of a run, set unless the text is empty. */
static inline void source_set_text(struct run *run, enum run_field field, struct str text)
{
    if (text.len > 0) {
        memcpy((char *)run + run_fields[field].offset, &text, sizeof(text));
        run->has[(unsigned)field / 64] |= UINT64_C(1) << (unsigned)field % 64;
    }
}

#define SOURCE_SET_TEXT(run, member, text) source_set_text((run), RUN_##member, (text))

/*
 * Whether the line that source_next_line took has its end. One that has not may be half a
 * record of a file that is being written, which not every format says by itself.
 */
static inline bool source_line_is_whole(const struct source_cursor *cursor)
{
    return cursor->rest.ptr[-1] == '\n';
}

/*
 * Refuses a record that is longer than LIMIT_RECORD or holds a NUL byte: ERROR_LIMIT,
 * ERROR_INPUT.
 */
int source_check_record(struct str record, struct error *err) MUST_CHECK;

/* The same of the line that source_next_line took, which must have its end. */
int source_check_line(const struct source_cursor *cursor, struct error *err) MUST_CHECK;

/* The complete lines of a head that may be cut anywhere; all of it if no line is complete. */
struct str source_whole_lines(struct str head);

/* Makes all texts of a run UTF-8, as source_utf8 does; true if one was not. */
bool source_recode_texts(struct run *run, struct arena *arena);

/* How many line feeds there are. */
uint64_t source_count_lines(struct str text);
