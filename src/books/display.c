/* SPDX-License-Identifier: MIT */
#include "books/display.h"

#include <stdlib.h>

#include "base/mem.h"
#include "books/books_internal.h"

static int by_value(const void *left, const void *right)
{
    const struct display_name *a = left, *b = right;
    int order = str_compare(a->dimension, b->dimension);
    return order ? order : str_compare(a->value, b->value);
}

int books_display_names(struct books *books, struct display_list *out, struct error *err)
{
    const struct kind *kind = kind_find(STR("name"));
    struct books_rows rows;
    int failed = books_list(books, kind, &rows, err);
    *out = (struct display_list){.arena = rows.arena}; /* whose text the names keep */
    rows.arena = (struct arena){0};
    out->rows = mem_alloc(rows.count + 1, sizeof(*out->rows));
    for (size_t i = 0; !failed && i < rows.count; i++) {
        out->rows[out->count++] = (struct display_name){
            .dimension = kind_cell(kind, &rows.rows[i], "dimension"),
            .value = kind_cell(kind, &rows.rows[i], "value"),
            .shown = kind_cell(kind, &rows.rows[i], "shown"),
        };
    }
    qsort(out->rows, out->count, sizeof(*out->rows), by_value);
    books_rows_release(&rows);
    return failed;
}

void display_list_release(struct display_list *list)
{
    free(list->rows);
    arena_release(&list->arena);
    *list = (struct display_list){0};
}

struct str display_name(const struct display_list *list, struct str dimension, struct str value)
{
    const struct display_name wanted = {.dimension = dimension, .value = value};
    const struct display_name *found =
        list->count == 0
            ? NULL
            : bsearch(&wanted, list->rows, list->count, sizeof(*list->rows), by_value);
    return found ? found->shown : value;
}
