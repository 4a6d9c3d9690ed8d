/* SPDX-License-Identifier: MIT */

/*
 * Rows of any kind: read, checked, written. The statements are made from the kind's columns.
 */

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/limit.h"
#include "base/mem.h"
#include "books/books_internal.h"

/* "a", "b", "c": the columns, each followed by what comes after it. */
static void add_columns(struct buf *sql, const struct kind *kind, const char *after)
{
    for (size_t i = 0; i < kind->column_count; i++) {
        buf_addf(sql, "%s\"%s\"%s", i ? ", " : "", kind->columns[i].id, after);
    }
}

static void bind_cell(struct query *q, const struct kind_column *column, struct str cell)
{
    if (column->type == KIND_AMOUNT && cell.ptr) {
        query_int(q, kind_micro(cell));
    } else {
        query_text(q, cell);
    }
}

static struct str cell_at(struct query *q, const struct kind_column *column, int index,
                          struct arena *arena)
{
    struct str cell = query_text_at(q, index, arena);
    return cell.ptr && column->type == KIND_AMOUNT ? kind_amount(arena, query_int_at(q, index))
                                                   : cell;
}

static int read_rows(struct books *books, const struct kind *kind, int64_t id,
                     struct books_rows *out, struct error *err)
{
    struct buf sql;
    size_t room = 0;
    buf_init(&sql, LIMIT_SQL);
    *out = (struct books_rows){.kind = kind};
    buf_addz(&sql, "SELECT id, ");
    add_columns(&sql, kind, "");
    buf_addf(&sql, " FROM %s%s ORDER BY id", kind->table, id ? " WHERE id = ?" : "");
    struct query q = query_begin(books, sql.ptr);
    if (id) {
        query_int(&q, id);
    }
    while (query_row(&q)) {
        out->rows = mem_grow(out->rows, out->count, &room, sizeof(*out->rows));
        struct kind_row *row = &out->rows[out->count++];
        *row = (struct kind_row){.id = query_int_at(&q, 0)};
        for (size_t i = 0; i < kind->column_count; i++) {
            row->cells[i] = cell_at(&q, &kind->columns[i], (int)i + 1, &out->arena);
        }
    }
    buf_release(&sql);
    return query_finish(&q, "cannot read the books", err);
}

int books_list(struct books *books, const struct kind *kind, struct books_rows *out,
               struct error *err)
{
    return read_rows(books, kind, 0, out, err);
}

void books_rows_release(struct books_rows *rows)
{
    free(rows->rows);
    arena_release(&rows->arena);
    *rows = (struct books_rows){0};
}

void books_row_json(struct buf *out, const struct kind *kind, const struct kind_row *row)
{
    struct json json = {.out = out};
    json_begin_object(&json);
    for (size_t i = 0; i < kind->column_count; i++) {
        if (row->cells[i].ptr) {
            json_put_key(&json, kind->columns[i].id);
            json_put_text(&json, row->cells[i]);
        }
    }
    json_end_level(&json);
}

int books_read_row(struct books *books, const struct kind *kind, const struct str *cells,
                   struct arena *arena, struct kind_row *row, struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < kind->column_count; i++) {
        if (cells[i].ptr) {
            failed = kind_read(&books->world->kind, &kind->columns[i], cells[i], arena,
                               &row->cells[i], err);
        }
    }
    return failed;
}

/* Says that no row of the kind has this name, and which comes near. */
static int refuse_reference(struct books *books, const struct kind *kind, struct str name,
                            struct error *err)
{
    struct books_rows rows;
    char see[96];
    int failed = books_list(books, kind, &rows, err);
    struct str *names = mem_alloc(rows.count + 1, sizeof(*names));
    for (size_t i = 0; i < rows.count; i++) {
        names[i] = rows.rows[i].cells[0];
    }
    snprintf(see, sizeof(see), "see: stint %s list, or add it: stint %s add NAME", kind->name,
             kind->name);
    failed = failed ? failed : kind_unknown(kind->one, name, names, rows.count, see, err);
    free(names);
    books_rows_release(&rows);
    return failed;
}

