/* SPDX-License-Identifier: MIT */
#include "books/packed_sql.h"

#include "base/limit.h"
#include "base/mem.h"
#include "books/packed.h"
#include "record/run_id.h"

/* What an aggregate has put so far. */
struct packing {
    struct packed_place place;
    struct buf out;
};

static struct str text_of(sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);
    return (struct str){text ? text : "", text ? (size_t)sqlite3_value_bytes(value) : 0};
}

static void bucket(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct arena arena = {0};
    struct run run = {0};
    (void)count;
    const bool known = run_id_parse(text_of(values[0]), &arena, &run);
    sqlite3_result_int64(context, known ? packed_bucket(&run) : 0);
    arena_release(&arena);
}

static struct packing *packing_of(sqlite3_context *context)
{
    struct packing *packing = sqlite3_aggregate_context(context, sizeof(*packing));
    if (packing && !packing->out.ptr) {
        buf_init(&packing->out, LIMIT_BOOKS_FILE);
    }
    return packing;
}

static void add_line(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct packing *packing = packing_of(context);
    (void)count;
    if (packing) {
        const struct packed_line line = {text_of(values[0]),
                                         sqlite3_value_int64(values[1]),
                                         sqlite3_value_int64(values[2]),
                                         sqlite3_value_int64(values[3]),
                                         sqlite3_value_int64(values[4]),
                                         sqlite3_value_int64(values[5]),
                                         sqlite3_value_int64(values[6]),
                                         sqlite3_value_int64(values[7]),
                                         sqlite3_value_int64(values[8]),
                                         0};
        packed_put_line(&packing->place, &line, &packing->out);
    }
}

static void add_cell(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct packing *packing = packing_of(context);
    (void)count;
    if (packing) {
        const struct packed_cell cell = {
            sqlite3_value_int64(values[0]), sqlite3_value_int64(values[1]),
            sqlite3_value_int64(values[2]), sqlite3_value_int64(values[3])};
        packed_put_cell(&packing->place, &cell, &packing->out);
    }
}

static void finish(sqlite3_context *context)
{
    struct packing *packing = packing_of(context);
    if (!packing || packing->out.overflow) {
        sqlite3_result_error_toobig(context);
    } else {
        sqlite3_result_blob64(context, packing->out.ptr, packing->out.len, SQLITE_TRANSIENT);
    }
    if (packing) {
        packed_place_release(&packing->place);
        buf_release(&packing->out);
    }
}

int packed_sql_define(sqlite3 *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;

    const struct {
        const char *name;
        int values;
        void (*one)(sqlite3_context *, int, sqlite3_value **);
        void (*step)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {{"bank_bucket", 1, bucket, NULL},
                     {"bank_pack_lines", 9, NULL, add_line},
                     {"bank_pack_cells", 4, NULL, add_cell}};

    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < COUNT_OF(functions); i++) {
        code = sqlite3_create_function(db, functions[i].name, functions[i].values, flags, NULL,
                                       functions[i].one, functions[i].step,
                                       functions[i].step ? finish : NULL);
    }
    return code;
}
