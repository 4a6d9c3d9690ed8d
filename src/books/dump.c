/* SPDX-License-Identifier: MIT */
#include "books/dump.h"

#include <jansson.h>
#include <stdio.h>

#include "base/file.h"
#include "base/json.h"
#include "base/limit.h"
#include "books/books_internal.h"
#include "books/sheet_json.h"
#include "books/statements.h"

/* The key that marks a document of ours, and has its schema as value. */
#define MARK "stint_books"

/* --- out ------------------------------------------------------------------------------------------ */

/* {"id":1,"name":...}: the row's object with its number in front. */
static void add_row(struct buf *out, const struct kind *kind, const struct kind_row *row)
{
    struct buf object;
    buf_init(&object, LIMIT_BOOKS_FILE);
    books_row_json(&object, kind, row);
    buf_addf(out, "{\"id\":%lld%s", (long long)row->id, object.len > 2 ? "," : "");
    buf_add(out, (struct str){object.ptr + 1, object.len - 1});
    buf_release(&object);
}

static int dump_kind(struct books *books, const struct kind *kind, struct buf *out,
                     struct error *err)
{
    struct books_rows rows;
    int failed = books_list(books, kind, &rows, err);
    buf_addf(out, ",\n\"%s\":[", kind->table);
    for (size_t i = 0; !failed && i < rows.count; i++) {
        buf_addz(out, i ? ",\n" : "\n");
        add_row(out, kind, &rows.rows[i]);
    }
    buf_addz(out, rows.count ? "\n]" : "]");
    books_rows_release(&rows);
    return failed;
}

static void put_object(struct json *json, const char *key, struct str object)
{
    json_put_key(json, key);
    if (object.ptr) {
        json_put_number(json, object); /* written by books_row_json: JSON already */
    } else {
        json_put_null(json);
    }
}

static void add_change(struct buf *out, const struct books_change *change)
{
    struct json json = {.out = out};
    json_begin_object(&json);
    json_put_key(&json, "id");
    json_put_int(&json, change->id);
    json_put_key(&json, "at_us");
    json_put_int(&json, change->at);
    json_put_key(&json, "who");
    json_put_text(&json, change->who);
    json_put_key(&json, "operation");
    json_put_text(&json, change->operation);
    json_put_key(&json, "kind");
    json_put_text(&json, change->table);
    json_put_key(&json, "item");
    json_put_int(&json, change->item);
    put_object(&json, "before", change->before);
    put_object(&json, "after", change->after);
    json_end_level(&json);
}

static int dump_history(struct books *books, struct buf *out, struct error *err)
{
    struct books_history history;
    int failed = books_history_list(books, &(struct books_history_filter){0}, &history, err);
    buf_addz(out, ",\n\"history\":[");
    for (size_t i = 0; !failed && i < history.count; i++) {
        buf_addz(out, i ? ",\n" : "\n");
        add_change(out, &history.changes[i]);
    }
    buf_addz(out, history.count ? "\n]" : "]");
    books_history_release(&history);
    return failed;
}

/* Inside a transaction. */
static int dump_all(struct books *books, struct buf *out, struct error *err)
{
    int failed = 0;
    buf_addf(out, "{\"" MARK "\":%d", books_schema());
    for (size_t i = 0; !failed && i < kind_count; i++) {
        failed = dump_kind(books, &kinds[i], out, err);
    }
    failed = failed ? failed : dump_history(books, out, err);
    buf_addz(out, "}\n");
    return !failed && out->overflow
               ? error_set(err, ERROR_LIMIT, "the books are larger than a dump may be")
               : failed;
}

int books_dump(struct books *books, struct buf *out, struct error *err)
{
    int failed = books_run(books, "BEGIN", "cannot read the books", err);
    if (failed) {
        return failed;
    }
    books->in_transaction = true;
    (void)((failed = books_verify(books, err)) || (failed = dump_all(books, out, err)));
    books_rollback(books);
    return failed;
}

/* --- in ------------------------------------------------------------------------------------------- */

struct restore {
    struct books *books;
    struct books_restored *count;
    struct arena arena; /* of one row */
    struct error *err;
};

static int read_number(struct restore *r, const json_t *object, const char *key, int64_t *out)
{
    const json_t *value = json_object_get(object, key);
    *out = json_integer_value(value);
    return json_is_integer(value) && *out >= 0
               ? 0
               : error_set(r->err, ERROR_INPUT, "'%s' is not a number", key);
}

