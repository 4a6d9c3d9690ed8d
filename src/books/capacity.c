/* SPDX-License-Identifier: MIT */
#include "books/capacity.h"

#include <stdlib.h>

#include "base/mem.h"
#include "books/books_internal.h"

int books_capacities(struct books *books, const struct zone *zone, struct capacity_list *out,
                     struct error *err)
{
    const struct kind *kind = kind_find(STR("capacity"));
    struct books_rows rows;
    int failed = books_list(books, kind, &rows, err);
    *out = (struct capacity_list){.arena = rows.arena}; /* whose text the names are */
    rows.arena = (struct arena){0};
    out->rows = mem_alloc(rows.count + 1, sizeof(*out->rows));
    for (size_t i = 0; !failed && i < rows.count; i++) {
        struct capacity *capacity = &out->rows[out->count++];
        struct str gpus = kind_cell(kind, &rows.rows[i], "gpus");
        *capacity = (struct capacity){
            .cluster = kind_cell(kind, &rows.rows[i], "cluster"),
            .cpus_micro = kind_micro(kind_cell(kind, &rows.rows[i], "cpus")),
            .gpus_micro = gpus.ptr ? kind_micro(gpus) : -1,
        };
        kind_period(kind, &rows.rows[i], zone, &capacity->period.from, &capacity->period.to);
    }
    books_rows_release(&rows);
    return failed;
}

void capacity_list_release(struct capacity_list *list)
{
    free(list->rows);
    arena_release(&list->arena);
    *list = (struct capacity_list){0};
}
