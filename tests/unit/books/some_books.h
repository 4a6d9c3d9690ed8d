/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Books of a test's own, in a folder that goes with them. It is 2025-03-20T12:00Z, and ann writes.
 */

#include <stdlib.h>

#include "books/books.h"
#include "support/expect.h"
#include "support/runs.h"

struct some_books {
    char folder[64];
    struct zone *zone;
    struct books_world world;
    struct books *books;
};

static inline const char *some_measure_at(size_t index)
{
    static const char *const names[] = {"cpu_hours", "gpu_hours", "jobs"};
    return index < COUNT_OF(names) ? names[index] : NULL;
}

static inline const char *some_dimension_at(size_t index)
{
    static const char *const names[] = {"user", "group", "cluster", "metagroup"};
    return index < COUNT_OF(names) ? names[index] : NULL;
}

static inline void some_world(struct some_books *some, const char *zone)
{
    struct error err = {0};
    *some = (struct some_books){0};
    suite_folder(some->folder, sizeof(some->folder), "books");
    if (zone_open(zone, &some->zone, &err) != 0) {
        expect_fail("cannot begin: %s", err.text);
    }
    some->world = (struct books_world){
        .kind = {.zone = some->zone,
                 .now = INT64_C(1742472000) * SECOND_US,
                 .measure_at = some_measure_at,
                 .dimension_at = some_dimension_at},
        .who = "ann",
    };
}

static inline void some_open(struct some_books *some, const char *zone)
{
    struct error err = {0};
    some_world(some, zone);
    if (books_open(some->folder, BOOKS_WRITE, &some->world, &some->books, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

static inline void some_close(struct some_books *some)
{
    books_close(some->books);
    zone_close(some->zone);
    runs_remove_folder(some->folder);
}

/* "metagroup=a kind=user name=ann": cells, by column. Words are split at '|'. */
static inline void some_cells(const struct kind *kind, const char *text,
                              struct str cells[KIND_COLUMNS_MAX])
{
    memset(cells, 0, KIND_COLUMNS_MAX * sizeof(*cells));
    for (struct str rest = str_of(text); rest.ptr;) {
        struct str value = str_cut(&rest, '|');
        struct str name = str_cut(&value, '=');
        char id[32] = "";
        memcpy(id, name.ptr, name.len < sizeof id ? name.len : sizeof id - 1);
        size_t column = kind_column(kind, id);
        if (column == kind->column_count) {
            expect_fail("%s has no column '%s'", kind->name, id);
        }
        cells[column] = value;
    }
}

/* Adds one row in a transaction of its own; its outcome. */
static inline int some_try(struct some_books *some, const char *kind_name, const char *text,
                           int64_t *id, struct error *err)
{
    const struct kind *kind = kind_find(str_of(kind_name));
    struct str cells[KIND_COLUMNS_MAX];
    some_cells(kind, text, cells);
    int failed = books_begin(some->books, err);
    failed = failed ? failed : books_add(some->books, kind, cells, id, err);
    failed = failed ? failed : books_commit(some->books, err);
    books_rollback(some->books);
    return failed;
}

static inline int64_t some_add(struct some_books *some, const char *kind, const char *text)
{
    struct error err = {0};
    int64_t id = 0;
    if (some_try(some, kind, text, &id, &err) != 0) {
        expect_fail("%s: %s", text, err.text);
    }
    return id;
}

/* Adding it fails with this kind of error, whose text has `part`. */
static inline void some_refuse(struct some_books *some, const char *kind, const char *text,
                               int want, const char *part)
{
    struct error err = {0};
    int64_t id = 0;
    expect_int(some_try(some, kind, text, &id, &err), want);
    expect_contains(err.text, part);
}

static inline size_t some_count(struct some_books *some, const char *kind)
{
    struct books_rows rows;
    struct error err = {0};
    if (books_list(some->books, kind_find(str_of(kind)), &rows, &err) != 0) {
        expect_fail("%s", err.text);
    }
    size_t count = rows.count;
    books_rows_release(&rows);
    return count;
}