static int restore_row(struct restore *r, const struct kind *kind, json_t *object)
{
    struct kind_row row = {0};
    struct str cells[KIND_COLUMNS_MAX] = {0};
    const char *key;
    json_t *value;
    int failed = read_number(r, object, "id", &row.id);
    if (!failed && row.id == 0) {
        failed = error_set(r->err, ERROR_INPUT, "numbers of rows begin with 1");
    }
    json_object_foreach(object, key, value)
    {
        size_t column = kind_column(kind, key);
        if (failed || strcmp(key, "id") == 0) {
            continue;
        }
        if (column == kind->column_count) {
            failed = error_set(r->err, ERROR_INPUT, "it has no column '%s'", key);
        } else if (sheet_json_cell(value, &r->arena, &cells[column]) != 0) {
            failed = error_set(r->err, ERROR_INPUT, "'%s' is not a text", key);
        }
    }
    (void)(failed ||
           (failed = books_read_row(r->books, kind, cells, &r->arena, &row, r->err)) ||
           (failed = books_check_row(r->books, kind, &row, r->err)) ||
           (failed = books_insert(r->books, kind, &row, r->err)));
    return failed;
}

/* An object of texts, written again the way books_row_json writes it. */
static int read_state(struct restore *r, const json_t *change, const char *key, struct str *out)
{
    json_t *object = json_object_get(change, key), *value;
    const char *name;
    *out = (struct str){0};
    if (!object || json_is_null(object)) {
        return 0;
    }
    struct buf text;
    struct json json = {.out = &text};
    bool good = json_is_object(object);
    buf_init(&text, LIMIT_BOOKS_FILE);
    json_begin_object(&json);
    json_object_foreach(object, name, value)
    {
        struct str cell = STR("");
        good = good && json_is_string(value) && sheet_json_cell(value, &r->arena, &cell) == 0;
        json_put_key(&json, name);
        json_put_text(&json, cell);
    }
    json_end_level(&json);
    *out = arena_copy(&r->arena, buf_str(&text));
    buf_release(&text);
    return good ? 0 : error_set(r->err, ERROR_INPUT, "'%s' is not an object of texts", key);
}

static int read_text(struct restore *r, const json_t *object, const char *key, struct str *out)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value) || json_string_length(value) == 0) {
        return error_set(r->err, ERROR_INPUT, "'%s' is not a text", key);
    }
    return sheet_json_cell(value, &r->arena, out);
}

static int restore_change(struct restore *r, const struct kind *unused, json_t *object)
{
    struct books_change change = {0};
    int failed;
    (void)unused;
    (void)((failed = read_number(r, object, "id", &change.id)) ||
           (failed = change.id == 0
                         ? error_set(r->err, ERROR_INPUT, "numbers of changes begin with 1")
                         : 0) ||
           (failed = read_number(r, object, "at_us", &change.at)) ||
           (failed = read_text(r, object, "who", &change.who)) ||
           (failed = read_text(r, object, "operation", &change.operation)) ||
           (failed = read_text(r, object, "kind", &change.table)) ||
           (failed = read_number(r, object, "item", &change.item)) ||
           (failed = read_state(r, object, "before", &change.before)) ||
           (failed = read_state(r, object, "after", &change.after)) ||
           (failed = books_history_add(r->books, &change, r->err)));
    return failed;
}

/* Each row of one array of the document. */
static int restore_array(struct restore *r, const json_t *document, const char *name,
                         const struct kind *kind, size_t *count,
                         int (*one)(struct restore *r, const struct kind *kind, json_t *object))
{
    const json_t *array = json_object_get(document, name);
    const json_int_t schema = json_integer_value(json_object_get(document, MARK));
    if (!array && kind && schema < kind->since) { /* written before there was such a thing */
        return 0;
    }
    int failed =
        json_is_array(array) ? 0 : error_set(r->err, ERROR_INPUT, "it has no list '%s'", name);
    for (size_t i = 0; !failed && i < json_array_size(array); i++) {
        failed = one(r, kind, json_array_get(array, i));
        if (failed) {
            return error_prepend(r->err, "%s, entry %zu: ", name, i + 1);
        }
        arena_reset(&r->arena);
        ++*count;
    }
    return failed;
}

/* Numbers that were given once are not given again, though their rows may be gone. */
static int restore_sequences(struct restore *r)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < kind_count; i++) {
        char sql[512];
        snprintf(sql, sizeof(sql),
                 "DELETE FROM sqlite_sequence WHERE name = '%s';"
                 "INSERT INTO sqlite_sequence SELECT '%s', "
                 "max(ifnull((SELECT max(id) FROM %s), 0), "
                 "ifnull((SELECT max(item) FROM history WHERE kind = '%s'), 0))",
                 kinds[i].table, kinds[i].table, kinds[i].table, kinds[i].table);
        failed = books_run(r->books, sql, "cannot restore the books", r->err);
    }
    return failed;
}

