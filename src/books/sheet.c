/* SPDX-License-Identifier: MIT */
#include "books/sheet.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "books/sheet_json.h"

enum { SHOWN_MAX = 60 };

static struct sheet_row *add_sheet_row(struct sheet *sheet, size_t place)
{
    if ((sheet->count & (sheet->count - 1)) == 0) { /* at powers of two there is no room left */
        sheet->rows =
            mem_resize(sheet->rows, sheet->count ? 2 * sheet->count : 1, sizeof(*sheet->rows));
    }
    struct sheet_row *row = &sheet->rows[sheet->count++];
    *row = (struct sheet_row){.place = place};
    return row;
}

/* The column called so; `passed_over` says that it is the number, which is ours to give. */
static int find_column(const struct kind *kind, struct str name, size_t *column,
                       bool *passed_over, struct error *err)
{
    struct str ids[KIND_COLUMNS_MAX];
    *passed_over = str_eq(name, STR("id"));
    for (*column = 0; !*passed_over && *column < kind->column_count; ++*column) {
        ids[*column] = str_of(kind->columns[*column].id);
        if (str_eq(name, ids[*column])) {
            return 0;
        }
    }
    return *passed_over ? 0
                        : kind_unknown("column", name, ids, kind->column_count,
                                       "the first line must contain the column names", err);
}

/* --- CSV ---------------------------------------------------------------------------------- */

struct csv {
    struct str rest;
    size_t line;
    struct arena *arena;
    struct error *err;
};

static bool at(const struct csv *csv, char byte)
{
    return csv->rest.len > 0 && csv->rest.ptr[0] == byte;
}

static void advance(struct csv *csv, size_t count)
{
    csv->rest = (struct str){csv->rest.ptr + count, csv->rest.len - count};
}

/* Bytes of a quoted cell, from its opening to its closing quote; 0 if that never comes. */
static size_t quoted_length(struct str text)
{
    for (size_t i = 1; i < text.len; i++) {
        if (text.ptr[i] == '"' && !(i + 1 < text.len && text.ptr[i + 1] == '"')) {
            return i + 1;
        }
        i += text.ptr[i] == '"';
    }
    return 0;
}

/* "...", with "" for a quote; the text lands without the doubling. */
static int read_quoted(struct csv *csv, struct str *out)
{
    const size_t length = quoted_length(csv->rest);
    if (length == 0) {
        return error_set(csv->err, ERROR_INPUT, "line %zu: a quote is not closed", csv->line);
    }
    char *text = arena_alloc(csv->arena, length);
    size_t len = 0;
    for (size_t i = 1; i < length - 1; i++) {
        text[len++] = csv->rest.ptr[i];
        csv->line += csv->rest.ptr[i] == '\n';
        i += csv->rest.ptr[i] == '"';
    }
    advance(csv, length);
    *out = (struct str){text, len};
    return 0;
}

/* Up to a comma or the end of the line; a quote inside is a quote. */
static int read_plain(struct csv *csv, struct str *out)
{
    size_t len = 0;
    while (len < csv->rest.len && csv->rest.ptr[len] != ',' && csv->rest.ptr[len] != '\n') {
        len++;
    }
    *out = (struct str){csv->rest.ptr, len};
    advance(csv, len);
    out->len -=
        out->len > 0 && out->ptr[out->len - 1] == '\r' && (at(csv, '\n') || !csv->rest.len);
    return 0;
}

/* One cell and what follows it; *last says that it ended its line. */
static int read_cell(struct csv *csv, struct str *out, bool *last)
{
    int failed = at(csv, '"') ? read_quoted(csv, out) : read_plain(csv, out);
    if (failed) {
        return failed;
    }
    if (at(csv, ',')) {
        advance(csv, 1);
        *last = false;
        return 0;
    }
    if (at(csv, '\r')) {
        advance(csv, 1);
    }
    *last = true;
    if (csv->rest.len > 0 && !at(csv, '\n')) {
        return error_set(csv->err, ERROR_INPUT,
                         "line %zu: there is text after a closing quote; a quote within a "
                         "value must be doubled",
                         csv->line);
    }
    if (csv->rest.len > 0) {
        advance(csv, 1);
    }
    csv->line++;
    return 0;
}

enum { HEADINGS_MAX = KIND_COLUMNS_MAX + 1, PASSED_OVER = KIND_COLUMNS_MAX };

struct headings {
    size_t columns[HEADINGS_MAX]; /* index in the kind, or PASSED_OVER */
    size_t count;
};

static int read_headings(struct csv *csv, const struct kind *kind, struct headings *out)
{
    bool last = false;
    while (!last) {
        struct str name = {0};
        bool passed_over = false;
        size_t column = 0;
        int failed = read_cell(csv, &name, &last);
        if (failed || (failed = find_column(kind, str_trim(name), &column, &passed_over,
                                            csv->err)) != 0) {
            return failed;
        }
        column = passed_over ? (size_t)PASSED_OVER : column;
        for (size_t i = 0; i < out->count; i++) {
            if (out->columns[i] == column) {
                return error_set(csv->err, ERROR_INPUT, "column '%.*s' occurs twice",
                                 STR_ARG(name));
            }
        }
        out->columns[out->count++] = column; /* each once: there is room */
    }
    return 0;
}