int books_check_reference(struct books *books, const char *table, struct str name,
                          struct error *err)
{
    const struct kind *kind = kind_of_table(str_of(table));
    char sql[128];
    snprintf(sql, sizeof(sql), "SELECT 1 FROM %s WHERE \"%s\" = ?", kind->table,
             kind->columns[0].id);
    struct query q = query_begin(books, sql);
    query_text(&q, name);
    bool there = query_row(&q);
    int failed = query_finish(&q, "cannot read the books", err);
    return failed || there ? failed : refuse_reference(books, kind, name, err);
}

static int check_period(struct books *books, const struct kind *kind,
                        const struct kind_row *row, struct error *err)
{
    int64_t from, to;
    kind_period(kind, row, books->world->kind.zone, &from, &to);
    return from < to ? 0
                     : error_set(err, ERROR_USAGE,
                                 "it would end before it begins: 'from' is %.*s, 'to' is %.*s",
                                 STR_ARG(kind_cell(kind, row, "from")),
                                 STR_ARG(kind_cell(kind, row, "to")));
}

int books_check_row(struct books *books, const struct kind *kind, const struct kind_row *row,
                    struct error *err)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < kind->column_count; i++) {
        const struct kind_column *column = &kind->columns[i];
        if (!row->cells[i].ptr && column->flags & KIND_REQUIRED) {
            failed = error_set(err, ERROR_USAGE, "%s '%s' is missing: %s", kind->one,
                               column->id, column->doc);
        } else if (row->cells[i].ptr && column->refers) {
            failed = books_check_reference(books, column->refers, row->cells[i], err);
        }
    }
    (void)(failed || (failed = check_period(books, kind, row, err)) ||
           (failed = kind->check_row ? kind->check_row(kind, row, err) : 0));
    return failed;
}

int books_insert(struct books *books, const struct kind *kind, struct kind_row *row,
                 struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addf(&sql, "INSERT INTO %s (id, ", kind->table);
    add_columns(&sql, kind, "");
    buf_addz(&sql, ") VALUES (nullif(?, 0)");
    for (size_t i = 0; i < kind->column_count; i++) {
        buf_addz(&sql, ", ?");
    }
    buf_addc(&sql, ')');
    struct query q = query_begin(books, sql.ptr);
    query_int(&q, row->id);
    for (size_t i = 0; i < kind->column_count; i++) {
        bind_cell(&q, &kind->columns[i], row->cells[i]);
    }
    (void)query_row(&q);
    buf_release(&sql);
    int failed = query_finish(&q, "cannot change the books", err);
    row->id = failed ? row->id : sqlite3_last_insert_rowid(books->db);
    books_touch(books, kind);
    return failed;
}

static int update(struct books *books, const struct kind *kind, const struct kind_row *row,
                  struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addf(&sql, "UPDATE %s SET ", kind->table);
    add_columns(&sql, kind, " = ?");
    buf_addz(&sql, " WHERE id = ?");
    struct query q = query_begin(books, sql.ptr);
    for (size_t i = 0; i < kind->column_count; i++) {
        bind_cell(&q, &kind->columns[i], row->cells[i]);
    }
    query_int(&q, row->id);
    (void)query_row(&q);
    buf_release(&sql);
    books_touch(books, kind);
    return query_finish(&q, "cannot change the books", err);
}

static int remove_row(struct books *books, const struct kind *kind, int64_t id,
                      struct error *err)
{
    char sql[64];
    snprintf(sql, sizeof(sql), "DELETE FROM %s WHERE id = ?", kind->table);
    struct query q = query_begin(books, sql);
    query_int(&q, id);
    (void)query_row(&q);
    books_touch(books, kind);
    return query_finish(&q, "cannot change the books", err);
}

