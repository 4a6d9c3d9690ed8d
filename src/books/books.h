/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The books: what people decided, in an SQLite file beside the facts. Few and irreplaceable,
 * where facts are many and can be read again.
 *
 * This header and its neighbours (kind.h, membership.h, people.h, target.h, capacity.h, gap.h,
 * display.h, cluster_rule.h, rate.h, sheet.h, dump.h) are the only way in; no SQLite type or
 * message leaves this folder untranslated.
 *
 * What a thing is and which columns it has stands in kind.h; here are rows of any kind. Any
 * number of processes may read and change at the same time: changes wait for each other up to
 * BOOKS_WAIT_MS and then fail with ERROR_CONFLICT. A change happens in a transaction, is
 * written to the history in the same, and survives kill -9 and power failure once committed. A
 * handle belongs to one thread.
 *
 *     books_open(folder, BOOKS_WRITE, &world, &books, err)
 *     books_begin(books, err)
 *     books_add(books, kind, cells, &id, err)
 *     books_commit(books, err)
 */

#include <stdbool.h>

#include "base/arena.h"
#include "base/attribute.h"
#include "base/error.h"
#include "books/kind.h"

struct books;

enum books_mode {
    BOOKS_READ,  /* a folder without books reads as empty ones; nothing is made */
    BOOKS_WRITE, /* makes folder and file where they are not */
};

enum { BOOKS_WAIT_MS = 5000 };

/* Who changes things, and how values are read. Borrowed until the close. */
struct books_world {
    struct kind_world kind;
    const char *who; /* for the history; NULL where nothing is changed */
};

/*
 * Opens the books in `folder`. An older schema is migrated (also by readers, who then need
 * permission to write once); a newer one is refused.
 */
int books_open(const char *folder, enum books_mode mode, const struct books_world *world,
               struct books **out, struct error *err) MUST_CHECK;
void books_close(struct books *books); /* rolls back what was not committed; accepts NULL */

/* Whether anything was ever written down for the store in `folder`. */
bool books_exist(const char *folder);

int books_schema(void); /* number of this build */

/*
 * The files of the books in a store's folder, NULL at the end; only the first must be there,
 * and is all of a copy.
 */
extern const char *const books_files[];

/*
 * Writes the books as they are now into a file, which must not exist, whatever others change
 * meanwhile.
 */
int books_copy(struct books *books, const char *path, struct error *err) MUST_CHECK;

/* Reads all of the file and says what of it is damaged, if anything is: ERROR_STORE. */
int books_verify(struct books *books, struct error *err) MUST_CHECK;
const struct kind_world *books_kind_world(const struct books *books);

/* Rows of one kind, in the order they were made. */
struct books_rows {
    const struct kind *kind;
    struct kind_row *rows;
    size_t count;
    struct arena arena; /* text of cells */
};

int books_list(struct books *books, const struct kind *kind, struct books_rows *out,
               struct error *err) MUST_CHECK; /* `out` is released also when it fails */

/* The same as they were after a change of the history; 0: before the first. */
int books_list_of(struct books *books, const struct kind *kind, int64_t change,
                  struct books_rows *out, struct error *err) MUST_CHECK;
void books_rows_release(struct books_rows *rows);

/*
 * Changes, between begin and commit. Commit asks what must hold of all rows of the kinds that
 * were touched, and rolls back where it does not. After a failed change, roll back.
 */
int books_begin(struct books *books, struct error *err) MUST_CHECK;
int books_commit(struct books *books, struct error *err) MUST_CHECK;

/* Sees the books as they are now until the rollback, whatever others change meanwhile. */
int books_begin_reading(struct books *books, struct error *err) MUST_CHECK;
void books_rollback(struct books *books);

/* Adds a row; cells as given by people, by column. A key that is there is ERROR_CONFLICT. */
int books_add(struct books *books, const struct kind *kind, const struct str *cells,
              int64_t *id, struct error *err) MUST_CHECK;

/*
 * Changes the cells of a row that are not the null string; an empty one makes a value absent.
 */
int books_set(struct books *books, const struct kind *kind, int64_t id, const struct str *cells,
              struct error *err) MUST_CHECK;

/* Removes a row; one that others refer to is ERROR_CONFLICT. */
int books_remove(struct books *books, const struct kind *kind, int64_t id,
                 struct error *err) MUST_CHECK;

/* Adds a row, or sets the given cells of the one with the same key, as books_set does. */
enum books_outcome { BOOKS_ADDED, BOOKS_CHANGED, BOOKS_SAME };

int books_put(struct books *books, const struct kind *kind, const struct str *cells,
              enum books_outcome *outcome, struct error *err) MUST_CHECK;

/* One change of the past. Text lives as long as the list. */
struct books_change {
    int64_t id, at; /* number of the change, instant */
    struct str who, operation;
    struct str table;         /* of the kind it is about */
    int64_t item;             /* row it is about */
    struct str before, after; /* JSON objects, or absent */
};

struct books_history {
    struct books_change *changes;
    size_t count;
    struct arena arena;
};

/* Which changes: null strings and zeros are "any"; `limit` takes the newest, 0 all of them. */
struct books_history_filter {
    struct str who, table;
    int64_t item, from, to, limit;
};

/* In order of time; `out` is released also when it fails. */
int books_history_list(struct books *books, const struct books_history_filter *filter,
                       struct books_history *out, struct error *err) MUST_CHECK;
void books_history_release(struct books_history *history);
