/* SPDX-License-Identifier: MIT */

/*
 * The history: one row a change, written in the transaction that made it. Triggers in the
 * database see to it that nothing edits it, whatever a later version of this file may try.
 */

#include <jansson.h>
#include <stdlib.h>

#include "base/limit.h"
#include "base/mem.h"
#include "books/books_internal.h"
#include "books/statements.h"

int books_history_add(struct books *books, const struct books_change *change, struct error *err)
{
    struct query q = query_begin(books, SQL_HISTORY_ADD);
    query_int(&q, change->id);
    query_int(&q, change->at);
    query_text(&q, change->who);
    query_text(&q, change->operation);
    query_text(&q, change->table);
    query_int(&q, change->item);
    query_text(&q, change->before);
    query_text(&q, change->after);
    (void)query_row(&q);
    return query_finish(&q, "cannot change the books", err);
}

int books_history_list(struct books *books, const struct books_history_filter *filter,
                       struct books_history *out, struct error *err)
{
    size_t room = 0;
    *out = (struct books_history){0};
    struct query q = query_begin(books, SQL_HISTORY_LIST);
    query_text(&q, filter->who);
    query_text(&q, filter->table);
    query_int(&q, filter->item);
    query_int(&q, filter->from);
    query_int(&q, filter->to);
    query_int(&q, filter->limit ? filter->limit : -1);
    while (query_row(&q)) {
        out->changes = mem_grow(out->changes, out->count, &room, sizeof(*out->changes));
        out->changes[out->count++] = (struct books_change){
            .id = query_int_at(&q, 0),
            .at = query_int_at(&q, 1),
            .who = query_text_at(&q, 2, &out->arena),
            .operation = query_text_at(&q, 3, &out->arena),
            .table = query_text_at(&q, 4, &out->arena),
            .item = query_int_at(&q, 5),
            .before = query_text_at(&q, 6, &out->arena),
            .after = query_text_at(&q, 7, &out->arena),
        };
    }
    return query_finish(&q, "cannot read the history", err);
}

void books_history_release(struct books_history *history)
{
    free(history->changes);
    arena_release(&history->arena);
    *history = (struct books_history){0};
}

/*
 * The cells of a row as books_row_json wrote them. Columns that are not there any more are left
 * out.
 */
static int read_cells(const struct kind *kind, struct str text, struct arena *arena,
                      struct kind_row *row, struct error *err)
{
    json_error_t wrong;
    json_t *object = json_loadb(text.ptr, text.len, 0, &wrong), *value;
    const char *key;
    if (!json_is_object(object)) {
        json_decref(object);
        return error_set(err, ERROR_STORE,
                         "the history of the books is damaged: restore the "
                         "last dump: stint books restore FILE");
    }
    json_object_foreach(object, key, value)
    {
        const size_t column = kind_column(kind, key);
        if (column < kind->column_count && json_is_string(value)) {
            const struct str cell = {json_string_value(value), json_string_length(value)};
            row->cells[column] = arena_copy(arena, cell);
        }
    }
    json_decref(object);
    return 0;
}

int books_list_of(struct books *books, const struct kind *kind, int64_t change,
                  struct books_rows *out, struct error *err)
{
    size_t room = 0;
    struct error other = {0};
    int failed = 0;
    *out = (struct books_rows){.kind = kind};
    struct query q = query_begin(books, SQL_HISTORY_ROWS_OF);
    query_text(&q, str_of(kind->table));
    query_int(&q, change);
    while (!failed && query_row(&q)) {
        out->rows = mem_grow(out->rows, out->count, &room, sizeof(*out->rows));
        struct kind_row *row = &out->rows[out->count++];
        *row = (struct kind_row){.id = query_int_at(&q, 0)};
        failed = read_cells(kind, query_view_at(&q, 1), &out->arena, row, err);
    }
    const int second = query_finish(&q, "cannot read the history", failed ? &other : err);
    return failed ? failed : second;
}
