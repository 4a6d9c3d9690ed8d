/* SPDX-License-Identifier: MIT */
#pragma once

/* SVG to the pages of a PDF, by librsvg and cairo (svg_library.h). */

#include <stddef.h>

#include "base/attribute.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"

/* A4 in points, which are the units of the pages. */
#define PDF_WIDTH  595.0
#define PDF_HEIGHT 842.0

struct pdf_page {
    struct buf svg; /* a document of PDF_WIDTH x PDF_HEIGHT */
};

/*
 * Adds a PDF with these pages to `out`. The same pages, title and date ("2025-03-01T12:00:00Z")
 * give the same bytes. ERROR_MISSING says which package to install when there is no librsvg.
 */
int pdf_draw(struct buf *out, const struct pdf_page *pages, size_t count, const char *title,
             const char *date, struct error *err) MUST_CHECK;
