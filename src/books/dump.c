/* SPDX-License-Identifier: MIT */
#include "books/dump.h"

#include <jansson.h>
#include <stdio.h>

#include "base/file.h"
#include "base/json.h"
#include "base/json_split.h"
#include "base/limit.h"
#include "base/scan.h"
#include "books/books_internal.h"
#include "books/ledger_dump.h"
#include "books/sheet_json.h"
#include "books/statements.h"

/* The key that marks a document of ours, and has its schema as value. */
#define MARK "stint_books"

/* --- out ---------------------------------------------------------------------------------- */

/* A dump on its way: rows are handed on when there are some. */
struct dumping {
    struct books *books;
    const struct text_sink *sink;
    struct buf text;
    bool any; /* row of the list at hand */
};

/* Hands on what there is, if that is at least so much. */
static int hand_on(struct dumping *d, size_t least, struct error *err)
{
    if (d->text.overflow) {
        return error_set(err, ERROR_LIMIT, "a row of the books is larger than a dump may be");
    }
    if (d->text.len < least) {
        return 0;
    }
    const int failed = d->sink->take(d->sink->context, buf_str(&d->text), err);
    buf_clear(&d->text);
    return failed;
}

static void begin_list(struct dumping *d, const char *name)
{
    buf_addf(&d->text, ",\n\"%s\":[", name);
    d->any = false;
}

/* Where a row is to be added. */
static struct buf *begin_row(struct dumping *d)
{
    buf_addz(&d->text, d->any ? ",\n" : "\n");
    d->any = true;
    return &d->text;
}

static int end_row(struct dumping *d, struct error *err)
{
    enum { PIECE = 1 << 16 };

    return hand_on(d, PIECE, err);
}

static void end_list(struct dumping *d)
{
    buf_addz(&d->text, d->any ? "\n]" : "]");
}

/* {"id":1,"name":...}: the row's object with its number in front. */
static void dump_row(struct buf *out, const struct kind *kind, const struct kind_row *row)
{
    struct buf object;
    buf_init(&object, LIMIT_BOOKS_FILE);
    books_row_json(&object, kind, row);
    buf_addf(out, "{\"id\":%lld%s", (long long)row->id, object.len > 2 ? "," : "");
    buf_add(out, (struct str){object.ptr + 1, object.len - 1});
    buf_release(&object);
}

