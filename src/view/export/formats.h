/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The writers listed in export.c. To add one: write its file, declare it here, add its row there.
 */

#include "base/buf.h"
#include "table/table.h"
#include "view/export/export.h"

void csv_write(struct buf *out, const struct table *table, const struct export_style *style);
void tsv_write(struct buf *out, const struct table *table, const struct export_style *style);
void objects_write(struct buf *out, const struct table *table,
                   const struct export_style *style);
void objects_write_lines(struct buf *out, const struct table *table,
                         const struct export_style *style);
void markdown_write(struct buf *out, const struct table *table,
                    const struct export_style *style);
