/* SPDX-License-Identifier: MIT */
#include "source/sge/sge_row.h"

/* What a column says of which nothing is known. "nan" is an unknown number. */
static const char *missing_text(enum sge_column column)
{
    switch ((int)column) {
    case SGE_TASK_NUMBER:
    case SGE_SUBMISSION_TIME:
    case SGE_FAILED:
    case SGE_EXIT_STATUS:
    case SGE_ARID:
    case SGE_AR_SUBMISSION_TIME:
        return "0";
    default:
        return sge_columns[column].kind == SGE_TEXT ? "" : "nan";
    }
}

void sge_row_write(struct str texts[SGE_COLUMN_COUNT], struct arena *arena, struct sge_row *row)
{
    size_t size = 0;
    for (unsigned i = 0; i < SGE_COLUMN_COUNT; i++) {
        if (!texts[i].ptr) {
            texts[i] = str_of(missing_text(i));
        }
        size += texts[i].len + 1;
    }
    char *text = arena_alloc(arena, size);
    uint32_t at = 0;
    for (unsigned i = 0; i < SGE_COLUMN_COUNT; i++) {
        row->at[i] = at;
        if (texts[i].len > 0) {
            memcpy(text + at, texts[i].ptr, texts[i].len);
        }
        at += (uint32_t)texts[i].len;
        text[at++] = ':';
    }
    row->at[SGE_COLUMN_COUNT] = at;
    row->text = text;
    row->count = SGE_COLUMN_COUNT;
    row->odd = false;
    row->reported = false;
}