static int dump_kind(struct dumping *d, const struct kind *kind, struct error *err)
{
    struct books_rows rows;
    int failed = books_list(d->books, kind, &rows, err);
    begin_list(d, kind->table);
    for (size_t i = 0; !failed && i < rows.count; i++) {
        dump_row(begin_row(d), kind, &rows.rows[i]);
        failed = end_row(d, err);
    }
    end_list(d);
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

static int dump_history(struct dumping *d, struct error *err)
{
    struct books_history history;
    int failed = books_history_list(d->books, &(struct books_history_filter){0}, &history, err);
    begin_list(d, "history");
    for (size_t i = 0; !failed && i < history.count; i++) {
        add_change(begin_row(d), &history.changes[i]);
        failed = end_row(d, err);
    }
    end_list(d);
    books_history_release(&history);
    return failed;
}

static int dump_ledger_row(void *context, const struct buf *object, struct error *err)
{
    struct dumping *d = context;
    buf_add(begin_row(d), buf_str(object));
    return end_row(d, err);
}

/* The tables of a bank that is there, and what is there without one. */
static int dump_ledger(struct dumping *d, struct error *err)
{
    bool empty = true;
    int failed = ledger_dump_is_empty(d->books, &empty, err);
    for (size_t i = 0; !failed && i < ledger_dump_count(); i++) {
        if (empty && !ledger_dump_stays(i)) {
            continue;
        }
        begin_list(d, ledger_dump_table(i));
        failed = ledger_dump_rows(d->books, i, d, dump_ledger_row, err);
        end_list(d);
    }
    return failed;
}

/* Inside a transaction. */
static int dump_all(struct books *books, const struct text_sink *sink, struct error *err)
{
    struct dumping d = {.books = books, .sink = sink};
    int failed = 0;
    buf_init(&d.text, LIMIT_BOOKS_FILE);
    buf_addf(&d.text, "{\"" MARK "\":%d", books_schema());
    for (size_t i = 0; !failed && i < kind_count; i++) {
        failed = dump_kind(&d, &kinds[i], err);
    }
    (void)(failed || (failed = dump_history(&d, err)) || (failed = dump_ledger(&d, err)));
    buf_addz(&d.text, "}\n");
    failed = failed ? failed : hand_on(&d, 0, err);
    buf_release(&d.text);
    return failed;
}

int books_dump(struct books *books, const struct text_sink *out, struct error *err)
{
    int failed = books_begin_reading(books, err);
    if (failed) {
        return failed;
    }
    (void)((failed = books_verify(books, err)) || (failed = dump_all(books, out, err)));
    books_rollback(books);
    return failed;
}

/* --- in ----------------------------------------------------------------------------------- */

struct restore {
    struct books *books;
    struct str text; /* of the document */
    const struct json_members *members;
    int64_t schema;
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

static int restore_row(struct restore *r, size_t index, json_t *object)
{
    const struct kind *kind = &kinds[index];
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

static int restore_change(struct restore *r, size_t unused, json_t *object)
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

static int restore_posting(struct restore *r, size_t index, json_t *object)
{
    return ledger_dump_put(r->books, index, object, r->err);
}

/* A list of the document, and what is done with each of its rows. */
struct restore_list {
    const char *name;
    size_t index; /* of its kind, or table */
    int since;    /* schema that has it */
    int (*one)(struct restore *r, size_t index, json_t *object);
    size_t *count;
};

/* One row: read by itself, so that there is never more than one in memory. */
static int restore_element(struct restore *r, const struct restore_list *list,
                           struct str element)
{
    json_error_t wrong;
    json_t *object = json_loadb(element.ptr, element.len, JSON_REJECT_DUPLICATES, &wrong);
    if (!object) {
        return error_set(r->err, ERROR_INPUT, "it is not JSON: line %zu: %s",
                         json_line(r->text, element.ptr) + (size_t)wrong.line - 1, wrong.text);
    }
    const int failed = list->one(r, list->index, object);
    json_decref(object);
    arena_reset(&r->arena);
    return failed;
}

/* Each row of one list of the document. */
static int restore_list(struct restore *r, const struct restore_list *list)
{
    struct str rest = json_members_get(r->members, list->name), element;
    bool bad = false;
    int failed = 0;
    if (!rest.ptr && r->schema < list->since) { /* written before there was such a thing */
        return 0;
    }
    if (!json_is_list(rest)) {
        return error_set(r->err, ERROR_INPUT, "it has no list '%s'", list->name);
    }
    for (size_t i = 0; !failed && json_next(&rest, &element, &bad); i++, ++*list->count) {
        failed = restore_element(r, list, element);
        if (failed) {
            error_prepend(r->err, "%s, entry %zu: ", list->name, i + 1);
        }
    }
    return !failed && bad ? error_set(r->err, ERROR_INPUT, "it is not JSON: line %zu",
                                      json_line(r->text, rest.ptr))
                          : failed;
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

/*
 * The tables of the bank: all of them, or, where there was no bank, those that do not need one.
 */
static int restore_ledger(struct restore *r)
{
    const bool has_bank = json_members_get(r->members, ledger_dump_table(0)).ptr != NULL;
    int failed = 0;
    for (size_t i = 0; !failed && i < ledger_dump_count(); i++) {
        if (has_bank || ledger_dump_stays(i)) {
            const struct restore_list list = {ledger_dump_table(i), i, ledger_dump_since(i),
                                              restore_posting, &r->count->rows};
            failed = restore_list(r, &list);
        }
    }
    return failed || !has_bank ? failed : ledger_dump_end(r->books, r->err);
}

static int restore_all(struct restore *r)
{
    int failed = 0;
    for (size_t i = 0; !failed && i < kind_count; i++) {
        failed = restore_list(r, &(struct restore_list){kinds[i].table, i, kinds[i].since,
                                                        restore_row, &r->count->rows});
    }
    (void)(failed ||
           (failed = restore_list(r, &(struct restore_list){"history", 0, 0, restore_change,
                                                            &r->count->changes})) ||
           (failed = restore_ledger(r)) || (failed = restore_sequences(r)));
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
    return failed || !*empty ? failed : ledger_dump_is_empty(books, empty, err);
}

static int add_to_file(void *context, struct str piece, struct error *err)
{
    return file_writer_add(context, piece, err);
}

static int keep_dump(struct books *books, const char *path, struct error *err)
{
    struct file_writer writer = {.fd = -1};
    const struct text_sink sink = {&writer, add_to_file};
    int failed;
    (void)((failed = file_writer_open(path, &writer, err)) ||
           (failed = dump_all(books, &sink, err)) ||
           (failed = file_writer_close(&writer, err)));
    file_writer_abandon(&writer);
    return failed;
}

/* Keeps a dump of what is there, then takes it out. */
static int clear(struct books *books, const char *keep, struct error *err)
{
    static const char what[] = "cannot restore the books";
    int failed;
    (void)((failed = keep_dump(books, keep, err)) || (failed = ledger_dump_clear(books, err)) ||
           (failed = books_run(books, SQL_DUMP_REMOVE_HISTORY, what, err)));
    for (size_t i = kind_count; !failed && i-- > 0;) {
        char sql[64];
        snprintf(sql, sizeof(sql), "DELETE FROM %s", kinds[i].table);
        failed = books_run(books, sql, what, err);
    }
    return failed;
}

static int empty_tables(struct books *books, const char *keep, struct error *err)
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

static bool is_known(struct str name)
{
    for (size_t i = 0; i < ledger_dump_count(); i++) {
        if (str_eq(name, str_of(ledger_dump_table(i)))) {
            return true;
        }
    }
    return str_eq(name, STR(MARK)) || str_eq(name, STR("history")) || kind_of_table(name);
}

/* Whether the document is one of ours, of a schema we know, and has nothing we do not know. */
static int check_document(struct restore *r)
{
    const struct str mark = json_members_get(r->members, MARK);
    if (!mark.ptr || !scan_int(mark, &r->schema)) {
        return error_set(r->err, ERROR_INPUT,
                         "it is not a dump of books: '" MARK "' is missing");
    }
    if (r->schema > books_schema()) {
        return error_set(r->err, ERROR_INPUT,
                         "it was written by a newer stint (schema %lld, this one knows %d); "
                         "install that version to restore it",
                         (long long)r->schema, books_schema());
    }
    for (size_t i = 0; i < r->members->count; i++) {
        const struct str key = r->members->rows[i].key;
        if (!is_known(key)) {
            return error_set(r->err, ERROR_INPUT, "it has an unknown list '%.*s'",
                             key.len < 60 ? (int)key.len : 60, key.ptr);
        }
    }
    return 0;
}

static int restore_document(struct restore *r, const char *keep)
{
    static const char what[] = "cannot restore the books";
    int failed = books_begin(r->books, r->err);
    if (failed) {
        return failed;
    }
    (void)((failed = books_run(r->books, SQL_DUMP_ALLOW_REMOVAL, what, r->err)) ||
           (failed = books_run(r->books, SQL_CHAIN_RESTART, what, r->err)) ||
           (failed = empty_tables(r->books, keep, r->err)) || (failed = restore_all(r)) ||
           (failed = books_run(r->books, SQL_DUMP_FORBID_REMOVAL, what, r->err)) ||
           (failed = books_commit(r->books, r->err)));
    if (failed) {
        books_rollback(r->books);
    }
    arena_release(&r->arena);
    return failed;
}

int books_restore(struct books *books, struct str document, const char *keep,
                  struct books_restored *out, struct error *err)
{
    struct json_members members;
    struct restore r = {
        .books = books, .text = document, .members = &members, .count = out, .err = err};
    int failed;
    *out = (struct books_restored){0};
    (void)((failed = json_split(document, &members, err)) || (failed = check_document(&r)) ||
           (failed = restore_document(&r, keep)));
    return failed;
}
