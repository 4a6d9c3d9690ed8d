/* SPDX-License-Identifier: MIT */
#include "serve/api/page_cursor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

void page_cursor_text(const struct page_cursor *page, char text[PAGE_CURSOR_TEXT_MAX])
{
    snprintf(text, PAGE_CURSOR_TEXT_MAX, "p%" PRIx64, (uint64_t)(page->skip + page->size));
}

int page_cursor_read(struct str text, int64_t *skip, struct error *err)
{
    enum { DIGITS_MAX = 12 };

    int64_t value = 0;
    bool good = text.len >= 2 && text.len <= DIGITS_MAX + 1 && text.ptr[0] == 'p';
    for (size_t i = 1; good && i < text.len; i++) {
        const char digit = text.ptr[i];
        const int number = digit >= '0' && digit <= '9'   ? digit - '0'
                           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                                          : -1;
        good = number >= 0;
        value = value * 16 + (good ? number : 0);
    }
    *skip = value;
    return good ? 0
                : error_set(err, ERROR_USAGE,
                            "'%.*s' is not a cursor: give the one of the page before",
                            STR_ARG(text));
}

/* Rows of a chunk, from `first` on; `columns` has room for as many as it has. */
static struct table part_of(const struct table *chunk, size_t first, size_t count,
                            struct column *columns)
{
    struct table part = *chunk;
    part.row_count = count;
    part.columns = columns;
    for (size_t c = 0; c < chunk->column_count; c++) {
        columns[c] = chunk->columns[c];
        columns[c].cells = columns[c].cells ? columns[c].cells + first : NULL;
        columns[c].present = columns[c].present ? columns[c].present + first : NULL;
        columns[c].names = columns[c].names ? columns[c].names + first : NULL;
    }
    return part;
}

int page_cursor_take(void *context, const struct table *chunk, struct error *err)
{
    struct page_cursor *page = context;
    const int64_t rows = (int64_t)chunk->row_count;
    const int64_t last = page->size ? page->skip + page->size : INT64_MAX;
    const int64_t from = page->seen < page->skip ? page->skip - page->seen : 0;
    const int64_t to = last - page->seen < rows ? last - page->seen : rows;
    struct column *columns = mem_alloc(chunk->column_count + 1, sizeof(*columns));
    const bool some = from < to;
    const struct table part =
        part_of(chunk, some ? (size_t)from : 0, some ? (size_t)(to - from) : 0, columns);
    int failed = page->sink->take(page->sink->context, &part, err);
    free(columns);
    page->seen += rows;
    page->more = page->seen > last;
    if (!failed && page->more) {
        page->full = true;
        return error_set(err, ERROR_STOPPED, "the page is full");
    }
    return failed;
}