/* The id of the row with the same key; 0 if there is none. */
static int find_key(struct books *books, const struct kind *kind, const struct kind_row *row,
                    int64_t *id, struct error *err)
{
    struct buf sql;
    buf_init(&sql, LIMIT_SQL);
    buf_addf(&sql, "SELECT id FROM %s WHERE 1", kind->table);
    for (size_t i = 0; i < kind->column_count; i++) {
        if (kind->columns[i].flags & KIND_KEY) {
            buf_addf(&sql, " AND \"%s\" IS ?", kind->columns[i].id);
        }
    }
    struct query q = query_begin(books, sql.ptr);
    for (size_t i = 0; i < kind->column_count; i++) {
        if (kind->columns[i].flags & KIND_KEY) {
            bind_cell(&q, &kind->columns[i], row->cells[i]);
        }
    }
    *id = query_row(&q) ? query_int_at(&q, 0) : 0;
    buf_release(&sql);
    return query_finish(&q, "cannot read the books", err);
}

/* Writes down what became of a row; either may be NULL. */
static int note_change(struct books *books, const char *operation, const struct kind *kind,
                       const struct kind_row *before, const struct kind_row *after,
                       struct error *err)
{
    struct buf was, is;
    buf_init(&was, LIMIT_BOOKS_FILE);
    buf_init(&is, LIMIT_BOOKS_FILE);
    if (before) {
        books_row_json(&was, kind, before);
    }
    if (after) {
        books_row_json(&is, kind, after);
    }
    const struct books_change change = {
        .at = books->world->kind.now,
        .who = str_of(books->world->who ? books->world->who : "nobody"),
        .operation = str_of(operation),
        .table = str_of(kind->table),
        .item = after    ? after->id
                : before ? before->id
                         : 0,
        .before = before ? buf_str(&was) : (struct str){0},
        .after = after ? buf_str(&is) : (struct str){0},
    };
    int failed = books_history_add(books, &change, err);
    buf_release(&was);
    buf_release(&is);
    return failed;
}

static int refuse_twice(const struct kind *kind, const struct kind_row *row, int64_t id,
                        struct arena *arena, struct error *err)
{
    struct str title = kind_title(kind, row, arena);
    return error_set(err, ERROR_CONFLICT,
                     "%.*s already exists as number %lld; change it with: stint %s set",
                     STR_ARG(title), (long long)id, kind->name);
}

static int insert_kind_row(struct books *books, const struct kind *kind, struct kind_row *row,
                           struct error *err)
{
    int failed;
    (void)((failed = books_check_row(books, kind, row, err)) ||
           (failed = books_insert(books, kind, row, err)) ||
           (failed = note_change(books, "add", kind, NULL, row, err)));
    return failed;
}

int books_add(struct books *books, const struct kind *kind, const struct str *cells,
              int64_t *id, struct error *err)
{
    struct arena arena = {0};
    struct kind_row row = {0};
    int64_t other = 0;
    int failed;
    (void)((failed = books_read_row(books, kind, cells, &arena, &row, err)) ||
           (failed = find_key(books, kind, &row, &other, err)) ||
           (failed = other ? refuse_twice(kind, &row, other, &arena, err) : 0) ||
           (failed = insert_kind_row(books, kind, &row, err)));
    *id = row.id;
    arena_release(&arena);
    return failed;
}

static bool same_cells(const struct kind *kind, const struct kind_row *a,
                       const struct kind_row *b)
{
    bool same = true;
    for (size_t i = 0; same && i < kind->column_count; i++) {
        same = a->cells[i].ptr && b->cells[i].ptr ? str_eq(a->cells[i], b->cells[i])
                                                  : a->cells[i].ptr == b->cells[i].ptr;
    }
    return same;
}

/* Makes the row `before` be `after`. */
static int change_row(struct books *books, const struct kind *kind,
                      const struct kind_row *before, const struct kind_row *after,
                      struct error *err)
{
    int failed;
    (void)((failed = books_check_row(books, kind, after, err)) ||
           (failed = update(books, kind, after, err)) ||
           (failed = note_change(books, "set", kind, before, after, err)));
    return failed;
}

/* The row with that number; ERROR_MISSING if there is none. */
static int read_one(struct books *books, const struct kind *kind, int64_t id,
                    struct books_rows *out, struct error *err)
{
    int failed = read_rows(books, kind, id, out, err);
    return failed || out->count == 1
               ? failed
               : error_set(err, ERROR_MISSING, "there is no %s number %lld; see: stint %s list",
                           kind->one, (long long)id, kind->name);
}

