/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>

#include "books/sheet.h"

/*
 * Any bytes as a sheet of any kind; the first byte chooses which. Beside what the sanitizers see:
 * a refusal has a reason, places ascend, and cells beyond the kind's columns stay untouched.
 */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static void check(const struct kind *kind, const struct sheet *sheet)
{
    for (size_t r = 0; r < sheet->count; r++) {
        must(sheet->rows[r].place > (r ? sheet->rows[r - 1].place : 0));
        for (size_t i = 0; i < KIND_COLUMNS_MAX; i++) {
            struct str cell = sheet->rows[r].cells[i];
            must(cell.ptr || cell.len == 0);
            must(i < kind->column_count || !cell.ptr);
            (void)str_hash(cell, 0); /* every byte is ours to read */
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sheet sheet;
    struct error err = {0};
    if (size == 0) {
        return 0;
    }
    const struct kind *kind = &kinds[data[0] % kind_count];
    struct str text = {(const char *)data + 1, size - 1};
    int failed = sheet_read(kind, text, &sheet, &err);
    must(failed ? err.text[0] != '\0' : true);
    if (!failed) {
        check(kind, &sheet);
    }
    sheet_release(&sheet);
    return 0;
}
