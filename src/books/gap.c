/* SPDX-License-Identifier: MIT */
#include "books/gap.h"

#include <stdlib.h>

#include "base/mem.h"
#include "books/books_internal.h"
#include "record/run.h"

/* "name=cvat*": the field, and the pattern; false if it is not that. */
static bool read_only(struct str text, const struct field **field, struct str *pattern)
{
    const struct str id = str_trim(str_cut(&text, '='));
    *field = text.ptr ? run_field_find(id) : NULL;
    *pattern = str_trim(text);
    return *field && (*field)->type == FIELD_TEXT && (*field)->flags & FIELD_DIMENSION &&
           pattern->len > 0;
}

int gap_check_row(const struct kind *kind, const struct kind_row *row, struct error *err)
{
    const struct str only = kind_cell(kind, row, "only");
    const struct field *field;
    struct str pattern;
    if (!only.ptr || read_only(only, &field, &pattern)) {
        return 0;
    }
    return error_set(err, ERROR_USAGE,
                     "--only '%.*s' is not FIELD=PATTERN; for example: --only partition=gpu, "
                     "--only 'name=cvat*'",
                     STR_ARG(only));
}

int books_gaps(struct books *books, const struct zone *zone, struct period period,
               struct gap_list *out, struct error *err)
{
    const struct kind *kind = kind_find(STR("gap"));
    struct books_rows rows;
    int failed = books_list(books, kind, &rows, err);
    *out = (struct gap_list){.arena = rows.arena}; /* whose text the gaps keep */
    rows.arena = (struct arena){0};
    out->rows = mem_alloc(rows.count + 1, sizeof(*out->rows));
    for (size_t i = 0; !failed && i < rows.count; i++) {
        struct gap *gap = &out->rows[out->count];
        *gap = (struct gap){.cluster = kind_cell(kind, &rows.rows[i], "cluster"),
                            .what = kind_cell(kind, &rows.rows[i], "what")};
        const struct str only = kind_cell(kind, &rows.rows[i], "only");
        if (only.ptr && !read_only(only, &gap->only, &gap->pattern)) {
            gap->only = NULL;
        }
        kind_period(kind, &rows.rows[i], zone, &gap->period.from, &gap->period.to);
        out->count += gap->period.from < period.to && period.from < gap->period.to;
    }
    books_rows_release(&rows);
    return failed;
}

void gap_list_release(struct gap_list *list)
{
    free(list->rows);
    arena_release(&list->arena);
    *list = (struct gap_list){0};
}