/* How many rows of `other` have `name` in a column that refers to `table`. */
static int count_references(struct books *books, const struct kind *other, const char *table,
                            struct str name, size_t *count, struct error *err)
{
    struct books_rows rows;
    int failed = books_list(books, other, &rows, err);
    *count = 0;
    for (size_t r = 0; r < rows.count; r++) {
        for (size_t i = 0; i < other->column_count; i++) {
            const char *refers = other->columns[i].refers;
            struct str cell = rows.rows[r].cells[i];
            *count += refers && strcmp(refers, table) == 0 && cell.ptr && str_eq(cell, name);
        }
    }
    books_rows_release(&rows);
    return failed;
}

static int check_unused(struct books *books, const struct kind *kind,
                        const struct kind_row *row, struct error *err)
{
    if (!row->cells[0].ptr) {
        return 0; /* nobody can name what has no name */
    }
    int failed = 0;
    for (size_t k = 0; !failed && k < kind_count; k++) {
        size_t count = 0;
        failed = count_references(books, &kinds[k], kind->table, row->cells[0], &count, err);
        if (!failed && count > 0) {
            failed = error_set(
                err, ERROR_CONFLICT,
                "%s '%.*s' is in use: %zu %s%s refer to it; remove these first: stint %s list",
                kind->one, STR_ARG(row->cells[0]), count, kinds[k].one, count == 1 ? "" : "s",
                kinds[k].name);
        }
    }
    return failed;
}

/* Sets the given cells of a row; *changed says whether that made a difference. */
static int set_row(struct books *books, const struct kind *kind, int64_t id,
                   const struct str *cells, bool *changed, struct error *err)
{
    struct books_rows old;
    int64_t other = 0;
    int failed = read_one(books, kind, id, &old, err);
    if (!failed) {
        struct kind_row row = old.rows[0];
        (void)((failed = books_read_row(books, kind, cells, &old.arena, &row, err)) ||
               (failed = find_key(books, kind, &row, &other, err)) ||
               (failed = other && other != id ? refuse_twice(kind, &row, other, &old.arena, err)
                                              : 0));
        *changed = !failed && !same_cells(kind, &old.rows[0], &row);
        if (*changed && !str_eq(old.rows[0].cells[0], row.cells[0])) {
            failed = check_unused(books, kind, &old.rows[0], err); /* others know it by that */
        }
        if (!failed && *changed) {
            failed = change_row(books, kind, &old.rows[0], &row, err);
        }
    }
    books_rows_release(&old);
    return failed;
}

int books_set(struct books *books, const struct kind *kind, int64_t id, const struct str *cells,
              struct error *err)
{
    bool changed = false;
    return set_row(books, kind, id, cells, &changed, err);
}

int books_put(struct books *books, const struct kind *kind, const struct str *cells,
              enum books_outcome *outcome, struct error *err)
{
    struct arena arena = {0};
    struct kind_row row = {0};
    bool changed = true;
    int failed;
    *outcome = BOOKS_ADDED;
    (void)((failed = books_read_row(books, kind, cells, &arena, &row, err)) ||
           (failed = find_key(books, kind, &row, &row.id, err)));
    if (!failed && row.id == 0) {
        failed = insert_kind_row(books, kind, &row, err);
    } else if (!failed) {
        failed = set_row(books, kind, row.id, cells, &changed, err);
        *outcome = changed ? BOOKS_CHANGED : BOOKS_SAME;
    }
    arena_release(&arena);
    return failed;
}

int books_remove(struct books *books, const struct kind *kind, int64_t id, struct error *err)
{
    struct books_rows old;
    int failed = read_one(books, kind, id, &old, err);
    const struct kind_row *row = old.rows;
    if (!failed && row) {
        (void)((failed = check_unused(books, kind, row, err)) ||
               (failed = remove_row(books, kind, id, err)) ||
               (failed = note_change(books, "remove", kind, row, NULL, err)));
    }
    books_rows_release(&old);
    return failed;
}
