/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A folder of a test's own with a store in it, files to import, and what the facts are afterwards.
 *
 *     struct toy toy;
 *     toy_open(&toy);
 *     toy_write(&toy, "accounting", rows);
 *     struct ingest_summary summary = toy_import(&toy, "accounting");
 *     expect_int(summary.added, 3);
 *     toy_close(&toy);
 *
 * The store is open for writing between toy_open and toy_close, but for toy_away .. toy_back.
 */

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "facts/facts.h"
#include "ingest/ingest.h"
#include "record/run.h"
#include "source/source.h"
#include "support/expect.h"
#include "support/facts_at.h"
#include "support/follower.h"

enum { TOY_TEXT_MAX = 256 << 20 };

#define TOY_NOW INT64_C(1800000000000000) /* 2027-01-15 */

struct toy {
    char folder[64];
    char store[96];
    struct facts *facts;
};

static inline int toy_remove_one(const char *path, const struct stat *st, int type,
                                 struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline void toy_remove(const char *path)
{
    (void)nftw(path, toy_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void toy_away(struct toy *toy)
{
    facts_leave(toy->facts);
    toy->facts = NULL;
}

static inline void toy_back(struct toy *toy)
{
    struct error err = {0};
    if (facts_at(toy->store, FACTS_WRITE, &toy->facts, &err) != 0) {
        expect_fail("%s", err.text);
    }
}

/* The folder alone, without a store. */
static inline void toy_make(struct toy *toy)
{
    *toy = (struct toy){0};
    suite_folder(toy->folder, sizeof(toy->folder), "toy");
    snprintf(toy->store, sizeof(toy->store), "%s/store", toy->folder);
}

static inline void toy_open(struct toy *toy)
{
    toy_make(toy);
    toy_back(toy);
}

/* Who follows the store's changes by the feed alone has the same runs. */
static inline void toy_follow(struct toy *toy)
{
    char copy[96];
    snprintf(copy, sizeof(copy), "%s/copy.duckdb", toy->folder);
    follower_follow(toy->facts, copy);
}

/* That is tried after every import, or, where TOY_FOLLOWS_LATE is defined, once, after all of them. */
#ifdef TOY_FOLLOWS_LATE
enum { TOY_LATE = 1 };
#else
enum { TOY_LATE = 0 };
#endif

static inline void toy_close(struct toy *toy)
{
    if (TOY_LATE && toy->facts) {
        toy_follow(toy);
    }
    toy_away(toy);
    toy_remove(toy->folder);
}

/* An empty store in the place of the one that was. */
static inline void toy_empty(struct toy *toy)
{
    char copy[96];
    snprintf(copy, sizeof(copy), "%s/copy.duckdb", toy->folder);
    toy_away(toy);
    toy_remove(toy->store);
    toy_remove(copy);
    toy_back(toy);
}

/* --- files ------------------------------------------------------------------------------------ */

/* The path of a file in the folder, in one of a few buffers that take turns. */
static inline const char *toy_path(const struct toy *toy, const char *name)
{
    static char paths[8][128];
    static unsigned turn;
    char *path = paths[turn++ % 8];
    snprintf(path, sizeof(paths[0]), "%s/%s", toy->folder, name);
    return path;
}

static inline void toy_put(const struct toy *toy, const char *name, struct str bytes, int flags)
{
    int fd = open(toy_path(toy, name), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
    expect_true(fd >= 0);
    while (bytes.len > 0) {
        ssize_t put = write(fd, bytes.ptr, bytes.len);
        expect_true(put > 0);
        bytes.ptr += put;
        bytes.len -= (size_t)put;
    }
    expect_int(close(fd), 0);
}

/* In place: an inode that is there is kept. */
static inline void toy_write(const struct toy *toy, const char *name, struct str bytes)
{
    toy_put(toy, name, bytes, O_TRUNC);
}

static inline void toy_append(const struct toy *toy, const char *name, struct str bytes)
{
    toy_put(toy, name, bytes, O_APPEND);
}

static inline void toy_rename(const struct toy *toy, const char *from, const char *to)
{
    expect_int(rename(toy_path(toy, from), toy_path(toy, to)), 0);
}

/* --- imports ---------------------------------------------------------------------------------- */

static inline struct ingest_options toy_options(const struct toy *toy, const char *name)
{
    return (struct ingest_options){
        .driver = source_find(STR("sge")),
        .path = toy_path(toy, name),
        .cluster = "toy",
        .now = TOY_NOW,
    };
}

static inline struct ingest_summary toy_import_as(struct toy *toy,
                                                  const struct ingest_options *options)
{
    struct ingest_summary summary;
    struct error err = {0};
    if (ingest_file(toy->facts, options, &summary, &err) != 0) {
        expect_fail("%s", err.text);
    }
    if (!TOY_LATE) {
        toy_follow(toy);
    }
    return summary;
}

static inline struct ingest_summary toy_import(struct toy *toy, const char *name)
{
    struct ingest_options options = toy_options(toy, name);
    return toy_import_as(toy, &options);
}

/* An import that must fail; the sentence is in *err. */
static inline void toy_refuse(struct toy *toy, const char *name, struct error *err)
{
    struct ingest_summary summary;
    struct ingest_options options = toy_options(toy, name);
    *err = (struct error){0};
    if (ingest_file(toy->facts, &options, &summary, err) == 0) {
        expect_fail("'%s' was imported", name);
    }
}

/* --- facts ------------------------------------------------------------------------------------ */

static inline int64_t toy_number(struct toy *toy, const char *sql)
{
    int64_t number = 0;
    struct error err = {0};
    if (facts_number(toy->facts, sql, (struct facts_values){0}, &number, NULL, &err) != 0) {
        expect_fail("%s: %s", sql, err.text);
    }
    return number;
}

static inline void toy_add_cell(struct buf *out, const struct table *table, size_t column,
                                size_t row)
{
    if (!table_has(table, column, row)) {
        buf_addz(out, "---");
    } else if (table->columns[column].type == CELL_TEXT) {
        buf_add(out, table->columns[column].cells[row].text);
    } else if (table->columns[column].type == CELL_REAL) {
        buf_addf(out, "%.17g", table->columns[column].cells[row].real);
    } else {
        buf_addf(out, "%" PRId64, (int64_t)table_wide(table, column, row));
    }
}

/* The answer of a statement as lines of text with a bar between cells; freed by the caller. */
static inline char *toy_query(struct toy *toy, const char *sql)
{
    struct table table = {0};
    struct error err = {0};
    struct buf out;
    buf_init(&out, TOY_TEXT_MAX);
    if (facts_query(toy->facts, sql, (struct facts_values){0}, &table, &err) != 0) {
        expect_fail("%s: %s", sql, err.text);
    }
    for (size_t row = 0; row < table.row_count; row++) {
        for (size_t column = 0; column < table.column_count; column++) {
            buf_addz(&out, column > 0 ? "|" : "");
            toy_add_cell(&out, &table, column, row);
        }
        buf_addc(&out, '\n');
    }
    table_release(&table);
    expect_false(out.overflow);
    char *text = buf_take(&out);
    buf_release(&out);
    return text;
}

static inline void toy_expect(struct toy *toy, const char *sql, const char *want)
{
    char *got = toy_query(toy, sql);
    expect_text(got, want);
    free(got);
}

/* Everything the facts say, but for where they were read: file, line, batch. */
static inline char *toy_facts(struct toy *toy)
{
    char *runs = toy_query(toy, "SELECT * EXCLUDE (file, line, batch) FROM runs ORDER BY ALL");
    char *parts = toy_query(toy, "SELECT * EXCLUDE (file, line, batch) FROM parts "
                                 "WHERE part <> '' ORDER BY ALL");
    struct buf out;
    buf_init(&out, (size_t)2 * TOY_TEXT_MAX);
    buf_addf(&out, "%s-- parts\n%s", runs, parts);
    free(runs);
    free(parts);
    char *text = buf_take(&out);
    buf_release(&out);
    return text;
}
