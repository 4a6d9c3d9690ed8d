/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <string.h>

#include "base/limit.h"
#include "books/books_internal.h"

void query_rows_begin(struct books *books, const char *sql, int columns, struct query_rows *out)
{
    const char *tuple = strrchr(sql, '(');
    struct buf text;
    assert(columns > 0 && columns <= QUERY_ROW_MAX && tuple);
    out->columns = columns;
    out->count = 0;
    out->arena = (struct arena){0};
    buf_init(&text, LIMIT_SQL);
    buf_addz(&text, sql);
    for (int i = 1; i < QUERY_ROWS; i++) {
        buf_addf(&text, ", %s", tuple);
    }
    out->all = query_begin(books, text.ptr);
    out->one = query_begin(books, sql);
    buf_release(&text);
}

static void bind(struct query *query, const struct query_value *values, int count)
{
    for (int i = 0; i < count; i++) {
        if (values[i].is_text) {
            query_text(query, values[i].text);
        } else {
            query_int(query, values[i].number);
        }
    }
}

static void write_all(struct query_rows *rows)
{
    bind(&rows->all, rows->values, rows->count);
    query_run(&rows->all);
    query_again(&rows->all);
    rows->count = 0;
    arena_reset(&rows->arena);
}

static void add(struct query_rows *rows, struct query_value value)
{
    rows->values[rows->count++] = value;
    if (rows->count == rows->columns * QUERY_ROWS) {
        write_all(rows);
    }
}

void query_rows_int(struct query_rows *rows, int64_t value)
{
    add(rows, (struct query_value){.number = value});
}

void query_rows_text(struct query_rows *rows, struct str text)
{
    add(rows, (struct query_value){.is_text = true, .text = arena_copy(&rows->arena, text)});
}

int query_rows_finish(struct query_rows *rows, const char *what, struct error *err)
{
    struct error other = {0};
    for (int at = 0; at < rows->count; at += rows->columns) {
        bind(&rows->one, &rows->values[at], rows->columns);
        query_run(&rows->one);
        query_again(&rows->one);
    }
    arena_release(&rows->arena);
    const int failed = query_finish(&rows->all, what, err);
    const int second = query_finish(&rows->one, what, failed ? &other : err);
    return failed ? failed : second;
}
