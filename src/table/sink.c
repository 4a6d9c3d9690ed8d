/* SPDX-License-Identifier: MIT */
#include "table/sink.h"

#include <stdlib.h>

#include "base/mem.h"

int table_collect(void *context, const struct table *chunk, struct error *err)
{
    struct table *table = context;
    (void)err;
    for (size_t c = 0; table->column_count < chunk->column_count; c++) {
        table_column_like(table, &chunk->columns[c]);
    }
    for (size_t row = 0; row < chunk->row_count; row++) {
        const size_t to = table_row(table);
        for (size_t c = 0; c < chunk->column_count; c++) {
            table_copy_cell(chunk, c, row, table, c, to);
        }
    }
    return 0;
}

int table_rename(void *context, const struct table *chunk, struct error *err)
{
    const struct table_renaming *renaming = context;
    struct table renamed = *chunk;
    renamed.columns = mem_alloc(chunk->column_count, sizeof(*renamed.columns));
    for (size_t i = 0; i < chunk->column_count; i++) {
        const struct heading *heading = &renaming->headings[i];
        renamed.columns[i] = chunk->columns[i];
        renamed.columns[i].id = heading->id;
        renamed.columns[i].label = heading->label;
        renamed.columns[i].unit = heading->unit;
        renamed.columns[i].role = heading->role;
    }
    int failed = renaming->sink->take(renaming->sink->context, &renamed, err);
    free(renamed.columns);
    return failed;
}