static int restore_all(struct restore *r, const json_t *document)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < kind_count; i++) {
        failed =
            restore_array(r, document, kinds[i].table, &kinds[i], &r->count->rows, restore_row);
    }
    (void)(failed ||
           (failed = restore_array(r, document, "history", NULL, &r->count->changes,
                                   restore_change)) ||
           (failed = restore_sequences(r)));
    return failed;
}

static int is_empty(struct books *books, bool *empty, struct error *err)
{
    int failed = 0;
    *empty = true;
    for (size_t i = 0; !failed && *empty && i <= kind_count; i++) {
        char sql[64];
        snprintf(sql, sizeof(sql), "SELECT 1 FROM %s LIMIT 1",
                 i < kind_count ? kinds[i].table : "history");
        struct query q = query_begin(books, sql);
        *empty = !query_row(&q);
        failed = query_finish(&q, "cannot read the books", err);
    }
    return failed;
}

/* Keeps a dump of what is there, then takes it out. */
static int clear(struct books *books, const char *keep, struct error *err)
{
    static const char what[] = "cannot restore the books";
    struct buf old;
    buf_init(&old, LIMIT_BOOKS_FILE);
    int failed;
    (void)((failed = dump_all(books, &old, err)) ||
           (failed = file_write(keep, buf_str(&old), err)) ||
           (failed = books_run(books, SQL_DUMP_ALLOW_REMOVAL, what, err)) ||
           (failed = books_run(books, SQL_DUMP_REMOVE_HISTORY, what, err)));
    buf_release(&old);
    for (size_t i = kind_count; !failed && i-- > 0;) {
        char sql[64];
        snprintf(sql, sizeof(sql), "DELETE FROM %s", kinds[i].table);
        failed = books_run(books, sql, what, err);
    }
    return failed ? failed : books_run(books, SQL_DUMP_FORBID_REMOVAL, what, err);
}

static int make_room(struct books *books, const char *keep, struct error *err)
{
    bool empty = true;
    int failed = is_empty(books, &empty, err);
    if (failed || empty) {
        return failed;
    }
    return keep ? clear(books, keep, err)
                : error_set(err, ERROR_CONFLICT,
                            "the books '%s' are not empty; use --replace to replace them; a "
                            "dump of the current ones is kept",
                            books->path);
}

/* Whether the document is one of ours, of a schema we know, and has nothing we do not know. */
static int check_document(json_t *document, struct error *err)
{
    const json_t *mark = json_object_get(document, MARK);
    const char *key;
    json_t *value;
    if (!json_is_integer(mark)) {
        return error_set(err, ERROR_INPUT, "it is not a dump of books: '" MARK "' is missing");
    }
    if (json_integer_value(mark) > books_schema()) {
        return error_set(err, ERROR_INPUT,
                         "it was written by a newer stint (schema %lld, this one knows %d); "
                         "install that version to restore it",
                         (long long)json_integer_value(mark), books_schema());
    }
    json_object_foreach(document, key, value)
    {
        if (strcmp(key, MARK) != 0 && strcmp(key, "history") != 0 &&
            !kind_of_table(str_of(key))) {
            return error_set(err, ERROR_INPUT, "it has an unknown list '%.60s'", key);
        }
    }
    return 0;
}

static int restore_document(struct books *books, const json_t *document, const char *keep,
                            struct books_restored *out, struct error *err)
{
    struct restore r = {.books = books, .count = out, .err = err};
    int failed = books_begin(books, err);
    if (failed) {
        return failed;
    }
    (void)((failed = make_room(books, keep, err)) || (failed = restore_all(&r, document)) ||
           (failed = books_commit(books, err)));
    if (failed) {
        books_rollback(books);
    }
    arena_release(&r.arena);
    return failed;
}

int books_restore(struct books *books, struct str document, const char *keep,
                  struct books_restored *out, struct error *err)
{
    json_error_t wrong;
    *out = (struct books_restored){0};
    json_t *root = json_loadb(document.ptr, document.len, JSON_REJECT_DUPLICATES, &wrong);
    if (!root) {
        return error_set(err, ERROR_INPUT, "it is not JSON: line %d: %s", wrong.line,
                         wrong.text);
    }
    int failed = check_document(root, err);
    if (!failed) {
        failed = restore_document(books, root, keep, out, err);
    }
    json_decref(root);
    return failed;
}
