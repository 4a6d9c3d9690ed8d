/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A long answer page by page: a sink that passes on some of the rows. Where the next page
 * begins is a cursor, which a client gives back as it got it. A page is found by asking again
 * and passing over the rows before it, in the order of the answer; what was added since may
 * move them, which the number of the last change in the cursor says.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/attribute.h"
#include "base/error.h"
#include "table/sink.h"

struct page_cursor {
    int64_t skip, size; /* rows before the page, and on it; size 0: all that follow */
    const struct table_sink *sink;
    int64_t seen;    /* rows that came */
    bool more, full; /* a row came beyond the page; `full` ends the answer early */
};

/* "p" and the number of rows before the page, in hexadecimal. */
enum { PAGE_CURSOR_TEXT_MAX = 32 };

void page_cursor_text(const struct page_cursor *page, char text[PAGE_CURSOR_TEXT_MAX]);
int page_cursor_read(struct str text, int64_t *skip, struct error *err) MUST_CHECK;

/* For a struct table_sink. Ends the answer with ERROR_STOPPED, and `full`, when the page is. */
int page_cursor_take(void *context, const struct table *chunk, struct error *err) MUST_CHECK;
