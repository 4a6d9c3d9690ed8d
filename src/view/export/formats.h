/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The writers listed in export.c. To add one: write its file, declare it here, add its row
 * there.
 */

#include "base/buf.h"
#include "table/table.h"
#include "view/export/export.h"

#define EXPORT_PARTS(name)                                                                     \
    void name##_begin(struct buf *out, const struct table *columns,                            \
                      const struct export_style *style);                                       \
    void name##_rows(struct buf *out, const struct table *rows,                                \
                     const struct export_style *style, bool first)

EXPORT_PARTS(csv);
EXPORT_PARTS(tsv);
EXPORT_PARTS(objects);
EXPORT_PARTS(objects_lines);
EXPORT_PARTS(markdown);

void objects_end(struct buf *out, const struct export_style *style, bool empty);
