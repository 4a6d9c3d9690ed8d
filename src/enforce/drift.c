/* SPDX-License-Identifier: MIT */
#include "enforce/drift.h"

#include <stdlib.h>

#include "base/mem.h"
#include "books/query.h"
#include "enforce/statements.h"

int drift_clear(struct books *books, struct str cluster, struct error *err)
{
    struct query q = query_begin(books, SQL_ENFORCE_DRIFT_CLEAR);
    query_text(&q, cluster);
    query_run(&q);
    return query_finish(&q, "cannot record limits", err);
}

int drift_put(struct books *books, struct str cluster, struct str account, int64_t micro,
              int64_t at, struct error *err)
{
    struct query q = query_begin(books, SQL_ENFORCE_DRIFT_PUT);
    query_text(&q, cluster);
    query_text(&q, account);
    query_int(&q, micro);
    query_int(&q, at);
    query_run(&q);
    return query_finish(&q, "cannot record limits", err);
}

int drift_list_read(struct books *books, struct drift_list *out, struct error *err)
{
    size_t room = 0;
    *out = (struct drift_list){0};
    struct query q = query_begin(books, SQL_ENFORCE_DRIFTS);
    while (query_row(&q)) {
        out->rows = mem_grow(out->rows, out->count, &room, sizeof(*out->rows));
        out->rows[out->count++] =
            (struct drift){query_text_at(&q, 0, &out->arena), query_text_at(&q, 1, &out->arena),
                           query_int_at(&q, 2), query_int_at(&q, 3)};
    }
    return query_finish(&q, "cannot read limits", err);
}

void drift_list_release(struct drift_list *list)
{
    free(list->rows);
    arena_release(&list->arena);
    *list = (struct drift_list){0};
}
