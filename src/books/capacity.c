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

int capacity_check_row(const struct kind *kind, const struct kind_row *row, struct error *err)
{
    return kind_micro(kind_cell(kind, row, "cpus")) > 0
               ? 0
               : error_set(err, ERROR_USAGE,
                           "'cpus' must be greater than 0; for a cluster that was removed, set "
                           "the last day: --to DATE");
}

/* A size on the way to being compared with its neighbour in time. */
struct stretch {
    const struct kind_row *row;
    struct str cluster;
    struct period period;
};

static int by_cluster_and_time(const void *a, const void *b)
{
    const struct stretch *left = a, *right = b;
    const int order = str_compare(left->cluster, right->cluster);
    return order ? order
                 : (left->period.from > right->period.from) -
                       (left->period.from < right->period.from);
}

static int refuse_overlap(const struct kind *kind, const struct stretch *a,
                          const struct stretch *b, struct error *err)
{
    struct arena arena = {0};
    const struct kind_row *older = a->row->id < b->row->id ? a->row : b->row;
    const struct kind_row *newer = a->row->id < b->row->id ? b->row : a->row;
    int failed = error_set(
        err, ERROR_CONFLICT,
        "cluster '%.*s' would have two sizes at once: %.*s cpus %s, number %lld, and %.*s cpus "
        "%s; end one before the other begins: stint capacity set %lld --to DATE",
        STR_ARG(a->cluster), STR_ARG(kind_cell(kind, older, "cpus")),
        kind_when(kind, older, &arena), (long long)older->id,
        STR_ARG(kind_cell(kind, newer, "cpus")), kind_when(kind, newer, &arena),
        (long long)older->id);
    arena_release(&arena);
    return failed;
}

int capacity_check_all(struct books *books, struct error *err)
{
    const struct kind *kind = kind_find(STR("capacity"));
    struct books_rows rows;
    int failed = books_list(books, kind, &rows, err);
    struct stretch *sizes = mem_alloc(rows.count + 1, sizeof(*sizes));
    for (size_t i = 0; i < rows.count; i++) {
        sizes[i].row = &rows.rows[i];
        sizes[i].cluster = kind_cell(kind, &rows.rows[i], "cluster");
        kind_period(kind, &rows.rows[i], books->world->kind.zone, &sizes[i].period.from,
                    &sizes[i].period.to);
    }
    qsort(sizes, rows.count, sizeof(*sizes), by_cluster_and_time);
    for (size_t i = 1; !failed && i < rows.count; i++) {
        if (str_eq(sizes[i - 1].cluster, sizes[i].cluster) &&
            sizes[i].period.from < sizes[i - 1].period.to) {
            failed = refuse_overlap(kind, &sizes[i - 1], &sizes[i], err);
        }
    }
    free(sizes);
    books_rows_release(&rows);
    return failed;
}