static int read_csv_row(struct csv *csv, const struct headings *headings, struct sheet *out)
{
    const size_t line = csv->line;
    struct sheet_row row = {.place = line};
    bool last = false;
    size_t count = 0;
    for (; !last; count++) {
        struct str cell = {0};
        int failed = read_cell(csv, &cell, &last);
        if (failed) {
            return failed;
        }
        if (count < headings->count && headings->columns[count] != PASSED_OVER) {
            row.cells[headings->columns[count]] =
                cell.len ? arena_copy(csv->arena, cell) : STR("");
        }
    }
    if (count != headings->count) {
        return error_set(csv->err, ERROR_INPUT,
                         "line %zu: has %zu cells, but the header has %zu", line, count,
                         headings->count);
    }
    *add_sheet_row(out, line) = row;
    return 0;
}

static bool blank_line(const struct csv *csv)
{
    return at(csv, '\n') || (csv->rest.len > 1 && at(csv, '\r') && csv->rest.ptr[1] == '\n');
}

static int read_csv(const struct kind *kind, struct str text, struct sheet *out,
                    struct error *err)
{
    struct csv csv = {text, 1, &out->arena, err};
    struct headings headings = {.count = 0};
    out->place = "line";
    int failed = read_headings(&csv, kind, &headings);
    while (!failed && csv.rest.len > 0) {
        if (blank_line(&csv)) {
            advance(&csv, at(&csv, '\r') ? 2 : 1);
            csv.line++;
        } else {
            failed = read_csv_row(&csv, &headings, out);
        }
    }
    return failed;
}

/* --- JSON --------------------------------------------------------------------------------- */

int sheet_json_cell(const json_t *value, struct arena *arena, struct str *out)
{
    if (json_is_null(value)) {
        *out = STR("");
    } else if (json_is_string(value)) {
        *out = arena_copy(arena,
                          (struct str){json_string_value(value), json_string_length(value)});
    } else if (json_is_integer(value)) {
        *out = str_of(arena_printf(arena, "%" JSON_INTEGER_FORMAT, json_integer_value(value)));
    } else if (json_is_real(value)) {
        *out = str_of(arena_printf(arena, "%.15g", json_real_value(value)));
    } else {
        return ERROR_INPUT;
    }
    return 0;
}

static int read_object(const struct kind *kind, json_t *object, struct sheet *out,
                       struct error *err)
{
    const size_t place = out->count + 1;
    const char *key;
    json_t *value;
    if (!json_is_object(object)) {
        return error_set(err, ERROR_INPUT, "entry %zu: is not an object", place);
    }
    struct sheet_row *row = add_sheet_row(out, place);
    json_object_foreach(object, key, value)
    {
        bool passed_over = false;
        size_t column = 0;
        int failed = find_column(kind, str_of(key), &column, &passed_over, err);
        if (failed) {
            return error_prepend(err, "entry %zu: ", place);
        }
        if (!passed_over && sheet_json_cell(value, &out->arena, &row->cells[column]) != 0) {
            return error_set(err, ERROR_INPUT, "entry %zu: '%s' is neither text nor a number",
                             place, key);
        }
    }
    return 0;
}

static int read_value(const struct kind *kind, json_t *value, struct sheet *out,
                      struct error *err)
{
    int failed = 0;
    if (!json_is_array(value)) {
        return read_object(kind, value, out, err);
    }
    for (size_t i = 0; !failed && i < json_array_size(value); i++) {
        failed = read_object(kind, json_array_get(value, i), out, err);
    }
    return failed;
}

/* An array, or objects one after the other. */
static int read_json(const struct kind *kind, struct str text, struct sheet *out,
                     struct error *err)
{
    int failed = 0;
    out->place = "entry";
    for (struct str rest = str_trim(text); !failed && rest.len > 0; rest = str_trim(rest)) {
        json_error_t wrong;
        json_t *value = json_loadb(rest.ptr, rest.len,
                                   JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &wrong);
        if (!value) {
            return error_set(err, ERROR_INPUT, "after entry %zu: not JSON: %.*s", out->count,
                             SHOWN_MAX, wrong.text);
        }
        failed = read_value(kind, value, out, err);
        json_decref(value);
        size_t taken = (size_t)wrong.position;
        rest = (struct str){rest.ptr + taken, rest.len - taken};
    }
    return failed;
}

int sheet_read(const struct kind *kind, struct str text, struct sheet *out, struct error *err)
{
    *out = (struct sheet){.place = "line"};
    if (str_starts(text, STR("\xef\xbb\xbf"))) { /* the mark some spreadsheets begin with */
        text = (struct str){text.ptr + 3, text.len - 3};
    }
    struct str trimmed = str_trim(text);
    if (trimmed.len == 0) {
        return error_set(err, ERROR_INPUT,
                         "it is empty: the first line must contain the column names");
    }
    int failed = trimmed.ptr[0] == '[' || trimmed.ptr[0] == '{'
                     ? read_json(kind, text, out, err)
                     : read_csv(kind, text, out, err);
    if (failed && err) {
        err->kind = ERROR_INPUT;
    }
    return failed ? ERROR_INPUT : 0;
}

void sheet_release(struct sheet *sheet)
{
    free(sheet->rows);
    arena_release(&sheet->arena);
    *sheet = (struct sheet){0};
}
